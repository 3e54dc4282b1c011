"""Write a case as a file: a report, references, judgements, a strategy or an archive.

The form is that of the file's ending: .docx and .pdf are reports with the claim chart, .ris and .csv the documents with
their grades, .qrels judgements, .txt the queries as a strategy, .zip an archive with the journal and a manifest of
hashes, which `leadline check` reads.

Examples:
  leadline case export brakes films -o films.docx
  leadline case export brakes films -o films.zip
  leadline case export brakes films --as strategy -o films.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import OUR_FOLDER, WORD
from leadline.commands.shared.options import add_choice, add_options
from leadline.commands.shared.output import print_notes, write
from leadline.errors import UsageError
from leadline.show.choices import CASE_FORMS

ENDINGS = {**{f".{form}": form for form in CASE_FORMS}, ".txt": "strategy"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    parser.add_argument("case", metavar="CASE", type=WORD, help="name of the case")
    add_choice(parser, "--as", CASE_FORMS, "form of the file", None, "by the ending of FILE")
    add_options(parser, "-o", required=True)
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    form = getattr(options, "as") or ENDINGS.get(Path(options.output).suffix.lower())
    if form is None:
        raise UsageError("-o", f"ends in none of {', '.join(ENDINGS)}: name the form with --as")
    from leadline.show.demo import open_lab
    from leadline.show.lab.case import Cases
    from leadline.show.lab.case_export import exported
    from leadline.show.lab.opened import OpenedLab

    lab = open_lab(options.lab)
    file = Cases(lab).file(options.case)
    write(exported(OpenedLab(lab), file, form), options.output)
    notes = [str(file.read().head)]
    if form == "strategy":
        notes = ["in our own language: `leadline strategy run INDEX FILE --syntax leadline`"]
    print_notes(notes, options)
