"""Links as evidence, for the steps that rank by them: which links count, and how their scores are combined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.pipeline.combining import minmax, mixed
from leadline.retrieval.pipeline.request import Request, ScorePart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.links.graph import LinkGraph
    from leadline.retrieval.models.ranking import Ranking
    from leadline.retrieval.pipeline.context import SearchContext

    Floats = NDArray[np.float64]

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
