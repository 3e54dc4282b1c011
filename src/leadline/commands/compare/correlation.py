"""Whether measures rank the systems alike: Kendall's tau and tau_AP of every two.

The column tau is tau_b, which corrects for ties, or what --tau asks for; tau_ap is always tau_AP.

Examples:
  leadline compare correlation qrels.txt runs/*.run -m "PRES@100 AP R@100"
  leadline compare correlation --scores scores.tsv --tau a
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.comparison import add_comparison_options, load_scores
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ranks", action="store_true", help="print the rank of every run under every measure instead")
    public("correlation").add(parser)
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.trust.measure_comparison import correlation

    scores = load_scores(options)
    result = correlation(scores, **public("correlation").given(options))
    write_table(result.ranks() if options.ranks else result.table(), options)
    print_notes((*scores.notes, *result.notes), options)
