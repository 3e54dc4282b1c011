"""ERR: how soon a searcher who needs one good document finds it."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import measure
from leadline.measures.gains import running_sums
from leadline.measures.hits import Array, Hits
from leadline.options import Bounds


@measure("ERR", at="effort")
def err(hits: Hits, effort: int | None = None, max_grade: Annotated[int, Bounds(1, 1000)] = 4) -> Array:
    """Expected reciprocal rank at which a searcher stops; better documents make stopping more likely.

    Formula: ERR@k = Σ (1/r) · s_r · Π above (1 - s), where the document at rank r ends the search with the
    probability s_r = (2^grade - 1) / 2^max_grade.

    Paper: Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009.
    The default of `max_grade` is 4, as in TREC's gdeval, whatever the grades of the judgements.

    Range: 0 to 1; even a perfect list is below 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    The first document ends the search with probability 15/16. Else the third does, with probability 1/16.

    >>> err(Hits.of(ranks=[1, 3], grades=[4, 1])).round(6)
    array([0.938802])
    """
    best = int(hits.judged.grades.max(initial=0))
    if best > max_grade:
        raise MeasureError(f"ERR(max_grade={max_grade}): the judgements have grade {best}; write ERR(max_grade={best})")
    read = hits.where(hits.relevant() if effort is None else hits.relevant() & (hits.rank <= effort))
    # The probability of stopping at each document, and of reaching it: the product of (1 - stop) above it.
    stops = (2.0**read.grade - 1) / 2.0**max_grade
    goes_on = np.log1p(-stops)
    gets_here = np.exp(running_sums(goes_on, read.offsets) - goes_on)
    return read.total(gets_here * stops / read.rank)
