"""The terms of each document: the postings of a field, transposed on first use.

It takes eight bytes per posting in memory, and avoids reading and analysing the texts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.index import Index

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DocumentTerms:
    """The terms of documents, by row.

    >>> from tempfile import mkdtemp
    >>> texts = [{"id": "EP1", "title": "acid film", "body": "acid"}, {"id": "EP2", "title": "base", "body": ""}]
    >>> forward = DocumentTerms(Index.build(texts, mkdtemp(), fields=["title", "body"]))
    >>> forward.mixture(np.array([0, 1]), np.array([0.5, 0.5]), {"title": 1.0, "body": 2.0})
    {'acid': 0.375, 'base': 0.5, 'film': 0.125}
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self._matrices: dict[tuple[int, str], Any] = {}

    def mixture(
        self, rows: NDArray[np.integer], chances: NDArray[np.float64], fields: Mapping[str, float]
    ) -> dict[str, float]:
        """The probability of each term, if a document is drawn with these chances, and then one of its words.

        A word of a field with weight 2 counts as two words.
        """
        words = sum(weight * self.index.lengths(field)[rows] for field, weight in fields.items())
        each = np.divide(chances, words, out=np.zeros(len(rows)), where=np.asarray(words) > 0)
        segment_of = np.searchsorted(self.index.bases, rows, "right") - 1
        total: dict[str, float] = {}
        for number in np.unique(segment_of).tolist():
            here = segment_of == number
            for field, weight in fields.items():
                part = self._matrix(number, field)[:, rows[here] - self.index.bases[number]]
                sums = part @ (weight * each[here])
                terms = self.index.segments[number].field(field).terms
                for term in np.flatnonzero(sums).tolist():
                    word = terms[term].decode()
                    total[word] = total.get(word, 0.0) + float(sums[term])
        return total

    def _matrix(self, number: int, field: str) -> Any:
        """A segment's field as a sparse matrix of frequencies, terms by documents."""
        key = number, field
        if key not in self._matrices:
            from scipy.sparse import csr_array

            segment = self.index.segments[number]
            part = segment.field(self.index.field(field))
            small = len(part.documents) < 2**31
            starts = part.starts.astype(np.int32) if small else part.starts
            shape = (len(part.terms), len(segment))
            self._matrices[key] = csr_array((part.frequencies[:], part.documents[:], starts), shape=shape).tocsc()
        return self._matrices[key]
