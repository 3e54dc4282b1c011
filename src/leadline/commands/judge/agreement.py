"""Show how far assessors agree, where they differ, and what the expert changed.

With --runs, it shows whether the order of the systems, and the verdict of `leadline compare verdict`, depend on whose
marks count.

Examples:
  leadline judge agreement pool.txt
  leadline judge agreement pool.txt --runs runs/*.run -m xinfAP
"""

from __future__ import annotations

import argparse
import itertools
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import INPUT_FILES, WORD
from leadline.commands.shared.judging import add_pool, open_state, stage_grades
from leadline.commands.shared.options import add_options, check_format, with_readable_runs
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError
from leadline.records.result import Table, counted

if TYPE_CHECKING:
    from leadline.judge.marks import JudgingState
    from leadline.judge.pools import Pool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    parser.add_argument(
        "--runs", type=INPUT_FILES, nargs="+", metavar="RUN", help="rank these by each person's marks, and compare"
    )
    public("evaluate").add(parser, "measures", measures={"help": "measure for --runs (default: xinfAP)"})
    public("verdict").add(parser, "samples", "seed")
    add_options(parser, "--strict")
    parser.add_argument("--until", type=WORD, default="", metavar="MOMENT", help="as it was at this moment, in UTC")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.marks import disagreement_table, disagreements, grade_counts, shifts
    from leadline.judge.pools import Pool

    check_format(options)
    if len(" ".join(options.measures or ["xinfAP"]).split()) != 1:
        raise UsageError("-m", "name one measure: the one to decide by")
    pool, state = Pool.read(options.pool), open_state(options)
    people = state.people("assessor")
    if len(people) < 2:
        raise InputError(options.pool, f"has marks of {counted(len(people), 'assessor')}; agreement needs two or more")
    if options.runs:
        _outcome(options, pool, state)
        return
    write_table(_pairs(state, people), options)
    if options.format != "table" or options.output is not None or options.quiet:
        return
    for first, second in itertools.combinations(people, 2):
        found = disagreements(state.grades_of(first), state.grades_of(second))
        write(f"\n{first} and {second}:\n\n{disagreement_table(found).render('table')}\n")
    merged = state.merged()
    write(f"\nGrades after merging:\n\n{grade_counts(merged).render('table')}\n")
    if state.people("expert"):
        final, unseen = state.final()
        seen = {key: grade for key, grade in merged.items() if key not in unseen}
        write(f"\nFrom the merged grades to the expert's:\n\n{shifts(seen, final).render('table')}\n")
        print_notes([f"{len(unseen)} documents were not seen by an expert: the merged grade stands"], options)


def _pairs(state: JudgingState, people: list[str]) -> Table:
    """Kappa of every two assessors, Fleiss' kappa and alpha of all, with intervals; unsure marks are left out."""
    import numpy as np

    from leadline.judge.judging_quality import bootstrap_interval, cohen_kappa, fleiss_kappa, krippendorff_alpha

    rows: list[list[Any]] = []
    marks = {person: state.grades_of(person) for person in people}
    keys = sorted(set().union(*marks.values()))
    table = np.array([[_value(marks[person].get(key)) for key in keys] for person in people])
    for (a, first), (b, second) in itertools.combinations(enumerate(people), 2):
        pair = table[[a, b]]
        for name, weights in (("kappa", "none"), ("kappa, linear", "linear"), ("kappa, quadratic", "quadratic")):

            def statistic(each: Any, weights: Any = weights) -> float:
                return cohen_kappa(*each, weights=weights)

            low, high = bootstrap_interval(statistic, pair)
            both = int(np.isfinite(pair).all(axis=0).sum())
            rows.append([f"{first}, {second}", name, both, statistic(pair), low, high])
    if len(people) > 2:
        by_all = int(np.isfinite(table).all(axis=0).sum())
        rows.append(["all", "Fleiss' kappa", by_all, fleiss_kappa(table), *bootstrap_interval(fleiss_kappa, table)])
    low, high = bootstrap_interval(lambda each: krippendorff_alpha(each, level="ordinal"), table)
    judged = int((np.isfinite(table).sum(axis=0) > 1).sum())
    rows.append(["all", "alpha, ordinal", judged, krippendorff_alpha(table, level="ordinal"), low, high])
    return Table(["assessors", "coefficient", "documents", "value", "low", "high"], rows)


def _value(grade: int | None) -> float:
    return float("nan") if grade is None or grade < 0 else float(grade)


def _outcome(options: argparse.Namespace, pool: Pool, state: JudgingState) -> None:
    """Whether the order of the systems and the verdict depend on whose marks count."""
    from leadline.trust.incomplete import outcome_by_marks

    stages = [*state.people("assessor"), "merged", *state.people("expert"), "final"]
    marks = {stage: pool.qrels(stage_grades(state, stage)[0], stage) for stage in stages}
    measure = " ".join(options.measures or ["xinfAP"])
    with progress_bar("comparing by each person's marks", quiet=options.quiet) as progress:
        how = {"samples": options.samples, "seed": options.seed, "progress": progress}
        found = with_readable_runs(options, options.runs, lambda paths: outcome_by_marks(marks, paths, measure, **how))
    if options.format == "table" and options.output is None:
        write(f"{wrap_for_terminal(found.sentence())}\n\n")
        write_table(found.table(), options)
    else:
        write_table(found.table(), options)
        print_notes([found.sentence()], options)
