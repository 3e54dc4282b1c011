"""Precision against recall at every rank: the raw curve, which is jagged, and the interpolated one, which is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leadline.measures.hits import Array
from leadline.records.qrels.qrels import Qrels
from leadline.records.runs.run import Run


class PrecisionRecall(NamedTuple):
    """Recall and precision at every rank, and the interpolated precision at that recall."""

    recall: Array
    precision: Array
    interpolated: Array  # the highest precision at any rank where recall is no less


def precision_recall(relevant: Sequence[bool], total: int) -> PrecisionRecall:
    """The curve of a list whose documents are relevant or not, of `total` that are relevant.

    Formula: precision@k = relevant among the first k / k; recall@k = the same / total; interpolated precision at recall
    r is the largest precision@k where recall@k >= r. Garg and Sharma 2012, section 5.4.1.1.

    >>> curve = precision_recall([True, False, True, False], total=4)
    >>> [part.round(2).tolist() for part in curve]
    [[0.25, 0.25, 0.5, 0.5], [1.0, 0.5, 0.67, 0.5], [1.0, 1.0, 0.67, 0.67]]
    """
    found = np.cumsum(np.asarray(relevant, np.float64))
    precision = found / np.arange(1, len(found) + 1)
    best_after = np.maximum.accumulate(precision[::-1])[::-1]
    # At ranks of the same recall the interpolated precision is that of the first of them.
    first = np.searchsorted(found, found)
    return PrecisionRecall(found / total if total else np.full(len(found), np.nan), precision, best_after[first])


def topic_curve(qrels: Qrels, run: Run, topic: str, rel: int = 1) -> PrecisionRecall:
    """The curve of a run for one topic."""
    grades = qrels.judgements(topic)
    ranked = [grades.get(document, 0) >= rel for document, _ in run.ranking(topic)]
    return precision_recall(ranked, sum(grade >= rel for grade in grades.values()))
