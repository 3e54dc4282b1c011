"""Write a campaign to a folder as TREC's usual files, with a README, the licence and hashes.

The archive needs nothing else: `leadline campaign overview` gives the same overview of it anywhere, byte for byte.

Examples:
  leadline campaign archive chem2027 -o chem2027.archive
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import OutputFolder
from leadline.commands.shared.campaign import add_campaign, open_campaign
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_campaign(parser)
    add_options(parser, "-o", type=OutputFolder(), metavar="ARCHIVE", required=True, help="new folder for the archive")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.campaign.archive import SUMS, archive

    live = open_campaign(options)
    names = archive(live, Path(options.output))
    facts = live.facts
    if not options.quiet:
        write(f"{facts.title}: {counted(len(names), 'file')} in {options.output}, with their hashes in {SUMS}\n")
    notes = [] if facts.licence else ["no licence is named: `leadline campaign new --licence` says the terms"]
    open_tasks = [task.name for task in facts.tasks if facts.release(task.name) is None]
    print_notes([*notes, *([f"not released yet: {', '.join(open_tasks)}"] if open_tasks else [])], options)
