"""Show how far assessors agree, where they differ, and what the expert changed.

POOL may also be the folder of a review: then of its abstracts, machines included. A machine's sensitivity and
specificity are those on documents that were drawn at random, with 95 % limits, and, beside them, on all that was read.

With --by, the same for each topic, with conflicts and lenient disagreements; what the second gave for each grade of the
first, and the expert for each merged grade; by how much two marks differ (shift); or how many documents of each topic
have each grade, merged and after the expert (stage). With --runs, it shows whether the order of the systems, and the
verdict of `leadline compare verdict`, depend on whose marks count.

Examples:
  leadline judge agreement pool.txt
  leadline judge agreement pool.txt --by grade
  leadline judge agreement pool.txt --by stage -f latex
  leadline judge agreement asthma -f json
  leadline judge agreement pool.txt --runs runs/*.run -m xinfAP
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILES, OURS, WORD
from leadline.commands.shared.judging import open_state, stage_grades
from leadline.commands.shared.options import add_choice, add_options, check_format, with_readable_runs
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import InputError, UsageError
from leadline.records.result import counted

if TYPE_CHECKING:
    from leadline.judge.judging_quality import By
    from leadline.judge.marks import JudgingState
    from leadline.judge.pools import Pool


BY = ("topic", "grade", "shift", "stage")


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
    add_choice(parser, "--neither", ("agreed", "lenient"), "what unsure (-2) against not judged (-1) is", "agreed")
    add_options(parser, "--strict")
    parser.add_argument("--until", type=WORD, default="", metavar="MOMENT", help="as it was at this moment, in UTC")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.judging_quality import agreement_by, agreement_table
    from leadline.judge.marks import shifts
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
    asked = pool.to_judge().select("topic", "document").rows()
    if options.by:
        table, notes = agreement_by(state, asked, options.by, options.neither)
        write_table(table, options)
        print_notes(notes, options)
        return
    write_table(agreement_table(state), options)
    if options.format != "table" or options.output is not None or options.quiet:
        return
    tables: tuple[tuple[By, str], ...] = (("topic", "How two assessors differ"), ("stage", "Documents by grade"))
    for by, head in tables:
        table, notes = agreement_by(state, asked, by, options.neither)
        write(f"\n{head}:\n\n{table.render('table')}\n")
        print_notes(notes, options)
    if state.people("expert"):
        final, unseen = state.final()
        seen = {key: grade for key, grade in state.merged().items() if key not in unseen}
        write(f"\nFrom the merged grades to the expert's:\n\n{shifts(seen, final).render('table')}\n")


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
