"""infNDCG: nDCG estimated from a stratified sample of judgements."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, Strata, ratio, strata_of


@measure("infNDCG", at="depth", needs="strata")
def inf_ndcg(hits: Hits, depth: int = 1000) -> Array:
    """nDCG of the first `depth` documents, estimated from judgements sampled by stratum.

    Formula: DCG = Σ_s d_s · (1/j_s) Σ grade / log2(r + 1) over the judged documents found, of stratum s; d_s documents
    of s are found, j_s of them judged. The ideal has, highest grade first, the estimated number of documents of each
    grade, rounded half up, down to rank `depth`; the first document of a grade counts even below it.

    Paper: Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008;
    the ideal as NIST's sample_eval of October 2011 computes it.

    Range: 0 to about 1; an estimate can be larger.

    Unjudged: a pooled document counts like the judged ones of its stratum; one outside the pool is not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from dataclasses import replace
    >>> from leadline.records.qrels import Qrels
    >>> qrels = Qrels.from_columns(["7"] * 4, ["b", "c", "a", "d"], [1, -1, 2, 0], strata=["2", "2", "1", "2"])
    >>> hits = replace(Hits.of(ranks=[1, 2, 3], grades=[1, -1, 2], missed=[0]), qrels=qrels)

    Of stratum 2 the run holds b and c, of which b, with gain 1, is judged: 2 · 1. Stratum 1 adds 2 / log2(4) = 1.
    The ideal is 2 for a, and 1.5 documents of grade 1, rounded to 2: 1 / log2(3) + 1 / log2(4), in all 3.131.

    >>> inf_ndcg(hits).round(3)
    array([0.958])
    """
    strata = strata_of(hits)
    read = hits.where(hits.rank <= depth)
    # Per stratum: the mean discounted gain of its judged documents in the list, times its documents in the list.
    gain = np.maximum(read.grade, 0) / np.log2(read.rank + 1)
    total = np.zeros(hits.rows)
    for stratum in range(strata.count):
        inside = strata.stratum[read.document] == stratum
        judged = read.count(inside & (read.grade >= 0))
        total += ratio(read.count(inside) * read.total(inside * gain), judged)
    return ratio(total, _ideal(hits, strata, depth)[hits.topic])


def _ideal(hits: Hits, strata: Strata, depth: int) -> Array:
    """The DCG of the ideal list of each topic, from the estimated number of documents of each grade."""
    topics = len(hits.judged.offsets) - 1
    discounts = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(1, depth + 1) + 1))])
    ideal, start = np.zeros(topics), np.zeros(topics, np.int64)
    grades = np.unique(hits.judged.grades)
    # Each grade, highest first, takes the ranks from `start` to `stop`; cumulative discounts give its sum.
    for grade in grades[grades > 0][::-1]:
        mask = hits.judged.grades == grade
        estimate = np.bincount(hits.judged.topic[mask], weights=strata.weight[mask], minlength=topics)
        stop = start + np.floor(estimate + 0.5).astype(np.int64)
        within = discounts[np.minimum(stop, depth)] - discounts[np.minimum(start, depth)]
        # sample_eval checks the depth only after counting a document, so the first of each grade counts even below it.
        beyond = np.where((stop > start) & (start >= depth), 1 / np.log2(start + 2), 0.0)
        ideal += grade * (within + beyond)
        start = stop
    return ideal
