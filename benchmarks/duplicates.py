"""How fast near-duplicates are found, beside the package rensa, and whether they are families; for docs/duplicates.md.

    python benchmarks/duplicates.py [--only speed,families,growth] [--repeat 7] [--sizes 100000,300000,1000000]
                                    [--write] [--check]

`speed` compares on texts made here: 4-word shingles, 128 numbers for each text, medians of processor time, in turn.
Three jobs are counted: sketches from the same 64-bit hashes of shingles, handed to both as NumPy arrays; sketches
from the same lists of words, where rensa is given shingles joined by Python; and pairs from the same words.
`families` needs `patents/us_api` of the shared data (LEADLINE_SHARED, or `shared` beside the repository) and is left
out without it. `growth` writes collections of short texts with planted near-copies to disk, and searches each for
duplicates in a process of its own, whose memory and processor time are measured.
Every number of the document is between two marks, and --write replaces them. The last mark holds the short form,
numbers that do not depend on the machine; --check compares them with those of today, and the tests do so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import leadline as ll
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.duplicates.find import compare_with_families, open_texts, read_pairs
from leadline.collections.duplicates.sketches import PLACES, ShingleHashes, mixed, sketches
from leadline.records.result import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/duplicates.md"
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data/patents/us_api"
PARTS = ("speed", "families", "growth")
SIZES = (100_000, 300_000, 1_000_000)
THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
WORDS, VOCABULARY = 300, 20_000
NAMES = [f"w{number}" for number in range(VOCABULARY)]
ZIPF = np.cumsum(1 / np.arange(1, VOCABULARY + 1)) / np.sum(1 / np.arange(1, VOCABULARY + 1))
PROMISE = 2.0  # times the speed of rensa's R-MinHash, the estimator of the same kind


def made_words(texts: int, seed: int = 1, length: int = WORDS) -> Iterator[list[str]]:
    """Lists of words, a fifth of them a copy of an earlier one with up to 10 words changed."""
    rng = np.random.default_rng(seed)
    earlier: list[list[str]] = []
    for _ in range(texts):
        if earlier and rng.random() < 0.2:
            words = list(earlier[int(rng.integers(len(earlier)))])
            for at in rng.integers(0, length, int(rng.integers(0, 11))).tolist():
                words[at] = NAMES[int(rng.integers(VOCABULARY))]
        else:
            words = [NAMES[each] for each in rng.integers(0, VOCABULARY, length).tolist()]
            if len(earlier) < 1000:
                earlier.append(words)
        yield words


def medians(jobs: Sequence[Callable[[], object]], repeat: int) -> list[float]:
    """The median seconds of processor time of each job, run in turn; the first round is not counted."""
    taken: list[list[float]] = [[] for _ in jobs]
    for turn in range(repeat + 1):
        for job, times in zip(jobs, taken, strict=True):
            start = time.process_time()
            job()
            if turn:
                times.append(time.process_time() - start)
    return [statistics.median(times) for times in taken]


def speed(texts: int, repeat: int) -> tuple[Table, float]:
    """Our times beside rensa's, and the smallest ratio to its R-MinHash."""
    import rensa

    os.environ["LEADLINE_ENGINE"] = "compiled"
    words = list(made_words(texts))
    hashed = ShingleHashes.of([" ".join(each) for each in words], 4, "words")
    offsets = hashed.offsets.astype(np.uint64)

    def shingled(tokens: list[str]) -> list[str]:
        return list(map(" ".join, zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)))

    def theirs_from_words() -> object:
        return rensa.RMinHash.digest_matrix_from_token_sets([shingled(each) for each in words], PLACES, 42)

    def their_pairs() -> object:
        index = rensa.RMinHashLSH(0.8, PLACES, 32)
        made = []
        for number, each in enumerate(words):
            sketch = rensa.RMinHash(PLACES, 42)
            sketch.update(shingled(each))
            index.insert(number, sketch)
            made.append(sketch)
        return [index.query(sketch) for sketch in made]

    def ours_from_words() -> object:
        return sketches(ShingleHashes.of([" ".join(each) for each in words], 4, "words"))

    matrix = rensa.RMinHash
    jobs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "sketches from hashes, rensa's R-MinHash": (
            lambda: sketches(hashed),
            lambda: matrix.digest_matrix_from_flat_token_hashes(hashed.hashes, offsets, PLACES, 42),
        ),
        "sketches from hashes, rensa's rho": (
            lambda: sketches(hashed),
            lambda: matrix.digest_matrix_from_flat_token_hashes_rho(hashed.hashes, offsets, PLACES, 42),
        ),
        "sketches from words, rensa's R-MinHash": (ours_from_words, theirs_from_words),
        "near-duplicates from words, rensa's LSH without comparing": (
            lambda: ll.duplicates([(str(number), " ".join(each)) for number, each in enumerate(words)]),
            their_pairs,
        ),
    }
    rows = []
    for name, (ours, theirs) in jobs.items():
        mine, other = medians([ours, theirs], repeat)
        rows.append([name, 1e6 * mine / texts, 1e6 * other / texts, other / mine])
    columns = ["job", "µs a text, Leadline", "µs a text, rensa", "times as fast"]
    return Table(columns, rows, digits=2), min(row[3] for row in rows if "R-MinHash" in row[0])


