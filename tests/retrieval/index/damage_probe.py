"""Ask an index everything, in a process of its own: a crash of compiled code is then seen by whoever started it.

    python damage_probe.py INDEX < damages    prints a line for each damage: same, other, or the error

Phrases, which take longest, are asked of few words, and of many with the word `thorough`.

A damage is a line of JSON: a file of the index, and the bytes of it to put in their place, as [offset, hexadecimal] or
as a new size. Each is made in turn, and undone.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.dense.vectors import Vectors
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import CODES, NUMBERS, merge
from leadline.retrieval.language.matching import FieldPlaces, NearBy, Phrase, QueryWord, Together, frequencies
from leadline.retrieval.models.searcher import Searcher
from leadline.retrieval.pipeline.context_data import DocumentTerms

WIDTH = 8  # of the vectors of the tests
QUERIES = ["acetic acid in a polymer film", "titanium oxide valve"]


def answers(folder: Path) -> Iterator[Any]:
    """What an index says: everything it holds, searches, phrases and vectors."""
    index = Index.open(folder)
    yield index.ids, len(index), [index.id_of(row) for row in range(len(index))]
    searcher, forward = Searcher(index), DocumentTerms(index)
    for field in index.fields:
        terms = sorted({term for segment in index.segments for term in segment.field(field).terms})
        lists = index.lists(field, terms)
        yield terms, [values.tolist() for values in vars(lists).values()], index.lengths(field).tolist()
        yield index.expand(field, "a")
        rows = np.arange(len(index))
        yield sorted(forward.mixture(rows, np.full(len(rows), 1 / len(rows)), {field: 1.0}).items())
        if index.manifest["positions"]:
            for pair in pairwise(terms[:: 7 if "thorough" in sys.argv else max(7, len(terms) // 3)]):
                words = [QueryWord(b"", term.decode()[:2] + "*") for term in pair]
                ends = QueryWord(b"", f"*{pair[0].decode()[-1:]}")
                same = Together((Phrase((ends,)), Phrase((QueryWord(pair[1]),))), "sentence")
                near = NearBy(tuple(Phrase((QueryWord(term),)) for term in pair), (2,))
                for segment in index.segments:
                    for part in (near, Phrase(tuple(words)), Phrase((ends,)), same):
                        found = frequencies(part, FieldPlaces(segment.field(field), len(segment), field))
                        yield [each.tolist() for each in found]
        yield [list(segment.field(field).spellings) for segment in index.segments]
    for query in QUERIES:
        for fields in (None, [index.fields[-1]]):
            for model in ("bm25", "dph"):
                found = searcher.search(query, model, fields=fields)
                yield found.rows.tolist(), found.scores.tolist()
    yield [index.column(name).tolist() for name in NUMBERS]
    yield [index.having(name, ["EP", "C07D", "A"]).tolist() for name in CODES]
    for path in sorted(folder.glob("vectors-*.float16")):
        yield Vectors(path, (len(index), WIDTH)).scores(np.ones(WIDTH, np.float32)).tolist()
    if "merge" in sys.argv:
        try:
            merge(index.segments, index.fields, folder / "merged")
        finally:
            (folder / "merged").unlink(missing_ok=True)


def outcome(folder: Path) -> str:
    """A digest of all answers, or the error in one line; any other exception ends the process."""
    digest = hashlib.sha256()
    try:
        for answer in answers(folder):
            digest.update(json.dumps(answer, default=repr).encode())
    except InputError as error:
        return f"error {error}"
    return digest.hexdigest()


def main() -> None:
    folder = Path(sys.argv[1])
    np.seterr(all="ignore")  # numbers that somebody made up may be divided by 0
    if "hostile" in sys.argv:  # each line of input is the name of a copy in the folder
        for line in sys.stdin:
            print(outcome(folder / json.loads(line)), flush=True)
        return
    whole = outcome(folder)
    assert not whole.startswith("error"), whole
    for line in sys.stdin:
        name, change = json.loads(line)
        path = folder / name
        content = path.read_bytes()
        if isinstance(change, int):
            path.write_bytes(content[:change])
        else:
            at, written = change[0], bytes.fromhex(change[1])
            path.write_bytes(content[:at] + written + content[at + len(written) :])
        found = outcome(folder)
        print("same" if found == whole else found if found.startswith("error") else "other", flush=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
