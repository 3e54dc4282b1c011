"""Every measure, with one line of meaning.

example: leadline measures recall
"""

from __future__ import annotations

import argparse

from leadline.commands.output import check_output, define_output, emit_table
from leadline.errors import InputError
from leadline.measures.measure import MEASURES
from leadline.records.scores.table import Table


def define(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORD", nargs="*", help="only measures that speak of these")
    define_output(parser)


def run(options: argparse.Namespace) -> None:
    check_output(options)
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
        raise InputError("measures", f"none speaks of {' '.join(options.words)!r}; `leadline measures` lists them all")
    columns = ["measure", "meaning", "options", "also called"]
    shown = 2 if options.format == "table" else 4  # a terminal has room for the meaning
    emit_table(Table(columns[:shown], [row[:shown] for row in rows]), options)
