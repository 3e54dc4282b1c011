"""Which of two systems is better, for every pair: difference, effect, interval, p.

example: leadline compare pairs qrels.txt runs/*.run -m PRES@100 --test randomisation --correction holm
"""

from __future__ import annotations

import argparse

from leadline.commands.comparing import define_inputs, rng_of, scores_of
from leadline.commands.output import emit, emit_table, say
from leadline.errors import checked_choice
from leadline.records.scores.table import Table
from leadline.trust.pairs import compare, triangle

TESTS = ("randomisation", "t", "wilcoxon", "bootstrap", "tukey")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
FEW_PAIRS = 15  # fit a screen beside the summary


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--test", default="randomisation", metavar="TEST", help=", ".join(TESTS))
    add("--correction", default="holm", metavar="HOW", help=", ".join(CORRECTIONS))
    add("--draws", type=int, default=100_000, help="of a randomised test, 100 000 unless said")
    add("--alpha", type=float, default=0.05, help="the level of the letters, 0.05 unless said")
    add("--triangle", action="store_true", help="p of the t-test below and of randomisation above the diagonal")
    define_inputs(parser)


def run(options: argparse.Namespace) -> None:
    checked_choice("--test", options.test, TESTS)
    checked_choice("--correction", options.correction, CORRECTIONS)
    scores = scores_of(options)
    if options.triangle:
        emit_table(triangle(scores, scores.measures[0], seed=rng_of(options), draws=options.draws).table(), options)
        return
    how = {"test": options.test, "correction": options.correction, "draws": options.draws}
    found = [compare(scores, measure, seed=rng_of(options), **how) for measure in scores.measures]
    every = Table(found[0].table().columns, [row for pairs in found for row in pairs.table().rows])
    if options.format == "table" and options.output is None:
        for pairs in found:
            summary = pairs.summary_table(options.alpha).render("table")
            emit(f"{pairs.sentence(options.alpha)}\n\n{summary}\n\n".encode())
        if len(every.rows) > FEW_PAIRS:
            say([f"{len(every.rows)} pairs: `--format tsv` prints them all"])
        else:
            emit_table(every, options)
    else:
        emit_table(every, options)
    if not options.quiet:
        say(dict.fromkeys((*scores.notes, *(note for pairs in found for note in pairs.notes))))
