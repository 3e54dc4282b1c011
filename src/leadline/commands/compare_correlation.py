"""Do two measures rank the systems alike? Kendall's tau and tau_AP of every two measures.

example: leadline compare correlation qrels.txt runs/*.run -m "PRES@100 AP R@100"
"""

from __future__ import annotations

import argparse

from leadline.commands.comparing import define_inputs, scores_of
from leadline.commands.output import emit_table, say
from leadline.trust.correlation import correlation


def define(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ranks", action="store_true", help="the rank of every run under every measure instead")
    define_inputs(parser)


def run(options: argparse.Namespace) -> None:
    scores = scores_of(options)
    found = correlation(scores)
    emit_table(found.ranks() if options.ranks else found.table(), options)
    if not options.quiet:
        say(dict.fromkeys((*scores.notes, *found.notes)))
