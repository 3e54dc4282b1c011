"""A learner that estimates probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadline.judge.review.learner import Labels, Matrix, Rows, Scores, TextFeatures, learner
from leadline.judge.review.learners.svm import class_weights

ROUNDS = 100  # of the optimiser, at most


@learner("logistic")
class Logistic:
    """Logistic regression with an L2 penalty; relevant documents and the others weigh the same in all."""

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features = features
        self._weights = np.zeros(len(features.words) + 1)

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        self._weights = fitted(self._features.matrix[rows], relevant, class_weights(relevant, 1.0), self._weights)
        return self._features.scores(self._weights[:-1]) + self._weights[-1]


def fitted(
    judged: Matrix, relevant: Labels, importance: NDArray[np.float64], weights: NDArray[np.float64], cost: float = 1.0
) -> NDArray[np.float64]:
    """The weights of the words, and last of the constant, that fit the judged documents; begun from `weights`."""
    from scipy.optimize import minimize

    signs = np.where(relevant, 1.0, -1.0)

    def loss(now: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = signs * (judged @ now[:-1] + now[-1])
        # ln(1 + exp(-margin)) and its slope, without overflow
        lost = np.logaddexp(0, -margins)
        slopes = -signs * importance * np.exp(-np.logaddexp(0, margins))
        penalised = now.copy()
        penalised[-1] = 0
        gradient = penalised + cost * np.append(np.asarray(slopes @ judged), slopes.sum())
        return float(penalised @ penalised / 2 + cost * (importance @ lost)), gradient

    found = minimize(loss, weights, jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    return np.asarray(found.x)
