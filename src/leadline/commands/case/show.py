"""Print a case: its queries, its documents with grades, its claim chart and its signature.

--part prints one table alone, in any format.

Examples:
  leadline case show brakes films
  leadline case show brakes films --part queries --format tsv
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import OUR_FOLDER, WORD
from leadline.commands.shared.options import add_choice, add_options, check_format
from leadline.commands.shared.output import write, write_table
from leadline.errors import UsageError

if TYPE_CHECKING:
    from leadline.show.lab.case_export import CaseReport

PARTS = ("queries", "documents", "chart", "history")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    parser.add_argument("case", metavar="CASE", type=WORD, help="name of the case")
    add_choice(parser, "--part", PARTS, "print one table alone", None, "all of it, as text")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.demo import open_lab
    from leadline.show.lab.case import Cases
    from leadline.show.lab.case_export import case_report, history_table
    from leadline.show.lab.opened import OpenedLab

    check_format(options)
    lab = open_lab(options.lab)
    case = Cases(lab).read(options.case)
    if options.part == "history":
        write_table(history_table(case), options)
        return
    report = case_report(OpenedLab(lab), case)
    if options.part:
        write_table(report.tables[options.part], options)
        return
    if options.format != "table":
        raise UsageError("--format", "is for one table: name it with --part")
    write(_as_text(report), options.output)


def _as_text(report: CaseReport) -> str:
    """The report as lines; a table without rows says so."""
    lines = [report.title, "", *report.about]
    for part in report.parts:
        lines += ["", part.heading, "-" * len(part.heading), *part.sentences]
        if part.table is not None:
            lines.append(part.table.render("table") if part.table.rows else "none yet")
    return "\n".join([*lines, ""])
