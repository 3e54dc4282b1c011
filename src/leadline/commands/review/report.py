"""Write the report of a review as PDF: what was read, by whom, and what is certified.

Examples:
  leadline review report asthma -o asthma.pdf
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.judging import add_review, open_review
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_review(parser)
    add_options(parser, "-o", required=True, help="file to write, a PDF")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.report import ReviewReport
    from leadline.show.serve.reviewing_figures import report_pdf

    state, events, head = open_review(options)
    report = ReviewReport.of(state, events, head)
    number = state.project.current_round
    write(report_pdf(report, state.round_certificate(number), state.round_audit(number)), options.output)
    print_notes([*report.certificate, *report.audit, *report.machines, str(head)], options)
