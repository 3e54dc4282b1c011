"""What a collection holds: counts by office, kind, year, class, citations and families.

Examples:
  leadline collection info patents
  leadline collection info patents --by subclass --figure patents.svg
"""

from __future__ import annotations

import argparse

from leadline.collections.choices import VIEWS
from leadline.commands.shared.argument_kinds import OutputFile
from leadline.commands.shared.options import add_choice, add_options, as_written, check_format
from leadline.commands.shared.output import write, write_table
from leadline.records.result import Table
from leadline.show.choices import FIGURE_ENDINGS

ROWS = 12  # of one view on a terminal
BAR = 40  # columns of the longest bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "collection")
    add_choice(parser, "--by", VIEWS, "print one count in full", None, "the largest of each")
    endings = f"also draw a figure: {', '.join(FIGURE_ENDINGS)}"
    parser.add_argument("--figure", metavar="FILE", type=OutputFile(convert=as_written(_check_ending)), help=endings)
    add_options(parser, "-f", "-o")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import Collection, counts, summary

    check_format(options)
    collection = Collection.open(options.collection)
    if options.by:
        write_table(Table([options.by, "count"], counts(collection, options.by).rows()), options)
    elif options.format == "table":
        blocks = [Table(["collection", options.collection], [list(row) for row in summary(collection)]).render("table")]
        blocks += [_bars(counts(collection, view).rows(), view) for view in VIEWS[:-1]]
        write("\n\n".join(blocks) + "\n", options.output)
    else:
        rows = [["collection", name.strip(), value] for name, value in summary(collection)]
        rows += [[view, value, count] for view in VIEWS for value, count in counts(collection, view).rows()]
        write_table(Table(["what", "value", "count"], rows), options)
    if options.figure:
        from leadline.show.charts import save
        from leadline.show.collection_chart import collection_chart

        save(collection_chart(collection), options.figure)


def _check_ending(text: str) -> None:
    from leadline.show.charts import check_ending

    check_ending(text)


def _bars(rows: list[tuple[str, int]], view: str) -> str:
    """The largest counts of one view as bars."""
    shown = rows[-ROWS:] if view == "year" else rows[:ROWS]
    largest = max((count for _, count in shown), default=1)
    width = max((len(value) for value, _ in shown), default=0)
    lines = [f"by {view}" + (f" ({len(shown)} of {len(rows)})" if len(rows) > len(shown) else "")]
    lines += [f"  {value:<{width}} {count:>10,} {'█' * round(BAR * count / largest)}" for value, count in shown]
    return "\n".join(lines)
