"""Write an ideal run for judgements by subtopic.

Examples:
  leadline ideal claims.qrels --kind coverage -o ideal.run
"""

from __future__ import annotations

import argparse
from typing import get_args

from leadline.commands.shared.options import add_choice, add_options
from leadline.commands.shared.output import print_notes, write
from leadline.measures.aspects import Theta
from leadline.measures.ideal import Kind, ideal_run
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.scores.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "qrels", help="judgements by subtopic; - is standard input")
    add_choice(parser, "--kind", get_args(Kind), "subtopics in turn, or a single one after the other", "coverage")
    add_choice(parser, "--theta", get_args(Theta), "weights of subtopics", "equal")
    add_choice(parser, "--qrels-format", ("subtopics", "passages"), "format of the judgements", "subtopics")
    add_options(parser, "-o", "-q")


def run(options: argparse.Namespace) -> None:
    qrels = read_qrels(options.qrels, format=options.qrels_format)
    ideal = ideal_run(qrels, kind=options.kind, theta=options.theta)
    write(ideal.to_bytes(), options.output)
    if options.output not in (None, "-"):
        order = {"coverage": "one document of each subtopic in turn", "single": "one subtopic after the other"}
        lists = f"{counted(len(ideal.topics), 'topic')}, {counted(len(ideal), 'document')}, {order[options.kind]}"
        print_notes([f"{options.output}: the ideal run of {lists}"], options)
