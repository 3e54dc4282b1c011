"""How well a measure tells systems apart: the share of pairs that differ significantly.

Examples:
  leadline compare power qrels.txt runs/*.run -m "PRES@100 AP R@100" --test bootstrap
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.comparison import add_comparison_options, load_scores, random_generator
from leadline.commands.shared.options import add_choice, add_options
from leadline.commands.shared.output import print_notes, write_table
from leadline.trust.power import power

TESTS = ("bootstrap", "tukey")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_choice(parser, "--test", TESTS, "test of a pair", "bootstrap")
    add_options(parser, "--alpha", "--draws")
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    scores = load_scores(options)
    result = power(
        scores, scores.measures, test=options.test, alpha=options.alpha, draws=options.draws,
        rng=random_generator(options),
    )  # fmt: skip
    write_table(result.table(), options)
    print_notes((*scores.notes, *result.notes), options)
