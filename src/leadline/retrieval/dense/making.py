"""Make the vectors of an index in batches beside it, and the one rule of when an index gets them.

A new index of up to `LEARNED_MOST` documents whose collection is there gets learned vectors where the model is
installed, whoever makes it; one that is updated keeps the kind that it has. `LEADLINE_VECTORS=none` leaves out those
that nobody asked for.
"""

from __future__ import annotations

import importlib.util
import os
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import InputError, LeadlineWarning, checked_choice
from leadline.retrieval.choices import LEARNED_MOST
from leadline.retrieval.dense.encoder import LONGEST_PACKAGED, Encoder, Precision, gpu
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.dense.passages import FIELDS, MOST, STAND_INS, collection_order, read_passages
from leadline.retrieval.dense.vectors import (
    LEARNED,
    PASSAGES,
    RIDGE,
    SAMPLE_TEXTS,
    SAMPLE_TOKENS,
    Vectors,
    older_vectors,
    vectors_path,
)
from leadline.retrieval.index import arrays
from leadline.retrieval.index.manifest import (
    ABOUT,
    ABOUT_FORMAT,
    FURTHER_ARRAY,
    FURTHER_COUNTS,
    FURTHER_TEXTS,
    KIND,
    MADE,
    ONE_TEXT,
    REBUILD_VECTORS,
    TEXT_ARRAY,
    VECTOR_ARRAY,
    VERSION,
    read_about_vectors,
)
from leadline.text.checksums import check_seal, parsed_object, sealed, stored_bytes
from leadline.text.files import sync_folder, write_stored
from leadline.text.owned_folder import OwnedFolder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

    Progress = Callable[[int, int], None]
    Stored = dict[str, NDArray[Any]]

SETTING = "LEADLINE_VECTORS"
CHUNK = 512  # documents read together; their vectors are saved before the next
SAMPLE, SAMPLED = "sample", "sampled"  # in a file of learned vectors: vectors by the model, and digests of their texts
_FEATURES = 16384  # passages whose vectors are computed together


def unasked_vectors(context: SearchContext, *, updated: bool = False) -> Literal["all", "learned"] | None:
    """The vectors that an index gets which nobody asked for: learned ones, or after an update those it had."""
    wanted = checked_choice(SETTING, os.environ.get(SETTING, "learned"), ("learned", "none"))
    installed = all(importlib.util.find_spec(name) is not None for name in (*NEEDED, PACKAGE))
    if not installed or not context.has_collection:
        return None
    if updated and older_vectors(context):
        return "all"  # which somebody asked for
    if wanted == "none" or (updated and not older_vectors(context, learned=True)):
        return None
    return "learned" if updated or 0 < len(context.index) <= LEARNED_MOST else None


def make_vectors(
    context: SearchContext, which: Literal["all", "learned"], model: str = "", progress: Progress | None = None
) -> Vectors | None:
    """Make vectors of one kind; None where they would be learned and no document has text."""
    if which == "learned":
        return learn_vectors(context, progress=progress)
    return build_vectors(context, model=model, progress=progress)


