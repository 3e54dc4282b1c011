"""The papers' tables and figures, the printed number beside ours; with a lab, the same analyses on its runs.

A lab is a folder with runs/*.run and judgements (qrels.txt, or qrels.citations.txt and qrels.true.txt), such as
`leadline demo` makes. Where the data do not allow a table or figure, the page says why.

example: leadline reproduce -o papers.html
         leadline reproduce leadline-demo -o papers.html
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from leadline.commands.output import emit, progress_bar
from leadline.errors import InputError
from leadline.records.scores.table import Table
from leadline.show.papers.beyond import STORED
from leadline.show.papers.exhibit import STATES
from leadline.show.papers.inputs import PaperInputs
from leadline.show.papers.page import page, papers
from leadline.show.report.page_key import code_of, key_of, key_written_in


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lab", metavar="LAB", nargs="?", help="a folder with runs and judgements")
    add("-o", "--output", metavar="FILE", default="papers.html", help="the page, papers.html unless said")
    add("-q", "--quiet", action="store_true", help="print nothing but the name of the page")


def run(options: argparse.Namespace) -> None:
    if options.output != "-" and Path(options.output).suffix.lower() not in (".html", ".htm"):
        raise InputError(os.fspath(options.output), "a page's name ends in .html")
    lab = None if options.lab is None else PaperInputs.open(options.lab)
    files = [] if lab is None else [str(path) for path in (*lab.files, lab.folder / STORED) if path.is_file()]
    key = key_of(files, [], (code_of("show/papers"), str(options.lab)))
    if key and key_written_in(options.output) == key:
        emit(f"{options.output} is made from the same files already\n".encode())
        return
    with progress_bar("redoing", quiet=options.quiet) as progress:
        made = papers(lab, progress)
    emit(page(made, lab, key=key).encode("utf-8", "replace"), options.output)
    if options.output == "-":
        return
    if not options.quiet:
        rows = [[paper.citation, *(paper.count(state) for state in STATES)] for paper in made]
        emit(Table(["paper", *(words for words, _ in STATES.values())], rows).encoded("table"))
    emit(f"{options.output}\n".encode("utf-8", "surrogateescape"))
