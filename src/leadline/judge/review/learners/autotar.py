"""A learner for reviews of law suits."""

from __future__ import annotations

import numpy as np

from leadline.judge.review.learner import Labels, Rows, Scores, TextFeatures, learner
from leadline.judge.review.learners.logistic import fitted

PRESUMED = 100


@learner("autotar")
class AutoTar:
    """Logistic regression that presumes 100 random unread documents not relevant, anew in each round.

    After Cormack and Grossman's AutoTAR (2015), which takes documents from all that is unread and so may presume
    relevant ones; at the top it finds less than the support vector machine.
    """

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features = features
        self._weights = np.zeros(len(features.words) + 1)
        self._random = np.random.default_rng(seed)

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        unread = np.setdiff1d(np.arange(len(self._features)), rows)
        presumed = self._random.choice(unread, min(PRESUMED, len(unread)), replace=False)
        judged = np.concatenate((rows, presumed))
        labels = np.concatenate((relevant, np.zeros(len(presumed), np.bool_)))
        self._weights = fitted(self._features.matrix[judged], labels, np.ones(len(judged)), self._weights)
        return self._features.scores(self._weights[:-1]) + self._weights[-1]
