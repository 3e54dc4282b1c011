"""One page for people: the verdict in words, every figure, every topic; no network, light and dark, prints well.

example: leadline report qrels.txt runs/*.run -o report.html -m PRES@1000
         leadline report qrels.txt runs/*.run --topics topics.csv --runs-info runs.csv
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from leadline.commands.comparing import rng_of
from leadline.commands.output import emit, progress_bar, say
from leadline.errors import InputError
from leadline.measures.notation import parse_measures
from leadline.records.runs.read import run_paths
from leadline.show.figures.evidence import MEASURE, Evidence
from leadline.show.report.page import report
from leadline.show.report.page_key import key_of, key_written_in


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("inputs", metavar="QRELS RUN", nargs="*", help="judgements, then runs: files, patterns, folders")
    add("-o", "--output", metavar="FILE", default="report.html", help="the page, report.html unless said")
    add(
        "-m",
        "--measures",
        dest="measure",
        metavar="MEASURE",
        default=MEASURE,
        help=f"the one to decide by, {MEASURE} unless said",
    )
    add("--topics", metavar="FILE", help="a table of what is known of topics: office, class, title")
    add("--runs-info", metavar="FILE", help="a table of what is known of runs: team, task")
    add("--qrels-format", metavar="FORMAT", help="what five columns of judgements mean")
    add("--samples", type=int, default=100, help="with half the judgements, for the verdict; 100 unless said")
    add("--seed", type=int, default=1, help="of everything drawn at random, 1 unless said")
    add("-q", "--quiet", action="store_true", help="say nothing beside the result")


def run(options: argparse.Namespace) -> None:
    _check(options)
    qrels, runs = options.inputs[0], run_paths(options.inputs[1:])
    key = key_of(
        [qrels, *runs],
        [path for path in (options.topics, options.runs_info) if path],
        (options.measure, str(options.qrels_format), str(options.samples), str(options.seed)),
    )
    if key and key_written_in(options.output) == key:
        emit(f"{options.output} is made from the same files already\n".encode())
        return
    evidence = _evidence(options, qrels, runs)
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        evidence.decide(progress)
    with progress_bar("drawing", quiet=options.quiet) as progress:
        page = report(evidence, key=key, progress=progress)
    emit(page.encode("utf-8", "replace"), options.output)
    if options.output != "-":
        words = evidence.verdict.headline() if evidence.verdict else "one run, or too few topics to compare"
        emit(f"{words}\n{options.output}\n".encode("utf-8", "surrogateescape"))
    if not options.quiet:
        say(evidence.study.notes)


def _evidence(options: argparse.Namespace, qrels: str, runs: list[str]) -> Evidence:
    with progress_bar("reading runs", quiet=options.quiet) as progress:
        return Evidence.of(
            qrels, runs, options.measure, topics=options.topics, runs_info=options.runs_info, seed=options.seed,
            samples=options.samples, progress=progress, qrels_format=options.qrels_format,
        )  # fmt: skip


def _check(options: argparse.Namespace) -> None:
    """Refuse wrong requests before any file is read."""
    if len(options.inputs) < 2:
        raise InputError("report", "give QRELS and RUN...")
    folder = Path(options.output).parent
    if options.output != "-" and not folder.is_dir():
        raise InputError(str(folder), "no such folder to write the report to")
    if len(parse_measures(options.measure)) != 1:
        raise InputError("report", "takes one measure: name the one you would decide by with -m")
    if options.output != "-" and Path(options.output).suffix.lower() not in (".html", ".htm"):
        raise InputError(os.fspath(options.output), "a report's name ends in .html")
    if options.samples < 1:
        raise InputError("--samples", f"{options.samples} samples say nothing; give 1 or more")
    rng_of(options)
