"""Which hits bear on which claims: a rule whose rate of false alarms is known, because it is set on the index itself.

A hit is compared with documents that the topic could have found: those of its main class, at the most specific level
that has at least 40 of them, or all where it has no class. For each of them, as for the hit, three things are known:
its place in the ranking of the system, and its places when the words of the claim, and those of its distinguishing part
alone, are searched with BM25. As shares of the comparison documents that stand at least as high these are p_document,
p_claim and p_part, and together

    fit = −0.7 · ln p_document − 0.15 · ln p_claim − 0.15 · ln p_part.

A document without any word of the distinguishing part does not fit at all. The level of a hit for a claim is the share
of comparison documents whose fit is at least as large; it bears on the claim if its level is at most 5 % and one of its
passages has a word of the distinguishing part. So at most 5 % of random documents of the class bear on a claim, in any
collection; docs/prior-art.md has the rates that were measured, and how many true hits are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.document_classes import ClassLevel, under
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.request import Query, Request

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.05  # the share of random documents of the class that may bear on a claim
ENOUGH = 40  # comparison documents; with fewer a level of 5 % cannot be told from chance
OF_DOCUMENT, OF_CLAIM, OF_PART = 0.7, 0.15, 0.15  # weights of the ranking, the claim's words, its distinguishing part
_LEVELS: tuple[ClassLevel, ...] = ("subclass", "class", "section")


@dataclass(frozen=True)
class Comparison:
    """The documents that hits are compared with."""

    rows: NDArray[np.int64]
    name: str  # of their class; empty: of any class

    @property
    def is_enough(self) -> bool:
        """Whether there are enough documents to set the rule by."""
        return len(self.rows) >= ENOUGH

    def __str__(self) -> str:
        return f"{len(self.rows):,} earlier documents{f' of {self.name}' if self.name else ''}"


def comparison(context: SearchContext, request: Request) -> Comparison:
    """The visible documents of the topic's main class, at the most specific level that has enough; else all."""
    visible = context.visible(request)
    symbols = context.class_symbols(request)
    for level in _LEVELS if symbols else ():
        at, name = context.classes.at(level), under(symbols[0], level)
        rows = np.flatnonzero(visible & (at.main == at.numbers.get(name, -2)))
        if len(rows) >= ENOUGH:
            return Comparison(rows, name)
    return Comparison(np.flatnonzero(visible), "")


def bearing_levels(
    context: SearchContext,
    request: Request,
    ranking: Ranking,
    rows: NDArray[np.integer],
    claims: Sequence[Sequence[str]],
    parts: Sequence[Sequence[str]],
    among: Comparison,
) -> NDArray[np.float64]:
    """The level of each of these documents (rows) for each claim (columns).

    `claims` and `parts` are the terms of each claim and of its distinguishing part.
    `ranking` is that of the system, before it was cut to the hits.
    """
    both = np.union1d(among.rows, rows)
    inside, place = np.searchsorted(both, among.rows), np.searchsorted(both, rows)
    by_system = np.log(_shares(_scores(ranking, both), inside))
    levels = np.ones((len(rows), len(claims)))
    mask = np.zeros(len(context.index), np.bool_)
    mask[both] = True
    limited, search = request.only(mask), Search("bm25", depth=max(len(both), 1))

    def searched(terms: Sequence[str]) -> NDArray[np.float64]:
        query = Query(dict.fromkeys(terms, 1.0))
        found = search(context, replace(limited, queries=(query,))).ranking
        assert found is not None
        return _scores(found, both)

    for column, (terms, part) in enumerate(zip(claims, parts, strict=True)):
        if terms and part:
            by_part = searched(part)
            logs = (by_system, np.log(_shares(searched(terms), inside)), np.log(_shares(by_part, inside)))
            fit = -sum(weight * each for weight, each in zip((OF_DOCUMENT, OF_CLAIM, OF_PART), logs, strict=True))
            levels[:, column] = _shares(np.where(np.isfinite(by_part), fit, -np.inf), inside)[place]
    return levels


def _scores(ranking: Ranking, rows: NDArray[np.integer]) -> NDArray[np.float64]:
    """The score of each row, which ascend; the lowest of all where the ranking does not have it."""
    order = np.argsort(ranking.rows)
    sorted_rows = ranking.rows[order]
    place = np.minimum(np.searchsorted(sorted_rows, rows), max(len(sorted_rows) - 1, 0))
    scores = np.full(len(rows), -np.inf)
    if len(sorted_rows):
        found = sorted_rows[place] == rows
        scores[found] = ranking.scores[order][place[found]]
    return scores


def _shares(values: NDArray[np.float64], inside: NDArray[np.integer]) -> NDArray[np.float64]:
    """The share of the other comparison documents that have at least the value of each document.

    A document counts as one of them itself, so that a share is never 0.

    >>> _shares(np.array([3.0, 1.0, 2.0, 9.0]), np.array([0, 1, 2])).tolist()
    [0.3333333333333333, 1.0, 0.6666666666666666, 0.25]
    """
    others = np.sort(values[inside])
    is_inside = np.zeros(len(values), np.int64)
    is_inside[inside] = 1
    as_high = len(others) - np.searchsorted(others, values, "left")
    return (as_high + 1 - is_inside) / (len(others) + 1 - is_inside)
