"""How easily a known page is found, by clicks along links and by search.

By links: the clicks from the front page, and the share of pages within 1 to 6. By search, with --index: the rank at
which a page is found by its own title, or by the queries of --topics. --by-page lists the pages, hardest to find first.

Examples:
  leadline links findability edges.tsv --front A
  leadline links findability patents --front EP1437003A1 --index patents.index --sample 20 --by-page -k 10
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import INPUT_TREE
from leadline.commands.shared.options import add_number, add_options, check_format
from leadline.commands.shared.output import print_notes, progress_bar, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError

WITH_INDEX = ("topics", "qrels", "system")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    source = {"metavar": "DIR|EDGES", "type": INPUT_TREE}
    public("findability").add(parser, source=source, front={"metavar": "PAGE", "action": "append"})
    public("compare").add(parser, "seed")
    parser.add_argument("--by-page", action="store_true", help="print pages, hardest to find first")
    add_number(parser, "-k", "pages to print (default: 20 in a table, all in other formats)")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.findability import findability

    check_format(options)
    if options.k is not None and not options.by_page:
        raise UsageError("-k", "is the number of pages to print: give --by-page as well")
    for name in WITH_INDEX:
        if getattr(options, name) is not None and options.index is None:
            raise UsageError(f"--{name}", "needs --index as well")
    if (options.topics is None) != (options.qrels is None):
        given, missing = ("--topics", "--qrels") if options.qrels is None else ("--qrels", "--topics")
        raise UsageError(given, f"needs {missing} as well: judgements say which page each topic asks for")
    if options.depth < options.rank:
        raise UsageError("--depth", f"must be at least --rank, {options.rank:,}, got {options.depth:,}")
    with progress_bar("searching", quiet=options.quiet) as progress:
        found = findability(**public("findability").given(options, rng=options.seed, progress=progress))
    if not options.by_page:
        write_table(found.table(), options)
        print_notes(found.notes, options)
        return
    short = options.format == "table" and options.output is None
    most = options.k if options.k is not None else 20 if short else None
    write_table(found.page_table(most), options)
    hidden = len(found.pages) - min(len(found.pages), most or len(found.pages))
    more = [f"{hidden:,} more pages: -k {len(found.pages)} prints all"] if hidden else []
    print_notes((*found.notes, *more), options)
