"""Coordinate steps in the dual of a support vector machine with squared hinge loss.

Each step finds the best value for one judged document with all others fixed. Paper: Hsieh, Chang, Lin, Keerthi and
Sundararajan, A dual coordinate descent method for large-scale linear SVM, 2008.
"""

from __future__ import annotations

from leadline.judge.review.kernel_arguments import JudgedRows, SparseRows
from leadline.text.kernel_arguments import Floats, kernel
from leadline.text.kernels import inline


@inline
def _step(judged: JudgedRows, place: int, score: float, violations: Floats) -> float:
    """Change one document's dual; returns by how much its score function moves. Keeps the largest violation."""
    sign, damping, dual = judged.signs[place], judged.damping[place], judged.duals[place]
    # The derivative of the dual objective. A dual at its limit 0 that would go below violates nothing.
    gradient = sign * score - 1.0 + damping * dual
    violation = gradient if dual > 0.0 or gradient < 0.0 else 0.0
    if violation < 0.0:
        violation = -violation
    violations[0] = max(violations[0], violation)
    # Newton's step is exact, since the objective is quadratic in one dual; duals are not negative.
    new = dual - gradient / (judged.squares[place] + damping)
    new = max(new, 0.0)
    judged.duals[place] = new
    return sign * (new - dual)


@kernel
def train(
    documents: SparseRows,
    judged: JudgedRows,
    count: int,
    weights: Floats,
    constant: int,
    violations: Floats,
    epochs: int,
) -> int:
    """Train; the weights of the columns, and at `constant` that of the constant, are kept up to date.

    `violations` has two entries: the largest of the last epoch, and the tolerance. Returns the number of epochs.
    """
    for epoch in range(epochs):
        violations[0] = 0.0
        for place in range(count):
            row = judged.rows[place]
            begin, end = documents.offsets[row], documents.offsets[row + 1]
            # The document's score by the weights of now.
            score = weights[constant]
            for at in range(begin, end):
                score += weights[documents.columns[at]] * documents.values[at]
            moved = _step(judged, place, score, violations)
            # The weights are the sum of documents times duals: add the change of this one.
            if moved != 0.0:
                for at in range(begin, end):
                    weights[documents.columns[at]] += moved * documents.values[at]
                weights[constant] += moved
        if violations[0] <= violations[1]:
            return epoch + 1
    return epochs


@kernel
def score_rows(documents: SparseRows, first: int, end: int, weights: Floats, constant: int, scores: Floats) -> int:
    """The scores of documents by the weights."""
    for row in range(first, end):
        score = weights[constant]
        for at in range(documents.offsets[row], documents.offsets[row + 1]):
            score += weights[documents.columns[at]] * documents.values[at]
        scores[row] = score
    return end - first
