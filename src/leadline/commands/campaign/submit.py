"""Send a run to a campaign: it is checked, and the receipt has its hash.

CAMPAIGN is its folder, or the team's personal link where somebody else serves it. A run of the same name replaces the
one before, until the deadline. What is wrong is said in a line each, and the exit status is then 1.

Examples:
  leadline campaign submit chem2027 dutir1.run --team dutir --task pa --describe dutir1.toml
  leadline campaign submit https://track.example.org/in/TOKEN dutir1.run --describe dutir1.toml -o receipt.json
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from leadline.commands.shared.argument_kinds import INPUT_FILE, OUTPUT_FILE, WORD, InputPath
from leadline.commands.shared.campaign import ORGANISER, add_description, description_of
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write
from leadline.errors import InputError, UsageError, nearest
from leadline.records.result import counted


def _is_folder(text: str) -> bool:
    return "://" not in text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "campaign",
        metavar="CAMPAIGN",
        type=InputPath(deep=True, is_path=_is_folder),
        help="folder of the campaign, or a team's link",
    )
    add("run", metavar="RUN", type=INPUT_FILE, help="run in TREC's format, as text or compressed")
    add("--team", metavar="NAME", type=WORD, default="", help="whose run it is; a link knows it")
    add("--task", metavar="NAME", type=WORD, default="", help="for which task (default: the only one)")
    add_description(parser)
    add_options(parser, "-o", type=OUTPUT_FILE, help="file for the receipt, as JSON (default: it is only printed)")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    if not Path(options.run).is_file():
        raise InputError(options.run, "no such file")
    said = description_of(options)
    receipt = (_sent_here if _is_folder(options.campaign) else _sent_there)(options, said)
    if options.output:
        from leadline.text.files import json_text

        write(f"{json_text(receipt)}\n", options.output)
    known = "" if receipt.get("is_new", True) else ", which was there already"
    late = " after the deadline" if receipt["late"] else ""
    size = f"{counted(receipt['lines'], 'line')}, {counted(receipt['topics'], 'topic')}"
    write(f"{receipt['name']} taken{late}{known}: version {receipt['version']}, {size}\n")
    write(f"sha256   {receipt['sha256']}\nreceipt  {receipt['receipt']}\n")
    print_notes(receipt["notes"], options)


def _sent_here(options: argparse.Namespace, said: Any) -> dict[str, Any]:
    from leadline.show.campaign.live_campaign import LiveCampaign, RunRefusedError

    live = LiveCampaign.open(options.campaign)
    facts = live.facts
    if not options.team:
        raise UsageError("--team", f"say whose run it is: {', '.join(facts.teams) or 'no team is invited yet'}")
    if options.team not in facts.teams:
        known = (
            f"{', '.join(facts.teams)}{nearest(options.team, facts.teams)}" if facts.teams else "the teams: invite them"
        )
        raise UsageError("--team", f"{options.team!r} is none of {known}")
    try:
        found = live.submit(options.team, facts.task(options.task), Path(options.run), said, person=ORGANISER)
    except RunRefusedError as refused:
        write("".join(f"{problem}\n" for problem in refused.problems))
        sys.exit(1)
    return {**found.content(), "is_new": found.is_new}


def _sent_there(options: argparse.Namespace, said: Any) -> dict[str, Any]:
    from leadline.show.lab.client import connect

    client = connect(options.campaign)
    described = {"kind": said.kind, "resources": said.resources, "text": said.text, "priority": said.priority or ""}
    answer = client.send_run(options.run, options.task, fields=",".join(said.fields), **described)
    if problems := answer.get("problems"):
        write("".join(f"{problem}\n" for problem in problems))
        sys.exit(1)
    return answer
