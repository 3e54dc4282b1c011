"""The vectors of all documents of an index: made in batches beside it, and which of them an index has."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from weakref import WeakKeyDictionary

import numpy as np

from leadline.errors import InputError, LeadlineWarning, visible
from leadline.retrieval.dense.encoder import AS_EXPORTED, LONGEST_PACKAGED, Encoder, GpuTurn, Precision, gpu
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.index import arrays
from leadline.retrieval.index.arrays import damaged
from leadline.retrieval.index.inverting import joined_claims, joined_fields
from leadline.retrieval.index.manifest import (
    ABOUT,
    ABOUT_FORMAT,
    ABOUT_VECTORS,
    KIND,
    MADE,
    REBUILD_VECTORS,
    TEXT_ARRAY,
    VECTOR_ARRAY,
    VERSION,
    read_about_vectors,
    row_state,
)
from leadline.text.checksums import check_seal, parsed_object, sealed, stored_bytes
from leadline.text.files import sync_folder, write_stored
from leadline.text.owned_folder import OwnedFolder

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from leadline.retrieval.pipeline.context import SearchContext

FIELDS = ("title", "abstract")  # of which the model reads the first 256 tokens
STAND_INS = ("description", "claims")  # the first that there is takes the place of an abstract that a document lacks
LONGEST_STAND_IN = 1 << 16  # characters, more than a model reads
NAME, TEXTS = VECTOR_ARRAY, TEXT_ARRAY  # of the file: vectors, and digests of the texts that they were made of
CHUNK = 512  # documents encoded before progress is saved
_BLOCK = 16384  # rows multiplied at a time
# Learned vectors: what the model reads of a sample of the texts, and how much of every text counts for learning.
SAMPLE_TOKENS, SAMPLE_TEXTS = 200_000, 3000
READ_CHARACTERS = 2000  # somewhat more than the model reads
RIDGE = 0.5  # of .1 to 1, tried on Cranfield, CACM and Medline with a quarter to three quarters of the texts
LEARNED = "learned"  # in a description: from how many texts
SAMPLE, SAMPLED = "sample", "sampled"  # in a file of learned vectors: vectors by the model, and digests of their texts
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

    def normalised(self, rows: slice | NDArray[np.int64]) -> NDArray[np.float32]:
        """Some of the vectors, made to have length 1; that of a document without text is zeros."""
        found = self._rows[rows].astype(np.float32)
        if not np.isfinite(found).all():
            raise damaged(str(self.path), "it has vectors that are not numbers", REBUILD_VECTORS)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-9))
        return found

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

    A document without an abstract is encoded by its title and its description, or claims: the texts of test collections
    are descriptions. Fields that are named otherwise are taken as they are. A warning counts the documents without any
    text, which have no vector; if none has text, it is an error.

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
        if path.exists() and Vectors(path, shape).is_sound():  # made before vectors had descriptions
            write_stored(about, _description(said, path))
            return Vectors(path, shape)
        write_stored(about, _description(said))
        order = _collection_order(context)
        into, done, crc = None, 0, 0
        if unfinished.name in owned.names and not unfinished.is_symlink():
            into = arrays.resume_file(unfinished, layout)
        if into is not None:
            done, crc = _finished_documents(notes, into[NAME].reshape(shape), into[TEXTS].reshape(-1, 2), order)
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
        empty = int((digests == _digests([""])).all(1).sum())
        if empty == len(digests):
            del into, vectors, digests  # which keep the file open
            owned.remove([unfinished.name, notes.name, about.name])
            raise InputError(str(context.index.folder), _all_empty(fields))
        arrays.finish_file(unfinished)
        arrays.sync_file(unfinished)
        os.replace(unfinished, path)
        sync_folder(path.parent)
        write_stored(about, _description(said, path))
        gone = [name for each in older for name in (each.name, each.with_suffix(".json").name) if name in owned.names]
        owned.remove([notes.name, *gone])
    _warn_of_empty(context, fields, empty)
    return Vectors(path, shape)


def _description(said: dict[str, Any], path: Path | None = None) -> bytes:
    """What is written beside vectors: how they are made and, once they are, which they are."""
    made = {} if path is None else {MADE: arrays.read(path, REBUILD_VECTORS).root}
    return sealed({"what": ABOUT, "format": ABOUT_FORMAT, **said, **made})


def _all_empty(fields: Sequence[str]) -> str:
    return f"no document has text to make a vector of: all are empty in {_read_fields(fields)}"


def _warn_of_empty(context: SearchContext, fields: Sequence[str], empty: int) -> None:
    if empty:
        what = f"{empty:,} of {len(context.index):,} documents have no text in {_read_fields(fields)}: they have no"
        said = f"{context.index.folder}: {what} vector, and only words find them"
        warnings.warn(said, LeadlineWarning, stacklevel=3)


def _read_fields(fields: Sequence[str]) -> str:
    return ", ".join((*fields, *STAND_INS) if tuple(fields) == FIELDS else fields)


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


def learn_vectors(context: SearchContext, progress: Callable[[int, int], None] | None = None) -> Vectors | None:
    """Make vectors that cost little: the packaged model encodes a sample, and the others are learned from its texts.

    The sample is what comes first in the order of the texts' digests, `SAMPLE_TOKENS` in all, so that the same texts
    have the same sample. Each word piece gets the vector that fits the sample best (a ridge regression). A document's
    vector is the sum of its pieces', weighted by their rarity; those of the sample, too, for vectors of two kinds do
    not compare well. Where the sample holds every text, and on a GPU, the model encodes all, as `build_vectors` does.
    None if no document has text.
    """
    encoder = Encoder()
    path, shape = vectors_path(context, FIELDS, encoder, learned=True), (len(context.index), encoder.width)
    about = path.with_suffix(".json")
    if path.exists() and _is_described(about) and Vectors(path, shape).is_sound():
        return Vectors(path, shape)
    if gpu():
        return build_vectors(context, progress=progress)
    texts = [""] * shape[0]
    for _, rows, chunk in _texts(context, FIELDS, _collection_order(context), 0):
        for row, text in zip(rows.tolist(), chunk, strict=True):
            texts[row] = text[:READ_CHARACTERS]
    digests, written = _digests(texts), np.array([bool(text) for text in texts], bool)
    if not written.any():
        return None
    pieces = encoder.pieces(texts)
    sample = _sample(digests, written, np.diff(pieces.indptr))
    if len(sample) == len(np.unique(digests[written], axis=0)):
        return build_vectors(context, progress=progress)
    with OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
        older = [each for each in older_vectors(context, FIELDS, encoder, learned=True) if each.name in owned.names]
        known = _known(older, encoder.width, SAMPLE, SAMPLED)
        encoded = np.zeros((len(sample), shape[1]), np.float16)
        missing = []
        for place, row in enumerate(sample):
            if (same := known.get(digests[row].tobytes())) is not None:
                encoded[place] = same
            else:
                missing.append(place)
        for start in range(0, len(missing), CHUNK):
            chosen = missing[start : start + CHUNK]
            encoded[chosen] = encoder.encode([texts[sample[place]] for place in chosen])
            if progress is not None:
                progress(len(sample) - len(missing) + start + len(chosen), len(sample))
        vectors = _learned(pieces, sample, encoded.astype(np.float32)).astype(np.float16)
        vectors[~written] = 0
        unfinished = path.with_suffix(".unfinished")
        owned.add(about.name, path.name, unfinished.name)
        owned.remove([unfinished.name])
        owned.add(unfinished.name)
        content: dict[str, NDArray[Any]] = {NAME: vectors, TEXTS: digests, SAMPLE: encoded, SAMPLED: digests[sample]}
        arrays.write(unfinished, {name: array.ravel() for name, array in content.items()})
        arrays.sync_file(unfinished)
        os.replace(unfinished, path)
        sync_folder(path.parent)
        said = {"model": "", "precision": encoder.stated_precision, "fields": list(FIELDS), "width": encoder.width}
        write_stored(about, _description({**said, LEARNED: len(sample)}, path))
        owned.remove([name for each in older for name in (each.name, each.with_suffix(".json").name)])
    _warn_of_empty(context, FIELDS, int((~written).sum()))
    return Vectors(path, shape)


def _sample(digests: NDArray[np.int64], written: NDArray[np.bool_], lengths: NDArray[np.integer]) -> list[int]:
    """The rows of the texts that the model reads: each text once, in the order of their digests."""
    chosen: list[int] = []
    tokens, before = 0, b""
    for digest, row in sorted((digests[row].tobytes(), row) for row in np.flatnonzero(written).tolist()):
        if digest == before:
            continue
        before = digest
        tokens += min(int(lengths[row]) + 2, LONGEST_PACKAGED)  # with one before and one behind the text
        if tokens > SAMPLE_TOKENS or len(chosen) == SAMPLE_TEXTS:
            break
        chosen.append(row)
    return chosen


def _learned(pieces: csr_matrix, sample: Sequence[int], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """The vector of every text, from its word pieces, by a ridge regression on those of a sample."""
    from scipy.linalg import solve
    from scipy.sparse import csr_matrix, diags

    rows = np.repeat(np.arange(pieces.shape[0]), np.diff(pieces.indptr))
    counted_pieces = csr_matrix((np.ones(len(rows)), (rows, pieces.indices)), pieces.shape)
    counted_pieces.sum_duplicates()
    texts_of_piece = np.bincount(counted_pieces.indices, minlength=pieces.shape[1])
    rarity = np.log((pieces.shape[0] + 1) / (texts_of_piece + 1)) * (texts_of_piece > 1)  # one text teaches no other
    counted_pieces.data = (1 + np.log(counted_pieces.data)) * rarity[counted_pieces.indices]
    lengths = np.sqrt(np.asarray(counted_pieces.multiply(counted_pieces).sum(axis=1)).ravel())
    features = csr_matrix(diags(1 / np.maximum(lengths, 1e-9)) @ counted_pieces)
    known, mean = features[sample], vectors.mean(axis=0, dtype=np.float64)
    alike = (known @ known.T).toarray()
    shares = solve(alike + RIDGE * np.eye(len(sample)), vectors - mean, assume_a="pos")
    found = features @ (known.T @ shares) + mean
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9))


def open_vectors(context: SearchContext, fields: Sequence[str], encoder: Encoder, *, learned: bool = False) -> Vectors:
    """The vectors that `build_vectors`, or `learn_vectors`, made."""
    path = vectors_path(context, fields, encoder, learned=learned)
    if not path.exists():
        raise InputError(
            str(context.index.folder),
            f"has no vectors of {', '.join(fields)}: `leadline index --dense` or build_vectors(context) makes them",
        )
    return Vectors(path, (len(context.index), encoder.width))


def older_vectors(
    context: SearchContext, fields: Sequence[str] = FIELDS, encoder: Encoder | None = None, *, learned: bool = False
) -> list[Path]:
    """The files of vectors that the same model made before the index was updated (default: the packaged model)."""
    if not any(context.index.folder.glob("vectors-*.float16")):
        return []
    path = vectors_path(context, fields, encoder or Encoder(), learned=learned)
    return sorted(each for each in path.parent.glob(f"{path.name.rpartition('-')[0]}-*.float16") if each != path)


def vectors_path(context: SearchContext, fields: Sequence[str], encoder: Encoder, *, learned: bool = False) -> Path:
    """The path of the file; its name has a digest of how vectors are made, and one of the state of the index."""
    read = [*fields, "else", *STAND_INS] if tuple(fields) == FIELDS else list(fields)
    of = [LEARNED, SAMPLE_TOKENS, SAMPLE_TEXTS, READ_CHARACTERS, RIDGE] if learned else []
    how = hashlib.sha256(json.dumps([encoder.digest, read, *of]).encode()).hexdigest()[:16]
    return context.index.folder / f"vectors-{how}-{row_state(context.index.manifest)}.float16"


def _digests(texts: Sequence[str]) -> NDArray[np.int64]:
    """A digest of each text, as two numbers."""
    found = b"".join(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts)
    return np.frombuffer(found, np.int64).reshape(-1, 2)


def _known(paths: Sequence[Path], width: int, name: str = NAME, texts: str = TEXTS) -> dict[bytes, NDArray[np.float16]]:
    """The vectors in some files by the digests of their texts; damaged files are left out."""
    known: dict[bytes, NDArray[np.float16]] = {}
    for path in paths:
        try:
            file = arrays.read(path, REBUILD_VECTORS)
            vectors, digests = file.whole(name, np.float16), file.whole(texts, np.int64)
        except InputError:
            continue
        if len(vectors) == len(digests) // 2 * width:
            known.update(
                zip((each.tobytes() for each in digests.reshape(-1, 2)), vectors.reshape(-1, width), strict=True)
            )
    return known


def _crc(vectors: NDArray[np.float16], digests: NDArray[np.int64], before: int) -> int:
    return zlib.crc32(digests.tobytes(), zlib.crc32(vectors.tobytes(), before))


def _finished_documents(
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
        filled = _with_stand_ins(context, part) if tuple(fields) == FIELDS else part
        texts = [text if text.strip() else "" for text in joined_fields(filled, fields)]
        for first in range(0, len(texts), CHUNK):
            chunk = texts[first : first + CHUNK]
            yield start, order[start : start + len(chunk)], chunk
            start += len(chunk)


def _with_stand_ins(context: SearchContext, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts of a part of the collection, with the description or the claims of a document that has no abstract."""
    import polars as pl

    lacking = texts.filter(pl.col("abstract").fill_null("").str.strip_chars() == "")["row"]
    if not len(lacking):
        return texts
    others = pl.concat(list(context.collection.texts(STAND_INS, lacking.to_numpy())))
    filled = joined_claims(others, STAND_INS).select(
        "row",
        stand_in=pl.coalesce(
            pl.when(pl.col(name).str.strip_chars() != "").then(pl.col(name).str.slice(0, LONGEST_STAND_IN))
            for name in STAND_INS
        ),
    )
    joined = texts.join(filled, on="row", how="left", maintain_order="left")
    return joined.with_columns(abstract=pl.coalesce("stand_in", "abstract")).drop("stand_in")


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
        unsaid = StoredVectors("", "int8")
        return unsaid if vectors_path(context, fields, Encoder()).exists() else None
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
        # A link that leads nowhere is there too: opening it says what is wrong.
        return os.path.lexists(vectors_path(context, fields, encoder, learned=about.learned > 0))
    except InputError as error:  # the model was moved or removed
        warnings.warn(f"vectors by {about.label} are not used: {error}", LeadlineWarning, stacklevel=2)
        return False
