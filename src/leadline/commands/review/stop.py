"""Say how much of a review has been found at least, and what it costs to be sure of more.

FILE is a table of the documents read, in their order, with a header: `document`, `relevant` (1, 0 or ? for unsure), and
`drawn` (1 for documents drawn at random from what was unread, 0 before). Only the random draws carry the certificate,
so they must come last. Unsure documents count as relevant. docs/reviewing.md explains it.

What readers overlook is not covered by this. With --audit, FILE is what an expert decided on: first the documents that
readers kept, with what else was decided before the draws, then those drawn at random from all the others, unread or
rejected. What is certified then holds by the expert's standard.

Examples:
  leadline review stop reading.csv --documents 2500
  leadline review stop reading.csv --documents 2500 --target 0.9 --looks --format tsv
  leadline review stop audit.csv --audit --documents 2500
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
    add("--audit", action="store_true", help="FILE is the table of an audit: what an expert decided")
    add("--looks", action="store_true", help="the certificate after each draw (default: after the last)")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.stopping import ReadingTable

    check_format(options)
    reading = ReadingTable.read(options.reading)
    looks = list(reading.looks(options.documents, options.target, options.alpha, _kind(options)))
    last = looks[-1]
    if options.looks:
        columns = ["drawn", "relevant", "found", "recall at least", "estimate"]
        rows = [[each.drawn, each.hits, each.found + each.hits, each.recall, each.estimate] for each in looks]
        write_table(Table(columns, rows), options)
    else:
        write_table(_prices(reading, options), options)
    words = filter(None, (last.words, last.estimate_words))
    print_notes([*words, *_notes(last, reading), *_audit_prices(last, reading, options)], options)


def _kind(options: argparse.Namespace) -> type[Certificate]:
    """Whose standard it is: the readers', or an expert's."""
    from leadline.judge.review.audit import AuditCertificate
    from leadline.judge.review.stopping import Certificate

    return AuditCertificate if options.audit else Certificate


def _prices(reading: ReadingTable, options: argparse.Namespace) -> Table:
    """What it costs to be sure of each target, if no further document that is drawn is relevant."""
    rows = []
    for target in sorted({*TARGETS, options.target}):
        found = reading.certificate(options.documents, target, options.alpha, _kind(options))
        rows.append([target, "yes" if found.is_reached else "no", found.recall, found.draws_needed])
    return Table(["target", "reached", "recall at least", "more to draw"], rows)


def _audit_prices(last: Certificate, reading: ReadingTable, options: argparse.Namespace) -> list[str]:
    """What an audit would draw in all, quoted before it begins, with 0, 2 and 5 % overlooked."""
    from leadline.judge.review.audit import audit_prices, price_sentence

    found = last.found + last.hits
    others = options.documents - (len(reading.before) if options.audit else found)
    if not others or (options.audit and last.drawn):
        return []
    prices = audit_prices(found, others, {*TARGETS, options.target}, options.alpha)
    return [price_sentence(target, draws) for target, draws in prices.items()]


def _notes(last: Certificate, reading: ReadingTable) -> list[str]:
    notes = []
    if reading.unsure:
        notes.append(f"{counted(reading.unsure, 'document')} unsure or skipped, counted as relevant")
    if not last.drawn and last.unread:
        notes.append("nothing was drawn at random yet: until then nothing is known of what is unread")
    notes.append("more to draw: if none of them is relevant; each one that is makes it more")
    return notes
