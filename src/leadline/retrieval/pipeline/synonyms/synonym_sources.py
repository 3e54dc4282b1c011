"""The register of synonym sources.

A source is a function in a file of its own that takes the search context and returns a `Finder` of names in texts; any
other name is the path of a table.
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
    """What finds names in a text, and other names for them."""

    def matches(self, words: TextWords) -> Iterator[Match]: ...


SynonymSource = Callable[["SearchContext"], Finder]
SOURCES = Register[SynonymSource]("synonyms", "leadline.retrieval.pipeline.synonyms", entry_points="leadline.synonyms")
_opened: WeakKeyDictionary[SearchContext, dict[SynonymSource | str, Finder]] = WeakKeyDictionary()


def synonym_source(name: str) -> Callable[[SynonymSource], SynonymSource]:
    """Register a function of the search context as a source."""

    def enter(function: SynonymSource) -> SynonymSource:
        SOURCES.add(name, function, home=function.__module__)
        return function

    return enter


def check_source(name: str) -> None:
    """Refuse what is neither a source nor a file, with the nearest name."""
    if name not in SOURCES and not Path(name).exists():
        hint = nearest(name, SOURCES)
        raise InputError(
            "synonyms", f"{name!r} is neither a source ({', '.join(SOURCES)}) nor the path of a table{hint}"
        )


def open_source(name: str, context: SearchContext) -> Finder:
    """A source, opened on first use and kept as long as the search context."""
    from leadline.retrieval.pipeline.synonyms.synonym_table import read_table

    check_source(name)
    found = SOURCES.find(name)
    known = _opened.setdefault(context, {})
    key = found or name  # a function, because a source may be replaced
    if key not in known:
        known[key] = found(context) if found else read_table(Path(name))
    return known[key]
