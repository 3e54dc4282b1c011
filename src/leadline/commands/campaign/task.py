"""Add a task to a campaign, or change its rules: what is not given stays.

Examples:
  leadline campaign task chem2027 pa --kind prior-art --topics topics.tsv -m "PRES@100 AP"
  leadline campaign task chem2027 pa --deadline "2027-03-08 18:00 Europe/Vienna" --late mark
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.campaign import (
    ORGANISER,
    add_campaign,
    add_rules,
    add_task,
    note_answers,
    open_campaign,
    rules_of,
)
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import write
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_campaign(parser)
    add_task(parser, needed=True)
    add_rules(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    task = open_campaign(options).set_task(options.task, person=ORGANISER, **rules_of(options))  # type: ignore[arg-type]
    note_answers(options)
    if not options.quiet:
        write(f"{task.name}: {task.kind}, {counted(len(task.topic_ids), 'topic')}, {task.deadline_words}\n")
        write(f"a team sends {task.takes_words}\n")
