"""Documents as weighted words: what learners see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from leadline.judge.review.kernels.arguments import SparseRows

Matrix: TypeAlias = Any  # a sparse matrix of SciPy, which has no types
WORD = r"\w\w+"  # at least two letters or digits
LEAST_DOCUMENTS = 2  # with a word: one that is in a single document cannot point to another
MOST_SHARE = 0.95  # of the documents with a word: one in nearly all tells nothing


@dataclass(frozen=True)
class TextFeatures:
    """TF-IDF of words: a row for each document, of length 1 unless it has no word."""

    rows: SparseRows
    words: tuple[str, ...]  # of the columns

    def __len__(self) -> int:
        return len(self.rows.offsets) - 1

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextFeatures:
        """Weigh the words of texts: 1 + ln(count), times 1 + ln((1 + N) / (1 + documents with the word)).

        >>> features = TextFeatures.of(["a red nail", "a red red pin", "a blue pin"])
        >>> features.words, features.rows.columns.tolist(), features.rows.values.round(2).tolist()
        (('pin', 'red'), [1, 0, 1, 0], [1.0, 0.509..., 0.860..., 1.0])
        """
        import polars as pl

        found = pl.DataFrame({"text": texts}, schema={"text": pl.String}).with_row_index("row")
        words = found.select(pl.col("row").cast(pl.Int32), pl.col("text").str.to_lowercase().str.extract_all(WORD))
        counts = words.explode("text").drop_nulls("text").group_by("row", "text").len("count")
        many = counts.group_by("text").len("documents").filter(
            pl.col("documents") >= LEAST_DOCUMENTS, pl.col("documents") <= MOST_SHARE * len(texts)
        )  # fmt: skip
        known = many.sort("text").with_row_index("column")
        table = counts.join(known, on="text").sort("row", "column")
        rarity = np.log((1 + len(texts)) / (1 + table["documents"].to_numpy())) + 1
        weight = (np.log(table["count"].to_numpy()) + 1) * rarity
        row = table["row"].to_numpy()
        length = np.sqrt(np.bincount(row, weight**2, len(texts)))
        offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(texts)))))
        columns = table["column"].to_numpy().astype(np.int32)
        values = (weight / length[row]).astype(np.float32)
        return cls(SparseRows(offsets.astype(np.int64), columns, values), tuple(known["text"]))

    @cached_property
    def matrix(self) -> Matrix:
        """The same as a sparse matrix of SciPy."""
        from scipy.sparse import csr_array

        rows = self.rows
        return csr_array((rows.values, rows.columns, rows.offsets), shape=(len(self), len(self.words)))
