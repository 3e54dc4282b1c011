"""Whether the leader is really better: firm, fragile or undecided, with reasons.

Examples:
  leadline compare verdict qrels.txt runs/*.run -m PRES@100
"""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING

from leadline.commands.shared.comparison import (
    add_comparison_options,
    check_comparison,
    load_scores,
    load_study,
    one_measure,
)
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError

if TYPE_CHECKING:
    from leadline.trust.pairs import Standing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("verdict").add(parser, "samples", "alpha")
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
            _write_timings(options)
    else:
        write_table(result.table(), options)
    print_notes(result.notes, options)


def _write_timings(options: argparse.Namespace) -> None:
    """What a query took and cost, from the records beside the runs; nothing where there are none."""
    if options.scores:
        return
    from leadline.records.runs import run_paths
    from leadline.retrieval.engines.engine import asked_at_once, recorded_timings, timings_table

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever read the runs has warned of what is left out
        timings = recorded_timings(run_paths(options.inputs[1:]))
    if timings:
        write(f"\nWhat a query took and cost:\n\n{timings_table(timings)}\n")
        if said := asked_at_once(timings):
            write(f"\n{wrap_for_terminal(said)}\n")


def _decide(options: argparse.Namespace) -> Standing:
    from leadline.measures.evaluate import MAIN_MEASURE
    from leadline.trust.pairs import decide

    check_comparison(options)
    if options.measures and len(" ".join(options.measures).split()) != 1:
        raise UsageError("-m", "name one measure: the one to decide by")
    if options.scores:
        scores = load_scores(options)
        return decide(scores, one_measure(scores), **public("verdict").given(options, "alpha", "seed"))
    study = load_study(options, MAIN_MEASURE)
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        how = public("verdict").given(options, progress=progress)
        return decide(study.scores(), study.measures[0].text, study=study, **how)
