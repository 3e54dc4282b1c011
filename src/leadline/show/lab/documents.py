"""What the lab's collections know of documents that runs and judgements name: title, family, and which collection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.collections.documents.document import Document
from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.show.lab.kept import Kept, file_version
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Lab, LabEntry

if TYPE_CHECKING:
    import polars as pl

MOST_COLLECTIONS = 4  # whose titles are in memory at once


@dataclass(frozen=True)
class KnownDocument:
    """A document of a collection in the lab."""

    id: str
    title: str
    family: tuple[str, int]  # the collection, and the number of the family in it
    collection: str


class LabDocuments:
    """The documents of all collections of a lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._titles: Kept[pl.DataFrame] = Kept(MOST_COLLECTIONS)

    def known(self, ids: Iterable[str]) -> dict[str, KnownDocument]:
        """The documents among these ids that a collection has; the first collection that has one counts."""
        import polars as pl

        wanted = {id for id in ids if id.isascii() or id.isprintable()}
        found: dict[str, KnownDocument] = {}
        for entry in self._lab.entries("collection"):
            with contextlib.suppress(InputError):  # a damaged collection: the page of the collection says so
                rows = self._titles_of(entry).filter(pl.col("id").is_in(sorted(wanted - found.keys())))
                for id, title, family in rows.iter_rows():
                    number = -1 if family is None else family
                    found[id] = KnownDocument(id, title or "", (entry.name, number), entry.name)
        return found

    def document(self, name: str) -> tuple[str, Document] | None:
        """A document with its texts, and the name of its collection."""
        for entry in self._lab.entries("collection"):
            with contextlib.suppress(InputError):
                (document,) = Collection.open(entry.path).documents_there([name])
                if document is not None:
                    return entry.name, document
        return None

    def _titles_of(self, entry: LabEntry) -> pl.DataFrame:
        key = (entry.path, file_version(entry.path / KINDS["collection"].manifest))
        return self._titles.get(key, lambda: Collection.open(entry.path).records.select("id", "title", "family"))
