"""Where in a record a value is, and how it is taken from there."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from leadline.collections.documents.fields.values import plain_text

_WINDOWS_BYTES = {
    ord(character): byte
    for byte in range(0x80, 0xA0)
    if (character := bytes([byte]).decode("cp1252", "ignore"))  # five bytes have no character
}


def repair_utf8(text: str) -> str:
    """The right text where UTF-8 was decoded as Latin-1 or Windows-1252; any other text unchanged.

    A text is repaired as a whole or not at all: the bytes of a right text are hardly ever valid UTF-8.

    >>> repair_utf8("dÃ©crit"), repair_utf8("décrit"), repair_utf8("â€œnailâ€\\x9d")
    ('décrit', 'décrit', '“nail”')
    """
    if text.isascii():
        return text
    try:
        return text.translate(_WINDOWS_BYTES).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


REPAIRS: dict[str, Callable[[str], str]] = {"utf8": repair_utf8, "entities": html.unescape}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is: at the first path that leads to a value, else a fixed value."""

    paths: tuple[str, ...] = ()
    value: str = ""
    separator: str = ""  # divides one text into several
    take: str = "all"  # or "first": the text before the separator
    values: Mapping[str, str] = field(default_factory=dict, hash=False)  # the source's codes and their meanings
    drop: frozenset[str] = frozenset()  # codes of items to leave out

    def found(self, record: Any) -> list[Any]:
        """The values at the first path that leads to any."""
        for path in self.paths:
            if found := list(_follow(record, path)):
                return found
        return []

    def texts(self, record: Any, repairs: tuple[str, ...] = ()) -> list[str]:
        """The texts at this place, without blanks around them.

        >>> Place(("biblio.dates",), separator="|").texts({"biblio": {"dates": "1998-08-12 | 1997-03-04"}})
        ['1998-08-12', '1997-03-04']
        >>> Place(("claims.text",)).texts({"claims": [{"text": "A nail."}, {"text": "A bent nail."}]})
        ['A nail.', 'A bent nail.']
        """
        whole = (plain_text(self.name, item) for item in self.found(record))
        apart = (part for text in whole for part in (text.split(self.separator) if self.separator else [text]))
        parts = (_repaired(part, repairs).strip() for part in apart)
        texts = [self.values.get(part, part) for part in parts if part and part not in self.drop]
        if not texts and self.value:
            return [self.value]
        return texts[:1] if self.take == "first" else texts

    def drops(self, record: Any) -> bool:
        """Whether the value here is the code of an item to leave out."""
        return bool(self.drop) and any(plain_text(self.name, item) in self.drop for item in self.found(record))

    @property
    def name(self) -> str:
        return self.paths[0] if self.paths else ""


def _repaired(text: str, repairs: tuple[str, ...]) -> str:
    for name in repairs:
        text = REPAIRS[name](text)
    return text.replace("\r\n", "\n")


def _follow(value: Any, path: str) -> Iterator[Any]:
    """The values that a dotted path leads to; through a list it leads to each item, or by a number to one of them.

    A name may contain a dot: the whole rest of the path is tried before its first part.
    """
    if value is None or value == "":
        return
    if not path:
        if isinstance(value, list):
            for item in value:
                yield from _follow(item, "")
        else:
            yield value
        return
    first, _, rest = path.partition(".")
    if isinstance(value, dict):
        if path in value:
            yield from _follow(value[path], "")
        elif first in value:
            yield from _follow(value[first], rest)
    elif isinstance(value, list):
        if first.isdecimal() and first.isascii():
            yield from _follow(value[int(first[:9])] if int(first[:9]) < len(value) else None, rest)
        else:
            for item in value:
                yield from _follow(item, path)
