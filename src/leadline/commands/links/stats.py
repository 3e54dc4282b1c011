"""Print what a crawl or a link graph holds, or how two overlap.

Pages, links, orphans, pages of each host and depth; of a crawl also how much of what it knows of was fetched, and how
old the pages were. With --against, the pages in both, and an estimate of the size of what both were drawn from.

Examples:
  leadline links stats edges.tsv --start A
  leadline links stats edges.tsv --against patents
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_TREE
from leadline.commands.shared.options import add_options, check_format, memory_budget
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError

if TYPE_CHECKING:
    from leadline.collections.links.statistics import LinkStatistics, Overlap


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("read_links").add(parser, "source", source={"metavar": "DIR|EDGES", "type": INPUT_TREE})
    parser.add_argument(
        "--against", metavar="DIR|EDGES", type=INPUT_TREE, help="another crawl or graph: print how the two overlap"
    )
    public("link_statistics").add(parser, "start", start={"metavar": "PAGE"})
    public("evaluate").add(parser, "memory")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.links.statistics import crawl_overlap, link_statistics

    check_format(options)
    if options.against is not None and options.start is not None:
        raise UsageError("--start", "cannot be combined with --against, which prints no depths")
    if options.against is not None and options.memory is not None:
        raise UsageError("--memory", "cannot be combined with --against, which holds the pages of both")
    result: Overlap | LinkStatistics
    if options.against is not None:
        result = crawl_overlap(options.source, options.against)
    else:
        result = link_statistics(options.source, start=options.start, memory=memory_budget(options))
    write_table(result.table(), options)
    print_notes(result.notes, options)
