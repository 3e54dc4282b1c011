"""The best documents of queries, by machine code or by NumPy, with results equal to the last bit.

The order is that of `runs/order.py`: higher score first, equal scores by document id, higher first. Every document that
has a term of the query is ranked, even with a score of 0 or less.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.retrieval.models.kernels.arguments import (
    BINS,
    BLOCK,
    GROUP,
    BestDocuments,
    Candidates,
    DocumentFilter,
    QueryBounds,
    QueryLists,
    RunningTotals,
)
from leadline.retrieval.models.weights import LengthShare, Weights
from leadline.text.compiled import Kernel, prepared
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

BYTES_A_POSTING = 0.65  # NumPy adds up a posting in the time in which plain Python reads so many bytes of text
AT_ONCE = 256  # queries whose results share one array


@dataclass(frozen=True)
class Ranking:
    """The documents of a query, best first: their rows in the index, and their scores."""

    rows: NDArray[np.int32]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True)
class Vector:
    """A query as numbers of lists of weights, and the multiplier of each list."""

    lists: NDArray[np.int64]
    multipliers: NDArray[np.float64]
    terms: float = 0.0  # the sum of the weights of the query's terms


EVERY_DOCUMENT = prepared(DocumentFilter(False, np.empty(0, np.uint8), np.empty(0)))
EMPTY_RANKING = Ranking(np.empty(0, np.int32), np.empty(0))
_memory = threading.local()


def rank(
    weights: Weights, queries: Sequence[Vector], k: int, mask: NDArray[np.bool_] | None,
    length: LengthShare | None = None,
) -> list[Ranking]:  # fmt: skip
    """The k best documents of each query among those the mask allows; `length` is added for each term of the query."""
    size = 0
    if _ranked.engine.kernels is None:  # otherwise the size does not matter
        postings = sum(int(weights.sizes[query.lists].sum()) for query in queries)
        size = int(BYTES_A_POSTING * (postings + len(queries) * len(weights.index)))
    found = _ranked.choose(size)(weights, queries, min(k, len(weights.index)), mask, length)
    if length is None:
        return found
    return [
        Ranking(each.rows, each.scores + query.terms * length.lowest)
        for each, query in zip(found, queries, strict=True)
    ]


def _ranked_plain(
    weights: Weights, queries: Sequence[Vector], k: int, mask: NDArray[np.bool_] | None, length: LengthShare | None
) -> list[Ranking]:
    return [_query_ranked_plain(weights, query, k, mask, length) for query in queries]


def _query_ranked_plain(
    weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None, length: LengthShare | None
) -> Ranking:
    from leadline.records.runs.order import (
        tie_order,  # with the kernels of runs, which a search otherwise does not need
    )

    totals = np.full(len(weights.index), -0.0)
    for number, multiplier in zip(query.lists.tolist(), query.multipliers.tolist(), strict=True):
        documents, values = weights.postings(number)
        totals[documents] += multiplier * values + 0.0
    touched = (totals != 0) | ~np.signbit(totals)  # a document without any term still has -0.0
    if length is not None:
        totals[touched] += query.terms * length.above[touched]
    if mask is not None:
        touched &= mask
    rows = np.flatnonzero(touched)
    best = rows[tie_order(totals[rows], weights.index.ranks[rows])[:k]]
    return Ranking(best.astype(np.int32), totals[best])


@compiled_job("leadline.retrieval.models.kernels.ranking.rank_documents", plain=_ranked_plain)
def _ranked(
    kernel: Kernel, weights: Weights, queries: Sequence[Vector], k: int, mask: NDArray[np.bool_] | None,
    length: LengthShare | None,
) -> list[Ranking]:  # fmt: skip
    found: list[Ranking] = []
    for start in range(0, len(queries), AT_ONCE):
        found += _batch_ranked(kernel, weights, queries[start : start + AT_ONCE], k, mask, length)
    return found


class _Workspace(NamedTuple):
    """Arrays that the kernel works in, and what they have room for."""

    documents: int
    queries: int
    terms: int  # of all queries
    results: int
    asked: QueryLists
    running: RunningTotals
    bounds: QueryBounds
    candidates: Candidates
    best: BestDocuments


def _workspace(documents: int, queries: int, terms: int, results: int) -> _Workspace:
    """The arrays of this thread, which are used again."""
    known: _Workspace | None = getattr(_memory, "known", None)
    if (
        known is None or known.documents < documents or known.queries < queries or known.terms < terms
        or known.results < results
    ):  # fmt: skip
        documents, queries, terms, results = (
            max(64, each + each // 4) for each in (documents, queries, terms, results)
        )
        known = _memory.known = _Workspace(
            documents, queries, terms, results,
            asked=prepared(QueryLists(
                offsets=np.zeros(queries + 1, np.int64), lists=np.empty(terms, np.int64),
                multipliers=np.empty(terms), length_most=np.empty(queries), terms=np.empty(queries),
            )),
            running=prepared(RunningTotals(np.empty(BLOCK + GROUP), np.empty(BINS, np.int32))),
            bounds=prepared(QueryBounds(np.empty(terms), np.empty(terms, np.int64), np.empty(terms, np.uint8))),
            candidates=prepared(Candidates(
                rows=np.empty(documents, np.int32), keys=np.empty(documents, np.uint64),
                spare_rows=np.empty(documents, np.int32), spare_keys=np.empty(documents, np.uint64),
            )),
            best=prepared(BestDocuments(
                np.empty(results, np.int32), np.empty(results), np.empty(queries, np.int32),
            )),
        )  # fmt: skip
    return known


def _batch_ranked(
    kernel: Kernel, weights: Weights, queries: Sequence[Vector], k: int, mask: NDArray[np.bool_] | None,
    length: LengthShare | None,
) -> list[Ranking]:  # fmt: skip
    documents, count = len(weights.index), len(queries)
    work = _workspace(documents + GROUP, count, sum(len(query.lists) for query in queries), count * k)
    asked, best, start = work.asked, work.best, 0
    for number, query in enumerate(queries):
        stop = start + len(query.lists)
        asked.lists[start:stop], asked.multipliers[start:stop] = query.lists, query.multipliers
        asked.offsets[number + 1] = start = stop
        asked.terms[number] = 0.0 if length is None else query.terms
    asked.length_most[:count] = 0.0
    only = EVERY_DOCUMENT
    if length is not None:
        asked.length_most[:count] = np.maximum(0.0, asked.terms[:count] * length.above.max(initial=0.0))
    if mask is not None or length is not None:
        allowed = EVERY_DOCUMENT.allowed if mask is None else mask.view(np.uint8)
        only = DocumentFilter(mask is not None, allowed, only.length if length is None else length.above)
    is_due = kernel(
        count, asked, weights.arrays(), documents, k, only, work.running, work.bounds, work.candidates, best
    )
    if is_due:
        weights.has_spent.set()
    return [
        Ranking(best.rows[q * k : q * k + n].copy(), best.scores[q * k : q * k + n].copy())
        for q, n in enumerate(best.found[:count].tolist())
    ]


def rank_having_all(weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None) -> tuple[Ranking, int]:
    """The k best of the documents that have every term of a query and that the mask allows, and how many they are."""
    size = int(BYTES_A_POSTING * int(weights.sizes[query.lists].sum())) if _ranked_all.engine.kernels is None else 0
    return _ranked_all.choose(size)(weights, query, min(k, len(weights.index)), mask)


def _ranked_all_plain(weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None) -> tuple[Ranking, int]:
    from leadline.records.runs.order import tie_order

    lists = [weights.postings(number) for number in query.lists.tolist()]
    rows = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), (each for each, _ in lists))
    if mask is not None:
        rows = rows[mask[rows]]
    totals = np.full(len(rows), -0.0)
    for (documents, values), multiplier in zip(lists, query.multipliers.tolist(), strict=True):
        totals += multiplier * values[np.searchsorted(documents, rows)] + 0.0
    best = tie_order(totals, weights.index.ranks[rows])[:k]
    return Ranking(rows[best].astype(np.int32), totals[best]), len(rows)


@compiled_job("leadline.retrieval.models.kernels.requiring.rank_having_all", plain=_ranked_all_plain)
def _ranked_all(
    kernel: Kernel, weights: Weights, query: Vector, k: int, mask: NDArray[np.bool_] | None
) -> tuple[Ranking, int]:
    documents, terms = len(weights.index), len(query.lists)
    work = _workspace(documents + GROUP, 1, terms, k)
    asked, best = work.asked, work.best
    asked.lists[:terms], asked.multipliers[:terms], asked.offsets[1] = query.lists, query.multipliers, terms
    only = EVERY_DOCUMENT if mask is None else DocumentFilter(True, mask.view(np.uint8), EVERY_DOCUMENT.length)
    found = kernel(
        asked, weights.arrays(), documents, k, only, work.running, work.bounds, work.candidates, best
    )  # fmt: skip
    if found % 2:
        weights.has_spent.set()
    count = int(best.found[0])
    return Ranking(best.rows[:count].copy(), best.scores[:count].copy()), found // 2
