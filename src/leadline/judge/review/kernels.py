"""Coordinate steps in the dual of a support vector machine with squared hinge loss.

Each step finds the best value for one judged document with all others fixed. Paper: Hsieh, Chang, Lin, Keerthi and
Sundararajan, A dual coordinate descent method for large-scale linear SVM, 2008.
"""

from __future__ import annotations

from leadline.judge.review.kernel_arguments import JudgedRows, SparseRows
from leadline.text.kernel_arguments import Floats, kernel
from leadline.text.kernels import inline


@inline
def _score(documents: SparseRows, row: int, weights: Floats, constant: int) -> float:
    """A document's score by the weights of its words, and the constant."""
    begin, end = documents.offsets[row], documents.offsets[row + 1]
    # Four sums side by side: with one, each addition waits for the one before it, which takes most of the time.
    first, second, third, fourth = weights[constant], 0.0, 0.0, 0.0
    whole = begin + (end - begin) // 4 * 4
    for at in range(begin, whole, 4):
        first += weights[documents.columns[at]] * documents.values[at]
        second += weights[documents.columns[at + 1]] * documents.values[at + 1]
        third += weights[documents.columns[at + 2]] * documents.values[at + 2]
        fourth += weights[documents.columns[at + 3]] * documents.values[at + 3]
    for at in range(whole, end):
        first += weights[documents.columns[at]] * documents.values[at]
    return (first + second) + (third + fourth)


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
            moved = _step(judged, place, _score(documents, row, weights, constant), violations)
            # The weights are the sum of documents times duals: add the change of this one.
            if moved != 0.0:
                for at in range(documents.offsets[row], documents.offsets[row + 1]):
                    weights[documents.columns[at]] += moved * documents.values[at]
                weights[constant] += moved
        if violations[0] <= violations[1]:
            return epoch + 1
    return epochs


@kernel
def score_rows(documents: SparseRows, first: int, end: int, weights: Floats, constant: int, scores: Floats) -> int:
    """The scores of documents by the weights."""
    for row in range(first, end):
        scores[row] = _score(documents, row, weights, constant)
    return end - first
