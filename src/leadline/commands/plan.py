"""How many topics, judgements and runs a study needs to find a difference that matters.

Of a pilot: its judgements and runs, or its scores. Studies of n topics are drawn from the pilot's topics and decided as
`leadline compare verdict` decides: by flips of signs, corrected for the number of comparisons, and with judgements by
samples of half of them. Before any data, -m and --difference are enough: two runs then differ from topic to topic as
those of TREC-COVID and CLEF-IP do.

Examples:
  leadline plan qrels.txt runs/*.run -m PRES@100
  leadline plan qrels.txt runs/*.run -m AP --difference 0.05 --runs 20
  leadline plan --scores scores.tsv -m AP --difference 0.05 --power 0.9
  leadline plan -m AP --difference 0.05 --runs 10
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.comparison import (
    add_comparison_options,
    check_comparison,
    load_scores,
    load_study,
    one_measure,
)
from leadline.commands.shared.options import check_format, check_measures
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError

if TYPE_CHECKING:
    from leadline.trust.planning import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("plan").add(parser, "difference", "power", "alpha", "comparisons", "runs", "samples")
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    result = _planned(options)
    if options.format == "table" and options.output is None:
        write(f"{wrap_for_terminal(result.headline())}\n\n")
        write_table(result.short_table(), options)
    else:
        write_table(result.table(), options)
    print_notes(result.notes, options)


def _planned(options: argparse.Namespace) -> Plan:
    from leadline.measures.evaluate import MAIN_MEASURE
    from leadline.trust.planning import plan_before_data, plan_from_pilot

    if options.comparisons is not None and options.runs is not None:
        raise UsageError("--comparisons", "follow from --runs: give one of the two")
    if options.measures and len(" ".join(options.measures).split()) != 1:
        raise UsageError("-m", "name one measure: the one to decide by")
    how = public("plan").given(options, "difference", "power", "alpha", "comparisons", "runs", "seed")
    if not options.inputs and not options.scores:
        check_format(options)
        check_measures(options)
        if not options.measures or options.difference is None:
            raise UsageError(
                "QRELS RUN", "give a pilot's judgements and runs, or --scores FILE, or -m and --difference"
            )
        return plan_before_data(options.measures[0], **how)
    check_comparison(options)
    if options.scores:
        scores = load_scores(options)
        return plan_from_pilot(scores, one_measure(scores), **how)
    study = load_study(options, MAIN_MEASURE)
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        how |= {"study": study, "samples": options.samples, "progress": progress}
        return plan_from_pilot(study.scores(), study.measures[0].text, **how)
