"""The inputs of the compare commands: judgements and runs, or a table of scores."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import INPUT_FILE
from leadline.commands.shared.extras import add_cluster_option, chosen_cluster
from leadline.commands.shared.options import add_options, check_format, check_measures, with_readable_runs
from leadline.commands.shared.output import progress_bar
from leadline.commands.shared.signature import public
from leadline.errors import LeadlineWarning, UsageError

if TYPE_CHECKING:
    from leadline.records.scores import Scores
    from leadline.text.spread import Spread
    from leadline.trust.study import Study

READING = ("rel", "order", "topics", "reads", "lengths", "qrels_format")  # of `evaluate`: how runs are read


def add_comparison_options(
    parser: argparse.ArgumentParser, *, scores: bool = True, measures: bool = True, reading: Sequence[str] = READING
) -> None:
    """The options that comparisons have in common; `measures` is for those that are told by which to compare."""
    add_options(parser, "inputs")
    if scores:
        parser.add_argument(
            "--scores", metavar="FILE", type=INPUT_FILE, help="table of scores, in place of QRELS RUN..."
        )
        public("read_scores").add(parser, "columns")
    only = {"flags": ["--only"], "dest": "only"}  # --topics is a table of `compare slices`
    public("evaluate").add(parser, *["measures"] * measures, *reading, topics=only)
    public("compare").add(parser, "seed")
    add_cluster_option(parser)
    add_options(parser, "--strict", "-f", "-o", "-q")


def check_comparison(options: argparse.Namespace) -> None:
    """Refuse wrong usage before any file is read."""
    check_format(options)
    if getattr(options, "scores", None):
        if options.inputs:
            raise UsageError("--scores", "cannot be combined with QRELS RUN...")
        for name in ("only", "reads", "lengths", "cluster"):
            if getattr(options, name):
                raise UsageError(f"--{name}", "cannot be combined with --scores")
        return
    if len(options.inputs) < 2:
        raise UsageError("QRELS RUN", "give judgements and runs" + ", or --scores FILE" * hasattr(options, "scores"))
    check_measures(options, options.inputs[1:])


def load_scores(options: argparse.Namespace) -> Scores:
    """Evaluate the runs, or read --scores and keep the measures of -m."""
    from leadline.measures.evaluate import evaluate, read_scores

    check_comparison(options)
    if not options.scores:
        qrels, *runs = options.inputs
        with chosen_cluster(options) as spread, progress_bar("reading runs", quiet=options.quiet) as progress:
            how = _reading_options(options, progress) | {"spread": spread}
            return with_readable_runs(options, runs, lambda paths: evaluate(qrels, paths, options.measures, **how))
    wanted = [name for text in options.measures or () for name in text.split()]
    # A table with a column for each topic does not say which measure it holds; -m does.
    name = {"measure": wanted[0]} if len(wanted) == 1 else {}
    scores = read_scores(options.scores, columns=options.columns, **name)
    return scores.select_measures(wanted) if wanted else scores


def load_study(options: argparse.Namespace, default: str) -> Study:
    """Read judgements and runs so that judgements can be left out; `default` names the measures without -m."""
    with chosen_cluster(options) as spread:
        return load_study_with(options, default, spread)


def load_study_with(options: argparse.Namespace, default: str, spread: Spread | None) -> Study:
    """The same with a cluster that the caller goes on to use."""
    from leadline.trust.study import open_study

    with progress_bar("reading runs", quiet=options.quiet) as progress:
        qrels, *runs = options.inputs
        measures, how = options.measures or default, _reading_options(options, progress) | {"spread": spread}
        return with_readable_runs(options, runs, lambda paths: open_study(qrels, paths, measures, **how))


def one_measure(scores: Scores) -> str:
    """The only measure of the scores."""
    if len(scores.measures) != 1:
        raise UsageError("-m", f"name one measure, got {len(scores.measures)}: {', '.join(scores.measures)}")
    return scores.measures[0]


def note_shared_log(options: argparse.Namespace) -> None:
    """Warn that one reading log gives all runs the same score."""
    if options.reads and (len(options.inputs) > 2 or not os.path.isfile(options.inputs[1])):
        words = "--reads: the log replaces the order of every run, so all have the same score under measures of time"
        warnings.warn(words, LeadlineWarning, stacklevel=2)


def _reading_options(options: argparse.Namespace, progress: Any) -> dict[str, Any]:
    from leadline.records.inputs import read_topics

    note_shared_log(options)
    topics = read_topics(options.only) if options.only else None
    return public("evaluate").given(options, *READING, topics=topics, progress=progress)
