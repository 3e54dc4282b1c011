"""Whether the leader is really better: firm, fragile or undecided, with reasons.

Examples:
  leadline compare verdict qrels.txt runs/*.run -m PRES@100
"""

from __future__ import annotations

import argparse
import warnings

from leadline.commands.shared.comparison import (
    add_comparison_options,
    check_comparison,
    load_scores,
    load_study,
    one_measure,
    random_generator,
)
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write, write_table
from leadline.errors import UsageError
from leadline.measures.evaluate import MAIN_MEASURE
from leadline.records.runs.read_runs import run_paths
from leadline.retrieval.engines.timing import QueryTiming, asked_at_once, recorded_timings, timings_table
from leadline.trust.deciding import decide
from leadline.trust.verdict import Verdicts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "--samples", "--alpha")
    add_comparison_options(parser)


def run(options: argparse.Namespace) -> None:
    result = _decide(options)
    if options.format == "table" and options.output is None:
        write(f"{wrap_for_terminal(result.headline())}\n\n")
        write_table(result.short_table(), options)
        if not options.quiet:
            write(f"\n{wrap_for_terminal(result.definitions())}\n")
            reasons = "\n\n".join(map(wrap_for_terminal, result.closest_reasons()))
            write(f"\n{reasons}\n")
            if timings := _timings(options):
                write(f"\nWhat a query took and cost:\n\n{timings_table(timings)}\n")
                if said := asked_at_once(timings):
                    write(f"\n{wrap_for_terminal(said)}\n")
    else:
        write_table(result.table(), options)
    print_notes(result.notes, options)


def _timings(options: argparse.Namespace) -> dict[str, QueryTiming]:
    """The timings in the records beside the runs."""
    if options.scores:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever read the runs has warned of what is left out
        return recorded_timings(run_paths(options.inputs[1:]))


def _decide(options: argparse.Namespace) -> Verdicts:
    check_comparison(options)
    if options.measures and len(" ".join(options.measures).split()) != 1:
        raise UsageError("-m", "name one measure: the one to decide by")
    rng = random_generator(options)
    if options.scores:
        scores = load_scores(options)
        return decide(scores, one_measure(scores), alpha=options.alpha, seed=rng)
    study = load_study(options, MAIN_MEASURE)
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        return decide(
            study.scores(), study.measures[0].text, study=study, samples=options.samples, alpha=options.alpha, seed=rng,
            progress=progress,
        )  # fmt: skip
