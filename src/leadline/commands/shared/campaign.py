"""What the commands of campaigns share: the campaign, the task, its rules, and how a run was made."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILE, OUR_FOLDER, WORD
from leadline.commands.shared.options import add_choice, add_number, as_written, choice, list_of, share
from leadline.commands.shared.output import print_notes
from leadline.show.choices import LATE_RULES, NEITHER, RUN_KINDS, TASK_KINDS

if TYPE_CHECKING:
    from leadline.show.campaign.live_campaign import LiveCampaign
    from leadline.show.campaign.submission import Description

ORGANISER = "organiser"  # who did what is done by commands


def add_campaign(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "campaign", metavar="DIR", type=OUR_FOLDER, help="folder of the campaign, made by `leadline campaign new`"
    )


def add_task(parser: argparse.ArgumentParser, *, needed: bool = False) -> None:
    words = "name of the task" + ("" if needed else " (default: the only one)")
    parser.add_argument("task", metavar="TASK", type=WORD, nargs=None if needed else "?", default="", help=words)


def open_campaign(options: argparse.Namespace) -> LiveCampaign:
    from leadline.show.campaign.live_campaign import LiveCampaign

    return LiveCampaign.open(options.campaign)


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add what can be said of a task; what is not given stays as it was."""
    add = parser.add_argument
    add_choice(
        parser, "--kind", TASK_KINDS, "what is asked: judged by citations, or by people in a pool", None, "as it was"
    )
    add("--topics", metavar="FILE", type=INPUT_FILE, default="", help="the topics of the task")
    add("--heading", metavar="TEXT", type=WORD, help="title of the task on pages (default: its name)")
    add("--guidelines", metavar="FILE", type=INPUT_FILE, default="", help="text for those who judge")
    add(
        "--deadline",
        metavar="MOMENT",
        type=as_written(_is_deadline),
        help="until when runs are taken, with its zone: '2027-03-01 18:00 Europe/Vienna', '2027-03-01 AoE' (none: '')",
    )
    add_takes(parser, "kinds of runs that teams may send")
    add_choice(
        parser, "--late", LATE_RULES, "what becomes of runs after it; marked ones are not pooled", None, "refuse"
    )
    add("-m", "--measures", metavar="MEASURES", type=as_written(_are_measures), help='such as "PRES@100 AP"')
    add_number(parser, "--runs", "most runs of a team (default: 8)")
    add_number(parser, "--length", "most documents of a topic in a run (default: 1000)")
    words = "how unsure against not judged counts: as agreed, or as a lenient disagreement"
    add_choice(parser, "--neither", NEITHER, words, None, "agreed")
    add("--strata", metavar="LAST:RATE,...", type=as_written(are_strata), help="what is pooled (default: 20:1)")
    add("--double", metavar="SHARE", type=share, help="share of the topics that two people judge (default: 0.25)")


def add_takes(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the kinds of runs that are taken: boolean runs are sets, sessions are reading logs."""
    words = f"{what}: {', '.join(RUN_KINDS)} (default: ranked documents, made in any way)"
    parser.add_argument("--takes", metavar="KIND,...", type=list_of(choice(RUN_KINDS)), help=words)


def rules_of(options: argparse.Namespace) -> dict[str, object]:
    """The rules that were given, as `set_task` takes them."""
    return {
        "kind": options.kind or "",
        "topics": options.topics,
        "title": options.heading,
        "guidelines": options.guidelines,
        "deadline": options.deadline,
        "late": options.late,
        "measures": options.measures,
        "most_runs": options.runs,
        "length": options.length,
        "strata": options.strata,
        "double": options.double,
        "takes": options.takes,
        "neither": options.neither,
    }


def note_answers(options: argparse.Namespace) -> None:
    """Say which columns of the topics teams do not get."""
    from leadline.records.topics import Topics
    from leadline.show.campaign.live_campaign import answers_in

    if options.topics and (names := answers_in(Topics.read(options.topics))):
        print_notes([f"left out of the topics, as it tells how much is relevant: {', '.join(names)}"], options)


def _is_deadline(text: str) -> None:
    from leadline.show.campaign.campaign import parse_deadline

    if text:
        parse_deadline(text)


def _are_measures(text: str) -> None:
    from leadline.errors import InputError, LeadlineError
    from leadline.measures.definition import parse_measures

    try:
        parse_measures(text)
    except LeadlineError as error:
        raise InputError("-m", str(error)) from None


def are_strata(text: str) -> None:
    from leadline.judge.pools import parse_strata

    parse_strata(text)


def add_description(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a run was made."""
    add = parser.add_argument
    add("--describe", metavar="FILE", type=INPUT_FILE, help="a TOML file with kind, fields, resources, text, priority")
    add_choice(parser, "--kind", RUN_KINDS, "how the run was made", None, "as in --describe")
    add(
        "--fields",
        metavar="NAMES",
        type=WORD,
        help="fields of topics and documents that were used, such as title,claims",
    )
    add("--resources", metavar="TEXT", type=WORD, help="what else was used, or none")
    add("--text", metavar="TEXT", type=WORD, help="how the run was made, in a sentence or more")
    add_number(parser, "--priority", "of the team's runs of this task; 1 is pooled first")


def description_of(options: argparse.Namespace) -> Description:
    """How a run was made, from the file and the options, which come before it."""
    from leadline.show.campaign.submission import FIELDS, Description
    from leadline.text.source import read_toml

    said = read_toml(options.describe) if options.describe else {}
    given = {name: getattr(options, name) for name in FIELDS if getattr(options, name) is not None}
    return Description.of({**said, **given}, options.describe or "description")


def is_described(options: argparse.Namespace) -> bool:
    """Whether anything was said of how a run was made."""
    return any(
        getattr(options, name) is not None for name in ("describe", "kind", "fields", "resources", "text", "priority")
    )
