"""What a page was made from, as one word: a second request for the same page finds it there and does nothing."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import metadata
from pathlib import Path

from leadline.errors import InputError
from leadline.version import __version__

HEAD = 400  # bytes of a page in which its key stands
_PACKAGES = ("altair", "vl-convert-python", "numpy", "scipy")
_ROOMS = ("charts", "compare", "measures", "qrels", "report", "runs", "scores", "text")
_ENDINGS = (".py", ".js", ".css")
_KEY = re.compile(rb"<!-- leadline \S+ key ([0-9a-f]{64}) -->")


def key_of(inputs: Sequence[str], tables: Sequence[str], options: Iterable[str]) -> str:
    """A hash of the files' names and contents, of the options and of the versions; empty where a file is no file.

    The names count, for a run is called by its file's name.
    """
    paths = [*inputs, *tables]
    if not all(Path(path).is_file() for path in paths):
        return ""  # standard input, a pipe: nothing to know it by
    whole = hashlib.sha256("\0".join([__version__, _sources(), *map(_version, _PACKAGES), *options]).encode())
    with ThreadPoolExecutor() as pool:
        for path, digest in zip(paths, pool.map(_digest, paths), strict=True):
            whole.update(os.fsencode(Path(path).name) + b"\0" + digest)
    return whole.hexdigest()


def key_written_in(path: str | os.PathLike[str]) -> str:
    """The key of a page that is there already; empty where there is none."""
    try:
        with open(path, "rb") as page:
            found = _KEY.search(page.read(HEAD))
    except OSError:
        return ""
    return found[1].decode() if found else ""


def _digest(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise InputError(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from None


@cache
def _sources() -> str:
    """A hash of the code that makes a page: one made by other code is another page, whatever the version says."""
    whole = hashlib.sha256()
    home = Path(__file__).parents[1]
    for path in sorted(path for room in _ROOMS for path in (home / room).rglob("*") if path.suffix in _ENDINGS):
        whole.update(str(path.relative_to(home)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
