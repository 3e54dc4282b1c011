"""Say how much of a review has been found at least, and what it costs to be sure of more.

FILE is a table of the documents read, in their order, with a header: `document`, `relevant` (1, 0 or ? for unsure), and
`drawn` (1 for documents drawn at random from what was unread, 0 before). Only the random draws carry the certificate,
so they must come last. Unsure documents count as relevant. docs/reviewing.md explains it.

Examples:
  leadline review stop reading.csv --documents 2500
  leadline review stop reading.csv --documents 2500 --target 0.9 --looks --format tsv
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILE
from leadline.commands.shared.options import add_options, check_format, whole_number
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public
from leadline.records.result import Table, counted

if TYPE_CHECKING:
    from leadline.judge.review.stopping import Certificate, ReadingTable

TARGETS = (0.8, 0.9, 0.95)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("reading", metavar="FILE", type=INPUT_FILE, help="table of what was read: document, relevant, drawn")
    add("--documents", metavar="N", type=whole_number(1), required=True, help="number of documents in the collection")
    public("simulate_review").add(parser, "target", target={"metavar": "RECALL"})
    public("compare").add(parser, "alpha")
    add("--looks", action="store_true", help="the certificate after each draw (default: after the last)")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.stopping import ReadingTable

    check_format(options)
    reading = ReadingTable.read(options.reading)
    looks = list(reading.looks(options.documents, options.target, options.alpha))
    last = looks[-1]
    if options.looks:
        columns = ["drawn", "relevant", "found", "recall at least", "estimate"]
        rows = [[each.drawn, each.hits, each.found + each.hits, each.recall, each.estimate] for each in looks]
        write_table(Table(columns, rows), options)
    else:
        write_table(_prices(reading, options), options)
    print_notes([*filter(None, (last.words, last.estimate_words)), *_notes(last, reading)], options)


def _prices(reading: ReadingTable, options: argparse.Namespace) -> Table:
    """What it costs to be sure of each target, if no further document that is drawn is relevant."""
    rows = []
    for target in sorted({*TARGETS, options.target}):
        found = reading.certificate(options.documents, target, options.alpha)
        rows.append([target, "yes" if found.is_reached else "no", found.recall, found.draws_needed])
    return Table(["target", "reached", "recall at least", "more to draw"], rows)


def _notes(last: Certificate, reading: ReadingTable) -> list[str]:
    notes = []
    if reading.unsure:
        notes.append(f"{counted(reading.unsure, 'document')} unsure or skipped, counted as relevant")
    if not last.drawn and last.unread:
        notes.append("nothing was drawn at random yet: until then nothing is known of what is unread")
    notes.append("more to draw: if none of them is relevant; each one that is makes it more")
    return notes
