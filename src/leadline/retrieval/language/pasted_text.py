"""Signs that a keyboard, a word processor or a web page puts in place of those of the query language."""

from __future__ import annotations

import re

_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # of Chinese and Japanese keyboards
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF), " ")  # blanks without a width
_DASH_BEFORE_PART = re.compile(r"(?<![^\s(])([−‐‑‒–])(?=([^\W\d_][^\s()]{0,40}|[\"“„«(]))")
_SINGLE_QUOTES = re.compile(r"(?<![^\s(:=])['‘]([^\W_][^'‘’\n]{0,80}\s[^'‘’\n]{0,80})['’](?!\w)")
_BRACKETS = re.compile(r"(?<!\w)(?:\[([^\[\]{}]{1,5000})\]|\{([^\[\]{}]{1,5000})\})(?!\w)")
_OPERATOR = re.compile(r"\s(?:AND|OR|NOT|NEAR|ADJ|SAME|WITH|UND|ODER|NICHT|(?:NEAR|ADJ|PRE|W|N)/?[0-9]+)\s")
_AMBIGUOUS = re.compile(r"['\[{]")  # of the signs below those that are ASCII
_DEEPEST = 5  # brackets within brackets
MOST_NOTES = 5  # about one kind of sign


def cleaned(text: str) -> tuple[str, list[str]]:
    """The text with plain signs, as long as before, and notes on signs that can be read in two ways.

    >>> cleaned("（film OR foil）ＡＮＤ metal")
    ('(film OR foil)AND metal', [])
    >>> cleaned("film –metal")
    ('film -metal', ['–metal was taken as -metal, without it: a dash before a word excludes the word'])
    """
    if text.isascii() and not _AMBIGUOUS.search(text):
        return text, []
    text = text.translate(_FULL_WIDTH | _INVISIBLE)
    notes = [
        f"{match[1]}{match[2]} was taken as -{match[2]}, without it: a dash before a word excludes the word"
        for match in _DASH_BEFORE_PART.finditer(text)
    ]
    quoted = [
        f'{match[0]} was taken as words: a phrase is written "{match[1]}"' for match in _SINGLE_QUOTES.finditer(text)
    ]
    text, grouped = _with_parentheses(_DASH_BEFORE_PART.sub("-", text))
    return text, [*notes[:MOST_NOTES], *quoted[:MOST_NOTES], *grouped[:MOST_NOTES]]


def _with_parentheses(text: str) -> tuple[str, list[str]]:
    """The text with parentheses in place of brackets that hold an operator or follow a field, and notes on them.

    >>> _with_parentheses("[film OR foil] AND metal")
    ('(film OR foil) AND metal', ['[film OR foil] was taken as (film OR foil)'])
    >>> _with_parentheses("[2010 TO 2015] benzo[a]pyrene")[1]
    []
    """
    notes: list[str] = []

    def enclosed(match: re.Match[str]) -> str:
        inside, before = match[1] or match[2], text[match.start() - 1 : match.start()]
        if not _OPERATOR.search(inside) and not (before and before in ":=" and " TO " not in inside):
            return match[0]
        shown = inside if len(inside) <= 40 else f"{inside[:39]}…"
        notes.append(f"{match[0][0]}{shown}{match[0][-1]} was taken as ({shown})")
        return f"({inside})"

    for _ in range(_DEEPEST):
        count = len(notes)
        text = _BRACKETS.sub(enclosed, text)
        if len(notes) == count:
            break
    return text, notes
