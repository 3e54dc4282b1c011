"""Signs that a keyboard, a word processor or a web page puts in place of those of the query language."""

from __future__ import annotations

import re

_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # of Chinese and Japanese keyboards
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF), " ")  # blanks without a width
_DASH_BEFORE_PART = re.compile(r"(?<![^\s(])([−‐‑‒–])(?=([^\W\d_][^\s()]{0,40}|[\"“„«(]))")
_SINGLE_QUOTES = re.compile(r"(?<![^\s(:=])['‘]([^\W_][^'‘’\n]{0,80}\s[^'‘’\n]{0,80})['’](?!\w)")
MOST_NOTES = 5  # about one kind of sign


def cleaned(text: str) -> tuple[str, list[str]]:
    """The text with plain signs, as long as before, and notes on signs that can be read in two ways.

    >>> cleaned("（film OR foil）ＡＮＤ metal")
    ('(film OR foil)AND metal', [])
    >>> cleaned("film –metal")
    ('film -metal', ['–metal was taken as -metal, without it: a dash before a word excludes the word'])
    """
    text = text.translate(_FULL_WIDTH | _INVISIBLE)
    notes = [
        f"{match[1]}{match[2]} was taken as -{match[2]}, without it: a dash before a word excludes the word"
        for match in _DASH_BEFORE_PART.finditer(text)
    ]
    quoted = [
        f'{match[0]} was taken as words: a phrase is written "{match[1]}"' for match in _SINGLE_QUOTES.finditer(text)
    ]
    return _DASH_BEFORE_PART.sub("-", text), [*notes[:MOST_NOTES], *quoted[:MOST_NOTES]]
