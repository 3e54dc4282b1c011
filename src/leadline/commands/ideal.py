"""Write an ideal run for judgements by subtopic.

Examples:
  leadline ideal claims.qrels --kind coverage -o ideal.run
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OutputFile
from leadline.commands.shared.options import add_choice, add_options
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    public("ideal_run").add(parser)
    add_choice(parser, "--qrels-format", ("subtopics", "passages"), "format of the judgements", "subtopics")
    add_options(parser, "-o", type=OutputFile("runs"))
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.measures.subtopics import ideal_run
    from leadline.records.qrels import read_qrels

    qrels = read_qrels(options.qrels, format=options.qrels_format)
    ideal = ideal_run(**public("ideal_run").given(options, qrels=qrels))
    write(ideal.to_bytes(), options.output)
    if options.output not in (None, "-"):
        order = {"coverage": "one document of each subtopic in turn", "single": "one subtopic after the other"}
        lists = f"{counted(len(ideal.topics), 'topic')}, {counted(len(ideal), 'document')}, {order[options.kind]}"
        print_notes([f"{options.output}: the ideal run of {lists}"], options)
