"""Write the marks of cases as judgements, with who gave each, when and why beside them.

Each case is a topic, named by its patent or by the case. X and Y are 2, A is 1, 0 is 0; grades of one's own are worth
what was said of them. FILE.why.tsv has the person, the moment, tags and notes of each judgement.

Examples:
  leadline case judgements brakes -o cases.qrels
  leadline case judgements brakes films --topic films -o films.qrels
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OUR_FOLDER, WORD, OutputFile
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes, write
from leadline.errors import InputError, UsageError
from leadline.records.result import Table, counted

WHY = ".why.tsv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    parser.add_argument("cases", metavar="CASE", type=WORD, nargs="*", help="names of cases (default: all with grades)")
    parser.add_argument("--topic", metavar="NAME", type=WORD, default="", help="name of the topic, for one CASE")
    add_options(parser, "-o", type=OutputFile("qrels", beside=(WHY,)))
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.demo import open_lab
    from leadline.show.lab.case import Cases
    from leadline.show.lab.case_judgements import COLUMNS, judgement_table, judgements_text, topic_name

    if options.topic and len(options.cases) != 1:
        raise UsageError("--topic", "is the topic of one case: name one CASE")
    cases = Cases(open_lab(options.lab))
    chosen = [cases.read(name) for name in options.cases] or [each for each in cases if judgement_table(each).rows]
    if not chosen:
        raise InputError(options.lab, "has no case with a graded document yet")
    topics: dict[str, str] = {}
    for case in chosen:
        topic = topic_name(case, options.topic)
        if other := topics.get(topic):
            raise InputError(case.name, f"is of {topic}, as {other} is: write them one at a time, with --topic")
        topics[topic] = case.name
    lines = b"".join(judgements_text(case, options.topic) for case in chosen)
    rows = [row for case in chosen for row in judgement_table(case, options.topic).rows]
    write(lines, options.output)
    if options.output and options.output != "-":
        write(Table(list(COLUMNS), rows).encoded("tsv"), f"{options.output}{WHY}")
    relevant = sum(row[3] > 0 for row in rows)
    said = f"{counted(len(rows), 'judgement')} of {counted(len(chosen), 'case')}, {relevant:,} of them relevant"
    print_notes([f"{said}; what nobody judged is not known to be not relevant"], options)
