"""The order in which a learner has documents read."""

from __future__ import annotations

import numpy as np

from leadline.errors import InputError
from leadline.judge.review.features import TextFeatures
from leadline.judge.review.learner import LEARNERS, Labels, Rows


def learned_order(
    features: TextFeatures,
    relevant: Labels,
    start: Rows,
    learner: str = "svm",
    *,
    batch: int | None = None,
    seed: int = 0,
) -> Rows:
    """All documents in the order in which they are read, if every judgement is as `relevant` says.

    `start` are read first. Then the learner learns, and the next `batch` documents are what it thinks best; by default,
    a batch is a tenth larger than the one before. Equal ones are read in the collection's order.
    """
    if batch is not None and batch < 1:
        raise InputError("batch", f"must be at least 1, got {batch}")
    count = len(features)
    if len(relevant) != count:
        raise InputError("relevant", f"has {len(relevant)} labels for {count} documents")
    model = LEARNERS.named(learner)(features, seed)
    order = np.empty(count, np.int64)
    read = np.zeros(count, np.bool_)
    done, size = len(start), batch or 1
    order[:done] = start
    read[start] = True
    while done < count:
        judged = order[:done]
        labels = relevant[judged]
        if labels.all() or not labels.any():
            following = similar(features, judged[labels])  # there is nothing to tell apart yet
            taking = 1
        else:
            following = model.learn(judged, labels)
            taking, size = size, batch or size + -(-size // 10)
        taken = best_unread(following, read, min(taking, count - done))
        order[done : done + len(taken)] = taken
        read[taken] = True
        done += len(taken)
    return order


def best_unread(scores: np.ndarray, read: Labels, size: int) -> Rows:
    """The best documents that have not been read, best first; of equal ones those that come first."""
    unread = np.flatnonzero(~read)
    values = scores[unread]
    if 0 < size < len(unread):
        edge = np.partition(values, len(values) - size)[len(values) - size]
        above, equal = np.flatnonzero(values > edge), np.flatnonzero(values == edge)
        chosen = np.concatenate((above, equal[: size - len(above)]))
    else:
        chosen = np.arange(min(size, len(unread)))
    return unread[chosen[np.lexsort((chosen, -values[chosen]))]]


def similar(features: TextFeatures, known: Rows) -> np.ndarray:
    """How similar documents are to the relevant ones known so far; 0 where none is."""
    if not len(known):
        return np.zeros(len(features))
    matrix = features.matrix
    return np.asarray(matrix @ matrix[known].sum(axis=0), dtype=np.float64)
