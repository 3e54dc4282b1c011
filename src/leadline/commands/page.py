"""A page of text for a terminal: as wide as it is, with bold and dim letters where it can show them."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadline.errors import printable
from leadline.search.answers.snippets import Snippet

WIDEST = 120  # columns: longer lines are hard to read
ELSEWHERE = 100  # columns, where no terminal tells


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese and Japanese signs take two, accents none.

    >>> columns("film"), columns("薄膜"), columns("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def fitted(text: str, width: int) -> str:
    """A text cut to a width at the end of a word, if it is too long.

    >>> fitted("A film of polymer", 12), fitted("A film", 12)
    ('A film of …', 'A film')
    """
    if columns(text) <= width:
        return text
    lines = broken(text, max(width - 2, 1))
    return text[slice(*lines[0])] + " …" if lines else ""


def broken(text: str, width: int) -> list[tuple[int, int]]:
    """Where the lines of a text begin and end, when it is broken between words; a word is cut only if it must be.

    >>> [text[a:b] for text in ["a bent nail of tin"] for a, b in broken(text, 7)]
    ['a bent', 'nail of', 'tin']
    """
    lines: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end, used = start, 0
        while end < len(text) and (used := used + columns(text[end])) <= width:
            end += 1
        if end < len(text) and text[end] != " " and " " in text[start:end]:
            end = text.rindex(" ", start, end)
        end = max(end, start + 1)
        lines.append((start, end))
        start = end + (end < len(text) and text[end] == " ")
    return lines


@dataclass(frozen=True)
class Page:
    """How wide a page is, and how letters are set off."""

    width: int
    bold: str = ""
    dim: str = ""
    plain: str = ""

    @classmethod
    def here(cls, output: str | None) -> Page:
        """The page of the terminal that output goes to; without letters set off where it goes to a file."""
        if output is not None or not sys.stdout.isatty():
            return cls(ELSEWHERE)
        width = min(shutil.get_terminal_size().columns, WIDEST)
        if "NO_COLOR" in os.environ:
            return cls(width)
        return cls(width, "\033[1m", "\033[2m", "\033[0m")

    def strong(self, text: str) -> str:
        return f"{self.bold}{printable(text)}{self.plain}"

    def quiet(self, text: str) -> str:
        return f"{self.dim}{printable(text)}{self.plain}"

    def rule(self) -> str:
        return self.quiet("─" * self.width)

    def across(self, left: str, right: str, *, indent: str = "") -> str:
        """A line with one text at its left, set off, and a quiet one at its right."""
        left = fitted(printable(left), max(self.width - columns(indent) - columns(right) - 2, 8))
        gap = self.width - columns(indent) - columns(left) - columns(right)
        return f"{indent}{self.strong(left)}{' ' * max(gap, 2)}{self.quiet(right)}".rstrip()

    def joined(self, parts: Iterable[str], indent: str) -> str:
        """Facts in a quiet line, with dots between them."""
        return indent + self.quiet(fitted(" · ".join(filter(None, parts)), self.width - columns(indent)))

    def paragraph(self, text: str, indent: str = "", lines: int | None = None) -> list[str]:
        """A text in as many lines as it takes, or as are allowed."""
        return self.marked(Snippet(printable(text), ()), indent, lines)

    def marked(self, snippet: Snippet, indent: str, lines: int | None = None) -> list[str]:
        """A snippet with its words in bold, each line behind the same indent."""
        text, width, marks = printable(snippet.text), self.width - columns(indent), snippet.marks
        ranges = broken(text, width)
        if lines is not None and len(ranges) > lines:
            last = ranges[lines - 1][0]
            rest = fitted(text[last:], width - 2)
            text = text[:last] + (rest if rest.endswith("…") else f"{rest} …")
            ranges = [*ranges[: lines - 1], (last, len(text))]
            marks = tuple((start, end) for start, end in marks if end < len(text) - 1)
        return [indent + self._line(text, start, end, marks) for start, end in ranges]

    def _line(self, text: str, start: int, end: int, marks: Sequence[tuple[int, int]]) -> str:
        inside = tuple((max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start)
        return Snippet(text[start:end], inside).shown(self.bold, self.plain)
