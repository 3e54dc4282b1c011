"""Coordinate steps in the dual of a support vector machine with squared hinge loss.

Each step finds the best value for one judged document with all others fixed. Paper: Hsieh, Chang, Lin, Keerthi and
Sundararajan, A dual coordinate descent method for large-scale linear SVM, 2008.
"""

from __future__ import annotations

from leadline.judge.review.kernels.arguments import JudgedRows, SparseRows
from leadline.text.kernels.arguments import Floats, kernel
from leadline.text.kernels.primitives import inline


@inline
def _step(judged: JudgedRows, place: int, score: float, violations: Floats) -> float:
    """Change one document's dual; returns by how much its score function moves. Keeps the largest violation."""
    sign, damping, dual = judged.signs[place], judged.damping[place], judged.duals[place]
    gradient = sign * score - 1.0 + damping * dual
    violation = gradient if dual > 0.0 or gradient < 0.0 else 0.0
    if violation < 0.0:
        violation = -violation
    if violation > violations[0]:
        violations[0] = violation
    new = dual - gradient / (judged.squares[place] + damping)
    if new < 0.0:
        new = 0.0
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
            score = weights[constant]
            for at in range(begin, end):
                score += weights[documents.columns[at]] * documents.values[at]
            moved = _step(judged, place, score, violations)
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
