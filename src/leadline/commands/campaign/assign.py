"""Assign the topics of a task to students and seniors, some of them to two people.

Every topic gets one student. Of those judged twice, the second is a senior where there are any, else another student;
the draw is by the seed. What is assigned already stays. The expert may judge every topic.

Examples:
  leadline campaign assign chem2027 ts
  leadline campaign assign chem2027 ts --double 0.5
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.campaign import ORGANISER, add_campaign, add_task, open_campaign
from leadline.commands.shared.options import add_options, check_format, share
from leadline.commands.shared.output import print_notes, write_table
from leadline.commands.shared.signature import public
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_campaign(parser)
    add_task(parser)
    words = "share of the topics that two people judge (default: the task's)"
    parser.add_argument("--double", metavar="SHARE", type=share, help=words)
    public("compare").add(parser, "seed")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.judging import assign, load_table

    check_format(options)
    live = open_campaign(options)
    task = live.facts.task(options.task)
    given = assign(live, task, double=options.double, seed=options.seed, person=ORGANISER)
    write_table(load_table(live.facts, task), options)
    twice = sum(len(names) > 1 for names in given.values())
    print_notes([f"{counted(len(given), 'topic')} assigned, {twice:,} of them to two"], options)
