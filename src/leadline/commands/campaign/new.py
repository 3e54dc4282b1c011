"""Make a campaign: a track of your own with teams, in one folder.

The documents are a collection of ours, or a list of their ids. A first task can be given at once; `leadline campaign
task` adds others and changes their rules, and `leadline serve DIR --team` opens the pages.

Examples:
  leadline campaign new track --collection patents --task survey --kind survey --topics topics.tsv
  leadline campaign new track --collection patents --title "Chemistry 2027" --licence "CC BY 4.0"
  leadline campaign new track --documents ids.txt --task a --kind survey --topics topics.tsv --deadline "2027-03-01 AoE"
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import INPUT_FILE, OUR_FOLDER, WORD, OutputFolder
from leadline.commands.shared.campaign import ORGANISER, add_rules, note_answers, rules_of
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import write
from leadline.errors import UsageError
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "campaign", metavar="DIR", type=OutputFolder("campaigns"), help="folder to make; it must not exist, or be empty"
    )
    add("--title", metavar="TEXT", type=WORD, default="", help="title on pages (default: the name of the folder)")
    add("--collection", metavar="COLLECTION", type=OUR_FOLDER, default="", help="collection that is searched")
    add("--documents", metavar="FILE", type=INPUT_FILE, default="", help="ids of the documents instead, one on a line")
    add("--organiser", metavar="TEXT", type=WORD, default="", help="who runs it, for the overview and the archive")
    add("--licence", metavar="TEXT", type=WORD, default="", help="terms of topics and judgements, for the archive")
    add("--task", metavar="NAME", type=WORD, default="", help="name of a first task, which needs --kind and --topics")
    add_rules(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.live_campaign import LiveCampaign

    if not options.task and any(value for value in rules_of(options).values()):
        raise UsageError("--task", "is missing: name the task that the other options describe")
    if options.task and not (options.kind and options.topics):
        raise UsageError("--task", "needs --kind and --topics")
    made = LiveCampaign.create(
        options.campaign,
        options.title,
        collection=options.collection,
        documents=options.documents,
        organiser=options.organiser,
        licence=options.licence,
    )
    if options.task:
        made.set_task(options.task, person=ORGANISER, **rules_of(options))  # type: ignore[arg-type]
        note_answers(options)
    if options.quiet:
        return
    facts, there = made.facts, options.campaign
    write(f"{facts.title}: a campaign in {there}, with {counted(facts.documents, 'document')}\n")
    for task in facts.tasks:
        write(f"  {task.name:<12} {task.kind}, {counted(len(task.topic_ids), 'topic')}, {task.deadline_words}\n")
    if not facts.tasks:
        write(f"Add a task with `leadline campaign task {there} NAME --kind KIND --topics FILE`\n")
    write(f"Invite teams with `leadline campaign invite {there} NAME ...`, ")
    write(f"and open the pages with `leadline serve {there} --team`\n")
