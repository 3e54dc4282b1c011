"""Hits as lines on a page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from leadline.commands.shared.options import add_options
from leadline.commands.shared.terminal_page import TerminalPage
from leadline.retrieval.answers.search_hits import Hit
from leadline.retrieval.answers.snippets import Snippet

LINES = 2  # of a snippet
INDENT = " " * 6


def add_result_options(parser: argparse.ArgumentParser, k: int) -> None:
    """The options of a command that lists hits."""
    add_options(parser, "-k", default=k, help="number of families to show (default: %(default)s)")
    add_options(parser, "--collection", "-f", "-o", "-q")


def snippet_length(page: TerminalPage) -> int:
    """The number of characters that a snippet may have."""
    return LINES * (page.width - len(INDENT) - 2)


def hit_lines(page: TerminalPage, hit: Hit, snippet: Snippet, more: Sequence[str] = ()) -> list[str]:
    """The lines of a hit: title and score, its facts, a snippet, and more lines."""
    score = f"{hit.score:.3f}" if abs(hit.score) < 100 else f"{hit.score:,.1f}"
    lines = [page.heading(hit.title or hit.name, score, indent=f"{hit.rank:>4}  ")]
    lines.append(page.facts(hit.facts, INDENT))
    lines += page.snippet(snippet, INDENT, LINES)
    return [*lines, *(INDENT + page.dimmed(text) for text in more if text)]
