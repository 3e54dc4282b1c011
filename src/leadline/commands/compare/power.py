"""How well a measure tells systems apart: the share of pairs that differ significantly.

Examples:
  leadline compare power qrels.txt runs/*.run -m "PRES@100 AP R@100" --test bootstrap
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.comparison import add_comparison_options, load_scores
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("power").add(parser, "test", "alpha", "draws")
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.trust.measure_comparison import power

    scores = load_scores(options)
    result = power(scores, scores.measures, **public("power").given(options))
    write_table(result.table(), options)
    print_notes((*scores.notes, *result.notes), options)
