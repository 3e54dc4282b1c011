"""The vectors of all documents of an index, in a file beside it: made in batches, and gone on with after a stop."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.dense.encoder import Encoder, Precision
from leadline.retrieval.index.manifest import KIND, VERSION
from leadline.text.files import write_whole
from leadline.text.owned_folder import OwnedFolder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

FIELDS = ("title", "abstract")  # of which the model reads the first 256 of its words
CHUNK = 512  # documents between two notes of what is done
_BLOCK = 16384  # rows multiplied at a time
_IN_MEMORY = 512 << 20  # bytes: a matrix up to this size is kept as numbers that processors multiply


@dataclass(frozen=True)
class Vectors:
    """A row of numbers for each row of the index."""

    path: Path
    shape: tuple[int, int]

    @cached_property
    def _rows(self) -> NDArray[np.floating]:
        """The numbers where they lie, or in memory where there are not too many."""
        kept = np.memmap(self.path, np.float16, "r", shape=self.shape)
        small = 4 * self.shape[0] * self.shape[1] <= _IN_MEMORY
        return kept.astype(np.float32) if small else kept.view(np.ndarray)

    def scores(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """The cosine of every document with a vector: exact, every row is looked at."""
        found = np.empty(self.shape[0], np.float32)
        for start in range(0, self.shape[0], _BLOCK):
            found[start : start + _BLOCK] = self._rows[start : start + _BLOCK].astype(np.float32, copy=False) @ vector
        return found.astype(np.float64)


def build_vectors(
    context: SearchContext,
    fields: Sequence[str] = FIELDS,
    *,
    model: str = "",
    precision: Precision = "int8",
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """Make the vectors of an index, or those that a build before this one did not come to."""
    encoder = Encoder(model, precision)
    path = _place(context, fields, encoder)
    shape = (len(context.index), encoder.width)
    if path.exists():
        return Vectors(path, shape)
    unfinished, notes = path.with_suffix(".unfinished"), path.with_suffix(".done")
    with OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
        done = _done(notes, unfinished, shape) if unfinished.name in owned.names else 0
        owned.add(path.name, unfinished.name, notes.name)
        if not done:
            owned.remove([unfinished.name, notes.name])
        into = np.memmap(unfinished, np.float16, "r+" if done else "w+", shape=shape)
        for start, rows, texts in _texts(context, fields, done):
            into[rows] = encoder.encode(texts)
            into.flush()
            done = start + len(rows)
            write_whole(notes, json.dumps({"done": done}).encode())
            if progress is not None:
                progress(done, shape[0])
        del into
        os.replace(unfinished, path)
        owned.remove([notes.name])
    return Vectors(path, shape)


def open_vectors(context: SearchContext, fields: Sequence[str], encoder: Encoder) -> Vectors:
    """The vectors that `build_vectors` made."""
    path = _place(context, fields, encoder)
    if not path.exists():
        raise InputError(
            str(context.index.folder),
            f"has no vectors of {', '.join(fields)}: `leadline index --dense` or build_vectors(context) makes them",
        )
    return Vectors(path, (len(context.index), encoder.width))


def _place(context: SearchContext, fields: Sequence[str], encoder: Encoder) -> Path:
    """The file of vectors: its name says what they depend on."""
    made_of = [encoder.digest, list(fields), [segment["sha256"] for segment in context.index.manifest["segments"]]]
    digest = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()[:16]
    return context.index.folder / f"vectors-{digest}.float16"


def _done(notes: Path, unfinished: Path, shape: tuple[int, int]) -> int:
    """How many documents a stopped build had finished."""
    try:
        done = int(json.loads(notes.read_text())["done"])
        about = unfinished.lstat()  # a link is not ours
        return (
            done if stat.S_ISREG(about.st_mode) and about.st_size == 2 * shape[0] * shape[1] and done <= shape[0] else 0
        )
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _texts(
    context: SearchContext, fields: Sequence[str], done: int
) -> Iterator[tuple[int, NDArray[np.int64], list[str]]]:
    """Documents in the order of the collection, from one on: their places there, their rows in the index, their texts.

    Where a row of the index is a family, its text is that of the document whose id it bears.
    """
    import polars as pl

    inside = context.collection.rows(context.index.ids)  # the row in the collection of each row of the index
    if (inside < 0).any():
        raise InputError(
            context.index.ids[int(np.argmin(inside))], f"is not in the collection {context.collection.folder}"
        )
    order = np.argsort(inside, kind="stable")
    start = done
    for part in context.collection.texts(fields, inside[order[done:]]):
        lists = [name for name in fields if isinstance(part.schema[name], pl.List)]  # claims
        joined = part.with_columns(pl.col(name).list.join("\n") for name in lists)
        texts = joined.select(pl.concat_str(fields, separator="\n", ignore_nulls=True))[:, 0].to_list()
        for first in range(0, len(texts), CHUNK):
            chunk = texts[first : first + CHUNK]
            yield start, order[start : start + len(chunk)], chunk
            start += len(chunk)
