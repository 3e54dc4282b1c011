"""Pool runs and sample what is to be judged.

The pool is a file of judgements: `topic 0 document stratum grade`, where -2 is to be judged and -1 is not sampled, so
that xinfAP and infNDCG read it as it is once it is judged. Beside it, POOL.json records strata, seed and runs.

With --rounds a model of relevance says what to judge next, and every document is drawn with a known probability: AP,
nDCG, P, PRES and R are then estimated from few judgements (`topic 0 document grade probability expected`).

Examples:
  leadline pool runs/*.run -o pooled.txt
  leadline pool runs/*.run -o pooled.txt --strata 10:1,30:0.3,100:0.1 --seed 7
  leadline pool runs/*.run -o pooled.txt --budget 300
  leadline pool runs/*.run -o few.txt --rounds 12,25,50,100
  leadline pool late.run --extend pool.txt -o more.txt
  leadline pool runs/*.run --simulate qrels.txt --budget 50
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILE, OUR_FOLDER, OUR_POOL, OutputFile
from leadline.commands.shared.options import (
    add_choice,
    add_number,
    add_options,
    as_written,
    with_readable_runs,
    wrong_usage,
)
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError
from leadline.judge.choices import DEFAULT_ENDS, DEFAULT_STRATA, FRAME_DEPTH, POOL_RULES
from leadline.records.result import counted
from leadline.text.owned_files import POOLS

if TYPE_CHECKING:
    from leadline.judge.pools import Pool
    from leadline.records.runs import Run

BIAS_OF_STRATA = (
    "xinfAP and infNDCG of a sample by strata come out too high, by about .03 with 100 judged a topic: a pool with "
    "--rounds gives AP, nDCG and others without that, and with intervals"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    public("evaluate").add(parser, "runs")
    add(
        "--strata",
        type=as_written(_check_strata),
        metavar="LAST:RATE,...",
        default=None,
        help=f"last rank and share to judge of each stratum (default: {DEFAULT_STRATA})",
    )
    add_number(parser, "--depth", "judge all of the first N ranks: the same as --strata N:1")
    add_number(parser, "--budget", "documents to judge for each topic, about; rates are found from it")
    ends = ",".join(map(str, DEFAULT_ENDS))
    add(
        "--rounds",
        type=as_written(_ends),
        metavar="ENDS",
        help=f"draw in rounds that end at so many judged a topic, such as {ends}; `leadline judge next` draws the next",
    )
    add(
        "--machine",
        metavar="FILE",
        type=INPUT_FILE,
        help="with --rounds: a machine's judgements (topic document probability, or judgements with labels)",
    )
    add_choice(parser, "--by", ("topic", "run"), "which table to print with --format: sizes or contributions", "topic")
    add("--extend", metavar="POOL", type=OUR_POOL, help="add the runs to this pool; what is in it stays as it is")
    add(
        "--families",
        metavar="COLLECTION",
        type=OUR_FOLDER,
        help="pool the members of a family in this collection as one document",
    )
    add(
        "--simulate", metavar="QRELS", type=INPUT_FILE, help="no pool: what each rule would have found, judged by these"
    )
    add_choice(parser, "--rule", POOL_RULES, "with --judged: who chooses the next documents", None, "depth")
    add("--judged", metavar="QRELS", type=INPUT_FILE, help="print the documents to judge next, after these judgements")
    public("evaluate").add(parser, "rel")
    public("compare").add(parser, "seed")
    add_options(parser, "--strict", "-f")
    add_options(parser, "-o", type=OutputFile(POOLS))
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    _check(options)
    runs = with_readable_runs(options, options.runs, _read)
    if options.simulate:
        _simulate(options, runs)
    elif options.judged:
        _next(options, runs)
    else:
        _draw(options, runs)


def _check(options: argparse.Namespace) -> None:
    """Refuse combinations that mean nothing, before any file is read."""
    if options.machine and not options.rounds:
        raise UsageError("--machine", "needs --rounds: only the model of a pool drawn in rounds can use it")
    for name in ("strata", "budget", "extend", "families", "simulate", "judged"):
        if options.rounds and getattr(options, name):
            raise UsageError("--rounds", f"cannot be combined with --{name}")
    if options.depth is not None and options.strata is not None:
        raise UsageError("--depth", "cannot be combined with --strata")
    if options.simulate and (options.judged or options.extend):
        raise UsageError("--simulate", "cannot be combined with --judged or --extend")
    if options.rule and not options.judged:
        raise UsageError("--rule", "needs --judged QRELS: the rule follows the judgements")
    if not (options.simulate or options.judged) and options.output in (None, "-"):
        raise UsageError("-o", "name the file of the pool")
    if not (options.simulate or options.judged) and options.format == "parquet":
        raise UsageError("--format", "Parquet is not text, and -o names the pool: choose another, such as csv")
    if options.extend and (options.strata or options.depth or options.budget):
        raise UsageError("--extend", "keeps the strata, the budget and the seed of the pool")


def _ends(text: str) -> None:
    from leadline.judge.draws import parse_ends

    parse_ends(text)


def _check_strata(text: str) -> None:
    from leadline.judge.pools import parse_strata

    parse_strata(text)


def _read(paths: list[str]) -> list[Run]:
    from leadline.records.runs import read_run, run_names

    return [read_run(path, name=name) for path, name in zip(paths, run_names(paths), strict=True)]


def _draw(options: argparse.Namespace, runs: list[Run]) -> None:
    from leadline.judge.pools import Pool, draw_pool, extend_pool

    families = _families(options.families)
    if options.rounds:
        pool = _first_round(options, runs)
    elif options.extend:
        pool = extend_pool(Pool.read(options.extend), runs, families=families)
    else:
        strata = f"{options.depth}:1" if options.depth else options.strata or DEFAULT_STRATA
        with wrong_usage():
            pool = draw_pool(runs, strata=strata, budget=options.budget, seed=options.seed, families=families)
    pool.write(options.output)
    if options.format != "table":  # one table, which programs can read
        write(f"{(pool.contributions() if options.by == 'run' else pool.sizes()).render(options.format)}\n")
        return
    if options.quiet:
        return
    chosen, topics = len(pool.to_judge()), len(pool.topics)
    said = f"{counted(chosen, 'document')} to judge of {len(pool.documents):,} pooled, {counted(topics, 'topic')}"
    sizes = pool.sizes()
    each = [int(row[2]) for row in sizes.rows]
    write(f"{options.output}: {said}, {min(each)} to {max(each)} for each.\n\n")
    write(f"{sizes.render('table')}\n\n{pool.contributions().render('table')}\n")
    if pool.draws is None and any(stratum.rate < 1 for stratum in pool.strata):
        print_notes([BIAS_OF_STRATA], options)


def _first_round(options: argparse.Namespace, runs: list[Run]) -> Pool:
    from leadline.judge.draws import Draws, parse_ends, read_machine
    from leadline.judge.pools import pool_of_draws

    how = {"depth": options.depth or FRAME_DEPTH, "seed": options.seed}
    machine = read_machine(options.machine) if options.machine else None
    name = options.machine or ""
    return pool_of_draws(Draws.first(runs, parse_ends(options.rounds), machine=machine, machine_name=name, **how))


def _families(folder: str | None) -> dict[str, str] | None:
    """The family of each document of a collection."""
    if folder is None:
        return None
    from leadline.collections.documents.collection import Collection

    records = Collection.open(folder).records
    return dict(zip(records["id"].to_list(), (str(family) for family in records["family"].to_list()), strict=True))


def _simulate(options: argparse.Namespace, runs: list[Run]) -> None:
    from leadline.judge.adaptive_rules import compare_rules
    from leadline.records.qrels import read_qrels

    budget = options.budget or 100
    budgets = sorted({max(1, budget // 4), max(1, budget // 2), budget})
    truth = read_qrels(options.simulate)
    level = 1 if options.rel is None else options.rel
    write_table(
        compare_rules(runs, truth, budgets, depth=options.depth or 100, level=level, seed=options.seed), options
    )


def _next(options: argparse.Namespace, runs: list[Run]) -> None:
    from leadline.judge.adaptive_rules import next_documents
    from leadline.records.qrels import read_qrels
    from leadline.records.result import Table

    judged = read_qrels(options.judged)
    level = 1 if options.rel is None else options.rel
    rule, count = options.rule or "depth", options.budget or 10
    found = next_documents(runs, judged, rule, count, depth=options.depth or 100, level=level, seed=options.seed)
    rows = [[topic, document] for topic, documents in found.items() for document in documents]
    if not rows:
        raise InputError(options.judged, "every document of the runs' first ranks is judged")
    write_table(Table(["topic", "document"], rows), options)
