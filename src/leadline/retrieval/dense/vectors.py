"""The vectors of all documents of an index, in a file beside it. They are made in batches; a stopped build resumes."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.dense.accelerator import GpuTurn, gpu
from leadline.retrieval.dense.encoder import Encoder, Precision
from leadline.retrieval.index import arrays
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.batches import joined_fields
from leadline.retrieval.index.check import ABOUT, ABOUT_FORMAT, REBUILD_VECTORS, read_about_vectors
from leadline.retrieval.index.manifest import KIND, VERSION, row_digests
from leadline.text.checksums import check_seal, parsed_object, sealed
from leadline.text.files import sync_folder, write_stored
from leadline.text.owned_folder import OwnedFolder
from leadline.text.stored import stored_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

FIELDS = ("title", "abstract")  # of which the model reads the first 256 tokens
NAME, TEXTS = "vectors", "texts"  # the arrays of the file: vectors, and digests of the texts that they were made of
CHUNK = 512  # documents encoded before progress is saved
_BLOCK = 16384  # rows multiplied at a time
_IN_MEMORY = 512 << 20  # bytes: a matrix up to this size is kept in memory as float32


@dataclass(frozen=True)
class Vectors:
    """A row of numbers for each row of the index."""

    path: Path
    shape: tuple[int, int]

    @cached_property
    def _rows(self) -> NDArray[np.floating]:
        """The vectors, checked against their checksums: in memory if they are small enough, else memory-mapped."""
        stored = arrays.read(self.path, REBUILD_VECTORS).whole(NAME, np.float16)
        if len(stored) != self.shape[0] * self.shape[1]:
            raise damaged(str(self.path), f"it has {len(stored)} numbers", REBUILD_VECTORS)
        small = 4 * len(stored) <= _IN_MEMORY
        return (stored.astype(np.float32) if small else stored).reshape(self.shape)

    @cached_property
    def _gpu_turn(self) -> GpuTurn:
        return GpuTurn()

    def scores(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """The cosine of every document with a vector, exactly: all rows are compared."""
        there = self._gpu_turn.rows(self._rows)
        scores = self._scores(vector) if there is None else there.scores(vector)
        if not np.isfinite(scores).all():
            raise damaged(str(self.path), "it has vectors that are not numbers", REBUILD_VECTORS)
        return scores.astype(np.float64)

    def _scores(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        scores = np.empty(self.shape[0], np.float32)
        for start in range(0, self.shape[0], _BLOCK):
            scores[start : start + _BLOCK] = self._rows[start : start + _BLOCK].astype(np.float32, copy=False) @ vector
        return scores

    def is_sound(self) -> bool:
        """Whether the file is there and undamaged; reads all of it."""
        try:
            return len(self._rows) == self.shape[0]
        except InputError:
            return False


def build_vectors(
    context: SearchContext,
    fields: Sequence[str] = FIELDS,
    *,
    model: str = "",
    precision: Precision | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """Make the vectors of an index, or those that are missing after a stopped build or an update.

    A vector that was made before of the same text is copied, so that only new and changed documents are encoded. The
    default precision is `int8`; on a GPU, which computes it faster, `full`, except where the index has int8 vectors.
    """
    encoder = Encoder(model, precision or _default_precision(context, fields, model))
    path = vectors_path(context, fields, encoder)
    shape = (len(context.index), encoder.width)
    about = path.with_suffix(".json")
    if path.exists() and _is_described(about) and Vectors(path, shape).is_sound():
        return Vectors(path, shape)
    unfinished, notes = path.with_suffix(".unfinished"), path.with_suffix(".done")
    layout = {NAME: (np.float16, shape[0] * shape[1]), TEXTS: (np.int64, 2 * shape[0])}
    with OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
        owned.add(about.name)
        folder = str(encoder.folder.resolve()) if model else ""
        said = {"model": folder, "precision": encoder.stated_precision, "fields": list(fields), "width": encoder.width}
        write_stored(about, sealed({"what": ABOUT, "format": ABOUT_FORMAT, **said}))
        if path.exists() and Vectors(path, shape).is_sound():  # made before vectors had descriptions
            return Vectors(path, shape)
        order = _collection_order(context)
        into, done, crc = None, 0, 0
        if unfinished.name in owned.names and not unfinished.is_symlink():
            into = arrays.resume_file(unfinished, layout)
        if into is not None:
            done, crc = _done(notes, into[NAME].reshape(shape), into[TEXTS].reshape(-1, 2), order)
        owned.add(path.name, unfinished.name, notes.name)
        if into is None or not done:
            into = None
            owned.remove([unfinished.name, notes.name])
            into = arrays.begin_file(unfinished, layout)
        vectors, digests = into[NAME].reshape(shape), into[TEXTS].reshape(-1, 2)
        older = [each for each in older_vectors(context, fields, encoder) if each.name in owned.names]
        known = _known(older, encoder.width)
        for start, rows, texts in _texts(context, fields, order, done):
            digests[rows] = _digests(texts)
            missing = []
            for place, digest in enumerate(digests[rows]):
                if (same := known.get(digest.tobytes())) is not None:
                    vectors[rows[place]] = same
                else:
                    missing.append(place)
            if missing:
                vectors[rows[missing]] = encoder.encode([texts[place] for place in missing])
            done, crc = start + len(rows), _crc(vectors[rows], digests[rows], crc)
            arrays.sync_file(unfinished)
            write_stored(notes, sealed({"done": done, "crc": crc}))
            if progress is not None:
                progress(done, shape[0])
        arrays.finish_file(unfinished)
        arrays.sync_file(unfinished)
        os.replace(unfinished, path)
        sync_folder(path.parent)
        gone = [name for each in older for name in (each.name, each.with_suffix(".json").name) if name in owned.names]
        owned.remove([notes.name, *gone])
    return Vectors(path, shape)


def _default_precision(context: SearchContext, fields: Sequence[str], model: str) -> Precision:
    small = Encoder(model, "int8")
    known = vectors_path(context, fields, small).exists() or older_vectors(context, fields, small)
    return "full" if gpu() and not known else "int8"


def _is_described(about: Path) -> bool:
    """Whether the description of vectors is there and undamaged."""
    try:
        return bool(read_about_vectors(about))
    except InputError:
        return False


def open_vectors(context: SearchContext, fields: Sequence[str], encoder: Encoder) -> Vectors:
    """The vectors that `build_vectors` made."""
    path = vectors_path(context, fields, encoder)
    if not path.exists():
        raise InputError(
            str(context.index.folder),
            f"has no vectors of {', '.join(fields)}: `leadline index --dense` or build_vectors(context) makes them",
        )
    return Vectors(path, (len(context.index), encoder.width))


def older_vectors(context: SearchContext, fields: Sequence[str] = FIELDS, encoder: Encoder | None = None) -> list[Path]:
    """The files of vectors that the same model made before the index was updated (default: the packaged model)."""
    if not any(context.index.folder.glob("vectors-*.float16")):
        return []
    path = vectors_path(context, fields, encoder or Encoder())
    return sorted(each for each in path.parent.glob(f"{path.name.rpartition('-')[0]}-*.float16") if each != path)


def vectors_path(context: SearchContext, fields: Sequence[str], encoder: Encoder) -> Path:
    """The path of the file; its name has a digest of how vectors are made, and one of the state of the index."""
    how, state = ([encoder.digest, list(fields)], row_digests(context.index.manifest))
    one, other = (hashlib.sha256(json.dumps(each).encode()).hexdigest()[:16] for each in (how, state))
    return context.index.folder / f"vectors-{one}-{other}.float16"


def _digests(texts: Sequence[str]) -> NDArray[np.int64]:
    """A digest of each text, as two numbers."""
    found = b"".join(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts)
    return np.frombuffer(found, np.int64).reshape(-1, 2)


def _known(paths: Sequence[Path], width: int) -> dict[bytes, NDArray[np.float16]]:
    """The vectors in some files by the digests of their texts; damaged files are left out."""
    known: dict[bytes, NDArray[np.float16]] = {}
    for path in paths:
        try:
            file = arrays.read(path, REBUILD_VECTORS)
            vectors, digests = file.whole(NAME, np.float16), file.whole(TEXTS, np.int64)
        except InputError:
            continue
        if len(vectors) == len(digests) // 2 * width:
            known.update(
                zip((each.tobytes() for each in digests.reshape(-1, 2)), vectors.reshape(-1, width), strict=True)
            )
    return known


def _crc(vectors: NDArray[np.float16], digests: NDArray[np.int64], before: int) -> int:
    return zlib.crc32(digests.tobytes(), zlib.crc32(vectors.tobytes(), before))


def _done(
    notes: Path, vectors: NDArray[np.float16], digests: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[int, int]:
    """How many documents a stopped build had finished, and the checksum of their vectors; 0 where it does not fit."""
    try:
        noted = parsed_object(stored_bytes(notes), str(notes), REBUILD_VECTORS)
        check_seal(noted, str(notes), REBUILD_VECTORS)
    except (OSError, InputError):
        return 0, 0
    done, crc = noted.get("done"), 0
    if type(done) is not int or not 0 < done <= len(order):
        return 0, 0
    for start in range(0, done, CHUNK):
        rows = order[start : min(start + CHUNK, done)]
        crc = _crc(vectors[rows], digests[rows], crc)
    return (done, crc) if crc == noted.get("crc") else (0, 0)


def _collection_order(context: SearchContext) -> NDArray[np.int64]:
    """The rows of the index in the order of the collection."""
    inside = context.collection.rows(context.index.ids)  # the row in the collection of each row of the index
    if (inside < 0).any():
        raise InputError(
            context.index.ids[int(np.argmin(inside))], f"is not in the collection {context.collection.folder}"
        )
    return np.argsort(inside, kind="stable")


def _texts(
    context: SearchContext, fields: Sequence[str], order: NDArray[np.int64], done: int
) -> Iterator[tuple[int, NDArray[np.int64], list[str]]]:
    """Chunks of the documents in the order of the collection, after the first `done`.

    Each is the place of its first document in this order, the rows in the index, and the texts. Where a row of the
    index is a family, its text is that of the document with the family's id.
    """
    inside = context.collection.rows(context.index.ids)
    start = done
    for part in context.collection.texts(fields, inside[order[done:]]):
        texts = joined_fields(part, fields).to_list()
        for first in range(0, len(texts), CHUNK):
            chunk = texts[first : first + CHUNK]
            yield start, order[start : start + len(chunk)], chunk
            start += len(chunk)
