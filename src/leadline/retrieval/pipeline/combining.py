"""Combine several rankings into one, and links as evidence beside a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.context import Request, ScorePart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.links.graph import LinkGraph
    from leadline.retrieval.pipeline.context import SearchContext

    Floats = NDArray[np.float64]

Array = np.ndarray
Normalising = Literal["minmax", "z", "none"]
Combining = Literal["linear", "combsum", "combmnz", "rrf"]


def minmax(scores: Array) -> Array:
    """Scores from 0 for the lowest to 1 for the highest; 1 where all are equal.

    >>> minmax(np.array([3.0, 2.0, 1.0])), minmax(np.array([7.0, 7.0]))
    (array([1. , 0.5, 0. ]), array([1., 1.]))
    """
    if not len(scores):
        return scores
    lowest, highest = scores.min(), scores.max()
    return (scores - lowest) / (highest - lowest) if highest > lowest else np.ones(len(scores))


def z(scores: Array) -> Array:
    """Scores as distances from their mean, in standard deviations (of all scores, not of a sample).

    >>> z(np.array([3.0, 1.0]))
    array([ 1., -1.])
    """
    spread = scores.std() if len(scores) else 0.0
    return (scores - scores.mean()) / spread if spread > 0 else np.zeros(len(scores))


NORMALISED: dict[str, Callable[[Array], Array]] = {"minmax": minmax, "z": z, "none": lambda scores: scores}
# The score of a document that is not in a list: the lowest, as that of the list's last document.
ABSENT: dict[str, Callable[[Array], float]] = {
    "minmax": lambda scores: 0.0,
    "z": lambda scores: float(scores.min(initial=0.0)),
    "none": lambda scores: 0.0,
}


def linear(scores: Array, ranks: Array, weights: Array, constant: float) -> Array:
    """The weighted sum of the scores."""
    return weights @ scores


def combsum(scores: Array, ranks: Array, weights: Array, constant: float) -> Array:
    """The sum of the scores. Fox and Shaw, Combination of Multiple Searches, TREC-2, 1994."""
    return scores.sum(0)


def combmnz(scores: Array, ranks: Array, weights: Array, constant: float) -> Array:
    """The sum of the scores times the number of lists that have the document. Fox and Shaw, TREC-2, 1994."""
    return scores.sum(0) * (ranks > 0).sum(0)


def rrf(scores: Array, ranks: Array, weights: Array, constant: float) -> Array:
    """Σ weight / (constant + rank) over the lists that have the document; scores do not matter.

    Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet, SIGIR 2009, where the constant is 60.
    """
    return weights @ np.where(ranks > 0, 1.0 / (constant + ranks), 0.0)


COMBINED: dict[str, Callable[[Array, Array, Array, float], Array]] = {
    "linear": linear,
    "combsum": combsum,
    "combmnz": combmnz,
    "rrf": rrf,
}


def combined(
    lists: Sequence[Ranking],
    how: Combining,
    weights: Sequence[float] = (),
    normalise: Normalising | Sequence[Normalising] = "minmax",
    constant: float = 60.0,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows of all documents in the lists, ascending, and their combined scores. Default weights are equal.

    `normalise` is the same for all lists, or one for each.

    >>> one = Ranking(np.array([4, 2], np.int32), np.array([9.0, 5.0]))
    >>> other = Ranking(np.array([2, 7], np.int32), np.array([0.4, 0.2]))
    >>> rows, scores = combined([one, other], "linear", [0.75, 0.25])
    >>> dict(zip(rows.tolist(), scores.tolist()))
    {2: 0.25, 4: 0.75, 7: 0.0}
    """
    rows, scores, ranks = aligned(lists, normalise)
    shares = np.array(weights or [1.0 / len(lists)] * len(lists))
    return rows, COMBINED[how](scores, ranks, shares, constant)


