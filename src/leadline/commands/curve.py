"""Print precision against recall: interpolated over all topics, or raw for one topic.

Without --topic, each run's interpolated precision at recall 0, 0.1 and so on to 1, mean over topics. With --topic,
recall and precision at every rank, which is the raw curve, and the interpolated precision at that recall.

Examples:
  leadline curve qrels.txt runs/*.run
  leadline curve qrels.txt runs/bm25.run --topic EP1437003A1 --format tsv
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.options import add_options, check_format, with_readable_runs
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public
from leadline.errors import InputError
from leadline.records.result import Table

TENTHS = tuple(tenth / 10 for tenth in range(11))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("evaluate").add(parser, "qrels", "runs")
    parser.add_argument(
        "--topic", metavar="ID", type=WORD, help="print every rank of this topic (default: the mean over topics)"
    )
    public("evaluate").add(parser, "rel")
    add_options(parser, "--strict", "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    if options.topic is None:
        _write_means(options)
        return
    table = with_readable_runs(options, options.runs, lambda paths: _topic_table(options, paths))
    write_table(table, options)


def _topic_table(options: argparse.Namespace, paths: list[str]) -> Table:
    from leadline.measures.explain import topic_curve
    from leadline.records.qrels import read_qrels
    from leadline.records.runs import read_run, run_names

    qrels = read_qrels(options.qrels)
    rows: list[list[object]] = []
    for name, path in zip(run_names(paths), paths, strict=True):
        curve = topic_curve(qrels, read_run(path), options.topic, options.rel or 1)
        if not (curve.recall == curve.recall).all():
            raise InputError(f"topic {options.topic}", "has no relevant document: recall is not defined")
        points = zip(*(part.tolist() for part in curve), strict=True)
        rows += [[name, options.topic, rank, *point] for rank, point in enumerate(points, start=1)]
    return Table(["run", "topic", "rank", "recall", "precision", "interpolated"], rows)


def _write_means(options: argparse.Namespace) -> None:
    from leadline.measures.evaluate import evaluate

    measures = [f"iprec@{tenth:g}" for tenth in TENTHS]
    scores = with_readable_runs(
        options, options.runs, lambda paths: evaluate(options.qrels, paths, measures, rel=options.rel)
    )
    means = scores.mean_values().tolist()
    rows = [
        [name, tenth, value]
        for name, row in zip(scores.runs, means, strict=True)
        for tenth, value in zip(TENTHS, row, strict=True)
    ]
    write_table(Table(["run", "recall", "precision"], rows), options)
    print_notes(scores.notes, options)
