"""The documents and the queries of benchmarks/search.py: real texts cut into passages, and queries drawn from them."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared"))
TEXTS = SHARED / "data/patents/us_api/docs_10k.jsonl.xz"
WORDS_A_DOCUMENT = 120
LETTERS = "etaoinshrdlcumwfgypbvk"
OPERATORS = {"and", "or", "not", "near", "same", "adj", "xor", "with", "in", "to", "pre", "prox"}  # of any program
CLASSES = 600  # of patents, drawn with the popularity 1 / (rank + 5)
CUT = 5  # letters that a truncated word keeps

# Documents


def passages(limit: int) -> Iterator[tuple[list[str], int]]:
    """Passages of real texts as words of letters and digits, in lower case, and the number of the patent of each."""
    with lzma.open(TEXTS, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            record = json.loads(line)
            text = " ".join(str(record.get(name) or "") for name in ("title", "abstract", "description"))
            words = "".join(letter if letter.isalnum() and letter.isascii() else " " for letter in text.lower()).split()
            for start in range(0, len(words) - WORDS_A_DOCUMENT // 2, WORDS_A_DOCUMENT):
                yield words[start : start + WORDS_A_DOCUMENT], number
                limit -= 1
                if limit <= 0:
                    return


def generated(documents: int, vocabulary: int = 100_000) -> list[list[str]]:
    """Documents of made-up words."""
    rng = np.random.default_rng(1)
    words: dict[str, None] = {}
    while len(words) < vocabulary:
        words["".join(rng.choice(list(LETTERS), max(2, int(rng.gamma(6, 1.1)))))] = None
    listed, popularity = list(words), 1 / (np.arange(vocabulary) + 10.0)
    numbers = rng.choice(vocabulary, (documents, WORDS_A_DOCUMENT), p=popularity / popularity.sum())
    return [[listed[number] for number in row] for row in numbers.tolist()]


def real(documents: int) -> list[list[str]]:
    """Documents of real texts; the missing ones have the first half of one passage and the second of another."""
    return [words for words, _ in _real(documents)]


def _real(documents: int) -> Iterator[tuple[list[str], int]]:
    found, known = [], {}
    for words, patent in passages(documents):
        found.append(([known.setdefault(word, word) for word in words], patent))
        yield found[-1]
    rng, half, count = np.random.default_rng(1), WORDS_A_DOCUMENT // 2, len(found)
    for one, other in rng.integers(0, count, (max(0, documents - count), 2)).tolist():
        yield found[one][0][:half] + found[other][0][half:], found[one][1]


def write_documents(count: int, path: Path) -> None:
    """A line for each document: its year, its class and its words. A passage has the year and class of its patent."""
    rng = np.random.default_rng(3)
    popularity = 1 / (np.arange(CLASSES) + 5.0)
    classes = rng.choice(CLASSES, 20_000, p=popularity / popularity.sum())
    years = rng.integers(1995, 2025, 20_000)
    documents = _real(count) if TEXTS.exists() else ((words, n // 10) for n, words in enumerate(generated(count)))
    with open(path, "w", encoding="ascii") as file:
        for words, patent in documents:
            of = patent % 20_000
            file.write(f"{years[of]}\t{class_name(int(classes[of]))}\t{' '.join(words)}\n")


def class_name(number: int) -> str:
    """A subclass as the IPC writes it.

    >>> class_name(0), class_name(599)
    ('A01A', 'C33B')
    """
    return f"{'ABCDEFGH'[number // 260]}{number // 10 % 26 + 1:02}{'ABCDEFGHIJ'[number % 10]}"


@dataclass(frozen=True)
class Document:
    """A document as all programs index it."""

    name: str
    year: int
    symbol: str  # its class
    text: str


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of a file."""
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file):
            year, symbol, text = line.rstrip("\n").split("\t")
            yield Document(f"D{number:07}", int(year), symbol, text)


# Queries


@dataclass(frozen=True)
class Asked:
    """A query before a program has written it in its own language."""

    kind: str  # of KINDS
    words: list[str]
    symbol: str = ""
    first: int = 0  # years
    last: int = 0


KINDS = {
    "words": "words",
    "typed": "words as typed",
    "and": "words joined by AND",
    "phrase": "words as a phrase",
    "filter": "words, a class and a period",
    "truncated": "words, one of them truncated",
}


class Texts:
    """A file of documents, of which any can be read."""

    def __init__(self, path: Path) -> None:
        self._content = np.memmap(path, np.uint8, "r")
        self._ends = np.flatnonzero(self._content == ord("\n"))

    def __len__(self) -> int:
        return len(self._ends)

    def document(self, number: int) -> tuple[int, str, list[str]]:
        start = int(self._ends[number - 1]) + 1 if number else 0
        year, symbol, text = self._content[start : self._ends[number]].tobytes().decode().split("\t")
        return int(year), symbol, text.split()

    def queries(self, kind: str, words: int, count: int, seed: int) -> list[Asked]:
        """Queries of words of one document, or of as many as are needed; another seed gives other queries."""
        rng = np.random.default_rng([seed, words, *kind.encode()])
        found: list[Asked] = []
        while len(found) < count:
            year, symbol, text = self.document(int(rng.integers(len(self))))
            if kind == "phrase":
                at = int(rng.integers(max(1, len(text) - words)))
                chosen = text[at : at + words]
                if len(chosen) == words and OPERATORS.isdisjoint(chosen):
                    found.append(Asked(kind, chosen))
                continue
            known = {word for word in text if word not in OPERATORS}
            while len(known) < words:
                more = self.document(int(rng.integers(len(self))))[2]
                known.update(word for word in more if word not in OPERATORS)
            listed = rng.permutation(sorted(known)).tolist()
            if kind == "truncated":
                cut = next((word for word in listed if len(word) > CUT and word.isalpha()), None)
                if cut is not None:
                    found.append(Asked(kind, [next(word for word in listed if word != cut), cut[:CUT]]))
            elif kind == "filter":
                found.append(Asked(kind, listed[:words], symbol, year - 5, year + 5))
            else:
                found.append(Asked(kind, listed[:words]))
        return found


def as_json(queries: list[Asked]) -> str:
    return json.dumps([asdict(query) for query in queries])
