"""Show how far assessors agree, where they differ, and what the expert changed.

POOL may also be the folder of a review: then of its abstracts, machines included. A machine's sensitivity and
specificity are those on documents that were drawn at random, with 95 % limits, and, beside them, on all that was read.

With --by, the same for each topic; or what the second gave for each grade of the first; or by how much two marks
differ (shift). With --runs, it shows whether the order of the systems, and the verdict of `leadline compare verdict`,
depend on whose marks count.

Examples:
  leadline judge agreement pool.txt
  leadline judge agreement pool.txt --by grade
  leadline judge agreement asthma -f json
  leadline judge agreement pool.txt --runs runs/*.run -m xinfAP
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import INPUT_FILES, OURS, WORD
from leadline.commands.shared.judging import open_state, stage_grades
from leadline.commands.shared.options import add_choice, add_options, check_format, with_readable_runs
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError
from leadline.records.result import Table, counted

if TYPE_CHECKING:
    from leadline.judge.marks import JudgingState
    from leadline.judge.pools import Pool


BY = ("topic", "grade", "shift")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "pool", metavar="POOL", type=OURS, help="pool that `leadline pool` made, or the folder of a review"
    )
    parser.add_argument(
        "--runs", type=INPUT_FILES, nargs="+", metavar="RUN", help="rank these by each person's marks, and compare"
    )
    public("evaluate").add(parser, "measures", measures={"help": "measure for --runs (default: xinfAP)"})
    public("verdict").add(parser, "samples", "seed")
    add_choice(parser, "--by", BY, "look at agreement by this", None, "all together")
    add_options(parser, "--strict")
    parser.add_argument("--until", type=WORD, default="", metavar="MOMENT", help="as it was at this moment, in UTC")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.marks import disagreement_table, disagreements, grade_counts, shifts
    from leadline.judge.pools import Pool

    check_format(options)
    if len(" ".join(options.measures or ["xinfAP"]).split()) != 1:
        raise UsageError("-m", "name one measure: the one to decide by")
    if Path(options.pool).is_dir():
        _of_review(options)
        return
    pool, state = Pool.read(options.pool), open_state(options)
    people = state.people("assessor")
    if len(people) < 2:
        raise InputError(options.pool, f"has marks of {counted(len(people), 'assessor')}; agreement needs two or more")
    if options.runs:
        _outcome(options, pool, state)
        return
    if options.by:
        write_table(_by(state, people, options.by), options)
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


def _of_review(options: argparse.Namespace) -> None:
    """The agreement of everybody who read a review, and what machines find of what people keep."""
    from leadline.commands.shared.judging import open_review
    from leadline.judge.review.machine_measuring import agreement_of_review, machine_savings, machine_sentences

    if options.runs or options.by or options.until:
        option = "--runs" if options.runs else "--by" if options.by else "--until"
        raise UsageError(option, "is of pools: a review has one topic and two grades")
    state, _, _ = open_review(argparse.Namespace(review=options.pool))
    found = agreement_of_review(state)
    if not found.rows:
        raise InputError(options.pool, "has been read by fewer than two people or machines")
    write_table(found, options)
    print_notes([*machine_sentences(state), *machine_savings(state)], options)


def _by(state: JudgingState, people: list[str], by: str) -> Table:
    """Agreement of every two assessors by topic, by the grade of the first, or by how much their marks differ."""
    from collections import Counter

    import numpy as np

    from leadline.judge.judging_quality import cohen_kappa, krippendorff_alpha

    rows: list[list[Any]] = []
    for first, second in itertools.combinations(people, 2):
        one, other = state.grades_of(first), state.grades_of(second)
        both = sorted(key for key in one.keys() & other.keys() if one[key] >= 0 and other[key] >= 0)
        if by == "topic":
            for topic in dict.fromkeys(topic for topic, _ in both):
                pair = np.array([[marks[key] for key in both if key[0] == topic] for marks in (one, other)], float)
                same = float((pair[0] == pair[1]).mean())
                kappa, alpha = cohen_kappa(*pair), krippendorff_alpha(pair, level="ordinal")
                rows.append([f"{first}, {second}", topic, pair.shape[1], same, kappa, alpha])
            continue
        for grade in (0, 1, 2) if by == "grade" else ():
            given = Counter(other[key] for key in both if one[key] == grade)
            size = sum(given.values())
            share = given[grade] / size if size else float("nan")
            rows.append([f"{first}, {second}", grade, size, given[0], given[1], given[2], share])
        shifts = Counter(other[key] - one[key] for key in both) if by == "shift" else Counter[int]()
        rows += [[f"{first}, {second}", shift, count, count / len(both)] for shift, count in sorted(shifts.items())]
    columns = {
        "topic": ["topic", "documents", "same", "kappa", "alpha, ordinal"],
        "grade": ["grade of the first", "documents", "0", "1", "2", "same"],
        "shift": ["shift", "documents", "share"],
    }
    return Table(["assessors", *columns[by]], rows)


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