def families(data: Path, most: int | None = None, thresholds: Sequence[float] = THRESHOLDS) -> Table:
    """Precision and recall of the groups against the families that the patents name, for several thresholds."""
    pairs = read_pairs(data / "citations.tsv", "F")
    with tempfile.TemporaryDirectory() as folder:
        mapping = ROOT / "examples/us_api.toml"
        patents = Collection.build([data / "docs_10k.jsonl.xz"], Path(folder) / "patents", mapping=mapping, keep="all")
        texts = open_texts(patents)
        documents = [
            (texts.ids[row], text)
            for batch in texts.batches()
            for row, text in zip(batch.rows.tolist(), batch.texts, strict=True)
        ]
    documents = documents[:most]
    rows = []
    for threshold in thresholds:
        start = time.process_time()
        found = ll.duplicates(documents, resemblance=threshold)
        taken = time.process_time() - start
        scored = compare_with_families(found, pairs, [name for name, _ in documents])
        rows.append(
            [threshold, found.groups, len(found.entries), f"{100 * found.share:.1f} %", *scored, f"{taken:.1f}"]
        )
    columns = [
        "resemblance",
        "groups",
        "documents in them",
        "superfluous",
        "precision",
        "recall of families",
        "recall of F pairs",
        "seconds",
    ]
    return Table(columns, rows)


def planted(documents: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """For each document the one it is a copy of, itself if it is none, and how many of its words are changed.

    Every fifth document is a copy of an earlier one that is no copy. No document depends on what was made before, so
    that a million can be made one by one.
    """
    fifth = np.uint64(5)
    earlier = mixed(documents) % np.maximum(documents, np.uint64(1))
    earlier -= np.where(earlier % fifth == 4, np.uint64(1), np.uint64(0))
    is_copy = documents % fifth == 4
    return np.where(is_copy, earlier, documents), np.where(is_copy, mixed(documents + fifth) % np.uint64(4), 0)


def short_texts(begin: int, end: int) -> list[str]:
    """The texts of some documents: 80 to 119 words, frequent and rare ones as in English, copies with changed words."""
    documents = np.arange(begin, end, dtype=np.uint64)
    origins, changes = planted(documents)
    lengths = (80 + mixed(origins * np.uint64(3)) % np.uint64(40)).astype(np.int64)
    draws = mixed(origins[:, None] * np.uint64(128) + np.arange(128, dtype=np.uint64))
    for change in range(3):
        rows = np.flatnonzero(changes > change)
        places = mixed(documents[rows] * np.uint64(3) + np.uint64(change)) % lengths[rows].astype(np.uint64)
        draws[rows, places.astype(np.int64)] = mixed(draws[rows, places.astype(np.int64)])
    words = np.searchsorted(ZIPF, (draws >> np.uint64(11)) / 2.0**53)
    return [" ".join(map(NAMES.__getitem__, row[:length])) for row, length in zip(words.tolist(), lengths, strict=True)]


def short_documents(count: int) -> Iterator[Document]:
    for begin in range(0, count, 10_000):
        texts = short_texts(begin, min(begin + 10_000, count))
        yield from (Document(f"d{begin + place}", abstract=text) for place, text in enumerate(texts))


def growth(sizes: Sequence[int]) -> Table:
    """Processor time and memory of searches among more and more texts, each in a process of its own."""
    columns = [
        "texts", "MiB of text", "seconds", "µs a text", "memory before, MiB", "most memory, MiB", "of it own, MiB",
        "with a duplicate", "planted copies found",
    ]  # fmt: skip
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_collection(short_documents(size), Path(folder) / "texts", {"made by": "benchmarks/duplicates.py"})
            command = [sys.executable, __file__, "--search", f"{folder}/texts"]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ | {"TMPDIR": folder})
        rows.append(list(json.loads(done.stdout).values()))
    return Table(columns, rows, digits=1)


