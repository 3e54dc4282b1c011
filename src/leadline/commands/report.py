"""Write an HTML report: the verdict in words, every figure, every topic.

The page needs no network, adapts to light and dark screens, and can be printed.

Examples:
  leadline report qrels.txt runs/*.run -o report.html -m PRES@1000
  leadline report qrels.txt runs/*.run --topics topics.csv --runs-info runs.csv
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import OutputFile
from leadline.commands.shared.comparison import note_shared_log
from leadline.commands.shared.options import (
    add_options,
    check_page_name,
    check_run_table,
    with_readable_runs,
    wrong_usage,
)
from leadline.commands.shared.output import print_notes, progress_bar, write
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError, checked_choice
from leadline.measures.definition import parse_measures
from leadline.records.inputs import read_runs_info
from leadline.records.runs import run_names, run_paths
from leadline.retrieval.engines.engine import manifest_of
from leadline.show.report.evidence import Evidence
from leadline.show.report.html_page import key_of, key_written_in
from leadline.show.report.page import report

READING = ("reads", "lengths", "qrels_format")  # of `evaluate`


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "inputs")
    add_options(
        parser, "-o", type=OutputFile("reports"), default="report.html", help="page to write (default: %(default)s)"
    )
    public("report").add(parser, baseline={"metavar": "RUN"})
    public("evaluate").add(parser, *READING)
    add_options(parser, "--strict", "-q")


def run(options: argparse.Namespace) -> None:
    _check(options)
    qrels, runs = options.inputs[0], run_paths(options.inputs[1:], strict=options.strict)
    if options.baseline and options.baseline not in run_names(runs):
        with wrong_usage():
            checked_choice("--baseline", options.baseline, run_names(runs))
    if options.runs_info:
        check_run_table(options.runs_info, read_runs_info(options.runs_info), run_names(runs))
    key = key_of(
        [qrels, *runs],
        [path for path in (options.topics, options.runs_info, options.reads, options.lengths) if path]
        + [str(path) for path in map(manifest_of, [qrels, *runs]) if path.is_file()],
        (
            options.measure,
            str(options.qrels_format),
            str(options.samples),
            str(options.seed),
            options.title,
            options.baseline,
            str(options.complete),
        ),
    )
    if key and key_written_in(options.output) == key:
        write(f"{options.output} is already made from the same files\n")
        return
    note_shared_log(options)
    evidence = with_readable_runs(
        options, options.inputs[1:], lambda paths: _read_evidence(options, qrels, paths), paths=runs
    )
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        evidence.decide(progress)
    with progress_bar("drawing", quiet=options.quiet) as progress:
        page = report(evidence, key=key, progress=progress)
    write(page.encode("utf-8", "replace"), options.output)
    if options.output != "-":
        words = evidence.standing.headline()
        write(f"{words}\n{options.output}\n")
    print_notes(evidence.study.notes, options)


def _read_evidence(options: argparse.Namespace, qrels: str, runs: list[str]) -> Evidence:
    with progress_bar("reading runs", quiet=options.quiet) as progress:
        return Evidence.of(
            qrels,
            runs,
            **public("report").given(options),
            **public("evaluate").given(options, *READING, progress=progress),
        )


def _check(options: argparse.Namespace) -> None:
    """Refuse wrong usage before any file is read."""
    if len(options.inputs) < 2:
        raise UsageError("QRELS RUN", "give judgements and runs")
    with wrong_usage("-m"):
        measures = parse_measures(options.measure)
    if len(measures) != 1:
        raise UsageError("-m", "name one measure: the one to decide by")
    check_page_name(options.output)
    folder = Path(options.output).parent
    if options.output != "-" and not folder.is_dir():
        raise InputError(str(folder), "no such folder")
