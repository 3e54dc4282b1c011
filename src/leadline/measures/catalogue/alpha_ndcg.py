"""Discounted gain for a reader who loses interest in a subtopic with every relevant document about it."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, Integers, ratio
from leadline.measures.subtopics import Reader, discounted_gain, greedy_ideal, topic_weight
from leadline.options import Share
from leadline.records.other_packages import Theta


def _discount(rank: Integers) -> Array:
    return 1 / np.log2(1 + rank)


@measure("alpha_DCG", at="cutoff", needs="subtopics", aliases=("alpha-DCG",))
def alpha_dcg(hits: Hits, cutoff: int, alpha: Share = 0.5, rel: int = 1, theta: Theta = "equal") -> Array:
    """Gain from the first documents, less for repeated subtopics, as a share of the largest gain any list could have.

    Formula: alpha_DCG@k = Σ_r gain_r / log2(1 + r) over ranks 1 to k, where gain_r = Σ_c θ_c (1 - alpha)^(relevant
    documents of c before r) over the subtopics c that the document is relevant to; divided by the value of a
    list in which every document is relevant to every subtopic. Only subtopics with a relevant document count,
    and their θ sum to 1.

    Paper: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, Novelty and diversity in information
    retrieval evaluation, SIGIR 2008; normalised as TREC's program ndeval does.

    Range: 0 to 1; 1 is rare, since few topics have documents relevant to all subtopics. (ndeval does not divide at a
    cutoff of 1, which it never prints.)

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> hits = example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}})
    >>> alpha_dcg(hits, cutoff=2).round(4)  # (1 + 1.5 / log2(3)) / (2 + 1 / log2(3))
    array([0.7398])
    """
    gain = discounted_gain(hits, Reader.losing_interest(alpha, rel), theta, _discount, cutoff)
    # The gain of a list in which every document is relevant to every subtopic.
    rank = np.arange(1, cutoff + 1)
    most = float(((1 - alpha) ** (rank - 1) * _discount(rank)).sum())
    return ratio(gain, topic_weight(hits, theta, rel) * most)


@measure("alpha_nDCG", at="cutoff", needs="subtopics", aliases=("alpha-nDCG", "α-nDCG", "α_nDCG"))
def alpha_ndcg(
    hits: Hits, cutoff: int | None = None, alpha: Share = 0.5, rel: int = 1, theta: Theta = "equal"
) -> Array:
    """Gain from the first documents, less for repeated subtopics, as a share of the gain of the ideal list.

    Formula: alpha_nDCG@k = alpha_DCG@k / alpha_DCG@k of the ideal list, which takes at each rank the document with
    the largest gain, the higher id where gains are equal.

    Paper: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, Novelty and diversity in information
    retrieval evaluation, SIGIR 2008.

    Range: 0 to 1; slightly above in rare cases, since the best document at each rank need not give the best list.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> hits = example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}})
    >>> alpha_ndcg(hits, cutoff=2).round(4)  # (1 + 1.5 / log2(3)) / (2 + 0.5 / log2(3))
    array([0.8406])
    """
    reader = Reader.losing_interest(alpha, rel)
    ideal = discounted_gain(greedy_ideal(hits, reader, theta, cutoff), reader, theta, _discount)
    return ratio(discounted_gain(hits, reader, theta, _discount, cutoff), ideal[hits.topic])
