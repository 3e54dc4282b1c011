"""How often three measures reach the same conclusion about two systems.

example: leadline compare agreement qrels.txt runs/*.run -m "PRES@100 AP R@100"
"""

from __future__ import annotations

import argparse

from leadline.commands.comparing import define_inputs, scores_of
from leadline.commands.output import emit_table, say
from leadline.errors import InputError
from leadline.trust.agreement import agreement


def define(parser: argparse.ArgumentParser) -> None:
    define_inputs(parser)


def run(options: argparse.Namespace) -> None:
    scores = scores_of(options)
    if len(scores.measures) != 3:
        raise InputError("compare agreement", f"takes three measures, not {len(scores.measures)}: name them with -m")
    found = agreement(scores, scores.measures)
    emit_table(found.table(), options)
    if not options.quiet:
        say(dict.fromkeys((*scores.notes, *found.notes)))
