"""The words of the links to each document: what other pages call it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.documents.store import Collection
    from leadline.retrieval.index.index import Index


@dataclass(frozen=True)
class AnchorWords:
    """For each word the documents that links with this word lead to, and the number of such links."""

    counts: Mapping[str, Mapping[int, int]]
    documents: int  # in the index

    @classmethod
    def of(cls, collection: Collection, index: Index, row_of: Mapping[str, int]) -> AnchorWords:
        """The words of a crawl's links, without those marked nofollow and those of a page to itself."""
        from leadline.collections.links.reading import LINKS, crawl_table

        links = crawl_table(collection, LINKS)
        counts: dict[str, dict[int, int]] = {}
        if links is None:
            return cls(counts, len(index))
        followed = links.filter(~links["nofollow"] & (links["source"] != links["target"]))
        same_words: dict[str, list[str]] = {}
        for target, text in followed.select("target", "anchor").iter_rows():
            row = row_of.get(target)
            if row is None or not text:
                continue
            if text not in same_words:
                same_words[text] = list(dict.fromkeys(index.analysis.terms(text)))
            for word in same_words[text]:
                pages = counts.setdefault(word, {})
                pages[row] = pages.get(row, 0) + 1
        return cls(counts, len(index))

    def scores(self, query: Mapping[str, float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The documents whose links have words of a query, and Σ weight · ln(1 + N / n) · links / (links + 1).

        >>> words = AnchorWords({"film": {2: 3, 5: 1}}, 10)
        >>> [part.round(3).tolist() for part in words.scores({"film": 1.0, "steel": 2.0})]
        [[2, 5], [1.344, 0.896]]
        """
        totals: dict[int, float] = {}
        for word, weight in query.items():
            pages = self.counts.get(word, {})
            for row, links in pages.items():
                gain = weight * math.log(1 + self.documents / len(pages)) * links / (links + 1)
                totals[row] = totals.get(row, 0.0) + gain
        rows = np.array(sorted(totals), np.int64)
        return rows, np.array([totals[row] for row in rows.tolist()])
