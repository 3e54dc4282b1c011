"""The terms of each document: the postings of a field, transposed on first use.

It takes eight bytes per posting in memory, and avoids reading and analysing the texts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.index import Index
from leadline.retrieval.index.merging import MergedTerms
from leadline.retrieval.index.segment import Field
from leadline.retrieval.index.terms import Terms, offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DocumentTerms:
    """The terms of documents, by row.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> texts = [{"id": "EP1", "title": "acid film", "body": "acid"}, {"id": "EP2", "title": "base", "body": ""}]
    >>> forward = DocumentTerms(Index.build(texts, folder.name, fields=["title", "body"]))
    >>> forward.mixture(np.array([0, 1]), np.array([0.5, 0.5]), {"title": 1.0, "body": 2.0})
    {'acid': 0.375, 'base': 0.5, 'film': 0.125}
    >>> folder.cleanup()
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self._matrices: dict[str, tuple[Terms, Any]] = {}

    def mixture(
        self, rows: NDArray[np.integer], chances: NDArray[np.float64], fields: Mapping[str, float]
    ) -> dict[str, float]:
        """The probability of each term, if a document is drawn with these chances, and then one of its words.

        A word of a field with weight 2 counts as two words.
        """
        words = sum(weight * self.index.lengths(field)[rows] for field, weight in fields.items())
        each = np.divide(chances, words, out=np.zeros(len(rows)), where=np.asarray(words) > 0)
        total: dict[str, float] = {}
        for field, weight in fields.items():
            terms, matrix = self._matrix(field)
            sums = matrix[:, rows] @ (weight * each)
            for term in np.flatnonzero(sums).tolist():
                word = terms[term].decode()
                total[word] = total.get(word, 0.0) + float(sums[term])
        return total

    def _matrix(self, field: str) -> tuple[Terms, Any]:
        """The terms of a field, and a sparse matrix of frequencies, terms by documents.

        It is one for all segments, so that sums are added up in the same order however documents are divided.
        """
        if field not in self._matrices:
            from scipy.sparse import csc_array

            parts = [segment.field(self.index.field(field)) for segment in self.index.segments]
            if len(parts) == 1:
                every, numbers = parts[0].terms, [np.arange(len(parts[0].terms), dtype=np.int32)]
            else:
                merged = MergedTerms(self.index.segments, [part.terms for part in parts])
                every, numbers = merged.terms, [merged.of_part(number) for number in range(len(parts))]
            columns = [_columns(part, number) for part, number in zip(parts, numbers, strict=True)]
            frequencies, terms, counts = (np.concatenate(each) for each in zip(*columns, strict=True))
            starts = offsets_of(counts)
            starts = starts.astype(np.int32) if starts[-1] < 2**31 else starts
            matrix = csc_array((frequencies, terms, starts), shape=(len(every), len(self.index)))
            self._matrices[field] = every, matrix
        return self._matrices[field]


def _columns(part: Field, number: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The frequencies of each document's terms, the terms by their number in all segments, and their counts."""
    from scipy.sparse import csr_array

    small = len(part.documents) < 2**31
    starts = part.starts.astype(np.int32) if small else part.starts
    shape = (len(part.terms), len(part.lengths))
    columns = csr_array((part.frequencies[:], part.documents[:], starts), shape=shape).tocsc()
    return columns.data, number[columns.indices], np.diff(columns.indptr)
