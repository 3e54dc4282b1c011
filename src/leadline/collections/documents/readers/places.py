"""Where in a foreign record a value is, and how it is taken from there."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from leadline.collections.documents.readers.values import plain_text

_FROM_WINDOWS = {
    ord(character): byte
    for byte in range(0x80, 0xA0)
    if (character := bytes([byte]).decode("cp1252", "ignore"))  # five of the bytes have no character
}


def mend_utf8(text: str) -> str:
    """A text that was taken for Latin-1 or Windows-1252 and encoded again; any other stays as it is.

    It is mended whole or not at all: a text that was right cannot be turned into UTF-8 that is valid throughout.

    >>> mend_utf8("dÃ©crit"), mend_utf8("décrit"), mend_utf8("â€œnailâ€\\x9d")
    ('décrit', 'décrit', '“nail”')
    """
    if text.isascii():
        return text
    try:
        return text.translate(_FROM_WINDOWS).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


MENDERS: dict[str, Callable[[str], str]] = {"utf8": mend_utf8, "entities": html.unescape}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is: the first of some paths that leads to anything, else a fixed value."""

    paths: tuple[str, ...] = ()
    value: str = ""
    separator: str = ""  # divides one text into several
    take: str = "all"  # or "first": what stands before the separator
    values: Mapping[str, str] = field(default_factory=dict, hash=False)  # the source's codes and what they mean
    drop: frozenset[str] = frozenset()  # codes of what is to be left out

    def found(self, record: Any) -> list[Any]:
        """What is at the first path that leads to anything."""
        for path in self.paths:
            if found := list(_follow(record, path)):
                return found
        return []

    def texts(self, record: Any, mend: tuple[str, ...] = ()) -> list[str]:
        """The texts at this place, in one line each or as they are broken, without blanks around them.

        >>> Place(("biblio.dates",), separator="|").texts({"biblio": {"dates": "1998-08-12 | 1997-03-04"}})
        ['1998-08-12', '1997-03-04']
        >>> Place(("claims.text",)).texts({"claims": [{"text": "A nail."}, {"text": "A bent nail."}]})
        ['A nail.', 'A bent nail.']
        """
        whole = (plain_text(self.name, item) for item in self.found(record))
        apart = (part for text in whole for part in (text.split(self.separator) if self.separator else [text]))
        parts = (_mended(part, mend).strip() for part in apart)
        texts = [self.values.get(part, part) for part in parts if part and part not in self.drop]
        if not texts and self.value:
            return [self.value]
        return texts[:1] if self.take == "first" else texts

    def text(self, record: Any, mend: tuple[str, ...] = ()) -> str:
        """All that is at this place as one text, a line each."""
        return "\n".join(self.texts(record, mend))

    def drops(self, record: Any) -> bool:
        """Whether what is here is a code of something to be left out."""
        return bool(self.drop) and any(plain_text(self.name, item) in self.drop for item in self.found(record))

    @property
    def name(self) -> str:
        return self.paths[0] if self.paths else ""


def _mended(text: str, mend: tuple[str, ...]) -> str:
    for name in mend:
        text = MENDERS[name](text)
    return text.replace("\r\n", "\n")


def _follow(value: Any, path: str) -> Iterator[Any]:
    """What a dotted path leads to; through a list it leads to each item, or by a number to one of them.

    A name with a dot in it is found too: the whole of the rest is tried before its first part.
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
