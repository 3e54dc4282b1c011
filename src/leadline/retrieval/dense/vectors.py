"""The vectors of all documents of an index: how they are stored, compared and which of them an index has."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from weakref import WeakKeyDictionary

import numpy as np

from leadline.errors import InputError, LeadlineWarning, visible
from leadline.retrieval.dense.encoder import AS_EXPORTED, Encoder, GpuTurn, Precision
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.dense.passages import FIELDS, MOST, STAND_INS, WINDOW
from leadline.retrieval.index import arrays
from leadline.retrieval.index.arrays import damaged
from leadline.retrieval.index.manifest import (
    ABOUT_VECTORS,
    FURTHER_ARRAY,
    FURTHER_COUNTS,
    REBUILD_VECTORS,
    VECTOR_ARRAY,
    read_about_vectors,
    row_state,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

_BLOCK = 16384  # rows multiplied at a time
# Learned vectors: what the model reads of a sample of the texts.
SAMPLE_TOKENS, SAMPLE_TEXTS = 200_000, 3000
RIDGE = 0.5  # of .1 to 1, tried on Cranfield, CACM and Medline with a quarter to three quarters of the texts
_READ_BEFORE = 2000  # characters of a text that counted before there were passages
LEARNED = "learned"  # in a description: from how many texts
PASSAGES = "passages"  # in a description: how many of a document, at most
_IN_MEMORY = 512 << 20  # bytes: a matrix up to this size is kept in memory as float32


@dataclass(frozen=True)
class Vectors:
    """Vectors for each row of the index: one of its first passage, and further ones where a document is long."""

    path: Path
    shape: tuple[int, int]  # of the first ones

    @cached_property
    def _rows(self) -> NDArray[np.floating]:
        """The first vector of each row, checked against the checksums."""
        return self._matrix(VECTOR_ARRAY, self.shape[0])

    @cached_property
    def _further(self) -> tuple[NDArray[np.floating], NDArray[np.int64], NDArray[np.int64]]:
        """The further vectors, in the order of rows; the rows that have any, and where those of each begin."""
        file = arrays.read(self.path, REBUILD_VECTORS)
        if FURTHER_COUNTS not in file.names():
            return np.zeros((0, self.shape[1]), np.float32), np.zeros(0, np.int64), np.zeros(0, np.int64)
        counts = file.whole(FURTHER_COUNTS, np.int32).astype(np.int64)
        if len(counts) != self.shape[0] or counts.min(initial=0) < 0:
            raise damaged(str(self.path), f"it has {len(counts)} numbers of passages", REBUILD_VECTORS)
        having = np.flatnonzero(counts)
        return self._matrix(FURTHER_ARRAY, int(counts.sum())), having, (np.cumsum(counts) - counts)[having]

    def _matrix(self, name: str, rows: int) -> NDArray[np.floating]:
        """Stored vectors: in memory if they are small enough, else memory-mapped."""
        stored = arrays.read(self.path, REBUILD_VECTORS).whole(name, np.float16)
        if len(stored) != rows * self.shape[1]:
            raise damaged(str(self.path), f"it has {len(stored)} numbers", REBUILD_VECTORS)
        small = 4 * len(stored) <= _IN_MEMORY
        return (stored.astype(np.float32) if small else stored).reshape(rows, self.shape[1])

    @cached_property
    def _gpu_turns(self) -> tuple[GpuTurn, GpuTurn]:
        return GpuTurn(), GpuTurn()

    def scores(self, vector: NDArray[np.float32], *, two: bool = False) -> NDArray[np.float64]:
        """The cosine of every document's best passage with a vector, exactly: all are compared.

        With `two` it is the mean of the two best passages, where a document has several.
        """
        scores = self._products(self._gpu_turns[0], self._rows, vector)
        further, having, starts = self._further
        if not len(having):
            return scores.astype(np.float64)
        products, first = self._products(self._gpu_turns[1], further, vector), scores[having]
        best = np.maximum.reduceat(products, starts)
        if not two:
            scores[having] = np.maximum(first, best)
            return scores.astype(np.float64)
        counts = np.diff(starts, append=len(products))
        is_best = products == np.repeat(best, counts)
        second = np.maximum.reduceat(np.where(is_best, -np.inf, products), starts)
        second = np.where(np.add.reduceat(is_best, starts, dtype=np.int64) > 1, best, second)
        scores[having] = (np.maximum(first, best) + np.maximum(np.minimum(first, best), second)) / 2
        return scores.astype(np.float64)

    def of_row(self, row: int) -> NDArray[np.float32]:
        """The vector of a document: the mean of its passages', of length 1; zeros where it has no text."""
        return self.of_rows(np.array([row]))[0]

    def of_rows(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of some documents, as `of_row` gives one."""
        further, having, starts = self._further
        sums = self._rows[rows].astype(np.float64)
        places = np.searchsorted(having, rows)
        has = np.append(having, -1)[places] == rows
        if has.any():
            counts = np.diff(starts, append=len(further))[places[has]]
            begins = np.cumsum(counts) - counts
            wanted = np.repeat(starts[places[has]] - begins, counts) + np.arange(counts.sum())
            sums[has] += np.add.reduceat(further[wanted].astype(np.float64), begins)
        if not np.isfinite(sums).all():
            raise damaged(str(self.path), "it has vectors that are not numbers", REBUILD_VECTORS)
        sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)  # a mean has the direction of the sum
        return sums.astype(np.float32)

    def _products(self, turn: GpuTurn, rows: NDArray[np.floating], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        there = turn.rows(rows)
        products = _products(rows, vector) if there is None else there.scores(vector)
        if not np.isfinite(products).all():
            raise damaged(str(self.path), "it has vectors that are not numbers", REBUILD_VECTORS)
        return products

    @property
    def passages(self) -> int:
        """How many vectors there are."""
        return self.shape[0] + len(self._further[0])

    def is_sound(self) -> bool:
        """Whether the file is there and undamaged; reads all of it."""
        try:
            return len(self._rows) == self.shape[0] and len(self._further) > 0
        except InputError:
            return False


def mean_vector(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of some vectors, of length 1; zeros where all are zeros."""
    mean: NDArray[np.float32] = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    length = float(np.linalg.norm(mean))
    return mean / length if length else mean


def _products(rows: NDArray[np.floating], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    products = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        products[start : start + _BLOCK] = rows[start : start + _BLOCK].astype(np.float32, copy=False) @ vector
    return products


def open_vectors(context: SearchContext, fields: Sequence[str], encoder: Encoder, *, learned: bool = False) -> Vectors:
    """The vectors that `build_vectors`, or `learn_vectors`, made, if need be in an earlier version."""
    paths = [vectors_path(context, fields, encoder, learned=learned, passages=new) for new in (True, False)]
    path = next((each for each in paths if os.path.lexists(each)), None)
    if path is None:
        raise InputError(
            str(context.index.folder),
            f"has no vectors of {', '.join(fields)}: `leadline index --dense` or build_vectors(context) makes them",
        )
    return Vectors(path, (len(context.index), encoder.width))


def older_vectors(
    context: SearchContext, fields: Sequence[str] = FIELDS, encoder: Encoder | None = None, *, learned: bool = False
) -> list[Path]:
    """The files of vectors that the same model made before the index was updated (default: the packaged model).

    Those that an earlier version made of one text of each document are among them.
    """
    if not any(context.index.folder.glob("vectors-*.float16")):
        return []
    encoder, folder = encoder or Encoder(), context.index.folder
    now, before = (vectors_path(context, fields, encoder, learned=learned, passages=new) for new in (True, False))
    made = [each for path in (now, before) for each in folder.glob(f"{path.name.rpartition('-')[0]}-*.float16")]
    return sorted(each for each in made if each != now)


def vectors_path(
    context: SearchContext, fields: Sequence[str], encoder: Encoder, *, learned: bool = False, passages: bool = True
) -> Path:
    """The path of the file; its name has a digest of how vectors are made, and one of the state of the index.

    Without passages it is that of earlier versions, whose vectors are of the first text of each document.
    """
    read = [*fields, "else", *STAND_INS] if tuple(fields) == FIELDS else list(fields)
    of: list[Any] = [LEARNED, SAMPLE_TOKENS, SAMPLE_TEXTS, _READ_BEFORE, RIDGE] if learned else []
    of += [PASSAGES, MOST, WINDOW] if passages else []
    how = hashlib.sha256(json.dumps([encoder.digest, read, *of]).encode()).hexdigest()[:16]
    return context.index.folder / f"vectors-{how}-{row_state(context.index.manifest)}.float16"


# Which vectors an index has: by which model, at which precision, of which fields.
#
# Beside each file of vectors lies a description with its checksum. Vectors of different models or precisions are in
# different files, whose names depend on both, so that they are never compared with each other.


PACKAGED = "all-MiniLM-L6-v2"  # the model of the package


@dataclass(frozen=True)
class StoredVectors:
    """What the vectors of an index were made with."""

    model: str  # a folder; empty for the model of the package
    precision: Precision
    learned: int = 0  # texts that the model encoded, from which the other vectors were learned; 0: all

    @property
    def label(self) -> str:
        """The model's name, and for the model of the package its precision."""
        learned = f", learned from {self.learned:,} texts" if self.learned else ""
        return visible(Path(self.model).name) if self.model else f"{PACKAGED}, {self.precision}{learned}"


_known_vectors: WeakKeyDictionary[SearchContext, dict[tuple[str, ...], StoredVectors | None]] = WeakKeyDictionary()


def stored_vectors(context: SearchContext, fields: Sequence[str] = FIELDS) -> StoredVectors | None:
    """The vectors of these fields that an index has and that can be searched; a model of the user's own comes first."""
    key, known = tuple(fields), _known_vectors.setdefault(context, {})
    if key not in known:
        known[key] = _newest_vectors(context, key)
    return known[key]


def has_own_model(folder: Path, fields: Sequence[str] = FIELDS) -> bool:
    """Whether an index has vectors of these fields by a model of the user's own."""
    described = [described_vectors(path, tuple(fields)) for path in sorted(folder.glob(ABOUT_VECTORS))]
    return any(each is not None and each.model for each in described)


def _newest_vectors(context: SearchContext, fields: tuple[str, ...]) -> StoredVectors | None:
    if not any(context.index.folder.glob("vectors-*.float16")) or not all(map(importlib.util.find_spec, NEEDED)):
        return None
    described = [described_vectors(path, fields) for path in sorted(context.index.folder.glob(ABOUT_VECTORS))]
    found = [each for each in described if each is not None and _is_current(context, fields, each)]
    own = [each for each in found if each.model]
    if own:
        return own[0]
    if found:
        return min(found, key=lambda each: (each.learned > 0, each.precision != "int8"))
    if importlib.util.find_spec(PACKAGE) is not None:  # made before vectors had descriptions
        paths = (vectors_path(context, fields, Encoder(), passages=new) for new in (True, False))
        return StoredVectors("", "int8") if any(path.exists() for path in paths) else None
    return None


def described_vectors(path: Path, fields: tuple[str, ...]) -> StoredVectors | None:
    """What a description says; None where the vectors are of other fields."""
    about: dict[str, Any] = read_about_vectors(path)
    model, precision = about.get("model"), about.get("precision")
    if not isinstance(model, str) or precision not in (*get_args(Precision), AS_EXPORTED):
        raise InputError(str(path), f"is damaged, it does not say which model: {REBUILD_VECTORS}")
    known: Precision = "full" if precision == "full" else "int8"  # of no effect on a model as ONNX
    learned = about.get(LEARNED, 0)
    if type(learned) is not int:
        raise InputError(str(path), f"is damaged, it does not say how many texts it learned from: {REBUILD_VECTORS}")
    return StoredVectors(model, known, learned) if about.get("fields") == list(fields) else None


def _is_current(context: SearchContext, fields: tuple[str, ...], about: StoredVectors) -> bool:
    """Whether the model is there, and the vectors are those it makes of this index."""
    try:
        encoder = Encoder(about.model, about.precision)
        paths = (
            vectors_path(context, fields, encoder, learned=about.learned > 0, passages=new) for new in (True, False)
        )
        return any(map(os.path.lexists, paths))  # a link that leads nowhere, too: opening it says what is wrong
    except InputError as error:  # the model was moved or removed
        warnings.warn(f"vectors by {about.label} are not used: {error}", LeadlineWarning, stacklevel=2)
        return False
