"""What the compare commands share: where the scores come from, and the seed."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import get_args

import numpy as np

from leadline.commands.output import check_output, define_output, progress_bar
from leadline.errors import InputError, MeasureError, checked_choice
from leadline.measures.evaluate import evaluate
from leadline.measures.notation import parse_measure
from leadline.records.runs.order import Order
from leadline.records.scores.read_scores import read_scores
from leadline.records.scores.scores import Better, Scores
from leadline.records.side_tables import read_topics

MOST_DRAWS = 10_000_000


def define_inputs(parser: argparse.ArgumentParser, *, scores: bool = True) -> None:
    """Judgements and runs, or a table of scores in their place."""
    add = parser.add_argument
    add("inputs", metavar="QRELS RUN", nargs="*", help="judgements, then runs: files, patterns, folders")
    if scores:
        add("--scores", metavar="FILE", help="a table of scores in place of QRELS RUN...")
        add("--columns", metavar="WHAT", help="what its columns are, where that is not plain: topics, measures or runs")
    add("-m", "--measures", metavar="MEASURES", action="append", help='such as "PRES@100 AP"')
    add("--rel", metavar="GRADE", type=int, help="smallest grade that is relevant, 1 unless said")
    add("--order", metavar="ORDER", default="score", help="rank by score, by the rank column, or as in the file")
    add("--only", metavar="FILE", help="only the topics in this file")
    add("--qrels-format", metavar="FORMAT", help="plain, strata, subtopics, prels or passages")
    add("--seed", type=int, default=1, help="of everything drawn at random, 1 unless said")
    add("-q", "--quiet", action="store_true", help="say nothing beside the result")
    define_output(parser)


def check_inputs(options: argparse.Namespace) -> None:
    """Refuse wrong requests before any file is read."""
    check_output(options)
    checked_choice("--order", options.order, get_args(Order))
    if getattr(options, "scores", None):
        if options.inputs:
            raise InputError("--scores", "takes the place of QRELS RUN...; give one or the other")
        if options.only:
            raise InputError("--only", "goes with QRELS RUN..., not with --scores")
        if options.columns is not None:
            checked_choice("--columns", options.columns, ("topics", "measures", "runs"))
    elif len(options.inputs) < 2:
        instead = ", or --scores FILE" if hasattr(options, "scores") else ""
        raise InputError("compare", f"give QRELS and RUN...{instead}")
    if not 0 < getattr(options, "alpha", 0.05) < 1:
        raise InputError("--alpha", f"{options.alpha:g} is no level of significance; give one between 0 and 1")
    if (getattr(options, "draws", None) or 1) < 1:
        raise InputError("--draws", "give 1 or more")
    if (getattr(options, "draws", None) or 1) > MOST_DRAWS:
        raise InputError("--draws", f"more than {MOST_DRAWS:,} would not change a verdict; give fewer")


def rng_of(options: argparse.Namespace) -> np.random.Generator:
    if options.seed < 0:
        raise InputError("--seed", "is a number from 0 up")
    return np.random.default_rng(options.seed)


def scores_of(options: argparse.Namespace) -> Scores:
    """The score cube that the inputs name, restricted to the measures asked for."""
    check_inputs(options)
    if not options.scores:
        with progress_bar("reading runs", quiet=options.quiet) as progress:
            scores = evaluate(
                options.inputs[0], options.inputs[1:], options.measures, rel=options.rel, order=options.order,
                topics=read_topics(options.only) if options.only else None, qrels_format=options.qrels_format,
                progress=progress,
            )  # fmt: skip
        return scores
    wanted = [name for text in options.measures or () for name in text.split()]
    # A table with a column for each topic does not say what it holds: the user may.
    name = {"measure": wanted[0]} if len(wanted) == 1 else {}
    scores = read_scores(options.scores, columns=options.columns, **name)
    scores = scores.select_measures(wanted) if wanted else scores
    return replace(scores, better=tuple(map(_better, scores.measures)))


def _better(measure: str) -> Better:
    """Whether higher values are better, where the name is one of ours."""
    try:
        return parse_measure(measure).definition.better
    except MeasureError:
        return "higher"
