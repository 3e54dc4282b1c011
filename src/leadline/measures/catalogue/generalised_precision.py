"""Average generalised precision: average precision where a document counts in part."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import measure
from leadline.measures.gains import running_sums
from leadline.measures.hits import Array, Hits, ratio
from leadline.options import Bounds


@measure("AgP", at="effort", aliases=("MAgP",))
def average_generalised_precision(
    hits: Hits, effort: int | None = None, max_grade: Annotated[int, Bounds(1)] | None = None, rel: int = 1
) -> Array:
    """Average precision where each document counts by how good it is, from 0 to 1; its mean over topics is MAgP.

    Formula: AgP = (1/n) Σ gP(r_i) over the relevant documents found, gP(r) = (1/r) Σ S(d) over the first r documents,
    S = grade / `max_grade` (default: the largest grade of the judgements). With grades 0 and 1 this is AP. The paper
    takes as S how well the parts of a document that a system shows match the parts that are relevant (an F score by
    characters); where whole documents are shown, the grade is what is known of that.

    Paper: Kamps, Pehcevski, Kazai, Lalmas and Robertson, INEX 2007 evaluation measures, INEX 2007. The authors of PRES
    name it without a formula.

    Range: 0 to 1.

    Unjudged: counts 0.

    Short list: missing documents add nothing.

    Grades 2 and 1 of at most 2 at ranks 1 and 3: (1 + (1 + ½) / 3) / 2.

    >>> average_generalised_precision(Hits.of(ranks=[1, 3], grades=[2, 1]))
    array([0.75])
    """
    largest = int(hits.judged.grades.max(initial=1))
    if max_grade is not None and largest > max_grade:
        raise MeasureError(f"the judgements hold a grade of {largest}, above max_grade={max_grade}")
    good = np.maximum(hits.grade, 0) / (max_grade or max(largest, 1))
    precision = running_sums(good, hits.offsets) / hits.rank
    counted = hits.relevant(rel) if effort is None else hits.relevant(rel) & (hits.rank <= effort)
    return ratio(hits.total(np.where(counted, precision, 0.0)), hits.n_relevant(rel))