def build_vectors(
    context: SearchContext,
    fields: Sequence[str] = FIELDS,
    *,
    model: str = "",
    precision: Precision | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """Make the vectors of an index, or those that are missing after a stopped build or an update.

    A document is read in passages: its title and abstract, then its description and claims. Fields that are named
    otherwise are taken alone. A warning counts the documents without any text, which have no vector; if none has text,
    it is an error.

    A vector that was made before of the same text is copied, so that only new and changed texts are encoded. The
    default precision is `int8`; on a GPU, which computes it faster, `full`, except where the index has int8 vectors.
    """
    encoder = Encoder(model, precision or _default_precision(context, fields, model))
    path = vectors_path(context, fields, encoder)
    shape = (len(context.index), encoder.width)
    about = path.with_suffix(".json")
    if path.exists() and _is_described(about) and Vectors(path, shape).is_sound():
        return Vectors(path, shape)
    unfinished, notes = path.with_suffix(".unfinished"), path.with_suffix(".done")
    with OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
        owned.add(about.name)
        folder = str(encoder.folder.resolve()) if model else ""
        said = {"model": folder, "precision": encoder.stated_precision, "fields": list(fields), "width": encoder.width}
        if path.exists() and Vectors(path, shape).is_sound():  # its description is missing or damaged
            write_stored(about, _description(said, path))
            return Vectors(path, shape)
        order = collection_order(context)
        further = np.zeros(shape[0], np.int64)  # passages behind the first, of each row
        for _, rows, found in read_passages(context, fields, order, 0, CHUNK):
            further[rows] = [len(each) - 1 for each in found]
        layout = _layout(shape, int(further.sum()))
        write_stored(about, _description(said))
        into, done, crcs = None, 0, [0, 0]
        if unfinished.name in owned.names and not unfinished.is_symlink():
            into = arrays.resume_file(unfinished, layout)
        if into is not None:
            done, crcs = _finished_documents(notes, into, order, further, encoder.width)
        owned.add(path.name, unfinished.name, notes.name)
        if into is None or not done:
            into = None
            owned.remove([unfinished.name, notes.name])
            into = arrays.begin_file(unfinished, layout)
            if FURTHER_COUNTS in into:
                into[FURTHER_COUNTS][:] = further
        older = [each for each in older_vectors(context, fields, encoder) if each.name in owned.names]
        known = _known(older, encoder.width)
        places = _Places(into, further, encoder.width)
        for start, rows, found in read_passages(context, fields, order, done, CHUNK):
            texts = [text for each in found for text in each]
            at = places.of(rows)
            digests = _digests(texts)
            vectors = np.zeros((len(texts), encoder.width), np.float16)
            missing = []
            for place, digest in enumerate(digests):
                if (same := known.get(digest.tobytes())) is not None:
                    vectors[place] = same
                else:
                    missing.append(place)
            if missing:
                vectors[missing] = encoder.encode([texts[place] for place in missing])
            places.write(at, vectors, digests)
            done, crcs = start + len(rows), _crcs(vectors, digests, crcs)
            arrays.sync_file(unfinished)
            write_stored(notes, sealed({"done": done, "crcs": crcs}))
            if progress is not None:
                progress(done, shape[0])
        empty = int((into[TEXT_ARRAY].reshape(-1, 2) == _digests([""])).all(1).sum())
        if empty == shape[0]:
            del into, places  # which keep the file open
            owned.remove([unfinished.name, notes.name, about.name])
            raise InputError(str(context.index.folder), _all_empty(fields))
        del places
        arrays.finish_file(unfinished)
        _put_in_place(owned, unfinished, path, said, older)
        owned.remove([notes.name])
    _warn_of_empty(context, fields, empty)
    return Vectors(path, shape)


def _put_in_place(
    owned: OwnedFolder, unfinished: Path, path: Path, said: dict[str, Any], older: Sequence[Path]
) -> None:
    """Finished vectors take their name, with their description, and older ones go."""
    arrays.sync_file(unfinished)
    os.replace(unfinished, path)
    sync_folder(path.parent)
    write_stored(path.with_suffix(".json"), _description(said, path))
    gone = (name for each in older for name in (each.name, each.with_suffix(".json").name))
    owned.remove([name for name in gone if name in owned.names])


def _description(said: dict[str, Any], path: Path | None = None) -> bytes:
    """What is written beside vectors: how they are made and, once they are, which they are.

    Where a document has several, an earlier version would read the first alone: the format tells it that it cannot.
    """
    if path is None:
        return sealed({"what": ABOUT, "format": ONE_TEXT, **said})
    file = arrays.read(path, REBUILD_VECTORS)
    many = {"format": ABOUT_FORMAT, PASSAGES: MOST} if FURTHER_COUNTS in file.names() else {"format": ONE_TEXT}
    return sealed({"what": ABOUT, **many, **said, MADE: file.root})


def _layout(shape: tuple[int, int], further: int) -> dict[str, tuple[Any, int]]:
    layout: dict[str, tuple[Any, int]] = {
        VECTOR_ARRAY: (np.float16, shape[0] * shape[1]),
        TEXT_ARRAY: (np.int64, 2 * shape[0]),
    }
    if further:
        layout |= {
            FURTHER_ARRAY: (np.float16, further * shape[1]),
            FURTHER_TEXTS: (np.int64, 2 * further),
            FURTHER_COUNTS: (np.int32, shape[0]),
        }
    return layout


class _Places:
    """Where the vectors of passages are in a file: those of first ones by row, further ones behind each other."""

    def __init__(self, into: Stored, further: NDArray[np.int64], width: int) -> None:
        self._first = into[VECTOR_ARRAY].reshape(-1, width), into[TEXT_ARRAY].reshape(-1, 2)
        none = np.zeros((0, width), np.float16), np.zeros((0, 2), np.int64)
        there = FURTHER_ARRAY in into
        self._others = (into[FURTHER_ARRAY].reshape(-1, width), into[FURTHER_TEXTS].reshape(-1, 2)) if there else none
        self._counts, self._starts = further, np.cumsum(further) - further

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place of each passage of some rows, in the order of their texts; -1 - row for a first one."""
        each = [[-1 - row, *range(self._starts[row], self._starts[row] + self._counts[row])] for row in rows.tolist()]
        return np.array([place for places in each for place in places], np.int64)

    def write(self, at: NDArray[np.int64], vectors: NDArray[np.float16], digests: NDArray[np.int64]) -> None:
        first = at < 0
        self._first[0][-1 - at[first]], self._others[0][at[~first]] = vectors[first], vectors[~first]
        self._first[1][-1 - at[first]], self._others[1][at[~first]] = digests[first], digests[~first]

    def read(self, at: NDArray[np.int64]) -> tuple[NDArray[np.float16], NDArray[np.int64]]:
        """The vectors and digests of some passages."""
        first = at < 0
        found = []
        stored: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(self._first, self._others, strict=True)
        for of_first, of_others in stored:
            values = np.empty((len(at), of_first.shape[1]), of_first.dtype)
            values[first], values[~first] = of_first[-1 - at[first]], of_others[at[~first]]
            found.append(values)
        return found[0], found[1]


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


def learn_vectors(context: SearchContext, progress: Progress | None = None) -> Vectors | None:
    """Make vectors that cost little: the packaged model encodes a sample, and the others are learned from its texts.

    The sample is what comes first in the order of the digests of first passages, then of others, `SAMPLE_TOKENS` in
    all, so that the same texts have the same sample. Each word piece gets the vector that fits the sample best (a ridge
    regression). A passage's vector is the sum of its pieces', weighted by their rarity; those of the sample, too, for
    vectors of two kinds do not compare well. Where the sample holds every text, and on a GPU, the model encodes all, as
    `build_vectors` does. None if no document has text.
    """
    encoder = Encoder()
    path, shape = vectors_path(context, FIELDS, encoder, learned=True), (len(context.index), encoder.width)
    about = path.with_suffix(".json")
    if path.exists() and _is_described(about) and Vectors(path, shape).is_sound():
        return Vectors(path, shape)
    if gpu():
        return build_vectors(context, progress=progress)
    passages: list[list[str]] = [[""]] * shape[0]
    for _, rows, found in read_passages(context, FIELDS, collection_order(context), 0, CHUNK):
        for row, each in zip(rows.tolist(), found, strict=True):
            passages[row] = each
    counts = np.array([len(each) - 1 for each in passages], np.int64)
    texts = [each[0] for each in passages] + [text for each in passages for text in each[1:]]
    del passages
    digests, written = _digests(texts), np.array([bool(text) for text in texts], bool)
    if not written.any():
        return None
    numbers, ends = encoder.pieces(texts)
    sample = _sample(digests, written, np.diff(ends), shape[0])
    if len(sample) == len(np.unique(digests[written], axis=0)):
        return build_vectors(context, progress=progress)
    with OwnedFolder.locked(path.parent, KIND, VERSION) as owned:
        older = [each for each in older_vectors(context, FIELDS, encoder, learned=True) if each.name in owned.names]
        known = _known(older, encoder.width, ((SAMPLE, SAMPLED),))
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
        del texts
        vectors = learned_from(numbers, ends, sample, encoded.astype(np.float32))
        vectors[~written] = 0
        unfinished = path.with_suffix(".unfinished")
        owned.add(about.name, path.name, unfinished.name)
        owned.remove([unfinished.name])
        owned.add(unfinished.name)
        content: Stored = {VECTOR_ARRAY: vectors[: shape[0]], TEXT_ARRAY: digests[: shape[0]]}
        if counts.any():
            content |= {FURTHER_ARRAY: vectors[shape[0] :], FURTHER_TEXTS: digests[shape[0] :]}
            content |= {FURTHER_COUNTS: counts.astype(np.int32)}
        content |= {SAMPLE: encoded, SAMPLED: digests[sample]}
        arrays.write(unfinished, {name: array.ravel() for name, array in content.items()})
        said = {"model": "", "precision": encoder.stated_precision, "fields": list(FIELDS), "width": encoder.width}
        _put_in_place(owned, unfinished, path, {**said, LEARNED: len(sample)}, older)
    _warn_of_empty(context, FIELDS, int((~written[: shape[0]]).sum()))
    return Vectors(path, shape)


def _sample(
    digests: NDArray[np.int64], written: NDArray[np.bool_], lengths: NDArray[np.integer], firsts: int
) -> list[int]:
    """The places of the texts that the model reads: each text once, first passages before others, by their digests."""
    chosen: list[int] = []
    tokens, seen = 0, set()
    places = np.flatnonzero(written).tolist()
    for _, digest, row in sorted((row >= firsts, digests[row].tobytes(), row) for row in places):
        if digest in seen:
            continue
        seen.add(digest)
        tokens += min(int(lengths[row]) + 2, LONGEST_PACKAGED)  # with one before and one behind the text
        if tokens > SAMPLE_TOKENS or len(chosen) == SAMPLE_TEXTS:
            break
        chosen.append(row)
    return chosen


def learned_from(
    numbers: NDArray[np.integer], ends: NDArray[np.int64], sample: Sequence[int], vectors: NDArray[np.float32]
) -> NDArray[np.float16]:
    """The vector of every text, from its word pieces, by a ridge regression on those of a sample.

    `numbers` are the pieces of all texts behind each other, `ends` where those of each begin and end.
    """
    from scipy.linalg import solve
    from scipy.sparse import csr_matrix, diags

    texts, kinds = len(ends) - 1, int(numbers.max(initial=0)) + 1

    def counted(chosen: Sequence[int] | range) -> csr_matrix:
        """How often each piece is in some texts."""
        found = [numbers[ends[row] : ends[row + 1]] for row in chosen]
        rows = np.repeat(np.arange(len(found)), [len(each) for each in found])
        pieces = np.concatenate([*found, np.zeros(0, numbers.dtype)]).astype(np.int32)
        counts = csr_matrix((np.ones(len(rows), np.float32), (rows, pieces)), (len(found), kinds))
        counts.sum_duplicates()
        return counts

    blocks = [range(start, min(start + _FEATURES, texts)) for start in range(0, texts, _FEATURES)]
    texts_of_piece = sum(np.bincount(counted(block).indices, minlength=kinds) for block in blocks)
    rarity = np.log((texts + 1) / (texts_of_piece + 1)) * (texts_of_piece > 1)  # a piece of one text teaches no other

    def features(chosen: Sequence[int] | range) -> csr_matrix:
        counts = counted(chosen)
        counts.data = ((1 + np.log(counts.data)) * rarity[counts.indices]).astype(np.float32)
        lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
        return csr_matrix(diags(1 / np.maximum(lengths, 1e-9)) @ counts)

    known, mean = features(sample).astype(np.float64), vectors.mean(axis=0, dtype=np.float64)
    alike = (known @ known.T).toarray()
    shares = solve(alike + RIDGE * np.eye(len(sample)), vectors - mean, assume_a="pos")
    of_pieces = np.asarray(known.T @ shares, np.float32)
    learned = np.empty((texts, vectors.shape[1]), np.float16)
    for block in blocks:
        found = features(block).astype(np.float32) @ of_pieces + mean.astype(np.float32)
        learned[block.start : block.stop] = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
    return learned


def _digests(texts: Sequence[str]) -> NDArray[np.int64]:
    """A digest of each text, as two numbers."""
    found = b"".join(blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts)
    return np.frombuffer(found, np.int64).reshape(-1, 2)


_VECTORS_OF_TEXTS = ((VECTOR_ARRAY, TEXT_ARRAY), (FURTHER_ARRAY, FURTHER_TEXTS))


def _known(
    paths: Sequence[Path], width: int, names: Sequence[tuple[str, str]] = _VECTORS_OF_TEXTS
) -> dict[bytes, NDArray[np.float16]]:
    """The vectors in some files by the digests of their texts; damaged files are left out."""
    known: dict[bytes, NDArray[np.float16]] = {}
    for path in paths:
        try:
            file = arrays.read(path, REBUILD_VECTORS)
            there = [(name, texts) for name, texts in names if name in file.names() and texts in file.names()]
            found = [(file.whole(name, np.float16), file.whole(texts, np.int64)) for name, texts in there]
        except InputError:
            continue
        for vectors, digests in found:
            if len(vectors) == len(digests) // 2 * width:
                each = (digest.tobytes() for digest in digests.reshape(-1, 2))
                known.update(zip(each, vectors.reshape(-1, width), strict=True))
    return known


def _crcs(vectors: NDArray[np.float16], digests: NDArray[np.int64], before: Sequence[int]) -> list[int]:
    """Checksums of all vectors and digests so far, each of them in the order of the collection."""
    return [zlib.crc32(vectors.tobytes(), before[0]), zlib.crc32(digests.tobytes(), before[1])]


def _finished_documents(
    notes: Path, into: Stored, order: NDArray[np.int64], further: NDArray[np.int64], width: int
) -> tuple[int, list[int]]:
    """How many documents a stopped build had finished, and the checksums of their vectors; 0 where it does not fit."""
    try:
        noted = parsed_object(stored_bytes(notes), str(notes), REBUILD_VECTORS)
        check_seal(noted, str(notes), REBUILD_VECTORS)
    except (OSError, InputError):
        return 0, [0, 0]
    done, crcs = noted.get("done"), [0, 0]
    if type(done) is not int or not 0 < done <= len(order):
        return 0, [0, 0]
    if FURTHER_COUNTS in into and (into[FURTHER_COUNTS] != further).any():
        return 0, [0, 0]
    places = _Places(into, further, width)
    for start in range(0, done, CHUNK):
        crcs = _crcs(*places.read(places.of(order[start : min(start + CHUNK, done)])), crcs)
    return (done, crcs) if crcs == noted.get("crcs") else (0, [0, 0])
