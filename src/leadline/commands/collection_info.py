"""What a collection holds: counts by office, kind, year and class, citations by origin, families.

example: leadline collection info patents --by subclass --figure patents.svg
"""

from __future__ import annotations

import argparse

from leadline.commands.output import check_output, define_output, emit, emit_table
from leadline.errors import checked_choice
from leadline.records.scores.table import Table


def define(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("collection", metavar="DIR", help="a collection")
    parser.add_argument("--by", metavar="WHAT", help="one count in full: office, kind, year, section, class, subclass, "
                        "origin, category, 'family size', language")  # fmt: skip
    parser.add_argument("--figure", metavar="FILE", help="the picture of it: .svg, .png, .pdf, .html or .json")
    define_output(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.counts import VIEWS, counts, summary
    from leadline.collections.documents.store import Collection
    from leadline.show.charts.save import check_ending, save

    check_output(options)
    if options.figure:
        check_ending(options.figure)
    if options.by:
        checked_choice("--by", options.by, VIEWS)
    collection = Collection.open(options.collection)
    if options.by:
        emit_table(Table([options.by, "count"], counts(collection, options.by).rows()), options)
    elif options.format == "table":
        blocks = [Table(["collection", options.collection], [list(row) for row in summary(collection)]).render("table")]
        blocks += [_block(counts(collection, view).rows(), view) for view in VIEWS[:-1]]
        emit("\n\n".join(blocks).encode() + b"\n", options.output)
    else:
        rows = [["collection", name.strip(), value] for name, value in summary(collection)]
        rows += [[view, value, count] for view in VIEWS for value, count in counts(collection, view).rows()]
        emit_table(Table(["what", "value", "count"], rows), options)
    if options.figure:
        from leadline.show.charts.collection_counts import chart

        save(chart(collection), options.figure)


SHOWN, BAR = 12, 40


def _block(rows: list[tuple[str, int]], view: str) -> str:
    """The largest counts of one view as bars."""
    shown = rows[-SHOWN:] if view == "year" else rows[:SHOWN]
    largest = max((count for _, count in shown), default=1)
    width = max((len(value) for value, _ in shown), default=0)
    lines = [f"by {view}" + (f" ({len(shown)} of {len(rows)})" if len(rows) > len(shown) else "")]
    lines += [f"  {value:<{width}} {count:>10,} {'█' * round(BAR * count / largest)}" for value, count in shown]
    return "\n".join(lines)
