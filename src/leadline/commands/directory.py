"""Browse a collection by class: a tree with counts, as a table, or as one HTML page.

Documents without a class are gathered in clusters, named by their words. A document counts under each of its classes.

Examples:
  leadline directory patents
  leadline directory patents --class C --depth 3
  leadline directory patents -o directory.html
  leadline directory patents --clusters 3
"""

from __future__ import annotations

import argparse
from functools import partial

from leadline.commands.shared.argument_kinds import OutputFile
from leadline.commands.shared.options import add_number, add_options, as_written, check_format, filter_values
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.commands.shared.signature import public
from leadline.commands.shared.terminal_page import TerminalPage, shorten
from leadline.errors import UsageError

LISTED = 10  # titles of a lowest branch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "collection")
    under = {"flags": ["--class"], "metavar": "CODE", "type": as_written(partial(filter_values, "class"))}
    public("directory").add(parser, "under", "titles", "clusters", under=under)
    add_number(parser, "--depth", "levels to show", 2, most=4)
    public("directory").add(parser, "index", index={"metavar": "INDEX"})
    add_options(parser, "-f")
    add_options(
        parser,
        "-o",
        type=OutputFile("reports"),
        help="output file; one that ends in .html is the page (default: standard output)",
    )
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.directory import directory

    page = (options.output or "").lower().endswith((".html", ".htm"))
    check_format(options)
    if page and options.format != "table":
        raise UsageError("--format", f"{options.format} is no page: give -o another ending, or leave --format out")
    classes = filter_values("class", options.under)
    if len(classes) > 1:
        raise UsageError("--class", f"takes one class, got {len(classes)}")
    made = directory(
        options.collection,
        under=classes[0] if classes else "",
        titles=options.titles,
        clusters=options.clusters,
        output=options.output if page else None,
        index=options.index,
    )
    if not page and options.format == "table":
        from leadline.show.directory import tree_lines

        width = TerminalPage.for_output(options.output).width
        write(
            "\n".join(shorten(line, width) for line in tree_lines(made, options.depth, LISTED)) + "\n", options.output
        )
    elif not page:
        write_table(made.table(options.depth), options)
    code = made.root.code or next((branch.code for branch in made.root.branches if branch.level == "section"), "")
    search = [f'search in a branch: leadline search {options.index} "words" --class {code}'] if code else []
    print_notes([*made.notes, *search], options)
