"""Who needs to read less until the same share of the relevant documents is found.

For each topic this is the number of documents read when each run has the recall asked for. A run that never gets there
counts as worse than any that does. The run that needs less than the others is compared with each, topic by topic.

Examples:
  leadline compare recall qrels.txt runs/*.run
  leadline compare recall qrels.txt runs/*.run --recall 0.9
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.comparison import add_comparison_options, check_comparison, load_study
from leadline.commands.shared.output import print_notes, progress_bar, wrap_for_terminal, write, write_table
from leadline.commands.shared.signature import public

MEASURE = "R"  # any that needs ranks alone: the study is of efforts
READING = ("rel", "order", "topics", "qrels_format")
FEW_PAIRS = 15  # fit on a screen beside the summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("effort_to_recall").add(parser, "recall", "samples", "alpha")
    add_comparison_options(parser, scores=False, measures=False, reading=READING)
    parser.set_defaults(measures=None, reads=None, lengths=None)


def run(options: argparse.Namespace) -> None:
    from leadline.records.result import counted
    from leadline.trust.public import effort_to_recall

    check_comparison(options)
    study = load_study(options, MEASURE)
    with progress_bar("leaving judgements out", quiet=options.quiet) as progress:
        result = effort_to_recall(study, **public("effort_to_recall").given(options, progress=progress))
    notes = list(result.notes)
    if options.format == "table" and options.output is None:
        sentences = "\n".join(map(wrap_for_terminal, result.headline().splitlines()))
        write(f"{sentences}\n\nDocuments read, median over {counted(len(result.topics), 'topic')}:\n\n")
        write(f"{result.summary_table().render('table')}\n\n")
        if len(result.pairs) > FEW_PAIRS:
            notes.insert(0, f"{counted(len(result.pairs), 'comparison')}: `--format tsv` prints them all")
        else:
            write_table(result.short_table(), options)
            write("\n")
        if not options.quiet:
            write(f"{wrap_for_terminal(result.definitions())}\n")
    else:
        write_table(result.table(), options)
    print_notes(notes, options)
