"""The agreement of documents with a topic in their classes, at any level of the classification."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from leadline.collections.documents.classes import levels
from leadline.retrieval.index.segment import CodedColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

ClassLevel = Literal["section", "class", "subclass", "group", "subgroup"]
LEVELS = get_args(ClassLevel)
AgreementMeasure = Literal["share", "jaccard", "any", "main"]


@dataclass(frozen=True)
class AtLevel:
    """The classes at a level: their numbers, those of each document, and that of its main symbol (-1: none).

    The classes of document d are codes[offsets[d]:offsets[d + 1]], each once.
    """

    numbers: Mapping[str, int]
    codes: NDArray[np.int64]
    offsets: NDArray[np.int64]
    main: NDArray[np.int64]


class Classes:
    """The classes of all documents.

    >>> from leadline.retrieval.index.batches import coded
    >>> part = coded([["C07D401/04", "A61K31/44"], ["C07D213/00"], []])
    >>> Classes([part]).agreement(["C07D401/00", "A01N1/00"], "subclass", "share").tolist()
    [0.5, 0.5, 0.0]
    """

    def __init__(self, parts: Sequence[CodedColumn]) -> None:
        symbols: dict[str, int] = {}
        coded = []
        for part in parts:
            renumbered = [symbols.setdefault(term.decode(), len(symbols)) for term in part.terms]
            coded.append(np.array(renumbered, np.int64)[part.codes])
        self.symbols = list(symbols)
        self.codes = np.concatenate(coded)
        self.offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))])
        self._at: dict[ClassLevel, AtLevel] = {}

    def of_document(self, row: int) -> list[str]:
        """The symbols of a document, the main one first."""
        return [self.symbols[code] for code in self.codes[self.offsets[row] : self.offsets[row + 1]].tolist()]

    def at(self, level: ClassLevel) -> AtLevel:
        """The classes at a level, computed on first use."""
        if level not in self._at:
            self._at[level] = self._classes_at(level)
        return self._at[level]

    def _classes_at(self, level: ClassLevel) -> AtLevel:
        numbers: dict[str, int] = {}
        names = [under(symbol, level) for symbol in self.symbols]
        class_of = np.array([numbers.setdefault(name, len(numbers)) if name else -1 for name in names], np.int64)
        classes = class_of[self.codes]
        documents, size = len(self.offsets) - 1, max(len(numbers), 1)
        main = np.full(documents, -1, np.int64)
        filled = np.diff(self.offsets) > 0
        main[filled] = classes[self.offsets[:-1][filled]]
        # Pairs of a document and a class, each once, as one number.
        document = np.repeat(np.arange(documents), np.diff(self.offsets))
        keys = np.unique((document * size + classes)[classes >= 0])
        return AtLevel(numbers, keys % size, np.searchsorted(keys, np.arange(documents + 1) * size), main)

    def agreement(
        self, symbols: Sequence[str], level: ClassLevel, by: AgreementMeasure, rows: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """The agreement of each of these documents, or of all, with the symbols of a topic, from 0 to 1."""
        at = self.at(level)
        names = dict.fromkeys(under(symbol, level) for symbol in symbols)
        of_topic = [at.numbers.get(name, -1) for name in names if name]
        is_of_topic = np.zeros(len(at.numbers) + 1, np.bool_)
        is_of_topic[of_topic] = True
        is_of_topic[-1] = False  # the place of classes that no document has
        before = np.concatenate([[0], np.cumsum(is_of_topic[at.codes])])
        shared = before[at.offsets[1:]] - before[at.offsets[:-1]]
        first = at.numbers.get(under(symbols[0], level), -2) if symbols else -2
        counts = Counts(shared, np.diff(at.offsets), len(of_topic), at.main == first)
        agreement = AGREEMENTS[by](counts)
        return agreement if rows is None else agreement[rows]


def under(symbol: str, level: ClassLevel) -> str:
    """The class of a symbol at a level; empty if the symbol is less specific.

    >>> under("C07D401/04", "subclass"), under("C07D401/04", "group"), under("C07D", "group")
    ('C07D', 'C07D401', '')
    """
    classes = _levels(symbol)
    place = LEVELS.index(level)
    return classes[place] if place < len(classes) else ""


_levels = cache(levels)


class Counts(NamedTuple):
    """The numbers of classes that agreement is computed from; arrays have one entry per document."""

    shared: NDArray[np.int64]
    document: NDArray[np.int64]
    topic: int
    same_main: NDArray[np.bool_]  # whether the main class is the topic's


AGREEMENTS: dict[str, Callable[[Counts], NDArray[np.float64]]] = {
    "share": lambda counts: counts.shared / max(counts.topic, 1),
    "jaccard": lambda counts: counts.shared / np.maximum(counts.document + counts.topic - counts.shared, 1),
    "any": lambda counts: (counts.shared > 0).astype(np.float64),
    "main": lambda counts: counts.same_main.astype(np.float64),
}
