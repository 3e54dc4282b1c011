"""The default learner: a support vector machine that counts relevant documents more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadline.judge.review.kernel_arguments import JudgedRows, SparseRows
from leadline.judge.review.learner import Labels, Rows, Scores, TextFeatures, learner
from leadline.text.engine import Kernel, compiled_job

COST = 0.11
RATIO = 9.8  # all documents that are not relevant together weigh 1 / 9.8 of the relevant ones
TOLERANCE, EPOCHS = 0.1, 20
STEP_BYTES = 40  # of text that take as long to read as one weight takes to add, in all epochs


@learner("svm")
class SupportVectors:
    """A linear support vector machine with squared hinge loss; relevant documents weigh more.

    Same model as ASReview's elas_u4, on single words. Its state is kept between rounds, so that a round costs little.
    """

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features, self._rows = features, features.rows
        self._squares = np.zeros(0)  # of the judged documents, as the duals
        self._weights = np.zeros(len(features.words) + 1)
        self._scores = np.zeros(len(features))
        self._duals = np.zeros(0)

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        weights = class_weights(relevant)
        duals = np.zeros(len(rows))
        duals[: len(self._duals)] = self._duals
        signs = np.where(relevant, 1.0, -1.0)
        self._squares = np.append(self._squares, self._features.squares(rows[len(self._squares) :]) + 1)
        judged = JudgedRows(rows.astype(np.int32), signs, 1 / (2 * COST * weights), duals, self._squares)
        violations = np.array([0.0, TOLERANCE])
        size = STEP_BYTES * len(self._rows.columns)
        train.choose(size)(self._rows, judged, self._weights, violations)
        score_rows.choose(size)(self._rows, self._weights, self._scores)
        self._duals = duals
        return self._scores


def class_weights(relevant: Labels, ratio: float = RATIO) -> NDArray[np.float64]:
    """The weight of each judged document: 1 if relevant, n₁ / (ratio · n₀) if not, scaled to sum to their number.

    >>> class_weights(np.array([True, False, False]), ratio=2).round(3)
    array([2. , 0.5, 0.5])
    """
    positive = int(relevant.sum())
    weights = np.where(relevant, 1.0, positive / (ratio * max(len(relevant) - positive, 1)))
    return np.asarray(weights * (len(relevant) / weights.sum()))


def _moved(judged: JudgedRows, place: int, score: float, violations: NDArray[np.float64]) -> float:
    """One step of descent for one row; the compiled twin is in `judge/review/kernels.py`."""
    sign, damping, dual = judged.signs[place], judged.damping[place], judged.duals[place]
    gradient = sign * score - 1.0 + damping * dual
    if dual > 0 or gradient < 0:
        violations[0] = max(violations[0], abs(gradient))
    judged.duals[place] = max(dual - gradient / (judged.squares[place] + damping), 0.0)
    return float(sign * (judged.duals[place] - dual))


def _score(documents: SparseRows, row: int, weights: NDArray[np.float64]) -> float:
    at = slice(documents.offsets[row], documents.offsets[row + 1])
    terms = weights[documents.columns[at]] * documents.values[at]
    return float(np.cumsum(np.concatenate((weights[-1:], terms)))[-1])  # in their order, as the kernel adds


def _trained(
    documents: SparseRows, judged: JudgedRows, weights: NDArray[np.float64], violations: NDArray[np.float64]
) -> None:
    for _ in range(EPOCHS):
        violations[0] = 0.0
        for place, row in enumerate(judged.rows.tolist()):
            moved = _moved(judged, place, _score(documents, row, weights), violations)
            if moved:
                at = slice(documents.offsets[row], documents.offsets[row + 1])
                weights[documents.columns[at]] += moved * documents.values[at].astype(np.float64)
                weights[-1] += moved
        if violations[0] <= violations[1]:
            return


@compiled_job("leadline.judge.review.kernels.train", plain=_trained)
def train(
    kernel: Kernel,
    documents: SparseRows,
    judged: JudgedRows,
    weights: NDArray[np.float64],
    violations: NDArray[np.float64],
) -> None:
    """Train, and bring the weights of the words up to date."""
    kernel(documents, judged, len(judged.rows), weights, len(weights) - 1, violations, EPOCHS)


def _scored_rows(documents: SparseRows, weights: NDArray[np.float64], scores: Scores) -> None:
    for row in range(len(scores)):
        scores[row] = _score(documents, row, weights)


@compiled_job("leadline.judge.review.kernels.score_rows", plain=_scored_rows)
def score_rows(kernel: Kernel, documents: SparseRows, weights: NDArray[np.float64], scores: Scores) -> None:
    """The scores of all documents by the weights of their words."""
    kernel(documents, 0, len(scores), weights, len(weights) - 1, scores)
