"""List the named systems and their variants, the baselines first.

The runs of the teams of TREC-CHEM 2009 are variants; those of the track's overview have their names there too. With the
name of a system, what its team did, what is guessed and what differs here comes first.

Examples:
  leadline systems
  leadline systems bitem
  leadline systems --format csv -o systems.csv
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import write, write_table
from leadline.records.result import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="SYSTEM", type=WORD, nargs="*", help="only these systems, each with its description"
    )
    add_options(parser, "-f", "-o")


def run(options: argparse.Namespace) -> None:
    from leadline.retrieval.pipeline.named_systems import described, list_systems, system_options

    check_format(options)
    table = list_systems(*options.names).table()
    if options.format != "table":
        write_table(table, options)
        return
    if options.names and options.output is None:
        teams = dict.fromkeys(system_options(name)[0] for name in options.names)
        write("".join(f"{team}: {described(team)}\n\n" for team in teams))
    shown = 5 if options.names else 3  # a terminal has no room for the runs of all
    write_table(Table(table.columns[:shown], [row[:shown] for row in table.rows]), options)
