"""Where the documents of an index come from: their places in the parts of a collection, and their families there.

Parts of a collection are never changed, so a document at the same place of the same part is the same document. Families
are numbered over the whole collection, and may change with every update of it. A family that is a row of an index is
the same if all its members are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.families import Members, member_sums
from leadline.retrieval.index.packing import BASED, packed
from leadline.retrieval.index.segment import SegmentFile, stored_wide
from leadline.retrieval.index.terms import Terms
from leadline.text.owned_folder import identity_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
            self, hash="", part=np.concatenate([self.part, nowhere]), place=np.concatenate([self.place, nowhere]),
            family=np.concatenate([self.family, families]),
        )  # fmt: skip

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
