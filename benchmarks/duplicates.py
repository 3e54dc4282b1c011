"""How fast near-duplicates are found, beside the package rensa, and whether they are families; for docs/duplicates.md.

    python benchmarks/duplicates.py [--only speed,families,million] [--repeat 7] [--million 1000000] [--write]

`speed` compares on texts made here: 4-word shingles, 128 numbers for each text, medians of processor time, in turn.
Three jobs are counted: sketches from the same 64-bit hashes of shingles, handed to both as NumPy arrays; sketches
from the same lists of words, where rensa is given shingles joined by Python; and pairs from the same words.
`families` needs `patents/us_api` of the shared data (LEADLINE_SHARED, or `shared` beside the repository) and is left
out without it. `million` makes a million texts one by one and says how much memory the search for duplicates took.
With --write the tables replace those of the document.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

import leadline as ll
from leadline.collections.documents.store import Collection
from leadline.collections.duplicates.families import compare_with_families, read_pairs
from leadline.collections.duplicates.shingles import ShingleHashes
from leadline.collections.duplicates.sketches import PLACES, sketches
from leadline.collections.duplicates.texts import ItemTexts, open_texts
from leadline.records.scores.table import Table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/duplicates.md"
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data/patents/us_api"
PARTS = ("speed", "families", "million")
WORDS, VOCABULARY = 300, 20_000
PROMISE = 2.0  # times the speed of rensa's R-MinHash, the estimator of the same kind


def made_words(texts: int, seed: int = 1, length: int = WORDS) -> Iterator[list[str]]:
    """Lists of words, a fifth of them a copy of an earlier one with up to 10 words changed."""
    rng = np.random.default_rng(seed)
    names = [f"w{number}" for number in range(VOCABULARY)]
    earlier: list[list[str]] = []
    for _ in range(texts):
        if earlier and rng.random() < 0.2:
            words = list(earlier[int(rng.integers(len(earlier)))])
            for at in rng.integers(0, length, int(rng.integers(0, 11))).tolist():
                words[at] = names[int(rng.integers(VOCABULARY))]
        else:
            words = [names[each] for each in rng.integers(0, VOCABULARY, length).tolist()]
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


def families(data: Path, most: int | None = None) -> Table:
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
    for threshold in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9):
        found = ll.duplicates(documents, resemblance=threshold)
        scored = compare_with_families(found, pairs, [name for name, _ in documents])
        rows.append([threshold, found.groups, len(found.entries), f"{100 * found.share:.1f} %", *scored])
    columns = [
        "resemblance",
        "groups",
        "documents in them",
        "superfluous",
        "precision",
        "recall of families",
        "recall of F pairs",
    ]
    return Table(columns, rows)


def million(texts: int) -> Table:
    """Time and memory of a search for duplicates among many texts, which are made as they are read."""
    os.environ["LEADLINE_ENGINE"] = "compiled"

    class Made:
        def __iter__(self) -> Iterator[tuple[str, str, str]]:
            return ((str(number), "", " ".join(words)) for number, words in enumerate(made_words(texts, length=100)))

    start, before = time.process_time(), time.process_time()
    for _ in Made():
        pass
    making = time.process_time() - before
    ll.duplicates({"a": "one two three four five"})
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    from leadline.collections.duplicates import find

    find.open_texts = lambda source, fields=(): ItemTexts(Made(), "made")  # type: ignore[assignment]
    start = time.process_time()
    found = ll.duplicates("made")
    taken = time.process_time() - start - 2 * making
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    texts_size = 100 * 6.4 * texts / 2**20
    row = [
        f"{texts:,}",
        f"{texts_size:,.0f} MiB",
        taken,
        f"{base / 1024:.0f} MiB",
        f"{most / 1024:.0f} MiB",
        len(found.entries),
    ]
    columns = [
        "texts of 100 words",
        "size of the texts",
        "seconds",
        "memory before",
        "most memory",
        "documents with a duplicate",
    ]
    return Table(columns, [row], digits=1)


def write_part(name: str, table: Table) -> None:
    """Put a table between the marks of its part in the document."""
    text = PAGE.read_text(encoding="utf-8")
    block = f"<!-- {name} -->\n{table.render('markdown')}\n<!-- end -->"
    text, count = re.subn(rf"<!-- {name} -->.*?<!-- end -->", lambda _: block, text, flags=re.DOTALL)
    if not count:
        sys.exit(f"{PAGE} has no place for {name}")
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--million", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    slow = False
    for part in options.only.split(","):
        if part == "families" and not (DATA / "citations.tsv").is_file():
            print(f"families: skipped, there is no {DATA}")
            continue
        if part == "speed":
            table, least = speed(options.texts, options.repeat)
            slow = least < PROMISE
        else:
            table = families(DATA) if part == "families" else million(options.million)
        print(f"{part}\n{table}\n")
        if options.write:
            write_part(part, table)
    sys.exit(slow)


if __name__ == "__main__":
    main()
