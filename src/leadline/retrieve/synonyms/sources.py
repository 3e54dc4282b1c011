"""The register of sources of synonyms. A source is a function of the laboratory, in a file of its own, that gives what
finds names in texts; any other name is the file of a table.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from leadline.errors import InputError
from leadline.retrieve.synonyms.thesaurus import Match
from leadline.retrieve.synonyms.words import Words

if TYPE_CHECKING:
    from leadline.retrieve.laboratory import Laboratory


class Finder(Protocol):
    """What finds names in a text, and other names for them."""

    def matches(self, words: Words) -> Iterator[Match]: ...


Source = Callable[["Laboratory"], Finder]
_register: dict[str, Source] = {}
_opened: WeakKeyDictionary[Laboratory, dict[str, Finder]] = WeakKeyDictionary()


def source(name: str) -> Callable[[Source], Source]:
    """Enter a function of the laboratory into the register of sources."""

    def enter(function: Source) -> Source:
        _register[name] = function
        return function

    return enter


@cache
def sources() -> Mapping[str, Source]:
    """Every source by its name. The files of this folder are found, not listed."""
    from leadline.retrieve import synonyms

    for module in pkgutil.iter_modules(synonyms.__path__):
        importlib.import_module(f"{synonyms.__name__}.{module.name}")
    return dict(sorted(_register.items()))


def check_source(name: str) -> None:
    """Refuse what is neither a source nor a file, with the nearest name."""
    if name in sources() or Path(name).exists():
        return
    import difflib

    near = difflib.get_close_matches(name, sources(), n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise InputError("synonyms", f"{name!r} is none of {', '.join(sources())}, nor the file of a table{hint}")


def opened(name: str, lab: Laboratory) -> Finder:
    """A source, opened when it is first asked for and kept as long as the laboratory."""
    from leadline.retrieve.synonyms.table import read_table

    check_source(name)
    known = _opened.setdefault(lab, {})
    if name not in known:
        known[name] = sources()[name](lab) if name in sources() else read_table(Path(name))
    return known[name]