def search(folder: str) -> dict[str, object]:
    """Search a collection for duplicates, and say how long this process took and how much memory it held at most."""
    os.environ["LEADLINE_ENGINE"] = "compiled"
    ll.duplicates({"a": "one two three four five", "b": "one two three four five six"})  # loads all code
    before, highest = own_memory(), [0]
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.02):
            highest[0] = max(highest[0], own_memory())

    watching = threading.Thread(target=watch)
    watching.start()
    start = time.process_time()
    found = ll.duplicates(folder)
    taken = time.process_time() - start
    ended.set()
    watching.join()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = sum(len(text) for batch in open_texts(folder).batches() for text in batch.texts)
    # A copy with two changed words of 80 resembles its origin by 69 / 85 or more.
    origins, changes = planted(np.arange(found.documents, dtype=np.uint64))
    certain = np.flatnonzero((changes < 3) & (origins != np.arange(found.documents)))
    copies = [(f"d{copy}", f"d{origins[copy]}") for copy in certain.tolist()]
    hit = sum(found.group_of.get(a, -1) == found.group_of.get(b, -2) for a, b in copies)
    return {
        "texts": found.documents,
        "size": round(size / 2**20),
        "seconds": taken,
        "each": 1e6 * taken / found.documents,
        "before": round(before),
        "most": round(most),
        "own": round(highest[0]),
        "entries": len(found.entries),
        "found": f"{hit:,} of {len(copies):,}",
    }


def own_memory() -> float:
    """MiB of memory that this process holds without the files it reads, which the system can drop at any time."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon")]
    return int(line.split()[1]) / 1024


def short_form() -> str:
    """Numbers of the document that do not depend on the machine, for a part of its texts."""
    texts = dict(enumerate(short_texts(0, 3000)))
    found = ll.duplicates({f"d{number}": text for number, text in texts.items()})
    said = [len(found.entries), found.groups, found.pairs_compared, sum(map(len, texts.values()))]
    if (DATA / "citations.tsv").is_file():
        said += [cell for row in families(DATA, 2000, (0.5, 0.8)).rows for cell in row[:-1]]
    return " ".join(f"{each:.4f}" if isinstance(each, float) else str(each) for each in said)


def report(part: str, options: argparse.Namespace) -> tuple[str, bool]:
    """What stands between the marks of a part, and whether it keeps what is promised."""
    if part == "families":
        return families(DATA).render("markdown"), True
    if part == "growth":
        table = growth(options.sizes)
        (few, less), (many, more) = ((row[0], row[6]) for row in (table.rows[0], table.rows[-1]))
        time_each = [row[3] for row in table.rows]
        further = (more - less) * 2**20 / (many - few)
        about = (
            f"From {few:,} to {many:,} texts, the time of a text is between {min(time_each):.0f} and "
            f"{max(time_each):.0f} µs, and each further text needs {further:.0f} bytes of memory:"
        )
        rows = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in table.rows]
        return f"{about}\n\n{Table(table.columns, rows, digits=1).render('markdown')}", True
    table, least = speed(options.texts, options.repeat)
    about = (
        f"Beside the package rensa {version('rensa')}, {options.texts:,} texts of {WORDS} words, medians of the "
        f"processor time of {options.repeat} runs in turn:"
    )
    return f"{about}\n\n{table.render('markdown')}", least >= PROMISE


def write_part(name: str, content: str) -> None:
    """Put the content of a part between its marks in the document."""
    replace(rf"<!-- {name} -->.*?<!-- end -->", f"<!-- {name} -->\n{content}\n<!-- end -->")


def replace(pattern: str, block: str) -> None:
    text, count = re.subn(pattern, lambda _: block, PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{PAGE} has {count} places for {pattern}")
    PAGE.write_text(text, encoding="utf-8")


def written_short_form() -> str:
    (found,) = re.findall(r"<!-- short form: (.*?) -->", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return " ".join(found.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--sizes", type=lambda given: [int(each) for each in given.split(",")], default=SIZES)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true", help="only compare the short form with the document's")
    parser.add_argument("--search", metavar="DIR", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.search:
        print(json.dumps(search(options.search)))
        return
    if options.check:
        sys.exit(0 if short_form() == written_short_form() else f"{PAGE.name} is out of date: run this with --write")
    kept = True
    for part in options.only.split(","):
        if part == "families" and not (DATA / "citations.tsv").is_file():
            print(f"families: skipped, there is no {DATA}")
            continue
        content, good = report(part, options)
        kept &= good
        print(f"{part}\n{content}\n", flush=True)
        if options.write:
            write_part(part, content)
    if options.write:
        replace("<!-- short form: .*? -->", f"<!-- short form: {short_form()} -->")
    sys.exit(not kept)


if __name__ == "__main__":
    main()
