"""Counts of topics and documents behind a score. They are summed over topics, not averaged."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits


@measure("num_q", aliases=("NumQ",), better="neither", aggregate="sum", counts=True)
def topics(hits: Hits) -> Array:
    """Topics of the judgements.

    Formula: 1 for each topic.

    Paper: Buckley, trec_eval (`num_q`).

    Range: 1; the sum is the number of topics.

    Unjudged: no effect.

    Short list: no effect.

    >>> topics(Hits.of(ranks=[1, 4], relevant=4))
    array([1.])
    """
    return np.ones(hits.rows)


@measure("num_ret", aliases=("NumRet", "retrieved"), better="neither", aggregate="sum", counts=True)
def retrieved(hits: Hits) -> Array:
    """Documents retrieved.

    Formula: the length of the list.

    Paper: Buckley, trec_eval (`num_ret`).

    Range: 0 and up.

    Unjudged: counted.

    Short list: counted as it is.

    >>> retrieved(Hits.of(ranks=[1, 4], relevant=4, retrieved=50))
    array([50.])
    """
    return hits.retrieved.astype(float)


@measure("num_rel", aliases=("NumRel",), better="neither", aggregate="sum", counts=True)
def relevant(hits: Hits, rel: int = 1) -> Array:
    """Relevant documents of the topic, retrieved or not.

    Formula: n.

    Paper: Buckley, trec_eval (`num_rel`).

    Range: 0 and up.

    Unjudged: not counted.

    Short list: no effect.

    >>> relevant(Hits.of(ranks=[1, 4], relevant=4))
    array([4.])
    """
    return hits.n_relevant(rel).astype(float)


@measure("num_rel_ret", aliases=("NumRelRet",), aggregate="sum", counts=True)
def relevant_retrieved(hits: Hits, rel: int = 1) -> Array:
    """Relevant documents retrieved.

    Formula: m over the whole list.

    Paper: Buckley, trec_eval (`num_rel_ret`).

    Range: 0 to n.

    Unjudged: not counted.

    Short list: counted as it is.

    >>> relevant_retrieved(Hits.of(ranks=[1, 4], relevant=4))
    array([2.])
    """
    return hits.found(rel).astype(float)


@measure("num_nonrel_judged_ret", better="neither", aggregate="sum", counts=True)
def judged_wrong_retrieved(hits: Hits, rel: int = 1) -> Array:
    """Retrieved documents that were judged and are not relevant.

    Formula: retrieved documents of a grade from 0 to below the relevance level.

    Paper: Buckley, trec_eval (`num_nonrel_judged_ret`).

    Range: 0 and up.

    Unjudged: not counted.

    Short list: counted as it is.

    >>> judged_wrong_retrieved(Hits.of(ranks=[1, 4, 5], grades=[1, 0, -1]))
    array([1.])
    """
    return hits.count((hits.grade >= 0) & (hits.grade < rel)).astype(float)
