"""The measures inferred from a sample of judgements: infAP, xinfAP, infNDCG, and what sample_eval counts."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import (
    Array,
    Hits,
    Strata,
    estimated_above,
    estimated_found,
    estimated_relevant,
    ratio,
    strata_of,
)

# Inferred average precision, for a pool of which only a random sample was judged.

_EPSILON = 0.00001


@measure("infAP")
def inferred_average_precision(hits: Hits, rel: int = 1) -> Array:
    """Average precision that takes unjudged documents of the pool to be relevant as often as the judged ones.

    Formula: (1/n) sum over the relevant documents found, at rank k, of
    1/k + ((k - 1)/k) * (d/(k - 1)) * (r + e)/(j + 2e), with d documents of the pool above it, j of them judged and r
    relevant; e = 0.00001.

    Paper: Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006; e as in
    trec_eval.

    Range: 0 to 1.

    Unjudged: estimated if pooled but not judged (grade -1); not relevant if not in the judgements.

    Short list: as if followed by documents that are not relevant.

    >>> inferred_average_precision(Hits.of(ranks=[1, 2, 4], grades=[1, -1, 1], missed=[0])).round(3)
    array([0.875])
    """
    found, places = hits.only_relevant(rel), np.flatnonzero(hits.relevant(rel))
    # Of the documents above each relevant one: how many there are, are pooled, judged and relevant. The expected
    # precision takes the pooled ones to be relevant as often as the judged ones are.
    before = found.rank - 1.0
    pooled = places - hits.offsets[found.row]
    judged = hits.running(hits.grade >= 0, places) - 1
    better = np.arange(len(places)) - found.offsets[found.row]
    density = (better + _EPSILON) / (judged + 2 * _EPSILON)
    expected = 1.0 / (before + 1.0) + (before / (before + 1.0)) * ratio(pooled, before) * density
    return ratio(found.total(expected), hits.n_relevant(rel))


# xinfAP: average precision estimated from a stratified sample of judgements.


@measure("xinfAP", at="depth", needs="strata")
def xinf_ap(hits: Hits, depth: int = 1000, rel: int = 1) -> Array:
    """Average precision of the first `depth` documents, estimated from judgements sampled by stratum.

    Formula: xinfAP = (1/R) Σ w_s · (1 + A) / r over the judged relevant documents found, at rank r, in stratum s.
    w_s = documents of s ÷ judged ones of s; R = Σ w_s over all judged relevant documents; A, the relevant documents
    above r, is Σ_s d_s (r_s + 0.00001) / (j_s + 0.00003), where of the d_s documents of s above r, j_s are judged
    and r_s are relevant.

    Paper: Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008.

    Range: 0 to about 1; an estimate can be larger.

    Unjudged: a pooled document counts like the judged ones of its stratum; one outside the pool is not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from dataclasses import replace
    >>> from leadline.records.qrels import Qrels
    >>> qrels = Qrels.from_columns(["7"] * 4, ["a", "b", "c", "d"], [1, 1, -1, 0], strata=["1", "2", "2", "2"])
    >>> hits = replace(Hits.of(ranks=[1, 3], grades=[1, 1], missed=[-1, 0]), qrels=qrels)

    Stratum 1 has one document, judged; of the three in stratum 2 two are judged, so b represents 1.5 and R is 2.5. The
    precision is 1 at a and (1 + 1)/3 at b: (1 + 1.5 · 2/3) / 2.5.

    >>> xinf_ap(hits).round(3)
    array([0.8])
    """
    strata = strata_of(hits)
    read = hits.where(hits.rank <= depth)
    # The estimated precision at each judged relevant document, weighted by the documents that it represents.
    precision = (1 + estimated_above(read, strata, rel)) / read.rank
    total = read.total(read.relevant(rel) * strata.weight[read.document] * precision)
    return ratio(total, estimated_relevant(hits, strata, rel))


# infNDCG: nDCG estimated from a stratified sample of judgements.


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


# Counts and precision estimated from a stratified sample of judgements, as NIST's sample_eval prints them.


@measure("iP", at="effort", needs="strata")
def inferred_precision(hits: Hits, effort: int, rel: int = 1) -> Array:
    """Share of the first `effort` documents that are relevant, estimated from judgements sampled by stratum.

    Formula: iP@k = (1/k) Σ_s d_s (r_s + 0.00001) / (j_s + 0.00003), where of the d_s documents of stratum s among the
    first k, j_s are judged and r_s are relevant.

    Paper: Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008.

    Range: 0 to 1.

    Unjudged: a pooled document counts like the judged ones of its stratum; one outside the pool is not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from dataclasses import replace
    >>> from leadline.records.qrels import Qrels
    >>> qrels = Qrels.from_columns(["7"] * 3, ["a", "b", "c"], [1, -1, 0], strata=["2", "2", "2"])
    >>> hits = replace(Hits.of(ranks=[1, 2, 3], grades=[1, -1, 0], retrieved=4), qrels=qrels)

    Half of the judged documents are relevant, so 1.5 of the three in the pool.

    >>> inferred_precision(hits, effort=4).round(3)
    array([0.375])
    """
    return estimated_found(hits.where(hits.rank <= effort), strata_of(hits), rel) / effort


@measure("inum_rel_ret", at="depth", needs="strata", aggregate="sum", counts=True)
def inferred_found(hits: Hits, depth: int = 1000, rel: int = 1) -> Array:
    """Relevant documents among the first `depth`, estimated from judgements sampled by stratum.

    Formula: Σ_s d_s (r_s + 0.00001) / (j_s + 0.00003), where of the d_s documents of stratum s that were found, j_s are
    judged and r_s are relevant. Summed over topics.

    Paper: Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008.

    Range: 0 and up.

    Unjudged: a pooled document counts like the judged ones of its stratum; one outside the pool is not relevant.

    Short list: no effect.

    >>> from dataclasses import replace
    >>> from leadline.records.qrels import Qrels
    >>> qrels = Qrels.from_columns(["7"] * 3, ["a", "b", "c"], [1, -1, 0], strata=["2", "2", "2"])
    >>> hits = replace(Hits.of(ranks=[1, 2, 3], grades=[1, -1, 0], retrieved=4), qrels=qrels)
    >>> inferred_found(hits).round(3)
    array([1.5])
    """
    return estimated_found(hits.where(hits.rank <= depth), strata_of(hits), rel)


@measure("inum_rel", better="neither", needs="strata", aggregate="sum", counts=True)
def inferred_relevant(hits: Hits, rel: int = 1) -> Array:
    """Relevant documents in the pool, estimated from judgements sampled by stratum.

    Formula: Σ_s (documents of stratum s) · (relevant ones judged) / (ones judged). Summed over topics.

    Paper: Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008.

    Range: 0 and up.

    Unjudged: a pooled document counts like the judged ones of its stratum; one outside the pool is not relevant.

    Short list: no effect; the list is not used.

    >>> from dataclasses import replace
    >>> from leadline.records.qrels import Qrels
    >>> qrels = Qrels.from_columns(["7"] * 4, ["a", "b", "c", "d"], [1, 1, -1, 0], strata=["1", "2", "2", "2"])
    >>> inferred_relevant(replace(Hits.of(ranks=[], grades=[], missed=[1, 1, -1, 0]), qrels=qrels))
    array([2.5])
    """
    return estimated_relevant(hits, strata_of(hits), rel)
