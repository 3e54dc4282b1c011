"""The public function that tries learners and stopping rules."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from leadline.records.inputs import QrelsLike

if TYPE_CHECKING:
    from leadline.collections.documents.store import Collection
    from leadline.judge.review.simulation import ReviewSimulation


def simulate_review(
    collection: Collection | str | os.PathLike[str],
    labels: QrelsLike,
    *,
    learners: Sequence[str] = ("svm",),
    rules: Sequence[str] = (),
    seeds: int = 10,
    target: float = 0.95,
    alpha: float = 0.05,
    batch: int | None = None,
) -> ReviewSimulation:
    """Read labelled reviews again in a learner's order, and stop with every rule (default: all rules).

    Each topic of the labels is a review of the documents that have a label; where all of them are relevant, of the
    whole collection.
    """
    from leadline.collections.documents.store import Collection
    from leadline.judge.review.simulation import labelled_reviews, simulate_reviews
    from leadline.records.qrels.qrels import Qrels
    from leadline.records.qrels.read_qrels import read_qrels

    judged = read_qrels(labels) if isinstance(labels, (str, os.PathLike)) else Qrels.of(labels)
    opened = collection if isinstance(collection, Collection) else Collection.open(collection)
    return simulate_reviews(
        list(labelled_reviews(opened, judged)), learners=learners, rules=rules, seeds=seeds, target=target,
        alpha=alpha, batch=batch,
    )  # fmt: skip
