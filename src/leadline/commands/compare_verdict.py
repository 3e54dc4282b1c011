"""Is the leader really better? Firm, fragile or undecided, with the reasons in plain words.

example: leadline compare verdict qrels.txt runs/*.run -m PRES@100
"""

from __future__ import annotations

import argparse

from leadline.commands.comparing import check_inputs, define_inputs, rng_of, scores_of
from leadline.commands.output import emit, emit_table, paragraph, progress_bar, say
from leadline.errors import InputError
from leadline.text.side_tables import read_topics
from leadline.trust.study import open_study
from leadline.trust.verdict import Verdicts


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--samples", type=int, default=100, help="with half the judgements, 100 unless said")
    add("--alpha", type=float, default=0.05, help="the level of significance, 0.05 unless said")
    define_inputs(parser)


def run(options: argparse.Namespace) -> None:
    found = _found(options)
    if options.format == "table" and options.output is None:
        emit(f"{paragraph(found.headline())}\n\n".encode("utf-8", "surrogateescape"))
        emit_table(found.short_table(), options)
        if not options.quiet:
            reasons = "\n\n".join(map(paragraph, found.closest_reasons()))
            emit(f"\n{reasons}\n".encode("utf-8", "surrogateescape"))
    else:
        emit_table(found.table(), options)
    if not options.quiet:
        say(found.notes)


def _found(options: argparse.Namespace) -> Verdicts:
    check_inputs(options)
    if options.measures and len(" ".join(options.measures).split()) != 1:
        raise InputError("compare verdict", "takes one measure: name the one you would decide by with -m")
    if options.scores:
        scores = scores_of(options)
        if len(scores.measures) != 1:
            raise InputError("compare verdict", f"takes one measure of {', '.join(scores.measures)}: name it with -m")
        return Verdicts.of(scores, scores.measures[0], alpha=options.alpha, seed=rng_of(options))
    with progress_bar("reading runs", quiet=options.quiet) as progress:
        study = open_study(
            options.inputs[0], options.inputs[1:], options.measures or "PRES@100", rel=options.rel,
            order=options.order, topics=read_topics(options.only) if options.only else None,
            qrels_format=options.qrels_format, progress=progress,
        )  # fmt: skip
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        return Verdicts.of(
            study.scores(), study.measures[0].text, study=study, samples=options.samples, alpha=options.alpha,
            seed=rng_of(options), progress=progress,
        )  # fmt: skip
