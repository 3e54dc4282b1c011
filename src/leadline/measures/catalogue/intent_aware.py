"""Measures averaged over subtopics, and the share of subtopics covered."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio
from leadline.measures.subtopics import all_judged, coverable_weight, intent_weights, subtopic_hits, topic_weight
from leadline.records.other_packages import Theta


@measure("P_IA", at="cutoff", needs="subtopics", aliases=("P-IA",))
def precision_ia(hits: Hits, cutoff: int, rel: int = 1, theta: Theta = "equal") -> Array:
    """Share of the first documents that are relevant, on average over the subtopics.

    Formula: P_IA@k = Σ_c θ_c (relevant documents of c among the first k) / k. Only subtopics with a relevant document
    count, and their θ sum to 1.

    Paper: Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> precision_ia(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}), cutoff=5)  # (2/5 + 1/5) / 2
    array([0.3])
    """
    entries = subtopic_hits(hits.where(hits.rank <= cutoff), level=rel)
    found = entries.total(intent_weights(hits, theta, rel)[entries.subtopic])
    return ratio(found, topic_weight(hits, theta, rel) * cutoff)


@measure("MAP_IA", needs="subtopics", aliases=("MAP-IA", "AP_IA", "AP-IA"))
def average_precision_ia(hits: Hits, rel: int = 1, theta: Theta = "equal") -> Array:
    """Average precision, on average over the subtopics.

    Formula: MAP_IA = Σ_c θ_c AP_c, AP_c = (1/n_c) Σ_i i / r_i over the relevant documents of c found, of n_c in all.
    Only subtopics with a relevant document count, and their θ sum to 1.

    Paper: Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: missing documents add nothing.

    >>> from leadline.measures.subtopics import example
    >>> average_precision_ia(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}))  # (1 + 1/2) / 2
    array([0.75])
    """
    weight = intent_weights(hits, theta, rel)
    relevant = np.bincount(subtopic_hits(all_judged(hits), level=rel).subtopic, minlength=len(weight))
    entries = subtopic_hits(hits, level=rel)
    precision = (entries.seen_before + 1) / entries.rank
    total = entries.total(ratio(weight, relevant)[entries.subtopic] * precision)
    return ratio(total, topic_weight(hits, theta, rel))


@measure("strec", at="cutoff", needs="subtopics", aliases=("StRecall", "st-recall", "aspectual_recall"))
def subtopic_recall(hits: Hits, cutoff: int | None = None, rel: int = 1, theta: Theta = "equal") -> Array:
    """Share of the subtopics for which the first documents, or the whole list, have a relevant document.

    Formula: strec@k = Σ θ_c over the subtopics covered by rank k. Only subtopics with a relevant document count, and
    their θ sum to 1.

    Paper: Zhai, Cohen and Lafferty, Beyond independent relevance: methods and evaluation metrics for subtopic
    retrieval, SIGIR 2003. TREC's interactive tracks call it aspectual recall.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> subtopic_recall(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}), cutoff=1)
    array([0.5])
    """
    within = hits if cutoff is None else hits.where(hits.rank <= cutoff)
    entries = subtopic_hits(within, level=rel)
    new = (entries.seen_before == 0) * intent_weights(hits, theta, rel)[entries.subtopic]
    return ratio(entries.total(new), coverable_weight(hits, theta, rel))


@measure("I_rec", at="cutoff", needs="subtopics", aliases=("I-rec",))
def intent_recall(hits: Hits, cutoff: int | None = None, rel: int = 1, theta: Theta = "equal") -> Array:
    """Share of the subtopics covered: NTCIR's name for strec.

    Formula: I_rec@k = Σ θ_c over the subtopics covered by rank k. Only subtopics with a relevant document count, and
    their θ sum to 1.

    Paper: Sakai and Song, Evaluating diversified search results using per-intent graded relevance, SIGIR 2011.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> intent_recall(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}), cutoff=2)
    array([1.])
    """
    return subtopic_recall(hits, cutoff, rel, theta)
