"""Score runs against judgements.

Examples:
  leadline evaluate qrels.txt runs/*.run -m "PRES@100 R@100 AP nDCG@10"
  leadline evaluate qrels.txt runs/*.run --runs-info runs.csv --best 1 --per team --format latex
  leadline evaluate qrels.txt runs/bm25.run --like trec_eval --by-topic
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.extras import add_cluster_option, chosen_cluster
from leadline.commands.shared.options import (
    add_number,
    add_options,
    check_format,
    check_measures,
    check_run_table,
    memory_budget,
    read_run_table,
    with_readable_runs,
    wrong_usage,
)
from leadline.commands.shared.output import print_notes, progress_bar, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError

if TYPE_CHECKING:
    from leadline.records.scores import Scores

LIKE = (  # what is printed is particular to the command
    "trec_eval: print what `trec_eval -c -m all_trec` prints, with -q if --by-topic; sample_eval: a run's means are "
    "over the topics that it answers, and those with nothing relevant score 0; without -m, print that program's lines "
    "(default: none)"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("evaluate").add(
        parser, like={"help": LIKE}, topics={"flags": ["--topics", "--only"]}, copies={"default": None}
    )
    parser.add_argument("--by-topic", action="store_true", help="print every topic, then the mean")
    add_number(parser, "--best", "keep the best N runs by the first measure")
    per = "with --best: of each team, or of another column of --runs-info"
    parser.add_argument("--per", metavar="COLUMN", type=WORD, help=per)
    add_cluster_option(parser)
    add_options(parser, "--strict", "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    if [options.qrels, *options.runs].count("-") > 1:
        raise UsageError("-", "standard input can be read only once")
    if options.copies and not options.duplicates:
        raise UsageError("--copies", "needs --duplicates FILE")
    if options.cluster and (options.like or "-" in options.runs):
        what = f"--like {options.like}" if options.like else "a run from standard input"
        raise UsageError("--cluster", f"cannot be combined with {what}")
    if options.duplicates and (options.like == "trec_eval" or options.ties):
        raise UsageError("--duplicates", f"cannot be combined with --{'ties' if options.ties else 'like trec_eval'}")
    if (
        options.memory is not None
        and options.like is not None
        and (options.like == "trec_eval" or not options.measures)
    ):
        raise UsageError("--memory", "cannot be combined with the report of another program: choose measures with -m")
    if options.like == "trec_eval":
        _print_like_trec_eval(options)
        return
    if options.like == "sample_eval" and not options.measures and options.format == "table":
        _print_like_sample_eval(options)
        return
    check_measures(options, options.runs)
    if options.ties and options.unjudged != "wrong":
        raise UsageError("--ties", "cannot be combined with --unjudged")
    from leadline.measures.evaluate import evaluate

    info = read_run_table(options)
    cluster = chosen_cluster(options, memory_of_workers=True)
    with cluster as spread, progress_bar("reading runs", quiet=options.quiet) as progress:
        own = {"runs_info": info, "memory": memory_budget(options), "progress": progress, "spread": spread}
        how = public("evaluate").given(options, **own)
        scores = with_readable_runs(options, options.runs, lambda runs: evaluate(**how | {"runs": runs}))
    check_run_table(options.runs_info, info, scores.runs)
    if options.best is not None:
        scores = scores.best_per(options.best, options.per)
    if options.format in ("table", "latex", "markdown"):
        table = scores.wide(by_topic=options.by_topic, intervals=options.format == "table", sort=True)
    else:
        table = scores.long(by_topic=options.by_topic)
    if options.format == "table" and options.output is None and not options.quiet:
        write(f"{headline(scores)}\n\n")
    write_table(table, options)
    print_notes(scores.notes, options)


def _print_like_sample_eval(options: argparse.Namespace) -> None:
    from leadline.measures.other_programs import LEFT_OUT, sample_eval_report

    report = with_readable_runs(
        options,
        options.runs,
        lambda runs: sample_eval_report(options.qrels, runs, order=options.order, by_topic=options.by_topic),
    )
    write(report, options.output)
    print_notes([LEFT_OUT], options)


def _print_like_trec_eval(options: argparse.Namespace) -> None:
    from leadline.measures.other_programs import RBP_NOTE, asked_for, report_runs

    if options.unjudged not in ("wrong", "condensed"):
        raise UsageError("--unjudged", f"must be wrong or condensed with --like trec_eval, got {options.unjudged!r}")
    if options.format != "table":
        raise UsageError("--format", "cannot be combined with --like trec_eval, which has its own format")
    with wrong_usage("-m"):
        names = asked_for(options.measures)
    topics = None
    if options.topics:
        from leadline.records.inputs import read_topics

        topics = read_topics(options.topics)
    report = with_readable_runs(
        options,
        options.runs,
        lambda runs: report_runs(
            options.qrels,
            runs,
            level=1 if options.rel is None else options.rel,
            by_topic=options.by_topic,
            topics=topics,
            order=options.order,
            unjudged=options.unjudged,
            names=names,
        ),
    )
    write(report, options.output)
    if "rbp" in names:
        print_notes([RBP_NOTE], options)


def headline(scores: Scores) -> str:
    """The result in one sentence. Nothing is tested here, so it says who comes first, not who is better."""
    import numpy as np

    from leadline.records.result import counted, number
    from leadline.trust.no_verdict import why_never

    leader, measure = scores.leader_index(), scores.measures[0]
    means, shared = scores.order_means()[:, 0], int(scores.shared_topics()[:, 0].sum())
    answered = int((~np.isnan(scores.values[leader, :, 0])).sum())
    topics = counted(shared or answered, "topic")
    if len(scores.runs) == 1:
        return f"{scores.runs[0]} scores {measure} {number(means[0])} over {topics}."
    if why := why_never(measure):
        return f"{why.replace('gives no verdict', 'puts no run first')}."
    if not shared:
        topics += "; no topic has a value for every run, so runs with values for more topics come first"
    elif shared < int((~np.isnan(scores.values[:, :, 0])).any(axis=0).sum()):
        topics += ", those where every run has a value"
    level = [scores.runs[r] for r in np.flatnonzero(means == means[leader]) if r != leader]
    if level:
        who = level[0] if len(level) == 1 else f"{len(level)} others"
        first = f"{scores.runs[leader]} and {who} are level"
    else:
        first = scores.runs[leader]
    score = number(means[leader], means)
    return f"First of {counted(len(scores.runs), 'run')}: {first}, {measure} {score} over {topics}."
