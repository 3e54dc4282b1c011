"""ERR: how soon a searcher who needs one good document finds it; and its average over subtopics."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import measure
from leadline.measures.gains import running_sums
from leadline.measures.hits import Array, Hits, Integers, ratio
from leadline.measures.subtopics import Reader, discounted_gain, greedy_ideal, topic_weight
from leadline.options import Bounds, Share
from leadline.records.other_packages import Theta


@measure("ERR", at="effort")
def err(hits: Hits, effort: int | None = None, max_grade: Annotated[int, Bounds(1, 1000)] = 4) -> Array:
    """Expected reciprocal rank at which a searcher stops; better documents make stopping more likely.

    Formula: ERR@k = Σ (1/r) · s_r · Π above (1 - s), where the document at rank r ends the search with the
    probability s_r = (2^grade - 1) / 2^max_grade.

    Paper: Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009.
    The default of `max_grade` is 4, as in TREC's gdeval, whatever the grades of the judgements.

    Range: 0 to 1; even a perfect list is below 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    The first document ends the search with probability 15/16. Else the third does, with probability 1/16.

    >>> err(Hits.of(ranks=[1, 3], grades=[4, 1])).round(6)
    array([0.938802])
    """
    best = int(hits.judged.grades.max(initial=0))
    if best > max_grade:
        raise MeasureError(f"ERR(max_grade={max_grade}): the judgements have grade {best}; write ERR(max_grade={best})")
    read = hits.where(hits.relevant() if effort is None else hits.relevant() & (hits.rank <= effort))
    # The probability of stopping at each document, and of reaching it: the product of (1 - stop) above it.
    stops = (2.0**read.grade - 1) / 2.0**max_grade
    goes_on = np.log1p(-stops)
    gets_here = np.exp(running_sums(goes_on, read.offsets) - goes_on)
    return read.total(gets_here * stops / read.rank)


# Expected reciprocal rank, averaged over the subtopics that the searcher may have in mind.

Graded = Literal["no", "exp", "linear"]
Grade = Annotated[int, Bounds(1, 1000)]  # 2 to a higher power is no longer a float


def _discount(rank: Integers) -> Array:
    return 1 / rank


def _reader(hits: Hits, graded: Graded, alpha: float, rel: int, max_grade: int) -> Reader:
    if graded == "no":
        return Reader.losing_interest(alpha, rel)
    best = int(hits.judged.grades.max(initial=0))
    if best > max_grade:
        raise MeasureError(f"max_grade is {max_grade}, but the judgements have grade {best}; write max_grade={best}")
    if graded == "linear":
        return Reader.stopping([grade / (max_grade + 1) for grade in range(max_grade + 1)])
    return Reader.stopping([(2**grade - 1) / 2**max_grade for grade in range(max_grade + 1)])


@measure("ERR_IA", at="cutoff", needs="subtopics", aliases=("ERR-IA",), rename={"max": "max_grade"})
def err_ia(
    hits: Hits,
    cutoff: int,
    *,
    graded: Graded = "no",
    alpha: Share = 0.5,
    max_grade: Grade = 4,
    rel: int = 1,
    theta: Theta = "equal",
) -> Array:
    """How soon a reader of the first documents is satisfied, on average over the subtopics.

    Formula: ERR_IA@k = Σ_c θ_c ERR_c@k, ERR_c = Σ_r (1/r) · stop_r · Π_(j<r) (1 - stop_j) over the documents relevant
    to c. Only subtopics with a relevant document count, and their θ sum to 1. With graded=no the probability to stop
    is alpha for every relevant document, and the value is divided by that of a list in which every document is relevant
    to every subtopic, as TREC's program ndeval does. With graded=exp it is (2^g - 1) / 2^max_grade for
    grade g, with graded=linear g / (max_grade + 1), as in NTCIREVAL; neither is normalised.

    Paper: Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; Chapelle,
    Ji, Liao, Velipasaoglu, Lai and Wu, Intent-based diversification of web search results, Information Retrieval 2011.

    Range: 0 to 1. (ndeval does not divide at a cutoff of 1, which it never prints.)

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> hits = example(["a", "b"], {"a": {"A": 1}, "b": {"A": 3, "B": 1}})
    >>> err_ia(hits, cutoff=2)  # (1 + 1.5 / 2) / (2 + 1 / 2)
    array([0.7])
    >>> err_ia(hits, cutoff=2, graded="exp", max_grade=3)  # half of 1/8 + 7/8 · 7/8 / 2, and half of 1/8 / 2
    array([0.28515625])
    """
    reader = _reader(hits, graded, alpha, rel, max_grade)
    gain = discounted_gain(hits, reader, theta, _discount, cutoff)
    # The gain of a list in which every document is relevant to every subtopic.
    rank = np.arange(1, cutoff + 1)
    most = float(((1 - alpha) ** (rank - 1) / rank).sum()) if graded == "no" else 1.0
    return ratio(gain, topic_weight(hits, theta, reader.level) * most)


@measure("nERR_IA", at="cutoff", needs="subtopics", aliases=("nERR-IA",), rename={"max": "max_grade"})
def nerr_ia(
    hits: Hits,
    cutoff: int | None = None,
    *,
    graded: Graded = "no",
    alpha: Share = 0.5,
    max_grade: Grade = 4,
    rel: int = 1,
    theta: Theta = "equal",
) -> Array:
    """ERR_IA as a share of that of the ideal list for the topic.

    Formula: nERR_IA@k = ERR_IA@k / ERR_IA@k of the ideal list, which takes at each rank the document with the largest
    Σ_c θ_c stop_c · (probability of not having stopped for c), the higher id where these are equal. The options
    are those of ERR_IA.

    Paper: Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; normalised
    as TREC's program ndeval does.

    Range: 0 to 1; slightly above in rare cases, since the best document at each rank need not give the best list.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> nerr_ia(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 3, "B": 1}}), cutoff=2)  # 1.75 / (2 + 0.5 / 2)
    array([0.77777778])
    """
    reader = _reader(hits, graded, alpha, rel, max_grade)
    ideal = discounted_gain(greedy_ideal(hits, reader, theta, cutoff), reader, theta, _discount)
    return ratio(discounted_gain(hits, reader, theta, _discount, cutoff), ideal[hits.topic])
