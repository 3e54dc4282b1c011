"""How far documents agree with a topic in their classes, at any level of the classification."""

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
    """The classes of a level by number, those of each document once, and the class of its main symbol (-1: none)."""

    numbers: Mapping[str, int]
    codes: NDArray[np.int64]
    offsets: NDArray[np.int64]
    main: NDArray[np.int64]


class Classes:
    """The classes of all documents.

    >>> from leadline.retrieval.index.batches import coded
    >>> from leadline.retrieval.index.terms import Terms
    >>> column = coded([["C07D401/04", "A61K31/44"], ["C07D213/00"], []])
    >>> part = CodedColumn(Terms(column["terms"], column["term_offsets"]), column["offsets"], column["codes"])
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
        if level not in self._at:
            self._at[level] = self._made(level)
        return self._at[level]

    def _made(self, level: ClassLevel) -> AtLevel:
        known: dict[str, int] = {}
        names = [under(symbol, level) for symbol in self.symbols]
        class_of = np.array([known.setdefault(name, len(known)) if name else -1 for name in names], np.int64)
        found = class_of[self.codes]
        documents, size = len(self.offsets) - 1, max(len(known), 1)
        main = np.full(documents, -1, np.int64)
        filled = np.diff(self.offsets) > 0
        main[filled] = found[self.offsets[:-1][filled]]
        document = np.repeat(np.arange(documents), np.diff(self.offsets))
        keys = np.unique((document * size + found)[found >= 0])
        return AtLevel(known, keys % size, np.searchsorted(keys, np.arange(documents + 1) * size), main)

    def agreement(
        self, symbols: Sequence[str], level: ClassLevel, by: AgreementMeasure, rows: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """How far each of these documents, or of all, agrees with the symbols of a topic: from 0 to 1."""
        at = self.at(level)
        asked = [at.numbers.get(name, -1) for name in dict.fromkeys(under(symbol, level) for symbol in symbols) if name]
        wanted = np.zeros(len(at.numbers) + 1, np.bool_)
        wanted[asked] = True
        wanted[-1] = False  # where a class that no document has would be
        before = np.concatenate([[0], np.cumsum(wanted[at.codes])])
        shared = before[at.offsets[1:]] - before[at.offsets[:-1]]
        first = at.numbers.get(under(symbols[0], level), -2) if symbols else -2
        counts = Counts(shared, np.diff(at.offsets), len(asked), at.main == first)
        agreed = AGREEMENTS[by](counts)
        return agreed if rows is None else agreed[rows]


def under(symbol: str, level: ClassLevel) -> str:
    """The class of a symbol at a level; empty where it does not go so deep.

    >>> under("C07D401/04", "subclass"), under("C07D401/04", "group"), under("C07D", "group")
    ('C07D', 'C07D401', '')
    """
    found = _levels(symbol)
    place = LEVELS.index(level)
    return found[place] if place < len(found) else ""


_levels = cache(levels)


class Counts(NamedTuple):
    """What agreement is made of: a number for each document, but for the topic's."""

    shared: NDArray[np.int64]
    own: NDArray[np.int64]
    asked: int  # classes of the topic
    same_main: NDArray[np.bool_]


AGREEMENTS: dict[str, Callable[[Counts], NDArray[np.float64]]] = {
    "share": lambda of: of.shared / max(of.asked, 1),
    "jaccard": lambda of: of.shared / np.maximum(of.own + of.asked - of.shared, 1),
    "any": lambda of: (of.shared > 0).astype(np.float64),
    "main": lambda of: of.same_main.astype(np.float64),
}
