"""The best documents of queries, by machine code or by NumPy, with results equal to the last bit.

The order is that of `runs/order.py`: higher score first, equal scores by document id, higher first. Every document that
has a term of the query is ranked, even with a score of 0 or less.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.retrieval.models.kernels.arguments import (
    BINS,
    BLOCK,
    GROUP,
    BestDocuments,
    Candidates,
    QueryBounds,
    QueryLists,
)
from leadline.retrieval.models.weights import LengthShare, Weights
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.memory import ReusedArrays

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
    """Arrays that the kernel works in."""

    totals: NDArray[np.float64]
    histogram: NDArray[np.int32]
    bounds: QueryBounds
    candidates: Candidates


def _workspace(room: int, terms: int) -> _Workspace:
    """The arrays of this thread for so many documents and terms, which are used again."""
    known: tuple[int, int, _Workspace] | None = getattr(_memory, "known", None)
    if known is None or known[0] != room or known[1] < terms:
        terms = max(64, 2 * terms)
        take = _memory.__dict__.setdefault("arrays", ReusedArrays()).take
        made = _Workspace(
            totals=take("totals", BLOCK + GROUP, np.float64), histogram=take("histogram", BINS, np.int32),
            bounds=QueryBounds(
                most=take("most", terms, np.float64), order=take("order", terms, np.int64),
                is_left_out=take("left out", terms, np.uint8),
            ),
            candidates=Candidates(
                rows=take("rows", room, np.int32), keys=take("keys", room, np.uint64),
                spare_rows=take("spare rows", room, np.int32), spare_keys=take("spare keys", room, np.uint64),
            ),
        )  # fmt: skip
        known = _memory.known = room, terms, made
    return known[2]


def _batch_ranked(
    kernel: Kernel, weights: Weights, queries: Sequence[Vector], k: int, mask: NDArray[np.bool_] | None,
    length: LengthShare | None,
) -> list[Ranking]:  # fmt: skip
    documents, count = len(weights.index), len(queries)
    lists, multipliers = queries[0].lists, queries[0].multipliers
    if count > 1:
        lists = np.concatenate([query.lists for query in queries])
        multipliers = np.concatenate([query.multipliers for query in queries])
    sizes = [len(query.lists) for query in queries]
    offsets = np.array([0, *accumulate(sizes)], np.int64)
    terms = np.array([0.0 if length is None else query.terms for query in queries], np.float64)
    length_most = terms if length is None else np.maximum(0.0, terms * length.above.max(initial=0.0))
    best = BestDocuments(np.empty(count * k, np.int32), np.empty(count * k), np.empty(count, np.int32))
    work = _workspace(documents + GROUP, max(sizes))
    computed = kernel(
        QueryLists(count, offsets, lists, multipliers, length_most, terms),
        weights.arrays(),
        documents, weights.index.ranks, mask is not None, (best.found if mask is None else mask).view(np.uint8), k,
        best.scores if length is None else length.above,
        work.totals, work.histogram, work.bounds, work.candidates,
        best,
    )  # fmt: skip
    if computed:
        weights.has_spent.set()
    return [
        Ranking(best.rows[q * k : q * k + n], best.scores[q * k : q * k + n]) for q, n in enumerate(best.found.tolist())
    ]
