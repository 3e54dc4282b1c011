"""Rank-biased precision for a reader who loses interest in a subtopic with every relevant document about it."""

from __future__ import annotations

import math

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio
from leadline.measures.subtopics import Reader, discounted_gain, greedy_ideal, topic_weight
from leadline.options import Share
from leadline.records.other_packages import Theta


def _gain(hits: Hits, reader: Reader, beta: float, theta: Theta) -> Array:
    return discounted_gain(hits, reader, theta, lambda rank: np.power(beta, rank - 1.0))


@measure("NRBP", needs="subtopics")
def nrbp(hits: Hits, alpha: Share = 0.5, beta: Share = 0.5, rel: int = 1, theta: Theta = "equal") -> Array:
    """Gain for a reader who reads on with probability `beta`, less for repeated subtopics.

    Formula: NRBP = (1 - (1 - alpha) beta) Σ_r beta^(r-1) Σ_c θ_c (1 - alpha)^(relevant documents of c before r) over
    all ranks r and the subtopics c that the document at r is relevant to. Only subtopics with a relevant document
    count, and their θ sum to 1.

    Paper: Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009.

    Range: 0 to 1; 1 for an endless list in which every document is relevant to every subtopic.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> nrbp(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}))  # 0.75 (1 + 0.5 · 1.5) / 2
    array([0.65625])
    """
    gain = _gain(hits, Reader.losing_interest(alpha, rel), beta, theta)
    return (1 - (1 - alpha) * beta) * ratio(gain, topic_weight(hits, theta, rel))


@measure("nNRBP", needs="subtopics")
def nnrbp(hits: Hits, alpha: Share = 0.5, beta: Share = 0.5, rel: int = 1, theta: Theta = "equal") -> Array:
    """NRBP as a share of that of the ideal list for the topic.

    Formula: nNRBP = NRBP / NRBP of the ideal list, which takes at each rank the document with the largest gain, the
    higher id where gains are equal.

    Paper: Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009.

    Range: 0 to 1; slightly above in rare cases, since the best document at each rank need not give the best list.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> nnrbp(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}))  # (1 + 0.5 · 1.5) / (2 + 0.5 · 0.5)
    array([0.77777778])
    """
    reader = Reader.losing_interest(alpha, rel)
    # Deeper documents of the ideal list add less than a double can show.
    depth = math.ceil(math.log(1e-18, beta)) if 0 < beta < 1 else None if beta else 1
    ideal = _gain(greedy_ideal(hits, reader, theta, depth), reader, beta, theta)
    return ratio(_gain(hits, reader, beta, theta), ideal[hits.topic])
