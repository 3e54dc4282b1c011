"""Which of two systems is better, for every pair, with p-value and effect size.

--test anova and tukey-hsd rest on one two-way analysis of variance (system and topic), whose F is printed too; Tukey's
honestly significant difference is exact, by the studentised range. --test tukey is its version by random draws.

Examples:
  leadline compare pairs qrels.txt runs/*.run -m PRES@100
  leadline compare pairs qrels.txt runs/*.run -m "PRES@100 AP" --test t --correction bonferroni --format tsv
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from leadline.commands.shared.comparison import add_comparison_options, load_scores
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.signature import public

FEW_PAIRS = 15  # fit on a screen beside the summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("compare").add(parser, "test", "correction", "draws", "alpha")
    matrix = "print a matrix of p-values: t-test below the diagonal, randomisation above"
    parser.add_argument("--triangle", action="store_true", help=matrix)
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.records.result import counted
    from leadline.trust.pairs import compare
    from leadline.trust.triangle import triangle

    scores = load_scores(options)
    if options.triangle:
        write_table(triangle(scores, scores.measures[0], seed=options.seed, draws=options.draws).table(), options)
        return
    how = public("compare").given(options)
    results = [compare(scores, measure, **how) for measure in scores.measures]
    every_pair = replace(results[0].table(), rows=[row for pairs in results for row in pairs.table().rows])
    notes = [*scores.notes, *(note for pairs in results for note in pairs.notes)]
    for_terminal = options.format == "table" and options.output is None
    if for_terminal:
        for pairs in results:
            write(f"{pairs.sentence(options.alpha)}\n\n{pairs.summary_table(options.alpha).render('table')}\n\n")
    if for_terminal and len(every_pair.rows) > FEW_PAIRS:
        notes.insert(0, f"{counted(len(every_pair.rows), 'pair')}: `--format tsv` prints them all")
    else:
        write_table(every_pair, options)
    print_notes(notes, options)
