"""xinfAP: average precision estimated from a stratified sample of judgements."""

from __future__ import annotations

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, estimated_above, estimated_relevant, ratio, strata_of


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
