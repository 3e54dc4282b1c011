"""Would fewer judgements give the same ranking of the systems? And whose judgements does it rest on?

example: leadline compare incomplete qrels.txt runs/*.run -m "AP R@100 PRES@100" --keep 0.2,0.4,0.6,0.8 --samples 100
         leadline compare incomplete qrels.txt runs/*.run -m AP --unique --runs-info runs.csv --per team
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from leadline.commands.comparing import check_inputs, define_inputs, rng_of
from leadline.commands.output import emit, emit_table, progress_bar, say
from leadline.errors import InputError
from leadline.text.side_tables import read_runs_info, read_topics
from leadline.trust.incomplete import Incomplete
from leadline.trust.left_out import each_depth, each_run, each_source, left_out
from leadline.trust.study import Study, open_study
from leadline.trust.thinning import read_sources

MEASURES = "AP@100 R@100 PRES@100 AP@1000 R@1000 PRES@1000"  # the paper's


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--keep", default="0.2,0.4,0.6,0.8", metavar="SHARES", help="shares of the relevant documents to keep")
    add("--samples", type=int, default=100, help="for each share, 100 unless said")
    add("--unique", action="store_true", help="instead: leave out what one run alone found, for each run")
    add("--sources", metavar="FILE", help="instead: leave out what one source alone found (topic document source)")
    add("--depths", metavar="DEPTHS", help="instead: keep judgements to these depths of the pool, such as 10,20,50")
    add("--runs-info", metavar="FILE", help="a table of runs: with --per, what --unique leaves out together")
    add("--per", metavar="COLUMN", help="... such as team")
    define_inputs(parser, scores=False)


def run(options: argparse.Namespace) -> None:
    check_inputs(options)
    instead = [name for name in ("unique", "sources", "depths") if getattr(options, name)]
    if len(instead) > 1:
        raise InputError(f"--{instead[0]}", f"and --{instead[1]} leave out different judgements; ask for one")
    if options.runs_info and not options.per:
        raise InputError("--runs-info", "goes with --per, which names the column to group runs by")
    shares = _numbers("--keep", options.keep, lambda share: 0 < share <= 1, "shares from 0 to 1, such as 0.2,0.4")
    if options.samples < 1:
        raise InputError("--samples", f"{options.samples} samples say nothing; give 1 or more")
    depths: tuple[float, ...] = ()
    if options.depths:
        wanted = "depths, such as 10,20,50"
        depths = _numbers("--depths", options.depths, lambda depth: depth >= 1 and depth == int(depth), wanted)
    with progress_bar("reading runs", quiet=options.quiet) as progress:
        study = open_study(
            options.inputs[0], options.inputs[1:], options.measures or MEASURES, rel=options.rel, order=options.order,
            topics=read_topics(options.only) if options.only else None, qrels_format=options.qrels_format,
            progress=progress,
        )  # fmt: skip
    if options.unique:
        emit_table(left_out(study, each_run(study, teams=_teams(options))).table(), options)
    elif options.sources:
        emit_table(left_out(study, each_source(study, read_sources(options.sources))).table(), options)
    elif depths:
        emit_table(left_out(study, each_depth(study, map(int, depths))).table(), options)
    else:
        _at_random(study, shares, options)
        return
    if not options.quiet:
        say(study.notes)


def _at_random(study: Study, shares: tuple[float, ...], options: argparse.Namespace) -> None:
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        found = Incomplete.of(study, keep=shares, samples=options.samples, seed=rng_of(options), progress=progress)
    if options.format == "table" and options.output is None:
        drawn = f"{options.samples} samples a share, seed {options.seed}"
        emit(f"{found.finding()}. ({drawn})\n\n".encode())
    emit_table(found.paper_table() if options.format == "table" else found.table(), options)
    if not options.quiet:
        say(found.notes)


def _teams(options: argparse.Namespace) -> dict[str, str] | None:
    if options.per is None:
        return None
    info = read_runs_info(options.runs_info) if options.runs_info else {}
    teams = {run: attributes[options.per] for run, attributes in info.items() if options.per in attributes}
    if not teams:
        raise InputError("--per", f"{options.per!r} is no column of --runs-info{'' if info else ', which is missing'}")
    return teams


def _numbers(option: str, text: str, fits: Callable[[float], bool], wanted: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.replace(",", " ").split())
    except ValueError:
        numbers = ()
    if not numbers or not all(map(fits, numbers)):
        raise InputError(option, f"{text!r} is not a list of {wanted}")
    return numbers
