"""The tie rule: the order of documents by score, and of those with equal scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def tie_order(scores: NDArray[Any], names: NDArray[Any]) -> NDArray[np.intp]:
    """The order of documents: higher score first; equal scores by name, higher first.

    Names are byte strings, or numbers in the order of the byte strings.

    >>> tie_order(np.array([1.0, 2.0, 1.0]), np.array([b"a", b"b", b"c"])).tolist()
    [1, 2, 0]
    """
    return np.lexsort((names, scores))[::-1]
