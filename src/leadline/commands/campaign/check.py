"""Check runs before they are sent to a campaign, as it will check them.

Nothing is kept. It needs only the topics and the ids of the documents, which the team's page offers; where the
campaign's folder is at hand, --campaign and --task know them. Exit status 1: a run would be refused.

Examples:
  leadline campaign check runs/*.run --topics topics.tsv --documents ids.txt
  leadline campaign check dutir1.run --topics topics.tsv --documents patents --describe dutir1.toml
  leadline campaign check dutir1.run --campaign chem2027 --task pa
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILE, INPUT_FILES, OUR_FOLDER, WORD
from leadline.commands.shared.campaign import add_description, add_takes, description_of, is_described
from leadline.commands.shared.options import add_number, add_options
from leadline.commands.shared.output import print_notes, write
from leadline.errors import UsageError
from leadline.records.result import counted
from leadline.show.choices import MOST_RUNS, RUN_LENGTH

if TYPE_CHECKING:
    from leadline.show.campaign.submission import RunRules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("runs", metavar="RUN", type=INPUT_FILES, nargs="+", help="runs of one team for one task; patterns are expanded")
    add("--topics", metavar="FILE", type=INPUT_FILE, help="the topics of the task")
    add(
        "--documents",
        metavar="FILE",
        type=INPUT_FILE,
        help="the ids of the documents, one on a line; or their collection",
    )
    add("--campaign", metavar="DIR", type=OUR_FOLDER, help="the campaign's folder, instead of both")
    add("--task", metavar="NAME", type=WORD, default="", help="with --campaign: the task (default: the only one)")
    add_number(parser, "--length", "most documents of a topic", RUN_LENGTH)
    add_takes(parser, "kinds of runs that the task takes")
    add_description(parser)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.records.runs import run_paths
    from leadline.show.campaign.submission import check_run, check_together

    rules = _rules(options)
    most = f"at most {rules.length:,} {rules.form.unit}s a topic"
    measured = f", measured by {' '.join(rules.measures)}" if rules.measures else ""
    print_notes([f"checked as runs of {most}, with lines of {rules.form.line}{measured}"], options)
    paths = run_paths(options.runs, strict=True)
    if is_described(options) and len(paths) > 1:
        raise UsageError("--describe", f"is of one run, and there are {len(paths)}: check them one by one")
    said = description_of(options) if is_described(options) else None
    checked = check_together(paths, rules) if said is None else [check_run(paths[0], rules, said)]
    for each in checked:
        for problem in each.problems:
            write(f"{problem}\n")
        if not each.problems:
            write(
                f"{each.file}: is right: {each.tag}, {counted(each.lines, 'line')}, {counted(each.topics, 'topic')}\n"
            )
        print_notes(
            (f"{each.file}: {note}".replace(f"{each.file}: {each.file}:", f"{each.file}:") for note in each.notes),
            options,
        )
    if any(each.problems for each in checked):
        sys.exit(1)


def _rules(options: argparse.Namespace) -> RunRules:
    from leadline.records.topics import Topics
    from leadline.show.campaign.live_campaign import LiveCampaign
    from leadline.show.campaign.run_forms import checked_kinds
    from leadline.show.campaign.submission import KnownDocuments, RunRules

    if options.campaign:
        live = LiveCampaign.open(options.campaign)
        return live.rules(live.facts.task(options.task))
    if not options.topics:
        raise UsageError("--topics", "is missing: give the topics and --documents, or the folder with --campaign")
    documents = KnownDocuments.read(options.documents) if options.documents else None
    if documents is None:
        print_notes(["the ids of documents are not checked: give them with --documents"], options)
    return RunRules(
        Topics.read(options.topics).ids, documents, options.length, MOST_RUNS, checked_kinds(options.takes or ())
    )
