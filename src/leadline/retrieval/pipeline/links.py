"""Links between documents, such as citations and family membership, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.terms import offsets_of
from leadline.text.ids import ranges

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Links:
    """Links between documents: those from row r are to targets[offsets[r]:offsets[r + 1]].

    >>> links = Links.of_pairs(np.array([2, 0, 2]), np.array([1, 2, 0]), 3)
    >>> links.degrees.tolist(), [part.tolist() for part in links.of_rows(np.array([2, 1]))]
    ([1, 0, 2], [[0, 0], [0, 1]])
    >>> links.reversed.of_rows(np.array([2]))[1].tolist()
    [0]
    """

    offsets: NDArray[np.int64]
    targets: NDArray[np.int64]

    @classmethod
    def of_pairs(cls, sources: NDArray[np.integer], targets: NDArray[np.integer], size: int) -> Links:
        """Links between pairs of rows, each once, without links from a document to itself."""
        different = sources != targets
        keys = np.unique(sources[different].astype(np.int64) * size + targets[different])
        return cls(np.searchsorted(keys, np.arange(size + 1) * size), keys % size)

    @classmethod
    def of(cls, citations: pl.DataFrame, units: NDArray[np.int64], size: int) -> Links:
        """Citations between documents of the index; `units` are the rows of the collection's documents in the index."""
        inside = citations.select("citing", "cited").drop_nulls()
        sources, targets = units[inside["citing"].to_numpy()], units[inside["cited"].to_numpy()]
        both = (sources >= 0) & (targets >= 0)
        return cls.of_pairs(sources[both], targets[both], size)

    @classmethod
    def of_groups(cls, groups: NDArray[np.int64]) -> Links:
        """Links from each document to all documents of its group, including itself.

        >>> Links.of_groups(np.array([5, 4, 5])).of_rows(np.array([1, 2]))[1].tolist()
        [1, 0, 2]
        """
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], groups)
        sizes = np.searchsorted(groups[order], groups, "right") - starts
        return cls(offsets_of(sizes), order[ranges(starts, sizes)])

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """The number of links from each document."""
        return np.diff(self.offsets)

    @cached_property
    def reversed(self) -> Links:
        """The links in the other direction."""
        sources = np.repeat(np.arange(len(self.degrees)), self.degrees)
        return Links.of_pairs(self.targets, sources, len(self.degrees))

    def of_rows(self, rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The links from these rows: the index in `rows` of each link's source, and the row of its target."""
        sizes = self.degrees[rows]
        return np.repeat(np.arange(len(rows)), sizes), self.targets[ranges(self.offsets[rows], sizes)]
