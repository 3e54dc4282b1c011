"""How often three measures agree on which of two systems is better.

Examples:
  leadline compare agreement qrels.txt runs/*.run -m "PRES@100 AP R@100"
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.comparison import add_comparison_options, load_scores
from leadline.commands.shared.output import print_notes, write_table
from leadline.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.trust.measure_comparison import agreement

    scores = load_scores(options)
    if len(scores.measures) != 3:
        raise UsageError("-m", f"name three measures, got {len(scores.measures)}")
    result = agreement(scores, scores.measures)
    write_table(result.table(), options)
    print_notes((*scores.notes, *result.notes), options)
