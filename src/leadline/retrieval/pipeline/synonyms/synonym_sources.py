"""The register of synonym sources.

A source is a function, in its own file, that takes the search context and returns a `Finder`; any other name is the
path of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from leadline.errors import InputError, nearest
from leadline.register import Register
from leadline.retrieval.pipeline.synonyms.text_words import TextWords
from leadline.retrieval.pipeline.synonyms.thesaurus import Match

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


class Finder(Protocol):
    """Finds names in a text, with their synonyms."""

    def matches(self, words: TextWords) -> Iterator[Match]: ...


SynonymSource = Callable[["SearchContext"], Finder]
SOURCES = Register[SynonymSource]("synonyms", "leadline.retrieval.pipeline.synonyms", entry_points="leadline.synonyms")
_opened: WeakKeyDictionary[SearchContext, dict[SynonymSource | str, Finder]] = WeakKeyDictionary()


def synonym_source(name: str) -> Callable[[SynonymSource], SynonymSource]:
    """Register a function as a source."""

    def enter(function: SynonymSource) -> SynonymSource:
        SOURCES.add(name, function, home=function.__module__)
        return function

    return enter


def check_source(name: str) -> None:
    """Raise InputError for a name that is neither a source nor a file."""
    if name not in SOURCES and not Path(name).exists():
        hint = nearest(name, SOURCES)
        raise InputError(
            "synonyms", f"{name!r} is neither a source ({', '.join(SOURCES)}) nor the path of a table{hint}"
        )


def open_source(name: str, context: SearchContext) -> Finder:
    """The finder of a source or table, opened on first use and kept as long as the search context."""
    from leadline.retrieval.pipeline.synonyms.synonym_table import read_table

    check_source(name)
    source = SOURCES.find(name)
    opened = _opened.setdefault(context, {})
    key = source or name  # the function, because a source may be replaced
    if key not in opened:
        opened[key] = source(context) if source else read_table(Path(name))
    return opened[key]
