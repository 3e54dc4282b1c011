"""Graded gain over all subtopics, alone and combined with the share of subtopics covered."""

from __future__ import annotations

import numpy as np

from leadline.measures.catalogue.intent_aware import intent_recall
from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio
from leadline.measures.subtopics import all_judged, intent_weights, subtopic_hits
from leadline.records.other_packages import Theta


def _gain(hits: Hits, theta: Theta) -> Array:
    """The gain of each hit: Σ_c θ_c · grade for c."""
    entries = subtopic_hits(hits)
    parts = intent_weights(hits, theta)[entries.subtopic] * entries.grade
    return np.asarray(np.bincount(entries.hit, weights=parts, minlength=len(hits.rank)), float)


@measure("D_nDCG", at="cutoff", needs="subtopics", aliases=("D-nDCG",))
def d_ndcg(hits: Hits, cutoff: int | None = None, theta: Theta = "equal") -> Array:
    """Graded gain from the first documents, or the whole list, as a share of the gain of the best order.

    Formula: D_nDCG@k = Σ_r gain_r / log2(1 + r) over ranks 1 to k, gain_r = Σ_c θ_c · grade for c of the document at r,
    divided by the same for all judged documents, largest gain first.

    Paper: Sakai and Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> hits = example(["a", "b"], {"a": {"A": 1}, "b": {"A": 3, "B": 1}})
    >>> d_ndcg(hits, cutoff=2).round(4)  # gains 0.5 and 2: (0.5 + 2 / log2(3)) / (2 + 0.5 / log2(3))
    array([0.7609])
    """
    within = hits if cutoff is None else hits.where(hits.rank <= cutoff)
    gain = within.total(_gain(within, theta) / np.log2(1 + within.rank))
    # The ideal: all judged documents of a topic, largest gain first.
    judged = all_judged(hits)
    best_first = _gain(judged, theta)
    best_first = best_first[np.lexsort((-best_first, judged.row))]
    kept = judged.rank <= (cutoff or np.inf)
    ideal = judged.total(kept * best_first / np.log2(1 + judged.rank))
    return ratio(gain, ideal[hits.topic])


@measure("Dsharp_nDCG", at="cutoff", needs="subtopics", aliases=("D#-nDCG", "Dsharp-nDCG"))
def dsharp_ndcg(hits: Hits, cutoff: int | None = None, theta: Theta = "equal") -> Array:
    """The mean of the share of subtopics that the first documents cover and of their graded gain.

    Formula: Dsharp_nDCG@k = ½ I_rec@k + ½ D_nDCG@k. The weights θ apply to D_nDCG only.

    Paper: Sakai and Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> hits = example(["a", "b"], {"a": {"A": 1}, "b": {"A": 3, "B": 1}})
    >>> dsharp_ndcg(hits, cutoff=1)  # half of 1/2 and of 0.5/2
    array([0.375])
    """
    return (intent_recall(hits, cutoff) + d_ndcg(hits, cutoff, theta)) / 2
