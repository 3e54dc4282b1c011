"""Judgements by subtopic, and some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Subtopics:
    """Judgements by subtopic: which document is relevant to which subtopic, and its grade.

    Subtopics are numbered over all topics; those of topic t are `offsets[t]` to `offsets[t + 1]`, in the natural
    order of their names. Rows are sorted by document, then subtopic; passages of one document are rows of their own.
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    weights: NDArray[np.float64] | None  # a fifth column, not normalised
    document: NDArray[np.int64]  # of each row: its place in Qrels.documents
    subtopic: NDArray[np.int64]
    grade: NDArray[np.int32]
    largest_of_all: int | None = None  # the largest grade of the file, where these are some of its topics

    @property
    def largest(self) -> int:
        """The largest grade, at least 1."""
        return self.largest_of_all or max(1, int(self.grade.max(initial=1)))


def kept_subtopics(subtopics: Subtopics, keep: NDArray[np.bool_], documents: NDArray[np.bool_]) -> Subtopics:
    """The judgements of the topics and documents to keep, numbered anew."""
    counts = np.diff(subtopics.offsets)
    names = np.repeat(keep, counts)
    rows = documents[subtopics.document]
    new_document, new_subtopic = np.cumsum(documents) - 1, np.cumsum(names) - 1
    return Subtopics(
        tuple(name for name, kept in zip(subtopics.names, names.tolist(), strict=True) if kept),
        np.concatenate([[0], np.cumsum(counts[keep])]).astype(np.int64),
        None if subtopics.weights is None else subtopics.weights[names],
        new_document[subtopics.document[rows]],
        new_subtopic[subtopics.subtopic[rows]],
        subtopics.grade[rows],
        subtopics.largest,
    )
