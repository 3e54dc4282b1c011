"""Files that somebody may send as a run, and that are none: binary, wrong, cut, or much larger when unpacked."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import zipfile
from collections.abc import Iterator

LINE = b"EP1000031B1 Q0 EP1000003B1 1 1.0 t\n"  # of a run for the materials of the attacks
_LARGE = 32 << 20


def bad_runs() -> Iterator[tuple[str, str, bytes]]:
    """What a file can be that is not a run: its description, name and content."""
    packed = gzip.compress(LINE * 1000, mtime=0)
    bomb = gzip.compress(bytes(1 << 20), 9, mtime=0) * 400
    yield from (
        ("nothing", "x.run", b""),
        ("random bytes", "x.run", random.Random(1).randbytes(5000)),
        ("zero bytes", "x.run", bytes(5000)),
        ("a Parquet file", "x.run", b"PAR1" + bytes(100) + b"PAR1"),
        ("one line without end", "x.run", b"a" * 3_000_000),
        ("too few columns", "x.run", LINE + b"1 Q0 d\n"),
        ("a score that is no number", "x.run", LINE + LINE.replace(b"1.0", b"NaN").replace(b"03B", b"06B")),
        ("an infinite score", "x.run", LINE + LINE.replace(b"1.0", b"inf").replace(b"03B", b"06B")),
        ("a document twice", "x.run", LINE + LINE),
        ("UTF-16", "x.run", LINE.decode().encode("utf-16")),
        ("a packed file that is cut", "x.run.gz", packed[:-9]),
        ("a packed file that is damaged", "x.run.gz", packed[:20] + b"\xff\xff\xff" + packed[23:]),
        ("a bomb of gzip", "x.run.gz", bomb),
        ("a bomb of gzip without its name", "x.run", bomb),
        ("a bomb in a bomb", "x.run.gz", gzip.compress(bomb, mtime=0)),
        ("a bomb of bzip2", "x.run.bz2", bz2.compress(bytes(_LARGE)) * 20),
        ("a bomb of xz", "x.run.xz", lzma.compress(bytes(_LARGE)) * 20),
        ("a bomb of zip", "x.zip", _zip_bomb()),
        ("a bomb of zip under another name", "x.run", _zip_bomb()),
    )


def _zip_bomb() -> bytes:
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
            for number in range(4):
                made.writestr(f"../{number}.run", bytes(_LARGE))
        return file.getvalue()
