"""Subtopic precision: how soon a list covers a share of the subtopics, against the best list."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, Integers, ratio
from leadline.measures.subtopics import Reader, coverable_weight, greedy_ideal, subtopic_hits
from leadline.options import Bounds, NotNegative

SubtopicRecall = Annotated[float, Bounds(0, 1, above=True)]


@measure("S_precision", at="recall", needs="subtopics", aliases=("S-precision", "StPrec", "st-precision"))
def subtopic_precision(hits: Hits, recall: SubtopicRecall = 0.5, rel: int = 1) -> Array:
    """How many documents the best list needs to cover a share of the subtopics, over how many this list needs.

    Formula: S_precision@s = K_best / K, where K is the smallest rank by which a share s of the subtopics is covered,
    and K_best that of the best list. Only subtopics with a relevant document count. The best list takes at each rank
    the document with most new subtopics, as in the paper: the true best is too costly to find. Where this list is
    better than that, it is the best list.

    Paper: Zhai, Cohen and Lafferty, Beyond independent relevance: methods and evaluation metrics for subtopic
    retrieval, SIGIR 2003. The Cube Test's authors name it without a formula.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: 0 if it does not cover the share.

    The second document covers both subtopics, so the best list needs one document where this one needs two.

    >>> from leadline.measures.subtopics import example
    >>> subtopic_precision(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}), recall=1.0)
    array([0.5])
    """
    return weighted_subtopic_precision(hits, recall, redundancy=0.0, rel=rel)


@measure("WS_precision", at="recall", needs="subtopics", aliases=("WS-precision",))
def weighted_subtopic_precision(
    hits: Hits, recall: SubtopicRecall = 0.5, redundancy: NotNegative = 1.0, rel: int = 1
) -> Array:
    """As S_precision, where a document costs the more to read the more subtopics it treats.

    Formula: WS_precision@s = cost_best / cost, where the cost of the first K documents is K + redundancy · (subtopics
    of each, added up), and K is as in S_precision. The best list is that of S_precision.

    Paper: Zhai, Cohen and Lafferty, SIGIR 2003, with redundancy = 1; 0 gives S_precision.

    Range: 0 to 1.

    Unjudged: not relevant, without subtopics.

    Short list: 0 if it does not cover the share.

    Reading this list costs 2 + 3, the second document alone 1 + 2.

    >>> from leadline.measures.subtopics import example
    >>> weighted_subtopic_precision(example(["a", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}), recall=1.0)
    array([0.6])
    """
    coverable = coverable_weight(hits, "equal", rel)  # how many subtopics of each row's topic have a relevant document
    wanted = np.ceil(recall * coverable - 1e-9).astype(np.int64)
    cost = _cost_to_cover(hits, wanted, redundancy, rel)
    # A greedy list covers a new subtopic with every document until all are covered.
    ideal = greedy_ideal(hits, Reader.losing_interest(1.0, rel), "equal", max(int(coverable.max(initial=1)), 1))
    by_topic = np.zeros(ideal.rows, np.int64)
    by_topic[hits.topic] = wanted
    best = _cost_to_cover(ideal, by_topic, redundancy, rel)[hits.topic]
    return ratio(np.minimum(best, cost), cost)


@measure("aspectual_P", at="cutoff", needs="subtopics")
def aspectual_precision(hits: Hits, cutoff: int | None = None, rel: int = 1) -> Array:
    """Share of the documents that are relevant to at least one aspect (subtopic).

    Formula: aspectual_P = documents of the list that cover an aspect / documents of the list; aspectual_P@N of the
    first N, where a shorter list counts with N. Its companion is aspectual recall: strec.

    Paper: Over, TREC-6 interactive track report, TREC 1997, for the documents that a searcher saved.

    Range: 0 to 1.

    Unjudged: covers no aspect.

    Short list: without a cutoff only retrieved documents count; with one, as if followed by documents without aspects.

    Of two documents the first covers none.

    >>> from leadline.measures.subtopics import example
    >>> aspectual_precision(example(["x", "b"], {"a": {"A": 1}, "b": {"A": 1, "B": 1}}))
    array([0.5])
    """
    within = hits if cutoff is None else hits.where(hits.rank <= cutoff)
    entries = subtopic_hits(within, level=rel)
    pairs = np.unique(np.stack([entries.row, entries.rank]), axis=1)
    covering = np.bincount(pairs[0], minlength=hits.rows)
    return ratio(covering, hits.retrieved if cutoff is None else float(cutoff))


def _cost_to_cover(hits: Hits, wanted: Integers, redundancy: float, rel: int) -> Array:
    """The cost of reading each row until it covers `wanted` subtopics; 0 if it never does."""
    entries = subtopic_hits(hits, level=rel)
    new = np.flatnonzero(entries.seen_before == 0)
    starts = np.searchsorted(entries.row[new], np.arange(hits.rows + 1))
    covered = (wanted >= 1) & (wanted <= np.diff(starts))
    rank = np.zeros(hits.rows, np.int64)
    rank[covered] = entries.rank[new[(starts[:-1] + wanted - 1)[covered]]]
    treated = np.bincount(entries.row[entries.rank <= rank[entries.row]], minlength=hits.rows)
    return rank + redundancy * treated
