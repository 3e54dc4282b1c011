"""Matrix products in one thread: several would take more of the processor for products as small as these."""

from __future__ import annotations

from typing import Any

import numpy as np

COLUMNS, ONE_THREAD = (64, 32, 16, 8), 2**18  # of a piece of a matrix product; multiplications that BLAS does not share


def product(rows: Any, weights: Any, out: Any = None) -> Any:
    """The matrix product, in pieces that BLAS computes in one thread, unless a single row is too long for that.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    width = weights.shape[1]
    if width % COLUMNS[-1]:
        filled = np.zeros((len(weights), width + -width % COLUMNS[-1]), weights.dtype)
        filled[:, :width] = weights
        return product(rows, filled)[:, :width]
    if out is None:
        out = np.empty((len(rows), width), weights.dtype)
    fitting = [columns for columns in COLUMNS if rows.size * columns <= ONE_THREAD and width % columns == 0]
    if not fitting and len(rows) > 1:
        half = len(rows) // 2
        product(rows[:half], weights, out[:half])
        product(rows[half:], weights, out[half:])
        return out
    if not rows.size or not width:
        out[...] = 0
        return out
    at_once = fitting[0] if fitting else width
    columns, into = (each.reshape(len(each), -1, at_once).transpose(1, 0, 2) for each in (weights, out))
    np.matmul(rows, columns, out=into)
    return out
