"""Run a searcher's strategy: numbered lines in the syntax of any search system.

STRATEGY is a file with the lines as they were pasted, printed or saved for Ovid, PubMed, Embase, the Cochrane Library,
EBSCO, Scopus, ProQuest, Web of Science, Espacenet, STN or `leadline search`. Each line is printed as it is understood,
with its number of documents; notes say what was changed or left out. -o writes the documents of the last line, or of
--line. docs/strategies.md says what each syntax means here.

Examples:
  leadline strategy run patents.index coatings.txt
  leadline strategy run patents.index coatings.txt --syntax ovid -o coatings.ris
  leadline strategy run patents.index coatings.txt --order bm25 -o coatings.run --topic 7
  leadline strategy run patents.index coatings.txt --format tsv
"""

from __future__ import annotations

import argparse
from pathlib import Path

from leadline.commands.shared.argument_kinds import WORD, OutputFile
from leadline.commands.shared.options import add_choice, add_options, add_summary_options, check_format
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public
from leadline.records.result import counted

FORMS = ("ids", "run", "ris", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("run_strategy").add(parser)
    result = (
        "write the documents of the result: .run, .ris, .csv, or ids one a line, as `review serve --candidates` reads"
    )
    add_options(parser, "-o", type=OutputFile("runs"), help=result)
    add_choice(parser, "--as", FORMS, "form of the result", None, "by the ending of FILE")
    parser.add_argument("--topic", metavar="NAME", type=WORD, help="topic of the run (default: the name of the file)")
    add_options(parser, "--collection")
    add_summary_options(parser)


def run(options: argparse.Namespace) -> None:
    check_format(options)
    from leadline.commands.shared.options import wrong_usage
    from leadline.retrieval.models.registry import MODELS
    from leadline.retrieval.models.searcher import parse_model
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.strategy.running import ORDERS, form_of, run_text

    if options.order not in ORDERS:
        with wrong_usage("--order"):
            name, parameters = parse_model(options.order)
            MODELS.named(name).checked_parameters(parameters)
    context = SearchContext.open(options.index, options.collection)
    how = public("run_strategy").given(options, "syntax", "line", "order")
    found = run_text(context, Path(options.strategy), **how)
    if options.output:
        form = getattr(options, "as") or form_of(options.output)
        write(found.encoded(form, options.topic), options.output)
    if options.output != "-":
        write(found.table.encoded(options.format))
    result = f"result: line {found.result_line}, {counted(found.result.documents or 0, 'document')}"
    print_notes([*found.notes, found.summary, result], options)
