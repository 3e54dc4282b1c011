"""Write one of the two ideal runs for judgements by subtopic.

example: leadline ideal claims.qrels --kind coverage -o ideal.run
"""

from __future__ import annotations

import argparse

from leadline.commands.output import emit
from leadline.errors import checked_choice
from leadline.measures.ideal import ideal_run
from leadline.records.qrels.read_qrels import read_qrels


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="judgements by subtopic")
    add("--kind", default="coverage", help="coverage: subtopics in turn; single: one after the other")
    add("--theta", default="equal", help="weights of subtopics: equal, claims, decay, halving, given")
    add("--qrels-format", metavar="FORMAT", help="subtopics or passages")
    add("-o", "--output", metavar="RUN", help="the run to write")


def run(options: argparse.Namespace) -> None:
    checked_choice("--kind", options.kind, ("coverage", "single"))
    checked_choice("--theta", options.theta, ("equal", "claims", "decay", "halving", "given"))
    qrels = read_qrels(options.qrels, format=options.qrels_format or "subtopics")
    emit(ideal_run(qrels, kind=options.kind, theta=options.theta).to_bytes(), options.output)
