"""The manifest of an index: its files, opened and checked in full, how it was made, and where its rows come from."""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.families import without_kind
from leadline.errors import InputError, system_reason
from leadline.retrieval.choices import Members
from leadline.retrieval.index import arrays
from leadline.retrieval.index.arrays import REBUILD, ValueBounds, damaged, newer_format
from leadline.retrieval.index.inverting import DAYS, DocumentBatch, joined_claims, number_columns
from leadline.retrieval.index.packing import BASED, packed
from leadline.retrieval.index.segment import CODES, NUMBERS, Segment, SegmentFile, stored_wide
from leadline.retrieval.index.terms import Terms
from leadline.retrieval.index.tombstones import LiveSegment, Tombstones
from leadline.retrieval.index.trees import TREES, Tree, TreeKind
from leadline.text.checksums import (
    CHECKSUM,
    Finding,
    check_seal,
    file_sha256,
    finding_of,
    findings,
    parsed_object,
    read_sealed,
    stored_bytes,
)
from leadline.text.owned_folder import check_identity, check_listed, identity_of, wrong_folder

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

MANIFEST = "manifest.json"
KIND, KIND_NAME, VERSION = "index", "a leadline index", 6
# The oldest that is read. Format 4 has neither dead documents nor the places of documents in their collection; before 6
# words of Korean are whole, and there is neither a scheme of classes nor a thesaurus.
OLDEST = 4
_FILE = re.compile(r"[\w-][\w.-]*")
_LARGEST = 64 << 20  # bytes: far more than any index needs


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder; an error where it is missing, damaged or of another version."""
    path = folder / MANIFEST
    try:
        written = stored_bytes(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        raise wrong_folder(folder, KIND, "`leadline index` makes one") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    manifest = parsed_object(written, str(path), REBUILD)
    if CHECKSUM in manifest:
        check_seal(manifest, str(path), REBUILD)
    if manifest.get("what") == "a leadline collection":
        raise InputError(str(folder), f"is a collection, not an index; `leadline index {folder} -o INDEX` makes one")
    if manifest.get("what") != KIND_NAME:
        raise InputError(str(path), "is not the manifest of an index")
    _check_version(manifest.get("version"), str(path))
    check_seal(manifest, str(path), REBUILD)
    wrong = next((name for name, is_right in _SHAPE.items() if not is_right(manifest.get(name))), None)
    if wrong is not None:
        raise damaged(str(path), f"{wrong!r} has a wrong value")
    return manifest


def _check_version(version: Any, path: str) -> None:
    if type(version) is not int or version < 1:
        raise damaged(path, "it has no format")
    if version > VERSION:
        raise newer_format(path, version, VERSION)
    if version < OLDEST:
        lacks = {1: "checksums", 2: "words as they are written"}.get(version, "compressed postings")
        raise InputError(path, f"has format {version}, which has no {lacks}: {REBUILD}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _is_file(value: Any) -> bool:
    """Whether this describes a file of the folder."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("file"), str)
        and _FILE.fullmatch(value["file"]) is not None
        and _is_count(value.get("bytes"))
        and _is_text(value.get("checksum"))
        and _is_text(value.get("sha256"))
    )


def _is_segments(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_segment, value))


def _is_segment(value: Any) -> bool:
    """Whether this describes a segment, and its tombstones where it has dead documents."""
    if not _is_file(value) or not _is_count(value.get("documents")):
        return False
    dead = value.get("dead")
    return dead is None or (
        _is_file(dead) and _is_count(dead.get("documents")) and 0 < dead["documents"] < value["documents"]
    )


def _is_collection(value: Any) -> bool:
    """Whether this says of which collection the index is; None where that is not known."""
    if value is None:
        return True
    parts = value.get("parts") if isinstance(value, dict) else None
    return isinstance(parts, list) and all(map(_is_text, [*parts, value.get("hash"), value.get("id", "")]))


def live_documents(segment: dict[str, Any]) -> int:
    """The number of documents of a segment that are not dead."""
    return int(segment["documents"]) - int((segment.get("dead") or {"documents": 0})["documents"])