def aligned(
    lists: Sequence[Ranking], normalise: Normalising | Sequence[Normalising]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The rows of all documents in the lists, ascending; and for each list the normalised scores and the ranks of all.

    The rank of a document that is not in a list is 0.
    """
    rows, place = np.unique(np.concatenate([ranking.rows for ranking in lists]), return_inverse=True)
    scores, ranks = np.zeros((len(lists), len(rows))), np.zeros((len(lists), len(rows)))
    kinds = [normalise] * len(lists) if isinstance(normalise, str) else list(normalise)
    start = 0
    for number, (ranking, kind) in enumerate(zip(lists, kinds, strict=True)):
        here = place[start : start + len(ranking)]
        normalised = NORMALISED[kind](ranking.scores)
        scores[number] = ABSENT[kind](normalised)
        scores[number, here] = normalised
        ranks[number, here] = np.arange(1, len(ranking) + 1)
        start += len(ranking)
    return rows.astype(np.int64), scores, ranks


def mixed(first: Ranking, rows: NDArray[np.integer], gains: NDArray[np.float64], weight: float) -> tuple[Array, Array]:
    """The rows of first results and gaining documents, and (1 − weight) · first + weight · gain, both from 0 to 1.

    Documents that are not among the first results have a first score of 0.
    """
    both = np.union1d(first.rows, rows).astype(np.int64)
    total = np.zeros(len(both))
    total[np.searchsorted(both, first.rows)] = (1 - weight) * minmax(first.scores)
    total[np.searchsorted(both, rows)] += weight * gains
    return both, total


# Links as evidence, for the steps that rank by them: which links count, and how their scores are combined.


Seen = Literal["before", "all"]
Scale = Literal["log", "rank", "value"]
QUERY = "query"  # the part of a score that the words of the query gave


def usable_links(context: SearchContext, request: Request, seen: Seen) -> LinkGraph:
    """The links that may count for a topic.

    For a patent these are not the links from its own family, since judgements are made of them, and with
    `seen="before"` only those of documents that were public on its day.
    """
    graph = context.links
    if not request.is_patent:
        return graph
    usable = ~context.dates.own_family(request)
    if seen == "before" and request.is_dated:
        usable &= (context.dates.public <= request.day) & (context.dates.public != MISSING)
    kept = usable[graph.sources]
    return type(graph).of_arrays(graph.sources[kept], graph.targets[kept], graph.pages)


def scaled(values: Floats, scale: Scale) -> Floats:
    """Scores of the results from 0 to 1: by their logarithm, their rank or their value.

    >>> scaled(np.array([1.0, 10.0, 100.0]), "log").tolist(), scaled(np.array([5.0, 9.0, 5.0]), "rank").tolist()
    ([0.0, 0.5, 1.0], [0.0, 1.0, 0.0])
    """
    if scale == "log":
        return minmax(np.log(values))
    if scale == "rank":
        return minmax(np.searchsorted(np.unique(values), values).astype(np.float64))
    return minmax(values)


def with_gain(
    context: SearchContext, request: Request, name: str, rows: NDArray[np.integer], gains: Floats, weight: float
) -> Request:
    """(1 − weight) · first, from 0 to 1, + weight · gain, and what each part adds, to be shown."""
    first = request.ranking
    assert first is not None
    ranking = context.ranking(*mixed(first, rows, gains, weight))
    before = request.parts or (ScorePart(QUERY, first.rows, first.scores),)
    gained = ScorePart(name, np.asarray(rows, np.int32), weight * gains)
    return replace(request, ranking=ranking, parts=(*_rescaled(before, first, 1 - weight), gained))


def _rescaled(parts: tuple[ScorePart, ...], first: Ranking, share: float) -> tuple[ScorePart, ...]:
    """The parts after scores were brought from 0 to `share`: the first part carries what is subtracted from all."""
    lowest, highest = first.scores.min(), first.scores.max()
    if highest == lowest:
        return (ScorePart(parts[0].name, first.rows, np.full(len(first), share)),)
    factor = share / (highest - lowest)
    by_query = dict(zip(parts[0].rows.tolist(), parts[0].scores.tolist(), strict=True))
    own = np.array([by_query.get(row, 0.0) for row in first.rows.tolist()])
    return (
        ScorePart(parts[0].name, first.rows, (own - lowest) * factor),
        *(ScorePart(part.name, part.rows, part.scores * factor) for part in parts[1:]),
    )
