"""Write what a team needs: the topics of a task, or the ids of the documents.

Beside the topics it says the rules of the task: until when runs are taken, how long they may be, and by what they are
measured.

Examples:
  leadline campaign topics chem2027 ts -o topics.xml
  leadline campaign topics chem2027 --documents -o ids.txt
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.campaign import add_campaign, add_task, open_campaign
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_campaign(parser)
    add_task(parser)
    parser.add_argument("--documents", action="store_true", help="the ids of the documents instead, one on a line")
    add_options(parser, "-o", "-q")


def run(options: argparse.Namespace) -> None:
    live = open_campaign(options)
    if options.documents:
        write(live.document_ids(), options.output)
        return
    task = live.facts.task(options.task)
    write(live.topics_file(task), options.output)
    rules = [task.until_words, f"a team sends {task.takes_words}", f"a line: {task.form.line}"]
    print_notes((f"{task.name}: {each}" for each in rules), options)
