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
        return cls(Path(path), tuple((each["query"], each["found"]) for each in queries))

    @property
    def earlier(self) -> dict[int, str]:
        """The queries by their numbers."""
        return {number: query for number, (query, _) in enumerate(self.queries, start=1)}

    def with_query(self, query: str, found: int) -> SearchHistory:
        """The session with one more query, which is written to the file."""
        if len(self.queries) >= MOST_QUERIES:
            raise InputError(str(self.path), f"has {MOST_QUERIES:,} queries, the most that are kept: {_FIX}")
        longer = SearchHistory(self.path, (*self.queries, (query, found)))
        queries = [{"number": n, "query": q, "found": f} for n, (q, f) in enumerate(longer.queries, start=1)]
        write_stored(self.path, sealed({"what": WHAT, "version": VERSION, "queries": queries}))
        return longer

    def keep(self, found: SearchResult) -> SearchResult:
        """Write a query to the file; return what it found, with its number."""
        return replace(found, number=len(self.with_query(found.text, found.found).queries))


def _is_query(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("query"), str) and type(value.get("found")) is int
