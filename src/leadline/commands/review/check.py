"""Check a review in full, what a report of it certified, and whether it was drawn twice.

Each event of the journal has a hash that covers the one before it, and a report prints the last one. CERTIFICATE is
such a report: the PDF, its page saved from a browser, or only the hash. It may also be another copy of the review, its
folder or its backup: then their random draws are compared. Exits with status 1 if anything is damaged, if the journal
does not have these events any more, or if the review was drawn in two orders.

Examples:
  leadline review check asthma
  leadline review check asthma asthma.pdf
  leadline review check asthma monday.zip
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path

from leadline.commands.shared.argument_kinds import FILE_OR_WORD
from leadline.commands.shared.judging import add_review
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_review(parser)
    parser.add_argument(
        "certificate",
        metavar="CERTIFICATE",
        type=FILE_OR_WORD,
        nargs="?",
        help="a report of the review, its hash, or another copy",
    )
    add_options(parser, "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.project import ReviewProject, check_review, journal_notes

    folder = ReviewProject.open(options.review).folder
    lines = [f"{each.path}: {each.problem}; {each.mend}" for each in check_review(folder)]
    sound = not lines
    lines.append(f"the review {folder} is {'sound' if sound else 'damaged'}")
    if sound and options.certificate:
        said, sound = _certified(folder, options.certificate)
        lines += said
    write("".join(f"{line}\n" for line in lines), options.output)
    if sound:
        print_notes(journal_notes(folder), options)
    else:
        sys.exit(1)


def _certified(folder: Path, certificate: str) -> tuple[list[str], bool]:
    """Whether the journal has what a certificate says, or draws as another copy does, in sentences."""
    from leadline.judge.review.project import certified_events, compared_draws

    if Path(certificate).is_dir() or zipfile.is_zipfile(certificate):
        return compared_draws(folder, Path(certificate))
    named, events = certified_events(folder, certificate)
    if events is None:
        return [
            f"the journal does NOT have the events that {certificate} certified (head {named[:12]}…): some were "
            "taken out or changed since, or the report is of another copy of the review"
        ], False
    return [f"the journal still has the {counted(events, 'event')} that {certificate} certified, unchanged"], True
