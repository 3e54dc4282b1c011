"""A learner that counts words."""

from __future__ import annotations

import numpy as np

from leadline.judge.review.learner import Labels, Rows, Scores, TextFeatures, learner
from leadline.judge.review.learners.svm import class_weights

SMOOTHING = 3.822
RATIO = 1.2


@learner("naive-bayes")
class NaiveBayes:
    """Multinomial naive Bayes on TF-IDF, smoothed, as ASReview's elas_u3: the fastest, a little worse."""

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features = features

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        weights = class_weights(relevant, RATIO)
        judged, logs, priors = self._features.matrix[rows], [], []
        for label in (True, False):
            chosen = np.where(relevant == label, weights, 0.0)
            sums = np.asarray(chosen @ judged) + SMOOTHING
            logs.append(np.log(sums) - np.log(sums.sum()))
            priors.append(np.log(chosen.sum()))
        return self._features.scores(logs[0] - logs[1]) + (priors[0] - priors[1])
