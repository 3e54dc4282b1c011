"""Whether measures rank the systems alike: Kendall's tau and tau_AP of every two.

Examples:
  leadline compare correlation qrels.txt runs/*.run -m "PRES@100 AP R@100"
  leadline compare correlation --scores scores.tsv
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.comparison import add_comparison_options, load_scores
from leadline.commands.shared.output import print_notes, write_table
from leadline.trust.correlation import correlation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ranks", action="store_true", help="print the rank of every run under every measure instead")
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    scores = load_scores(options)
    result = correlation(scores)
    write_table(result.ranks() if options.ranks else result.table(), options)
    print_notes((*scores.notes, *result.notes), options)
