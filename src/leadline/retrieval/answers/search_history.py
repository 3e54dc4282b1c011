"""A session: the queries of a searcher, numbered, with the number of documents that each found."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.errors import InputError
from leadline.text.checksums import check_seal, parsed_object, sealed
from leadline.text.files import write_stored
from leadline.text.stored import stored_bytes

if TYPE_CHECKING:
    from leadline.retrieval.answers.word_search import SearchResult

WHAT, VERSION = "a leadline search history", 1
_FIX = "name another file"
_LARGEST = 64 << 20  # bytes
MOST_QUERIES = 100_000


@dataclass(frozen=True)
class SearchHistory:
    """Queries by their numbers, from 1 on, each with the number of documents it found when it was asked."""

    path: Path
    queries: tuple[tuple[str, int], ...] = ()
    indexes: tuple[str, ...] = ()  # the folder of the index that each query was asked in; empty where it is unknown

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SearchHistory:
        """The session in a file; empty where there is no such file yet."""
        try:
            written = stored_bytes(Path(path), _LARGEST)
        except FileNotFoundError:
            return cls(Path(path))
        except OSError as error:
            raise InputError(str(path), f"cannot be read: {(error.strerror or str(error)).lower()}") from None
        content = parsed_object(written, str(path), _FIX)
        if content.get("what") != WHAT:
            raise InputError(str(path), f"is not a search history: {_FIX}")
        if content.get("version") != VERSION:
            raise InputError(str(path), f"has format {content.get('version')}, this version reads {VERSION}: {_FIX}")
        check_seal(content, str(path), _FIX)
        queries = content.get("queries")
        if not isinstance(queries, list) or not all(map(_is_query, queries)):
            raise InputError(str(path), f"is damaged, its queries are not as they should be: {_FIX}")
        indexes = tuple(each.get("index", "") for each in queries)
        return cls(Path(path), tuple((each["query"], each["found"]) for each in queries), indexes)

    @property
    def earlier(self) -> dict[int, str]:
        """The queries by their numbers."""
        return {number: query for number, (query, _) in enumerate(self.queries, start=1)}

    def notes(self, index: Path | None = None) -> list[str]:
        """A note where counts are of another index than this, or without one, of more than one index."""
        here = "" if index is None else str(index.resolve())
        others = dict.fromkeys(folder for folder in self.indexes if folder and folder != here)
        if index is None:
            return [f"{self.path} has counts of {len(others)} indexes: {', '.join(others)}"] if len(others) > 1 else []
        return [
            f"{self.path}: {self._numbers(folder)} {'were' if self.indexes.count(folder) > 1 else 'was'} asked in "
            f"{folder}: counts differ here; name another file with --history"
            for folder in others
        ]  # fmt: skip

    def _numbers(self, folder: str) -> str:
        """The numbers of the queries that were asked in an index."""
        numbers = [f"#{number}" for number, each in enumerate(self.indexes, start=1) if each == folder]
        return ", ".join(numbers if len(numbers) <= 4 else [*numbers[:3], f"… {numbers[-1]}"])

    def with_query(self, query: str, found: int, index: str = "") -> SearchHistory:
        """The session with one more query, which is written to the file."""
        if len(self.queries) >= MOST_QUERIES:
            raise InputError(str(self.path), f"has {MOST_QUERIES:,} queries, the most that are kept: {_FIX}")
        longer = SearchHistory(self.path, (*self.queries, (query, found)), (*self.indexes, index))
        asked = zip(longer.queries, longer.indexes, strict=True)
        queries = [
            {"number": number, "query": query, "found": found, **({"index": folder} if folder else {})}
            for number, ((query, found), folder) in enumerate(asked, start=1)
        ]
        write_stored(self.path, sealed({"what": WHAT, "version": VERSION, "queries": queries}))
        return longer

    def keep(self, found: SearchResult) -> SearchResult:
        """Write a query to the file; return what it found, with its number."""
        folder = found.context.index.folder
        number = len(self.with_query(found.text, found.found, str(folder.resolve())).queries)
        return replace(found, number=number, about_session=self.notes(folder))


def _is_query(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("index", ""), str):
        return False
    return isinstance(value.get("query"), str) and type(value.get("found")) is int
