"""The options that the commands of `leadline links` share."""

from __future__ import annotations

import argparse

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.page_scores import PageScores
from leadline.collections.links.reading import read_links
from leadline.commands.shared.options import add_choice, add_number, add_options, check_format, memory_budget
from leadline.commands.shared.output import print_notes, write_table

SOURCE = (
    "folder of a crawl or of a collection with citations, or an edge list: source, target, perhaps weight or anchor"
)


def add_link_options(parser: argparse.ArgumentParser) -> None:
    """The source of links, and which of them count."""
    parser.add_argument("source", metavar="DIR|EDGES", help=SOURCE)
    add_choice(parser, "--self-links", ("count", "drop"), "links from a page to itself", "count")
    add_choice(parser, "--nofollow", ("drop", "count"), "links of a crawl that are marked nofollow", "drop")
    add_choice(
        parser, "--pages", ("fetched", "all"), "pages of a crawl: those fetched, or all that are linked to", "fetched"
    )


def add_score_options(parser: argparse.ArgumentParser) -> None:
    """The source, and how the scores are printed."""
    add_link_options(parser)
    add_number(parser, "-k", "pages to print (default: 20 in a table, all in other formats)")
    add_options(parser, "--memory", "-f", "-o", "-q")


def read_link_source(options: argparse.Namespace) -> LinkGraph:
    """The graph that the arguments name."""
    return read_links(
        options.source, self_links=options.self_links, nofollow=options.nofollow, pages=options.pages,
        memory=memory_budget(options) if "memory" in options else None,
    )  # fmt: skip


def write_scores(scores: PageScores, options: argparse.Namespace) -> None:
    """Print pages with their scores, best first, and the notes."""
    check_format(options)
    most = options.k if options.k is not None else 20 if options.format == "table" and options.output is None else None
    write_table(scores.table(most), options)
    hidden = len(scores) - min(len(scores), most or len(scores))
    print_notes((*scores.notes, *([f"{hidden:,} more pages: -k {len(scores)} prints all"] if hidden else [])), options)
