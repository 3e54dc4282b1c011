"""Pool the runs of a task, and say what only one team found.

The pool is that of `leadline pool`, by strata, within a budget or in rounds. Runs that came late are not pooled. A pool
can be drawn again until somebody has judged or is assigned.

Examples:
  leadline campaign pool chem2027 ts
  leadline campaign pool chem2027 ts --strata 10:1,30:0.3,100:0.1
  leadline campaign pool chem2027 ts --rounds 12,25,50 --priority 2
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.campaign import ORGANISER, add_campaign, add_task, are_strata, open_campaign
from leadline.commands.shared.options import add_choice, add_number, add_options, as_written, check_format
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_campaign(parser)
    add_task(parser)
    add(
        "--strata",
        metavar="LAST:RATE,...",
        type=as_written(are_strata),
        default=None,
        help="last rank and share of each (default: the task's)",
    )
    add_number(parser, "--depth", "judge all of the first N ranks: the same as --strata N:1")
    add_number(parser, "--budget", "documents to judge for each topic, about")
    add(
        "--rounds",
        metavar="ENDS",
        type=as_written(_are_ends),
        default=None,
        help="draw in rounds that end at so many judged a topic",
    )
    add_number(parser, "--priority", "only runs of at most this priority")
    add("--families", action="store_true", help="pool the members of a family as one document")
    add("--early", action="store_true", help="pool before the deadline")
    add_choice(parser, "--by", ("team", "run", "topic"), "which table", "team")
    public("compare").add(parser, "seed")
    add_options(parser, "-f", "-o", "-q")


def _are_ends(text: str) -> None:
    from leadline.judge.draws import parse_ends

    parse_ends(text)


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.judging import draw_campaign_pool, unique_by_team

    check_format(options)
    if options.rounds and (options.strata or options.depth or options.budget or options.families):
        raise UsageError("--rounds", "cannot be combined with --strata, --depth, --budget or --families")
    if options.depth and options.strata:
        raise UsageError("--depth", "cannot be combined with --strata")
    live = open_campaign(options)
    task = live.facts.task(options.task)
    drawn = draw_campaign_pool(
        live,
        task,
        strata=f"{options.depth}:1" if options.depth else options.strata or "",
        budget=options.budget,
        rounds=options.rounds or "",
        most_priority=options.priority,
        families=options.families,
        early=options.early,
        seed=options.seed,
        person=ORGANISER,
    )
    pool = drawn.pool
    if options.format == "table" and not options.quiet:
        said = f"{counted(len(pool.to_judge()), 'document')} to judge of {len(pool.documents):,} pooled"
        write(f"{task.name}: {said}, {counted(len(drawn.runs), 'run')}, {counted(len(pool.topics), 'topic')}\n\n")
    tables = {"team": lambda: unique_by_team(live.facts, task, pool), "run": pool.contributions, "topic": pool.sizes}
    write_table(tables[options.by](), options)
    if drawn.left_out:
        print_notes([f"not pooled: {', '.join(drawn.left_out)}"], options)
