"""List every measure with one line of meaning.

Examples:
  leadline measures
  leadline measures recall
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import write_table
from leadline.errors import InputError
from leadline.records.result import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORD", type=WORD, nargs="*", help="only measures whose line has these words")
    add_options(parser, "-f", "-o")


def run(options: argparse.Namespace) -> None:
    from leadline.measures.definition import MEASURES

    check_format(options)
    rows = []
    for definition in sorted(MEASURES.values(), key=lambda known: (known.family, known.name.lower())):
        row = [
            definition.name + (f"@{definition.at}" if definition.at else ""),
            definition.meaning,
            ", ".join(option for option in definition.parameters if option != definition.at),
            ", ".join(definition.aliases),
        ]
        if all(word.lower() in " ".join(row).lower() for word in options.words):
            rows.append(row)
    if not rows:
        raise InputError(" ".join(options.words), "no measure has these words; `leadline measures` lists them all")
    columns = ["measure", "meaning", "options", "also called"]
    shown = 2 if options.format == "table" else 4  # a terminal has no room for more than the meaning
    write_table(Table(columns[:shown], [row[:shown] for row in rows]), options)
