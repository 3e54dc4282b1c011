"""Binary preference: how often relevant documents come before judged ones that are not relevant."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio


@measure("bpref")
def bpref(hits: Hits, rel: int = 1) -> Array:
    """Share of the pairs of a relevant and a judged irrelevant document that come in the right order.

    Formula: (1/n) sum over the relevant documents found of 1 - min(b, n) / min(N, n), with b judged irrelevant
    documents ranked above it and N of them in all.

    Paper: Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.

    Range: 0 to 1.

    Unjudged: ignored, as are documents with a grade below 0.

    Short list: missing relevant documents count 0.

    >>> bpref(Hits.of(ranks=[1, 5, 9], grades=[1, 0, 1], missed=[0, 0])).round(2)
    array([0.75])
    """
    n = hits.n_relevant(rel)
    wrong = hits.judged.count((hits.judged.grades >= 0) & (hits.judged.grades < rel))[hits.topic]
    # For each relevant document found, the judged irrelevant ones above it, as a share of those that count.
    found = hits.only_relevant(rel)
    above = hits.running((hits.grade >= 0) & (hits.grade < rel), np.flatnonzero(hits.relevant(rel)))
    share = ratio(np.minimum(above, n[found.row]), np.minimum(wrong, n)[found.row])
    return ratio(found.total(1.0 - share), n)


@measure("gm_bpref", aggregate="geometric")
def geometric_bpref(hits: Hits, rel: int = 1) -> Array:
    """Bpref with a geometric mean over topics, so that the worst topics count most.

    Formula: bpref for each topic; the mean is exp of the mean of log max(bpref, 0.00001).

    Paper: Buckley, trec_eval (`gm_bpref`), after Robertson, On GMAP: and other transformations, CIKM 2006.

    Range: 0 to 1.

    Unjudged: ignored, as are documents with a grade below 0.

    Short list: missing relevant documents count 0.

    >>> geometric_bpref(Hits.of(ranks=[1, 5, 9], grades=[1, 0, 1], missed=[0, 0])).round(2)
    array([0.75])
    """
    return bpref(hits, rel)
