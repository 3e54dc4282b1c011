"""Say how far a review has come, what is certified, and what more would cost.

Examples:
  leadline review status asthma
  leadline review status asthma --people
  leadline review status asthma --looks --format csv -o looks.csv
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.judging import add_review, open_review
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write_table
from leadline.records.result import Table

if TYPE_CHECKING:
    from leadline.judge.review.review_state import ReviewState


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_review(parser)
    parser.add_argument("--people", action="store_true", help="what each person read")
    parser.add_argument("--looks", action="store_true", help="the lower limit of recall over the documents read")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.audit import price_sentence
    from leadline.judge.review.next_step import population, prices_of_audit
    from leadline.judge.review.report import ReviewReport, audit_sentences, certificate_sentences

    check_format(options)
    state, events, head = open_review(options)
    if options.people:
        readers = ReviewReport.of(state, events).readers
        columns = ["person", "role", "abstracts", "full_texts", "audited", "first", "last"]
        rows = [
            [each.name, each.role, each.abstracts, each.full_texts, each.audited, each.first, each.last]
            for each in readers
        ]
        write_table(Table(columns, rows), options)
        return
    write_table(_looks(state) if options.looks else _rounds(state), options)
    number = state.project.current_round
    prices = [f"{100 * target:g} %: {price:,}" for target, price in state.prices(number).items()]
    said = f"more to draw at random to certify, if none of them is relevant: {', '.join(prices)}"
    quoted = prices_of_audit(state, number) if number not in state.audits and len(population(state, number)) else {}
    audit = [price_sentence(target, draws) for target, draws in quoted.items()]
    print_notes([*certificate_sentences(state), said, *audit_sentences(state), *audit, str(head)], options)


def _rounds(state: ReviewState) -> Table:
    columns = ["round", "documents", "read", "relevant", "drawn", "drawn_relevant", "recall_at_least", "estimate"]
    rows: list[list[object]] = []
    for each in state.project.rounds:
        found = state.round_certificate(each.number)
        mine = state.project.round_of == each.number
        certificate = found.certificate
        rows.append(
            [
                each.number,
                each.units,
                int((state.is_read & mine).sum()),
                int((state.relevant() & mine).sum()),
                certificate.drawn,
                certificate.hits,
                certificate.recall,
                certificate.estimate,
            ]
        )
    return Table(columns, rows)


def _looks(state: ReviewState) -> Table:
    found = state.round_certificate(state.project.current_round)
    looks = (found.looks.tolist(), found.bounds.tolist(), found.estimates.tolist())
    rows = [list(look) for look in zip(*looks, strict=True)]
    return Table(["read", "recall_at_least", "estimate"], rows)
