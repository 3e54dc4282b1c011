"""How fast patents are read: bytes of XML in, documents with claims, classes, dates and citations out, on one core.

    python benchmarks/read_patents.py [FILE] [--repeat 5] [--megabytes 50]

FILE is XML as the United States have published it since 2005, plain or compressed; without FILE, similar patents of
random words are generated. It is read and split into documents before timing starts. The kernels are compiled before,
too, as they are once per installation. The cache of document numbers is cleared before every repetition, because few
numbers occur twice; the caches of dates and classes, which are few, are kept. Times are processor seconds, so that
other programs on the machine do not count. The same documents without spaces between elements are timed as well. The
target is 100 MB per second.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from leadline.collections.documents.numbers import _normalised
from leadline.collections.documents.readers import uspto
from leadline.collections.documents.registry import Raw, parse
from leadline.collections.documents.splitting import split
from leadline.text.engine import engine_of
from leadline.text.source import read_text

PROMISE = 100  # MB/s
_BETWEEN = re.compile(rb">\s+<")


def invented(size: int) -> Iterator[bytes]:
    """Grants with about as many citations, claims, paragraphs and reference numerals as real ones have."""
    rng = np.random.default_rng(1)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz", np.uint8)
    vocabulary = [
        letters[rng.zipf(1.6, length).clip(1, 26) - 1].tobytes().decode() for length in rng.integers(2, 12, 5000)
    ]

    def words(count: int) -> str:
        return " ".join(vocabulary[k] for k in rng.zipf(1.3, count).clip(1, 5000) - 1)

    def sentence(count: int) -> str:
        begin, end = words(count // 2), words(count // 2)
        return f"The {begin} <b>{rng.integers(1, 400)}</b> of <figref>FIG. 1</figref> is &#x201c;{end}&#x201d;."

    written, number = 0, 7_000_000
    while written < size:
        number += 1
        citations = "\n".join(
            f'<citation>\n<patcit num="{k:05d}">\n<document-id>\n<country>US</country>\n'
            f"<doc-number>{rng.integers(10**6, 7 * 10**6)}</doc-number>\n<kind>A</kind>\n<name>Smith et al.</name>\n"
            f"<date>{rng.integers(1950, 2005)}{rng.integers(1, 13):02d}00</date>\n</document-id>\n</patcit>\n"
            f"<category>cited by {('examiner', 'other')[k % 2]}</category>\n</citation>"
            for k in range(rng.integers(5, 40))
        )
        claims = "\n".join(
            f'<claim id="CLM-{k:05d}" num="{k:05d}">\n<claim-text>{k}. The {words(8)} of <claim-ref idref="CLM-00001">'
            f"claim 1</claim-ref>, comprising:\n<claim-text>{words(30)};</claim-text>\n</claim-text>\n</claim>"
            for k in range(1, rng.integers(8, 25))
        )
        paragraphs = "\n".join(
            f'<p id="p-{k:04d}" num="{k:04d}">{" ".join(sentence(24) for _ in range(4))}</p>'
            for k in range(rng.integers(30, 140))
        )
        content = f"""<us-patent-grant lang="EN" dtd-version="v4.2 2006-08-23" country="US" date-publ="20070102">
<us-bibliographic-data-grant>
<publication-reference>
<document-id>
<country>US</country>
<doc-number>0{number}</doc-number>
<kind>B2</kind>
<date>20070102</date>
</document-id>
</publication-reference>
<application-reference appl-type="utility">
<document-id>
<country>US</country>
<doc-number>11{number % 10**6:06d}</doc-number>
<date>20050304</date>
</document-id>
</application-reference>
<classification-ipc>
<edition>7</edition>
<main-classification>G06F 1516</main-classification>
</classification-ipc>
<classification-national>
<country>US</country>
<main-classification>709204</main-classification>
</classification-national>
<invention-title id="d0e1">{words(8)}</invention-title>
<references-cited>
{citations}
</references-cited>
<parties>
<applicants>
<applicant sequence="001" app-type="applicant-inventor" designation="us-only">
<addressbook>
<last-name>Doe</last-name>
<first-name>Jane</first-name>
<address>
<city>Springfield</city>
<country>US</country>
</address>
</addressbook>
</applicant>
</applicants>
</parties>
</us-bibliographic-data-grant>
<abstract id="abstract">
<p id="p-0001" num="0000">{words(90)}</p>
</abstract>
<description id="description">
<heading id="h-0001" level="1">BACKGROUND</heading>
{paragraphs}
</description>
<claims id="claims">
{claims}
</claims>
</us-patent-grant>
""".encode()
        written += len(content)
        yield content


def speeds(work: Callable[[bytes], object], documents: list[bytes], repeat: int) -> list[float]:
    """MB a second of processor time, in each turn."""
    size, taken = sum(map(len, documents)) / 1e6, []
    for content in documents:
        work(content)
    for _ in range(repeat):
        _normalised.cache_clear()
        start = time.process_time()
        for content in documents:
            work(content)
        taken.append(size / (time.process_time() - start))
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=50, help="of invented patents")
    options = parser.parse_args()
    pieces = [read_text(options.file).bytes()] if options.file else invented(options.megabytes * 10**6)
    documents = [raw.content for raw in split(iter(pieces)) if isinstance(raw, Raw) and raw.form in uspto.ROOTS]
    if not documents:
        sys.exit(f"{options.file}: no us-patent-grant or us-patent-application in it")
    engine_of("leadline.collections.documents.kernels").kernel("outline")  # compiles them all
    compact = [_BETWEEN.sub(b"><", content) for content in documents]
    size = sum(map(len, documents)) / 1e6
    print(
        f"{options.file or 'invented patents'}: {len(documents)} documents, {size:.1f} MB; one thread, median of "
        f"{options.repeat} turns, Python {platform.python_version()}, {os.cpu_count()} processors"
    )
    promised = 0.0
    for what, work, given in (
        ("bytes to documents", uspto.read_bytes, documents),
        ("the same without blanks between elements", uspto.read_bytes, compact),
        ("lxml's tree alone, for scale", parse, documents),
    ):
        turns = speeds(work, given, options.repeat)
        promised = promised or statistics.median(turns)
        print(f"{what:<42} {statistics.median(turns):6.1f} MB/s   {min(turns):.1f} to {max(turns):.1f}")
    print(f"promised: {PROMISE} MB/s, {'kept' if promised >= PROMISE else 'NOT KEPT'}")
    sys.exit(promised < PROMISE)


if __name__ == "__main__":
    main()
