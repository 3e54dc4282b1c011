"""Counts and precision estimated from a stratified sample of judgements, as NIST's sample_eval prints them."""

from __future__ import annotations

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, estimated_found, estimated_relevant, strata_of


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
