"""Near-duplicates by meaning: documents whose vectors have a large cosine, exactly, in the groups of `duplicates`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from leadline.collections.choices import Keep
from leadline.collections.duplicates.find import CollectionTexts, Duplicates, Progress, entries_of_groups
from leadline.collections.duplicates.grouping import AT_ONCE, Groups
from leadline.errors import InputError, checked_choice
from leadline.options import Part
from leadline.records.result import counted
from leadline.retrieval.choices import COSINE
from leadline.retrieval.dense.encoder import Encoder
from leadline.retrieval.dense.passages import FIELDS
from leadline.retrieval.dense.vectors import Vectors, open_vectors, stored_vectors
from leadline.retrieval.index.segment import MISSING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.public import IndexLike

BLOCK = 2048  # rows of vectors that are multiplied with as many others: 16 MiB of cosines
ROUNDING = 1e-5  # of a cosine of vectors that are kept with three digits: equal texts have 1


def vector_duplicates(
    index: IndexLike, *, cosine: Part = COSINE, keep: Keep = "earliest", progress: Progress | None = None
) -> Duplicates:
    """Groups of documents whose vectors have nearly the same direction: that say the same, also in other words.

    index: an index with vectors, as `leadline index` makes them
    cosine: smallest cosine of near-duplicates
    keep: copy to keep of each group

    Every pair is compared, a block of vectors with another: what is held does not grow with the number of documents
    beyond their vectors, and the time grows with its square. Groups are what hangs together by such pairs, and the
    table is that of `duplicates`, with the cosine to the kept copy as the resemblance.
    """
    from leadline.retrieval.public import open_context

    if not 0 < cosine <= 1:
        raise InputError("cosine", f"must be above 0 and at most 1, got {cosine}")
    checked_choice("keep", keep, get_args(Keep))
    context = open_context(index)
    vectors, label = _vectors(context)
    rank = _preference(context, keep)
    count = len(context.index)
    has_text = np.concatenate([block.any(axis=1) for _, block in _blocks(vectors)])
    groups = Groups(count)
    for first, second in _alike(vectors, cosine, progress):
        groups.join(*groups.apart((first, second)))

    def alike(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        return _cosines(vectors, first, second)

    notes = [f"compared by vectors of {label}: what documents say, as far as the model reads them"]
    if empty := int((~has_text).sum()):
        notes.append(f"{counted(empty, 'document')} without a vector: never a duplicate")
    entries = entries_of_groups(context.index.ids, groups.labels, has_text, rank, alike)
    return Duplicates(entries, count, count * (count - 1) // 2, None, cosine, tuple(notes))


def _vectors(context: SearchContext) -> tuple[Vectors, str]:
    """The vectors that an index has, and by what they were made."""
    stored = stored_vectors(context)
    if stored is None:
        folder = context.index.folder
        fix = "`leadline index COLLECTION -o INDEX --dense` makes them"
        raise InputError(str(folder), f"has no vectors to compare: {fix}")
    encoder = Encoder(stored.model, stored.precision)
    return open_vectors(context, FIELDS, encoder, learned=stored.learned > 0), stored.label


def _preference(context: SearchContext, keep: Keep) -> NDArray[Any]:
    """The preference of each copy, smallest first."""
    if keep == "longest":
        return np.asarray(-sum(context.index.lengths(field).astype(np.int64) for field in context.index.own))
    if keep == "best-linked":
        rows = context.collection.rows(context.index.ids)
        return np.asarray(-CollectionTexts(context.collection, ()).links()[rows])
    days = context.index.column("publication")
    return np.where(days == MISSING, np.iinfo(np.int32).max, days)


def _blocks(vectors: Vectors) -> Iterator[tuple[int, NDArray[np.float32]]]:
    for start in range(0, vectors.shape[0], BLOCK):
        yield start, _block(vectors, start)


def _block(vectors: Vectors, start: int) -> NDArray[np.float32]:
    return vectors.of_rows(np.arange(start, min(start + BLOCK, vectors.shape[0])))


def _alike(
    vectors: Vectors, cosine: float, progress: Progress | None = None
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """All pairs of rows whose cosine is at least so large, about a million at once."""
    waiting: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for start, block in _blocks(vectors):
        for begin in range(start, vectors.shape[0], BLOCK):
            other = block if begin == start else _block(vectors, begin)
            first, second = np.nonzero(block @ other.T >= cosine - ROUNDING)
            later = second + begin > first + start
            waiting.append((first[later] + start, second[later] + begin))
            if sum(len(pair[0]) for pair in waiting) >= AT_ONCE:
                yield _joined(waiting)
                waiting = []
        if progress is not None:
            progress(min(start + BLOCK, vectors.shape[0]), vectors.shape[0], "comparing")
    if waiting:
        yield _joined(waiting)


def _joined(
    pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.concatenate([each[0] for each in pairs]), np.concatenate([each[1] for each in pairs])


def _cosines(vectors: Vectors, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """The cosine of the rows of each pair, to five digits."""
    found = np.empty(len(first))
    for begin in range(0, len(first), BLOCK):
        some = slice(begin, begin + BLOCK)
        ours, others = vectors.of_rows(first[some]), vectors.of_rows(second[some])
        found[some] = np.einsum("ij,ij->i", ours, others)
    found[first == second] = 1.0
    return np.minimum(found.round(5), 1.0)
