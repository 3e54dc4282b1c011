"""The input of a model: term frequencies, and statistics of the terms, the documents and the collection.

Arrays have one entry per posting. Where several fields are searched as one text, all numbers are those of that text: a
word in a field of weight 2 counts as two words, and a document's length is the weighted sum of its fields' lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
else:
    Array = np.ndarray  # numpy.typing takes 8 ms to import


@dataclass(frozen=True)
class InField:
    """The statistics of the same postings in one field; tf is 0 where a document has the term only in other fields."""

    weight: float
    tf: Array
    length: Array
    df: Array
    average_length: float


@dataclass(frozen=True)
class Postings:
    """Postings of any number of terms."""

    tf: Array  # how often the term occurs in the document
    length: Array  # terms of the document
    df: Array  # documents that have the term
    cf: Array  # how often the term occurs in all documents
    documents: int  # number of documents that have any term
    tokens: float  # terms of all documents
    fields: Mapping[str, InField] = field(default_factory=dict)  # for models with `by_field`

    @classmethod
    def of(
        cls, *, tf: ArrayLike, length: ArrayLike, documents: int, tokens: float, df: ArrayLike = 1, cf: ArrayLike = 1
    ) -> Postings:
        """Postings from a few numbers, for examples."""
        arrays = np.broadcast_arrays(*(np.atleast_1d(np.asarray(each, np.float64)) for each in (tf, length, df, cf)))
        return cls(arrays[0], arrays[1], arrays[2], arrays[3], documents, tokens)

    @property
    def average_length(self) -> float:
        return self.tokens / self.documents if self.documents else 1.0  # without documents there is no posting


def once_a_term(formula: Callable[[Array], Array], values: Array) -> Array:
    """A formula of a statistic that all postings of a term share, computed once for each run of equal values.

    >>> once_a_term(np.log2, np.array([8.0, 8.0, 2.0]))
    array([3., 3., 1.])
    """
    if len(values) < 2:
        return formula(values)
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return np.repeat(formula(values[first]), np.diff(first, append=len(values)))
