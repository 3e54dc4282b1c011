"""Scores by any attribute of the topics: office, class, number of relevant documents.

example: leadline compare slices qrels.txt runs/*.run -m PRES@100 --topics topics.csv --by office
"""

from __future__ import annotations

import argparse

import numpy as np

from leadline.commands.comparing import check_inputs, define_inputs, scores_of
from leadline.commands.output import emit_table, say
from leadline.errors import InputError
from leadline.records.qrels.read_qrels import read_qrels
from leadline.trust.slices import read_attributes, slices


def define(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--topics", metavar="FILE", help="a table of topics with their attributes")
    parser.add_argument("--by", metavar="COLUMN", required=True, help="the attribute; `relevant` is how many are known")
    define_inputs(parser)


def run(options: argparse.Namespace) -> None:
    attributes = read_attributes(options.topics) if options.topics else {}
    check_inputs(options)
    if options.by == "relevant" and options.by not in attributes and options.inputs:
        attributes["relevant"] = _relevant(options)
    if options.by not in attributes:
        where = options.topics or "--topics"
        raise InputError(where, f"no column {options.by!r}; it has {', '.join(attributes) or 'none: give a file'}")
    scores = scores_of(options)
    if len(scores.measures) != 1:
        raise InputError("compare slices", f"takes one measure, not {len(scores.measures)}: name it with -m")
    found = slices(scores, scores.measures[0], attributes[options.by], options.by)
    emit_table(found.table(), options)
    if not options.quiet:
        say(dict.fromkeys((*scores.notes, *found.notes)))


def _relevant(options: argparse.Namespace) -> dict[str, int]:
    """How many relevant documents each topic has, by its judgements."""
    qrels = read_qrels(options.inputs[0], format=options.qrels_format)
    relevant = qrels.topic_of_document[qrels.grades >= (1 if options.rel is None else options.rel)]
    counts = np.bincount(relevant, minlength=len(qrels.topics))
    return dict(zip(qrels.topics, counts.tolist(), strict=True))
