"""Scores by any attribute of the topics: office, class, number of relevant documents.

example: leadline compare slices qrels.txt runs/*.run -m PRES@100 --topics topics.csv --by office
"""

from __future__ import annotations

import argparse

from leadline.commands.comparing import define_inputs, scores_of
from leadline.commands.output import emit_table, say
from leadline.compare.slices import read_attributes, slices
from leadline.errors import InputError


def define(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--topics", metavar="FILE", required=True, help="a table of topics with their attributes")
    parser.add_argument("--by", metavar="COLUMN", required=True, help="the attribute")
    define_inputs(parser)


def run(options: argparse.Namespace) -> None:
    attributes = read_attributes(options.topics)
    if options.by not in attributes:
        raise InputError(options.topics, f"no column {options.by!r}; it has {', '.join(attributes)}")
    scores = scores_of(options)
    if len(scores.measures) != 1:
        raise InputError("compare slices", f"takes one measure, not {len(scores.measures)}: name it with -m")
    found = slices(scores, scores.measures[0], attributes[options.by], options.by)
    emit_table(found.table(), options)
    if not options.quiet:
        say(found.notes)
