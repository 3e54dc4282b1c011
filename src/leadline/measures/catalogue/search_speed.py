"""How fast and how soon a searcher finds answers, as in studies of people who search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from leadline.measures.definition import View, measure
from leadline.measures.gains import OPENS_OTHER, times_of
from leadline.measures.hits import Array, Hits, ratio


def _view(options: Mapping[str, Any]) -> View:
    needs = {"words": ["words"], "given": ["seconds"]}.get(options["time"], [])
    return View(needs=frozenset(needs))  # type: ignore[arg-type]


@measure("search_speed", at="effort", aliases=("answers_per_minute",), view=_view)
def search_speed(
    hits: Hits, effort: int = 10, *, time: Literal["words", "150", "given"] = "words", rel: int = 1
) -> Array:
    """Relevant documents found per minute while reading the first `effort` documents.

    Formula: search_speed@N = 60 · m / seconds of the first N documents. `time` is that of CT: `words` is
    4.4 + (0.018 words + 7.8) p seconds per document, p = 0.64 for a relevant one and 0.39 for another; `150` the same
    with 150 words each; `given` is the seconds of a reading log, and the default where there is one.

    Paper: Käki, Proportional search interface usability measures, NordiCHI 2004, who divides the answers people found
    by their minutes; the Cube Test's authors count the relevant ones, which Käki calls qualified search speed. Without
    a reading log the time is Smucker and Clarke's model.

    Range: 0 and up; answers per minute.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, so it is not penalised.

    Two documents of 150 words, one relevant: 60 / (4.4 + 10.5 · 0.64 + 4.4 + 10.5 · 0.39).

    >>> search_speed(Hits.of(ranks=[1], relevant=1, retrieved=2), time="150").round(4)
    array([3.0589])
    """
    read = hits.where(hits.rank <= effort)
    depth = max(int(np.minimum(hits.retrieved, effort).max(initial=0)), 1)
    seconds = times_of(read, depth, time, opened_if_irrelevant=OPENS_OTHER).sum(1)
    return ratio(60.0 * hits.found(rel, effort), seconds)


@measure("immediate_accuracy", at="selections", aliases=("immediate_search_accuracy",))
def immediate_accuracy(hits: Hits, selections: int = 1, rel: int = 1) -> Array:
    """Whether a relevant document is among the first ones that the searcher opened.

    Formula: immediate_accuracy@n = 1 when one of the first n documents opened is relevant, else 0; the mean over topics
    is the share of searches that had succeeded by the n-th selection. The order of opening is that of a reading log
    (--reads); without one it is the order of the run, and the measure is Success.

    Paper: Käki, Proportional search interface usability measures, NordiCHI 2004.

    Range: 0 or 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> immediate_accuracy(Hits.of(ranks=[2, 5], relevant=3), selections=2)
    array([1.])
    """
    return (hits.found(rel, selections) > 0).astype(float)
