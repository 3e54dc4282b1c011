"""Score runs against judgements.

example: leadline evaluate qrels.txt runs/*.run.gz -m "PRES@100 R@100 AP nDCG@10"
"""

from __future__ import annotations

import argparse
from typing import get_args

import numpy as np

from leadline.commands.output import check_output, define_output, emit, emit_table, progress_bar, say
from leadline.errors import InputError, checked_choice
from leadline.measures.evaluate import Like, Unjudged, evaluate
from leadline.records.runs.order import Order
from leadline.records.scores.scores import Scores


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("qrels", metavar="QRELS", help="judgements; - is standard input")
    add("runs", metavar="RUN", nargs="+", help="runs: files, patterns, folders, Parquet")
    add("-m", "--measures", metavar="MEASURES", action="append", help='such as "PRES@100 AP nDCG@10"')
    add("--by-topic", action="store_true", help="every topic, then the mean")
    add("--rel", metavar="GRADE", type=int, help="smallest grade that is relevant, 1 unless said")
    add("--like", metavar="PROGRAM", help="rules and output of another program: trec_eval, sample_eval")
    add("--ties", action="store_true", help="the lowest and highest score the order inside ties allows")
    add("--unjudged", metavar="HOW", default="wrong", help="wrong, condensed (left out), right, or all three")
    add("--order", metavar="ORDER", default="score", help="rank by score, by the rank column, or as in the file")
    add("--topics", metavar="FILE", help="only the topics in this file")
    add("--runs-info", metavar="FILE", help="a table of runs: run, team, task, ...")
    add("--best", metavar="N", type=int, help="keep the best N runs by the first measure")
    add("--per", metavar="COLUMN", help="... of each team, or another column of --runs-info")
    add("--reads", metavar="FILE", help="a reading log (topic document seconds) for CT and TBG")
    add("--lengths", metavar="FILE", help="document lengths (document words) for CT and TBG")
    add("--qrels-format", metavar="FORMAT", help="plain, strata, subtopics, prels or passages")
    add("-q", "--quiet", action="store_true", help="say nothing beside the result")
    define_output(parser)


def run(options: argparse.Namespace) -> None:
    check_output(options)
    checked_choice("--unjudged", options.unjudged, get_args(Unjudged))
    checked_choice("--order", options.order, get_args(Order))
    if options.like is not None:
        checked_choice("--like", options.like, get_args(Like))
    if options.best is not None and options.best < 1:
        raise InputError("--best", f"{options.best} runs cannot be kept; give 1 or more")
    if [options.qrels, *options.runs].count("-") > 1:
        raise InputError("standard input", "is named twice, and can be read once")
    if options.like == "trec_eval":
        _like_trec_eval(options)
        return
    info = {}
    if options.runs_info:
        from leadline.records.side_tables import read_runs_info

        info = read_runs_info(options.runs_info)
    if options.per is not None and not any(options.per in attributes for attributes in info.values()):
        raise InputError("--per", f"{options.per!r} is no column of --runs-info{'' if info else ', which is missing'}")
    with progress_bar("reading runs", quiet=options.quiet) as progress:
        scores = evaluate(
            options.qrels, options.runs, options.measures, rel=options.rel, order=options.order, topics=options.topics,
            unjudged=options.unjudged, ties=options.ties, like=options.like, reads=options.reads,
            lengths=options.lengths, qrels_format=options.qrels_format,
            runs_info=info, progress=progress,
        )  # fmt: skip
    if options.best is not None:
        scores = scores.best_per(options.best, options.per)
    if options.format in ("table", "latex", "markdown"):
        table = scores.wide(by_topic=options.by_topic, intervals=options.format == "table", sort=True)
    else:
        table = scores.long(by_topic=options.by_topic)
    if options.format == "table" and options.output is None and not options.quiet:
        emit(f"{headline(scores)}\n\n".encode("utf-8", "surrogateescape"))
    emit_table(table, options)
    if not options.quiet:
        say(scores.notes)


def _like_trec_eval(options: argparse.Namespace) -> None:
    from leadline.measures.like_trec_eval import asked_for, report_runs

    topics = None
    if options.topics:
        from leadline.records.side_tables import read_topics

        topics = read_topics(options.topics)
    checked_choice("--unjudged", options.unjudged, ("wrong", "condensed"))
    if options.format != "table":
        raise InputError("--format", "trec_eval has a format of its own; leave out --like for another")
    report = report_runs(
        options.qrels, options.runs, level=1 if options.rel is None else options.rel, by_topic=options.by_topic,
        topics=topics, order=options.order, unjudged=options.unjudged, names=asked_for(options.measures),
    )  # fmt: skip
    emit(report.encode("utf-8", "surrogateescape"), options.output)


def headline(scores: Scores) -> str:
    """The answer in one sentence."""
    leader, measure = scores.leader(), scores.measures[0]
    value = scores.means()[leader, 0]
    counted = int((~np.isnan(scores.values[leader, :, 0])).sum())
    topics = f"{counted} topic{'s' * (counted != 1)}"
    if len(scores.runs) == 1:
        return f"{scores.runs[0]} scores {measure} {value:.3f} over {topics}."
    return f"{scores.runs[leader]} leads {len(scores.runs)} runs with {measure} {value:.3f} over {topics}."
