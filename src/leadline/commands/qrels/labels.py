"""Judgements from the labels of a systematic review: included is relevant, excluded is not.

FILE is an export of ASReview (CSV or RIS) or a table with a column such as `included` or `label_included`. Each file is
a topic. Documents have the ids that `leadline collection build FILE` gives them.

Examples:
  leadline qrels labels review.csv -o review.qrels
  leadline qrels labels review.csv --column label_abstract_screening --topic ADHD -o screening.qrels
"""

from __future__ import annotations

import argparse

from leadline.collections.choices import LABELLED_FORMS
from leadline.commands.shared.argument_kinds import INPUT_FILES, OutputFile
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "-o", type=OutputFile("qrels"), required=True, help="judgements file to write")
    public("read_labels").add(
        parser,
        sources={"metavar": "FILE", "type": INPUT_FILES, "nargs": "+"},
        column={"metavar": "NAME"},
        topic={"metavar": "NAME"},
        form={"choices": LABELLED_FORMS},
    )
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.labels import read_labels

    qrels = read_labels(**public("read_labels").given(options))
    write(qrels.to_bytes(), options.output)
    relevant = int((qrels.grades >= 1).sum())
    sizes = f"{counted(len(qrels), 'label')} of {counted(len(qrels.topics), 'topic')}"
    print_notes([f"{sizes}, {relevant:,} of them relevant"], options)
