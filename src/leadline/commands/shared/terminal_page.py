"""Lay out text for a terminal: its width, bold and dim, one screen at a time, and hits as lines."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.commands.shared.options import add_options, choice
from leadline.commands.shared.output import shown_text, write
from leadline.commands.shared.signature import public
from leadline.errors import visible
from leadline.records.result import FORMATS

if TYPE_CHECKING:
    from leadline.retrieval.passages import Snippet
    from leadline.retrieval.word_search import Hit

WIDEST = 120  # columns: longer lines are hard to read
FILE_WIDTH = 100  # columns, if the output is not a terminal


def display_width(text: str) -> int:
    """The number of terminal columns that a text takes: Chinese and Japanese characters take two, accents none.

    >>> display_width("film"), display_width("薄膜"), display_width("e\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def shorten(text: str, width: int) -> str:
    """Cut a text that is too long for the width at the end of a word.

    >>> shorten("A film of polymer", 12), shorten("A film", 12)
    ('A film of …', 'A film')
    """
    if display_width(text) <= width:
        return text
    lines = line_ranges(text, max(width - 2, 1))
    return text[slice(*lines[0])] + " …" if lines else ""


def line_ranges(text: str, width: int) -> list[tuple[int, int]]:
    """The start and end of each line of a text broken between words; a word is cut only if it is too long.

    >>> [text[a:b] for text in ["a bent nail of tin"] for a, b in line_ranges(text, 7)]
    ['a bent', 'nail of', 'tin']
    """
    lines: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end, used = start, 0
        while end < len(text) and (used := used + display_width(text[end])) <= width:
            end += 1
        if end < len(text) and text[end] != " " and " " in text[start:end]:
            end = text.rindex(" ", start, end)
        end = max(end, start + 1)
        lines.append((start, end))
        start = end + (end < len(text) and text[end] == " ")
    return lines


@dataclass(frozen=True)
class TerminalPage:
    """The width of a page, and the codes for bold, dim and plain text."""

    width: int
    bold: str = ""
    dim: str = ""
    plain: str = ""

    @classmethod
    def for_output(cls, output: str | None) -> TerminalPage:
        """The page for the terminal, or a plain one if the output is a file."""
        if output is not None or not sys.stdout.isatty():
            return cls(FILE_WIDTH)
        width = min(shutil.get_terminal_size().columns, WIDEST)
        if "NO_COLOR" in os.environ:
            return cls(width)
        return cls(width, "\033[1m", "\033[2m", "\033[0m")

    def strong(self, text: str) -> str:
        return f"{self.bold}{visible(text)}{self.plain}"

    def dimmed(self, text: str) -> str:
        return f"{self.dim}{visible(text)}{self.plain}"

    def rule(self) -> str:
        return self.dimmed("─" * self.width)

    def heading(self, left: str, right: str, *, indent: str = "") -> str:
        """A line with bold text at the left and dim text at the right."""
        left = shorten(visible(left), max(self.width - display_width(indent) - display_width(right) - 2, 8))
        gap = self.width - display_width(indent) - display_width(left) - display_width(right)
        return f"{indent}{self.strong(left)}{' ' * max(gap, 2)}{self.dimmed(right)}".rstrip()

    def facts(self, parts: Iterable[str], indent: str) -> str:
        """A dim line of facts with dots between them."""
        return indent + self.dimmed(shorten(" · ".join(filter(None, parts)), self.width - display_width(indent)))

    def paragraph(self, text: str, indent: str = "", lines: int | None = None) -> list[str]:
        """A text broken into lines, at most `lines` of them."""
        from leadline.retrieval.passages import Snippet

        return self.snippet(Snippet(visible(text), ()), indent, lines)

    def snippet(self, snippet: Snippet, indent: str, lines: int | None = None) -> list[str]:
        """A snippet broken into lines, with its marked words in bold."""
        text, width, marks = visible(snippet.text), self.width - display_width(indent), snippet.marks
        ranges = line_ranges(text, width)
        if lines is not None and len(ranges) > lines:
            last = ranges[lines - 1][0]
            rest = shorten(text[last:], width - 2)
            text = text[:last] + (rest if rest.endswith("…") else f"{rest} …")
            ranges = [*ranges[: lines - 1], (last, len(text))]
            marks = tuple((start, end) for start, end in marks if end < len(text) - 1)
        return [indent + self._line(text, start, end, marks) for start, end in ranges]

    def _line(self, text: str, start: int, end: int, marks: Sequence[tuple[int, int]]) -> str:
        from leadline.retrieval.passages import Snippet

        inside = tuple((max(a, start) - start, min(b, end) - start) for a, b in marks if a < end and b > start)
        return Snippet(text[start:end], inside).shown(self.bold, self.plain)


# Show a long text on a terminal one screen at a time.


PLAIN = "cat"  # as $PAGER: print everything at once


def write_paged(text: str, output: str | None) -> None:
    """Write a text; on a terminal that it does not fit, through $PAGER, or less where there is one."""
    command = _pager() if output is None and _needs_pager(text) else []
    if not command:
        write(text, output)
        return
    # R: bold and dim are shown, F and X: a text of one screen stays on it.
    environment = {"LESS": "FRX", **os.environ}
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as pager:
            pager.communicate(shown_text(text).encode())
    except BrokenPipeError:
        pass  # the reader has seen enough
    except OSError:
        write(text)


def _needs_pager(text: str) -> bool:
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        return False
    return text.count("\n") >= shutil.get_terminal_size().lines


def _pager() -> list[str]:
    """The command of the pager; empty for none."""
    chosen = os.environ.get("PAGER")
    if chosen is None:
        less = shutil.which("less")
        return [less] if less else []
    try:
        command = shlex.split(chosen)
    except ValueError:  # a quote without its end
        return []
    return command if command and command != [PLAIN] and shutil.which(command[0]) else []


# Hits as lines on a page.


LINES = 2  # of a snippet
INDENT = " " * 6


def add_result_options(parser: argparse.ArgumentParser, function: str, *more_formats: str) -> None:
    """The options of a command that lists the hits of a public function, in tables and perhaps more formats."""
    public(function).add(parser, "k", k={"flags": ["-k"]})
    formats = (*FORMATS, *more_formats)
    words = f"output format: {', '.join(formats)} (default: %(default)s)"
    add_options(parser, "--collection")
    add_options(parser, "-f", type=choice(formats), help=words)
    add_options(parser, "-o", "-q")


def snippet_length(page: TerminalPage) -> int:
    """The number of characters that a snippet may have."""
    return LINES * (page.width - len(INDENT) - 2)


def hit_lines(page: TerminalPage, hit: Hit, snippet: Snippet, places: int, more: Sequence[str] = ()) -> list[str]:
    """The lines of a hit: title and score with so many decimals, its facts, a snippet, and more lines."""
    lines = [page.heading(hit.title or hit.name, f"{hit.score:,.{places}f}", indent=f"{hit.rank:>4}  ")]
    lines.append(page.facts(hit.facts, INDENT))
    lines += page.snippet(snippet, INDENT, LINES)
    return [*lines, *(INDENT + page.dimmed(text) for text in more if text)]
