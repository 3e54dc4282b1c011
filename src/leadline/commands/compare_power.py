"""How well a measure tells systems apart: the share of pairs it finds different.

example: leadline compare power qrels.txt runs/*.run -m "PRES@100 AP R@100" --test bootstrap
"""

from __future__ import annotations

import argparse

from leadline.commands.comparing import define_inputs, rng_of, scores_of
from leadline.commands.output import emit_table, say
from leadline.errors import checked_choice
from leadline.trust.power import power

TESTS = ("bootstrap", "tukey")


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--test", default="bootstrap", metavar="TEST", help=", ".join(TESTS))
    add("--alpha", type=float, default=0.05, help="a pair counts when its level is below this, 0.05 unless said")
    add("--draws", type=int, help="replicates, 10 000 unless said")
    define_inputs(parser)


def run(options: argparse.Namespace) -> None:
    checked_choice("--test", options.test, TESTS)
    scores = scores_of(options)
    draws = {} if options.draws is None else {"draws": options.draws}
    found = power(scores, scores.measures, test=options.test, alpha=options.alpha, seed=rng_of(options), **draws)
    emit_table(found.table(), options)
    if not options.quiet:
        say(dict.fromkeys((*scores.notes, *found.notes)))
