"""Write a strategy in the syntax of another search system.

Each line is printed as it is written there; notes name what cannot be said. -o writes the lines alone, to paste.

Examples:
  leadline strategy translate coatings.txt --to pubmed
  leadline strategy translate coatings.txt --syntax ovid --to stn -o coatings-stn.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.options import add_options, add_summary_options, check_format
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("translate_strategy").add(parser, to={"flags": ["--to"], "dest": "to", "required": True})
    add_options(parser, "-o", help="write the translated lines alone")
    add_summary_options(parser)


def run(options: argparse.Namespace) -> None:
    check_format(options)
    from leadline.retrieval.public import translate_strategy

    found = translate_strategy(**public("translate_strategy").given(options, strategy=Path(options.strategy)))
    if options.output:
        write(found.text, options.output)
    if options.output != "-":
        write(found.table.encoded(options.format))
    print_notes([*found.notes, f"read as {found.syntax}"], options)
