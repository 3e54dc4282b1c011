"""RBP: precision for a searcher who reads on to the next document with a fixed probability."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.gains import Gain, gains_of
from leadline.measures.hits import Array, Hits
from leadline.options import Bounds

Persistence = Annotated[float, Bounds(0, 1, below=True)]  # the chance of reading on


@measure("RBP", at="effort", rename={"max_rel": "max_grade"})
def rbp(
    hits: Hits,
    effort: int | None = None,
    *,
    p: Persistence = 0.8,
    rel: int | None = None,
    gain: Gain = "linear",
    max_grade: Annotated[int, Bounds(1)] | None = None,
) -> Array:
    """Average gain per document for a searcher who reads on to the next one with probability `p`.

    Formula: RBP@k = (1 - p) Σ p^(r - 1) · gain, where gain = grade / max_grade, with `gain=exp`
    (2^grade - 1) / (2^max_grade - 1). With `rel` the gain is 1 from that grade on, else 0. `max_grade` (default:
    the largest grade of the judgements) also stands for higher grades.

    Paper: Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008.

    Range: 0 to 1; RBP_residual is what the unjudged documents could add.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> rbp(Hits.of(ranks=[1, 3], relevant=2), p=0.5)
    array([0.625])
    """
    read = hits if effort is None else hits.where(hits.rank <= effort)
    return (1 - p) * read.total(p ** (read.rank - 1.0) * _gains(read, rel, gain, max_grade))


@measure("RBP_residual", at="effort", better="neither")
def rbp_residual(hits: Hits, effort: int | None = None, p: Persistence = 0.8) -> Array:
    """What RBP would gain if every document not judged, or not retrieved, had the highest grade.

    Formula: 1 - (1 - p) Σ p^(r - 1) over the judged documents among the first k; all ranks after the list count.

    Paper: Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008.

    Range: 0 to 1. With all judgements, RBP would be between its value and its value + residual.

    Unjudged: adds its weight; so does a document with a grade below 0.

    Short list: adds the weight of all ranks after its end.

    Ranks 1 and 3 weigh 0.5 and 0.125.

    >>> rbp_residual(Hits.of(ranks=[1, 3], grades=[1, 0]), p=0.5)
    array([0.375])
    """
    judged = hits.where(hits.grade >= 0 if effort is None else (hits.grade >= 0) & (hits.rank <= effort))
    return 1 - (1 - p) * judged.total(p ** (judged.rank - 1.0))


def _gains(hits: Hits, rel: int | None, gain: Gain, max_grade: int | None) -> Array:
    if rel is not None:
        return hits.relevant(rel).astype(np.float64)
    best = np.asarray(hits.judged.grades.max(initial=1) if max_grade is None else max_grade)
    return gains_of(np.minimum(hits.grade, best), gain) / gains_of(best, gain)
