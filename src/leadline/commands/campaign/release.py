"""Release the judgements of a task: its teams then see all runs.

It cannot be taken back.

A task of kind prior-art is judged by the citations of the collection; the others by what people judged in the pool,
after the expert. Judgements from elsewhere are given with --qrels.

Examples:
  leadline campaign release chem2027 pa
  leadline campaign release chem2027 ts --stage merged --incomplete
  leadline campaign release chem2027 ts --qrels judged.txt
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import INPUT_FILE
from leadline.commands.shared.campaign import ORGANISER, add_campaign, add_task, open_campaign
from leadline.commands.shared.options import add_choice, add_options
from leadline.commands.shared.output import write
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_campaign(parser)
    add_task(parser)
    add_choice(parser, "--stage", ("final", "merged"), "after the expert, or what the assessors say", "final")
    parser.add_argument("--qrels", metavar="FILE", type=INPUT_FILE, default="", help="judgements to release instead")
    words = "release although documents are not judged, or disagreements are open"
    parser.add_argument("--incomplete", action="store_true", help=words)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.judging import release

    live = open_campaign(options)
    task = live.facts.task(options.task)
    how = {"stage": options.stage, "qrels": options.qrels, "incomplete": options.incomplete}
    done = release(live, task, person=ORGANISER, **how)
    if not options.quiet:
        said = f"{counted(done.judgements, 'judgement')}, {done.relevant:,} relevant ({done.stage})"
        write(f"{task.name}: released {said}, in {live.folder / task.qrels_file}\nsha256  {done.sha256}\n")
