"""Discounted cumulative gain: the gain of graded documents, discounted by rank."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.estimated import estimated_ndcg
from leadline.measures.gains import Base, Discount, Gain, Ideal, discounts, gains_of
from leadline.measures.hits import Array, Hits, ratio


@measure("DCG", at="effort", rename={"dcg": "gain"})
def dcg(
    hits: Hits,
    effort: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: Base = 2.0,
    gains: dict[int, float] | None = None,
) -> Array:
    """The sum of the gains of the documents, each by its grade and discounted by its rank.

    Formula: sum of gain / discount over the first N documents. The gain is the grade (linear), 2^grade - 1 (exp), or
    from the table `gains`, {1: 3, 2: 9}. The discount of rank r is log2(1 + r), r itself (zipf), or log_b(r) from rank
    b = `base` on and 1 before that (jk). ir_measures' dcg=log2 is gain=linear, its exp-log2 gain=exp.

    Paper: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002 (jk); Burges et al.,
    Learning to rank using gradient descent, ICML 2005 (exp, log2).

    Range: 0 and up.

    Unjudged: no gain.

    Short list: as if followed by documents without gain.

    >>> dcg(Hits.of(ranks=[1, 3], grades=[2, 4]))
    array([4.])
    """
    worthy = hits if gains else hits.only_relevant()  # a table may give a gain to grades that are not relevant
    if effort is not None:
        worthy = worthy.where(worthy.rank <= effort)
    return worthy.total(gains_of(worthy.grade, gain, gains) / discounts(worthy.rank, discount, base))


@measure("nDCG", at="effort", rename={"dcg": "gain"}, estimated=estimated_ndcg)
def ndcg(
    hits: Hits,
    effort: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: Base = 2.0,
    gains: dict[int, float] | None = None,
) -> Array:
    """Discounted cumulative gain as a share of that of the ideal list.

    Formula: DCG@N / DCG@N of all judged documents, highest gain first; the options are those of DCG.

    Paper: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002 (jk); Burges et al.,
    Learning to rank using gradient descent, ICML 2005 (exp, log2).

    Range: 0 to 1.

    Unjudged: no gain.

    Short list: as if followed by documents without gain.

    >>> ndcg(Hits.of(ranks=[1, 3], grades=[2, 4])).round(4)
    array([0.7602])
    """
    ideal = Ideal.of(hits, gain, gains)
    worth = ideal.gain / discounts(ideal.place, discount, base)
    if effort is not None:
        worth = np.where(ideal.place <= effort, worth, 0.0)
    best = np.bincount(ideal.topic, weights=worth, minlength=len(ideal.length))
    return ratio(dcg(hits, effort, gain, discount, base, gains), best[hits.topic])