def _files_of_rows(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    dead = [segment["dead"] for segment in manifest["segments"] if segment.get("dead")]
    return [*manifest["segments"], *dead]


def trees_of(manifest: dict[str, Any]) -> dict[TreeKind, dict[str, Any]]:
    """The entries of the trees that an index keeps, by their kind."""
    return manifest.get("trees") or {}


def files_of(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of all files that a manifest names."""
    return [*_files_of_rows(manifest), *trees_of(manifest).values(), manifest["order"]]


def row_digests(manifest: dict[str, Any]) -> list[str]:
    """The SHA-256 of the files that say which document is in each row."""
    return [entry["sha256"] for entry in _files_of_rows(manifest)]


def row_state(manifest: dict[str, Any]) -> str:
    """A short digest of which document is in each row, which is in the names of files made for these rows."""
    return hashlib.sha256(json.dumps(row_digests(manifest)).encode()).hexdigest()[:16]


def content_digests(manifest: dict[str, Any]) -> list[str]:
    """The SHA-256 of the files that answers depend on."""
    return [entry["sha256"] for entry in files_of(manifest)]


def _is_trees(value: Any) -> bool:
    """Whether this describes trees; None where the index keeps none."""
    return value is None or (
        isinstance(value, dict)
        and set(value) <= set(TREES)
        and all(_is_file(entry) and _is_text(entry.get("source")) for entry in value.values())
    )


def _is_fields(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_settings(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


_SHAPE = {
    "analysis": _is_settings,
    "fields": _is_fields,
    "positions": lambda value: isinstance(value, bool),
    "source": _is_text,
    "unit": lambda value: value in ("document", "family"),
    "members": _is_text,
    "stemmer": lambda value: value is None or isinstance(value, str),
    "counts": _is_counts,
    "segments": _is_segments,
    "order": _is_file,
    "trees": _is_trees,
    "collection": _is_collection,
}


# The family as the unit of an index: one row for all publications of an invention.


BLOCK_BYTES = 512 << 20  # of text read at once: members of a family may be far apart in a collection
_BYTES_A_WORD = 6
_ONE, _SEVERAL = (
    ("office", "kind", "language"),
    ("ipc", "cpc", "classes", "applicants"),
)  # columns of one word, and of several


def family_batches(
    collection: Any, fields: Sequence[str], size: int, members: Members, chosen: NDArray[np.int64] | None = None
) -> Iterator[DocumentBatch]:
    """Batches of the families of a collection, in the order of their representatives, whose ids they have.

    The representative is the member published first, or with `members="longest"` the one with most words. A family has
    the representative's text, or with `members="joined"` the texts of all members, the representative's first. It has
    the earliest dates of its members, and all their offices and classes. So a family passes a filter by date if one
    member was published in time, although its joined text has words of later members as well. `chosen` are the places
    of some families in this order (default: all).
    """
    units = _units(collection.records, members)
    if chosen is not None:
        units = units[chosen]
    words = units["words"].to_numpy() * _BYTES_A_WORD
    block = np.cumsum(words) // BLOCK_BYTES
    for (_,), wanted in units.with_columns(block=block).group_by("block", maintain_order=True):
        texts = _texts(collection, fields, wanted)
        weight = sum(int(texts[name].str.len_bytes().sum()) for name in fields)
        step = max(1, len(texts) * size // max(weight, 1))
        for start in range(0, len(texts), step):
            yield _batch(texts[start : start + step], wanted[start : start + step], fields)


def family_ids(records: pl.DataFrame, members: Members) -> list[str]:
    """The ids of the representatives of all families, in the order of `family_batches`."""
    return _units(records, members)["id"].to_list()


def member_sums(records: pl.DataFrame, parts: Sequence[str], members: Members) -> dict[str, int]:
    """For the representative of each family a checksum of the places of all its members, in their order.

    `parts` are the SHA-256 of the collection's parts, so a checksum stays the same as long as all members do.
    """
    places = [
        f"{parts[part]} {place} ".encode()
        for part, place in zip(records["part"].to_list(), records["place"].to_list(), strict=True)
    ]
    units = _units(records, members)
    return {
        name: int.from_bytes(blake2b(b"".join([places[row] for row in rows]), digest_size=8).digest(), signed=True)
        for name, rows in zip(units["id"].to_list(), units["all_rows"].to_list(), strict=True)
    }


def _units(records: pl.DataFrame, members: Members) -> pl.DataFrame:
    """A row per family: the rows of the members whose texts it has, and the metadata of all members."""
    import polars as pl

    order = ("words", "row") if members == "longest" else ("publication", "row")
    taken = pl.col("row") if members == "joined" else pl.col("row").head(1)
    return (
        records.with_columns(classes=pl.concat_list("ipc", "cpc").fill_null([]), number="key")
        .select("id", "family", "words", "number", *DAYS, *_ONE, *_SEVERAL)
        .with_row_index("row")
        .sort(order, descending=[members == "longest", False], nulls_last=True)
        .group_by("family", maintain_order=True)
        .agg(
            pl.col("id").first(),
            first=pl.col("row").first(),
            rows=taken,
            words=pl.col("words").sum(),
            all_rows=pl.col("row"),
            **{name: pl.col(name).filter(pl.col(name) != "").unique(maintain_order=True) for name in (*_ONE, "number")},
            **{name: pl.col(name).explode().drop_nulls().unique(maintain_order=True) for name in _SEVERAL},
            **{name: pl.col(name).min() for name in DAYS},
        )
        .sort("first")
    )


def _texts(collection: Any, fields: Sequence[str], units: pl.DataFrame) -> pl.DataFrame:
    """The texts of these families, a row per family, in their order."""
    import polars as pl

    places = units.select("rows").with_row_index("unit").explode("rows").with_row_index("place")
    parts = list(collection.texts(fields, places["rows"].to_numpy()))
    frame = joined_claims(pl.concat(parts), fields)
    texts = (
        places.join(frame, left_on="rows", right_on="row", how="left", maintain_order="left")
        .group_by("unit", maintain_order=True)
        .agg(pl.col(name).fill_null("").str.join("\n") for name in fields)
    )
    return texts.hstack(_names(collection, units))


def _names(collection: Any, units: pl.DataFrame) -> pl.DataFrame:
    """The inventors of all members of these families, and the numbers that they cite."""
    import polars as pl

    members = units.select("all_rows").with_row_index("unit").explode("all_rows")
    frame = pl.concat(collection.texts(["inventors", "cited_number"], members["all_rows"].to_numpy()))
    joined = members.join(frame, left_on="all_rows", right_on="row", how="left", maintain_order="left")
    named = {"inventors": pl.col("inventors"), "cites": pl.col("cited_number").list.eval(without_kind(pl.element()))}
    grouped = joined.select("unit", **named).group_by("unit", maintain_order=True)
    listed = grouped.agg(pl.col(name).explode().drop_nulls().unique(maintain_order=True) for name in named)
    return listed.select(pl.col(name).list.eval(pl.element().filter(pl.element() != "")) for name in named)


def _batch(texts: pl.DataFrame, units: pl.DataFrame, fields: Sequence[str]) -> DocumentBatch:
    return DocumentBatch(
        ids=units["id"].to_list(),
        texts={name: texts[name].to_list() for name in fields},
        numbers=number_columns(units),
        codes={
            **{name: units[name].to_list() for name in (*_ONE, "number", "ipc", "cpc", "classes")},
            "applicant": units["applicants"].to_list(),
            "inventor": texts["inventors"].to_list(),
            "cites": texts["cites"].to_list(),
        },
    )


# Where the documents of an index come from: their places in the parts of a collection, and their families there.
#
# Parts of a collection are never changed, so a document at the same place of the same part is the same document.
# Families are numbered over the whole collection, and may change with every update of it. A family that is a row of an
# index is the same if all its members are.


_NOWHERE = -1
_AT_ONCE = 1 << 16  # documents whose ids are compared together


@dataclass(frozen=True)
class Origin:
    """The collection of an index, and for each row of the index the place of its document in the collection."""

    hash: str  # of the collection, empty where documents from elsewhere have been added
    parts: list[str]  # the SHA-256 of each
    part: NDArray[np.int32]
    place: NDArray[np.int32]
    family: NDArray[np.int64]
    id: str = ""  # of the collection's folder, which stays when it is moved or built again; empty where it has none
    members: NDArray[np.int64] | None = None  # where rows are families: a checksum of the places of all members

    @classmethod
    def of(cls, collection: Any, ids: Terms, members: Members | None = None) -> Origin | None:
        """The places of documents in a collection; None where this is not a collection on disk that has them all.

        With `members` they are the representatives of families.
        """
        manifest = getattr(collection, "manifest", None)
        if manifest is None:
            return None
        found = _in_their_order(collection, ids) if len(ids) == len(collection) else None
        found = found or _by_name(collection, ids)
        if found is None:
            return None
        parts, sums = [part["sha256"] for part in manifest["parts"]], None
        if members is not None:
            sum_of = member_sums(collection.records, parts, members)
            sums = np.array([sum_of.get(name.decode(), 0) for name in ids], np.int64)
        return cls(manifest["hash"], parts, *found, _folder_id(collection), sums)

    @classmethod
    def of_rows(cls, collection: Any, rows: NDArray[np.int64]) -> Origin:
        """The places of the documents in these rows of a collection on disk."""
        found = collection.records_at(rows, _PLACES)
        part, place = (found[column].to_numpy().astype(np.int32) for column in _PLACES[:2])
        family = found["family"].to_numpy().astype(np.int64)
        parts = [part["sha256"] for part in collection.manifest["parts"]]
        return cls(collection.manifest["hash"], parts, part, place, family, _folder_id(collection))

    def rows_in(self, collection: Any) -> NDArray[np.int64] | None:
        """The row of each document in a collection that came from this one by updates; -1 where it is there no more.

        None for another collection, and where rows are families.
        """
        manifest = getattr(collection, "manifest", None)
        if manifest is None or self.members is not None or not self.parts:
            return None
        if self.parts != [part["sha256"] for part in manifest["parts"]][: len(self.parts)]:
            return None
        there = collection.records_at(np.arange(len(collection)), _PLACES[:2])
        part, place = (there[column].to_numpy().astype(np.int64) for column in _PLACES[:2])
        keys, wanted = part << 32 | place, self.part.astype(np.int64) << 32 | self.place
        if (np.diff(keys) <= 0).any():  # no build and no update makes such a collection
            return None
        rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[rows] == wanted, rows, -1)

    def is_from(self, collection: Any) -> bool:
        """Whether the documents are from this collection: its folder has the same id, or the same first parts."""
        if self.id and self.id == _folder_id(collection):
            return True
        parts = [part["sha256"] for part in collection.manifest["parts"]]
        return bool(self.parts) and self.parts == parts[: len(self.parts)]

    def chosen(self, rows: NDArray[np.int64]) -> Origin:
        """The origin of some rows."""
        members = None if self.members is None else self.members[rows]
        return replace(self, part=self.part[rows], place=self.place[rows], family=self.family[rows], members=members)

    def with_others(self, families: NDArray[np.int64]) -> Origin:
        """With documents behind these that are from elsewhere."""
        nowhere = np.full(len(families), _NOWHERE, np.int32)
        return replace(
            self,
            hash="",
            part=np.concatenate([self.part, nowhere]),
            place=np.concatenate([self.place, nowhere]),
            family=np.concatenate([self.family, families]),
        )

    def is_same(self, other: Origin) -> NDArray[np.bool_]:
        """Whether the document of each row is at the same place of the same part as that of the row in another.

        Of families, whether all members are.
        """
        number_of = {part: number for number, part in enumerate(other.parts)}
        moved = np.array([*(number_of.get(part, _NOWHERE) for part in self.parts), _NOWHERE], np.int32)
        part = moved[self.part]
        same = (part != _NOWHERE) & (part == other.part) & (self.place == other.place)
        return same if self.members is None or other.members is None else same & (self.members == other.members)

    def was_before(self, other: Origin) -> bool:
        """Whether another collection came from this one by updates, which keep its parts."""
        return bool(self.parts) and self.parts == other.parts[: len(self.parts)]

    def stored(self) -> dict[str, NDArray[Any]]:
        """The arrays of a file."""
        numbers = {"parts": packed(self.part, BASED), "places": packed(self.place, BASED)}
        members = {} if self.members is None else stored_wide(self.members, "members")
        return {**numbers, **stored_wide(self.family, "families"), **members}


_PLACES = ("part", "place", "family")
_Places = tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.int64]"]


def _in_their_order(collection: Any, ids: Terms) -> _Places | None:
    """The places and families of all documents of a collection; None if they are not in its order."""
    part, place, family = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32), np.empty(len(ids), np.int64)
    for first in range(0, len(ids), _AT_ONCE):
        last = min(first + _AT_ONCE, len(ids))
        rows = collection.records_at(np.arange(first, last), ("id", *_PLACES))
        named = Terms.of([name.encode() for name in rows["id"].to_list()])
        offsets = ids.offsets[first : last + 1]
        same = np.array_equal(named.offsets, offsets - offsets[0])
        if not same or not np.array_equal(named.buffer, ids.buffer[offsets[0] : offsets[-1]]):
            return None
        part[first:last], place[first:last] = rows["part"].to_numpy(), rows["place"].to_numpy()
        family[first:last] = rows["family"].to_numpy()
    return part, place, family


def _by_name(collection: Any, ids: Terms) -> _Places | None:
    """The places and families of documents of a collection; None if it does not have them all."""
    import polars as pl

    names = pl.DataFrame({"id": [name.decode() for name in ids]}, schema={"id": pl.String})
    rows = names.join(collection.records.select("id", *_PLACES), on="id", how="left", maintain_order="left")
    if rows["part"].null_count():
        return None
    part, place = (rows[column].cast(pl.Int32).to_numpy() for column in _PLACES[:2])
    return part, place, rows["family"].cast(pl.Int64).to_numpy()


def stored_origin(file: SegmentFile, known: dict[str, Any], documents: int) -> Origin:
    """The origin that a manifest and the file with the order of the documents have."""
    what = "places of documents"
    part, place = (file.integers(name, what=what, kind=BASED) for name in ("parts", "places"))
    families = file.wide("families", what)
    members = file.wide("members", what) if "members/low" in file.arrays.names() else None
    if not len(part) == len(place) == len(families) == documents or (members is not None and len(members) != documents):
        raise file.damaged(what)
    if not (int(part.min(initial=0)) >= -1 and int(part.max(initial=-1)) < len(known["parts"])):
        raise file.damaged(what)
    return Origin(known["hash"], known["parts"], part, place, families, known.get("id", ""), members)


def _folder_id(collection: Any) -> str:
    """The id of a collection's folder; empty where it has none, or where the file that has it is damaged."""
    folder = getattr(collection, "folder", None)
    try:
        owned = None if folder is None else identity_of(folder)
    except InputError:
        return ""
    return owned.id if owned is not None else ""


# Open the files that a manifest names, and check that they are the files it was written for.


def described_file(path: Path) -> dict[str, Any]:
    """The entry of an array file in a manifest."""
    return {
        "file": path.name,
        "bytes": path.stat().st_size,
        "checksum": arrays.read(path).root,
        "sha256": file_sha256(path),
    }


def opened_segment(folder: Path, known: Mapping[str, Any]) -> Segment:
    """The segment that a manifest describes, without its dead documents."""
    segment = Segment(folder / known["file"])
    _check_identity(segment.file, known)
    if len(segment) != known["documents"]:
        raise damaged(str(segment.path), f"it has {len(segment)} documents, not {known['documents']}")
    dead = known.get("dead")
    if dead is None:
        return segment
    tombstones = Tombstones(folder / dead["file"], len(segment))
    _check_identity(tombstones.file, dead)
    if len(tombstones.rows) != dead["documents"]:
        raise tombstones.damaged(f"it has {len(tombstones.rows)} documents, not {dead['documents']}")
    return LiveSegment(segment, tombstones)


def opened_tree(folder: Path, manifest: dict[str, Any], kind: TreeKind) -> Tree | None:
    """A tree that an index keeps; None where it has none of this kind."""
    known = trees_of(manifest).get(kind)
    if known is None:
        return None
    _check_identity(arrays.read(folder / known["file"], keep_again(kind)), known, keep_again(kind))
    return Tree.open(folder / known["file"], known["source"], keep_again(kind))


def keep_again(kind: TreeKind) -> str:
    """How to mend a damaged tree."""
    return f"keep it again with `leadline index --update --{kind} FILE`"


class OrderFile:
    """The file of what changes with every document: the order of all ids, and where the documents come from."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], documents: int) -> None:
        self._content = SegmentFile(folder / manifest["order"]["file"])
        self._collection, self._documents = manifest.get("collection"), documents
        file = self._content.arrays
        _check_identity(file, manifest["order"])
        # The rank of each document when all are sorted by id.
        self.ranks: NDArray[np.int32] = file.whole(
            "ranks", np.int32, ValueBounds(0, documents - 1), "order of documents"
        )
        if len(self.ranks) != documents:
            raise damaged(file.path, f"it has {len(self.ranks)} documents, not {documents}")

    @cached_property
    def origin(self) -> Origin | None:
        """Where the documents come from; None where that is not known."""
        if self._collection is None:
            return None
        return stored_origin(self._content, self._collection, self._documents)


def _check_identity(file: arrays.ArrayFile, known: Mapping[str, Any], fix: str = REBUILD) -> None:
    if file.root != known["checksum"]:
        raise damaged(file.path, "it is not the file that the manifest names", fix)


# A full check of an index: every byte is read, and all arrays must fit together.


VECTORS = "vectors-*.float16"
VECTOR_ARRAY, TEXT_ARRAY = "vectors", "texts"  # in such a file: the vectors, and two numbers for each text
# The same of further passages, in the order of rows, and how many each row has; where no document has any, they are not
# there, as in files of earlier versions.
FURTHER_ARRAY, FURTHER_TEXTS, FURTHER_COUNTS = "further", "further texts", "further of each"
ABOUT_VECTORS = "vectors-*.json"  # beside each file of vectors: by which model they were made
ABOUT, ABOUT_FORMAT = "a description of vectors by leadline", 2
ONE_TEXT = 1  # the format where every document has one vector
MADE = "vectors"  # in the description, once they are made: the checksum of their file
REBUILD_VECTORS = "make the vectors again with `leadline index --dense`"


def check_index(folder: Path) -> Iterator[Finding]:
    """The problems of an index; none if it is undamaged."""
    folder = Path(folder)
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        yield finding_of(error, REBUILD)
        return
    yield from check_identity(folder)
    vectors = (path.name for pattern in (VECTORS, ABOUT_VECTORS) for path in folder.glob(pattern))
    yield from check_listed(folder, [MANIFEST, *(known["file"] for known in files_of(manifest)), *vectors])
    for known in manifest["segments"]:
        yield from findings(partial(_check_segment, folder, known, manifest["fields"]), REBUILD)
    yield from findings(partial(_check_order, folder, manifest), REBUILD)
    for kind in trees_of(manifest):
        yield from findings(partial(_check_tree, folder, manifest, kind), keep_again(kind))
    yield from _missing_vectors(folder, manifest)
    for path in sorted(folder.glob(VECTORS)):
        yield from findings(partial(_check_vectors, path, manifest), REBUILD_VECTORS)
    for path in sorted(folder.glob(ABOUT_VECTORS)):
        yield from findings(partial(read_about_vectors, path), REBUILD_VECTORS)


def check_arrays(file: arrays.ArrayFile) -> None:
    """Read every array of a file."""
    for name in file.names():
        file.whole(name)


def _missing_vectors(folder: Path, manifest: dict[str, Any]) -> Iterator[Finding]:
    """Vectors that were made for the rows of this index, and are not there any more."""
    try:
        owned = identity_of(folder)
    except InputError:  # damaged, which is said elsewhere
        owned = None
    names = {f"{path.stem}.float16" for path in folder.glob(ABOUT_VECTORS)} | (owned.names if owned else set())
    for name in sorted(fnmatch.filter(names, f"vectors-*-{row_state(manifest)}.float16")):
        path = folder / name
        if path.exists() and owned and f"{path.stem}.json" in owned.names and not path.with_suffix(".json").exists():
            yield Finding(str(path.with_suffix(".json")), "is missing", REBUILD_VECTORS)
        if not path.exists() and not path.with_suffix(".unfinished").exists():
            yield Finding(str(path), "is missing", REBUILD_VECTORS)


def _check_vectors(path: Path, manifest: dict[str, Any]) -> None:
    """Read a file of vectors; one for the rows of this index must have one of the described length for each."""
    file = arrays.read(path, REBUILD_VECTORS)
    check_arrays(file)
    if not path.stem.endswith(f"-{row_state(manifest)}"):
        return
    rows, numbers = sum(map(live_documents, manifest["segments"])), file.size(VECTOR_ARRAY)
    about: dict[str, Any] = {}
    with contextlib.suppress(InputError):  # damaged, which is said elsewhere
        about = read_about_vectors(path.with_suffix(".json"))
    width = about.get("width")
    fits = numbers == rows * width if isinstance(width, int) else not numbers % max(rows, 1)
    if not fits or (TEXT_ARRAY in file.names() and file.size(TEXT_ARRAY) != 2 * rows):
        raise damaged(str(path), f"it has {numbers:,} numbers for {rows:,} rows of the index", REBUILD_VECTORS)
    _check_further(file, rows, numbers // max(rows, 1), str(path))
    if about.get(MADE, file.root) != file.root:
        raise damaged(str(path), "it has not the vectors that were made for it", REBUILD_VECTORS)


def _check_further(file: arrays.ArrayFile, rows: int, width: int, path: str) -> None:
    """The vectors of further passages must be as many as the rows have of them."""
    names = (FURTHER_ARRAY, FURTHER_TEXTS, FURTHER_COUNTS)
    there = [name for name in names if name in file.names()]
    if not there:
        return
    counts = file.whole(FURTHER_COUNTS, np.int32) if len(there) == len(names) else np.zeros(0, np.int32)
    further = int(counts.sum(dtype=np.int64))
    sizes = (file.size(FURTHER_ARRAY), file.size(FURTHER_TEXTS)) if len(counts) else ()
    if len(counts) != rows or counts.min(initial=0) < 0 or sizes != (further * width, 2 * further):
        raise damaged(path, f"its further passages do not fit the {rows:,} rows of the index", REBUILD_VECTORS)


def read_about_vectors(path: Path) -> dict[str, Any]:
    """What the description of vectors says, checked against its checksum."""
    return read_sealed(path, ABOUT, ABOUT_FORMAT, REBUILD_VECTORS) or {}


def _check_segment(folder: Path, known: dict[str, Any], fields: list[str]) -> None:
    segment = opened_segment(folder, known)
    _check_content(segment, fields)
    _check_file(folder, known)
    if isinstance(segment, LiveSegment):
        _check_content(segment.stored, fields)
        check_arrays(segment.tombstones.file)
        _check_file(folder, known["dead"])


def _check_content(segment: Segment, fields: list[str]) -> None:
    """Read all of a segment; of one with tombstones, all that is left of it."""
    _ = segment.ids
    for name in fields:
        field = segment.field(name)
        for part in (field.documents, field.frequencies, field.positions, field.form_codes):
            _ = part[:]
        _ = field.spellings, field.breaks
    for column in NUMBERS:
        segment.numbers(column)
    for column in CODES:
        segment.coded(column)
    check_arrays(segment.file)


def _check_order(folder: Path, manifest: dict[str, Any]) -> None:
    _ = OrderFile(folder, manifest, sum(map(live_documents, manifest["segments"]))).origin
    _check_file(folder, manifest["order"])


def _check_tree(folder: Path, manifest: dict[str, Any], kind: TreeKind) -> None:
    _ = opened_tree(folder, manifest, kind)
    _check_file(folder, trees_of(manifest)[kind], keep_again(kind))


def _check_file(folder: Path, known: dict[str, Any], fix: str = REBUILD) -> None:
    path = folder / known["file"]
    if file_sha256(path) != known["sha256"]:
        raise damaged(str(path), "its checksum does not fit", fix)
