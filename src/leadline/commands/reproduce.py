"""Reproduce the tables and figures of published papers, their numbers beside ours.

What the papers did not publish is shown for a simulated patent office, or with LAB for its runs. A lab is a folder with
runs/*.run and judgements (qrels.txt, or qrels.citations.txt and qrels.true.txt), such as `leadline demo` makes.

Examples:
  leadline reproduce -o papers.html
  leadline reproduce lab -o papers.html
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import INPUT_TREE, OutputFile
from leadline.commands.shared.options import add_options, check_page_name
from leadline.commands.shared.output import progress_bar, write
from leadline.records.result import Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=INPUT_TREE, nargs="?", help="folder with runs and judgements")
    add_options(
        parser, "-o", type=OutputFile("reports"), default="papers.html", help="page to write (default: %(default)s)"
    )
    add_options(parser, "-q", help="print only the name of the page")


def run(options: argparse.Namespace) -> None:
    from leadline.show.papers.beyond import STORED
    from leadline.show.papers.exhibit import STATES, PaperInputs
    from leadline.show.papers.papers_page import page, papers
    from leadline.show.report.html_page import code_of, key_of, key_written_in

    check_page_name(options.output)
    lab = None if options.lab is None else PaperInputs.open(options.lab)
    files = [] if lab is None else [str(path) for path in (*lab.files, lab.folder / STORED) if path.is_file()]
    key = key_of(files, [], (code_of("show/papers"), str(options.lab)))
    if key and key_written_in(options.output) == key:
        write(f"{options.output} is already made from the same files\n")
        return
    with progress_bar("reproducing", quiet=options.quiet) as progress:
        made = papers(lab, progress)
    write(page(made, lab, key=key).encode("utf-8", "replace"), options.output)
    if options.output == "-":
        return
    if not options.quiet:
        rows = [[paper.citation, *(paper.count(state) for state in STATES)] for paper in made]
        write(Table(["paper", *(words for words, _ in STATES.values())], rows).encoded("table"))
    write(f"{options.output}\n")
