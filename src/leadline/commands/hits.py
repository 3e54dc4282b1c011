"""Hits as lines of a page, and as rows of a table."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from leadline.commands.output import check_output, define_output
from leadline.commands.page import Page
from leadline.errors import InputError
from leadline.records.scores.table import Table
from leadline.search.answers.search_hits import Hit
from leadline.search.answers.snippets import Snippet

LINES = 2  # of a snippet
INDENT = " " * 6
COLUMNS = ("rank", "document", "score", "title", "published", "class", "members", "snippet")


def define_hits(parser: argparse.ArgumentParser, k: int) -> None:
    """The options of every command that shows hits."""
    add = parser.add_argument
    add("-k", type=int, default=k, help=f"how many families to show, {k} unless said")
    add("--collection", metavar="DIR", help="the collection, where it is no longer where the index was made from it")
    add("-q", "--quiet", action="store_true", help="print no notes")
    define_output(parser)


def check_hits(options: argparse.Namespace) -> None:
    """Refuse wrong requests before any file is read."""
    check_output(options)
    if options.k < 1:
        raise InputError("-k", f"{options.k} is no number of families to show")


def room(page: Page) -> int:
    """How many letters a snippet may have."""
    return LINES * (page.width - len(INDENT) - 2)


def shown(page: Page, hit: Hit, snippet: Snippet, more: Sequence[str] = ()) -> list[str]:
    """The lines of a hit: title and score, what is known of it, a snippet, and what else there is to say."""
    score = f"{hit.score:.3f}" if abs(hit.score) < 100 else f"{hit.score:,.1f}"
    lines = [page.across(hit.title or hit.name, score, indent=f"{hit.rank:>4}  ")]
    lines.append(page.joined(hit.facts, INDENT))
    lines += page.marked(snippet, INDENT, LINES)
    return [*lines, *(INDENT + page.quiet(text) for text in more if text)]


def table(hits: Sequence[Hit], snippets: Sequence[Snippet], more: Mapping[str, Sequence[Any]]) -> Table:
    """Hits for programs: a row each, without letters set off."""
    rows = [
        [hit.rank, hit.name, hit.score, hit.title, hit.published, hit.symbol, hit.members, snippet.text,
         *(values[place] for values in more.values())]
        for place, (hit, snippet) in enumerate(zip(hits, snippets, strict=True))
    ]  # fmt: skip
    return Table([*COLUMNS, *more], rows)
