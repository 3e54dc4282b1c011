"""Where the documents of an index come from: their places in the parts of a collection, and their families there.

Parts of a collection are never changed, so a document at the same place of the same part is the same document. Families
are numbered over the whole collection, and may change with every update of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.packing import BASED, packed
from leadline.retrieval.index.segment import SegmentFile, stored_wide

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOWHERE = -1


@dataclass(frozen=True)
class Origin:
    """The collection of an index, and for each row of the index the place of its document in the collection."""

    hash: str  # of the collection, empty where documents from elsewhere have been added
    parts: list[str]  # the SHA-256 of each
    part: NDArray[np.int32]
    place: NDArray[np.int32]
    family: NDArray[np.int64]

    @classmethod
    def of(cls, collection: Any, ids: Sequence[str]) -> Origin | None:
        """The places of documents in a collection; None where this is not a collection on disk that has them all."""
        import polars as pl

        manifest = getattr(collection, "manifest", None)
        if manifest is None:
            return None
        records = collection.records.select("id", "part", "place", "family")
        rows = pl.DataFrame({"id": ids}).join(records, on="id", how="left", maintain_order="left")
        if rows["part"].null_count():
            return None
        return cls(
            manifest["hash"], [part["sha256"] for part in manifest["parts"]],
            rows["part"].cast(pl.Int32).to_numpy(), rows["place"].cast(pl.Int32).to_numpy(),
            rows["family"].cast(pl.Int64).to_numpy(),
        )  # fmt: skip

    def chosen(self, rows: NDArray[np.int64]) -> Origin:
        """The origin of some rows."""
        return replace(self, part=self.part[rows], place=self.place[rows], family=self.family[rows])

    def with_others(self, families: NDArray[np.int64]) -> Origin:
        """With documents behind these that are from elsewhere."""
        nowhere = np.full(len(families), _NOWHERE, np.int32)
        return replace(
            self, hash="", part=np.concatenate([self.part, nowhere]), place=np.concatenate([self.place, nowhere]),
            family=np.concatenate([self.family, families]),
        )  # fmt: skip

    def is_same(self, other: Origin) -> NDArray[np.bool_]:
        """Whether the document of each row is at the same place of the same part as that of the row in another."""
        number_of = {part: number for number, part in enumerate(other.parts)}
        moved = np.array([*(number_of.get(part, _NOWHERE) for part in self.parts), _NOWHERE], np.int32)
        part = moved[self.part]
        return (part != _NOWHERE) & (part == other.part) & (self.place == other.place)

    def was_before(self, other: Origin) -> bool:
        """Whether another collection came from this one by updates, which keep its parts."""
        return bool(self.parts) and self.parts == other.parts[: len(self.parts)]

    def stored(self) -> dict[str, NDArray[Any]]:
        """The arrays of a file."""
        numbers = {"parts": packed(self.part, BASED), "places": packed(self.place, BASED)}
        return {**numbers, **stored_wide(self.family, "families")}


def stored_origin(file: SegmentFile, known: dict[str, Any], documents: int) -> Origin:
    """The origin that a manifest and the file with the order of the documents have."""
    what = "places of documents"
    part, place = (file.integers(name, what=what, kind=BASED) for name in ("parts", "places"))
    families = file.wide("families", what)
    if not len(part) == len(place) == len(families) == documents:
        raise file.damaged(what)
    if not (int(part.min(initial=0)) >= -1 and int(part.max(initial=-1)) < len(known["parts"])):
        raise file.damaged(what)
    return Origin(known["hash"], known["parts"], part, place, families)
