"""What a measure means, or where one score comes from.

With QRELS RUN TOPIC, print what each document adds to the score of that topic.

Examples:
  leadline explain "PRES@100"
  leadline explain PRES@100 qrels.txt runs/bm25.run EP1437003A1
"""

from __future__ import annotations

import argparse
import textwrap

from leadline.commands.shared.options import add_options, check_format, wrong_usage
from leadline.commands.shared.output import write, write_table
from leadline.errors import UsageError
from leadline.measures.definition import Measure
from leadline.measures.explain import explain_topic, options_of, sections, worked_example
from leadline.measures.notation import parse_measure
from leadline.records.side_tables import read_lengths


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("measure", metavar="MEASURE", help='such as "nDCG(gain=exp)@10"')
    add("score", metavar="QRELS RUN TOPIC", nargs="*", help="judgements, a run and a topic")
    add_options(parser, "--order", "--rel", "--reads", "--lengths", "--qrels-format", "-f", "-o")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    with wrong_usage("MEASURE"):
        measure = parse_measure(options.measure, rel=options.rel)
    if not options.score:
        write(description(measure), options.output)
        return
    if len(options.score) != 3:
        raise UsageError("QRELS RUN TOPIC", f"give all three, or the measure alone; got {len(options.score)}")
    qrels, run, topic = options.score
    parts = explain_topic(
        measure, qrels, run, topic, order=options.order, reads=options.reads, qrels_format=options.qrels_format,
        lengths=read_lengths(options.lengths) if options.lengths else None,
    )  # fmt: skip
    if options.format == "table" and options.output is None:
        write(f"{parts.measure} of topic {topic}: {parts.value:.4f}\n\n")
    write_table(parts.table(), options)


def description(measure: Measure) -> str:
    """Meaning, formula, paper, options and a worked example, as text."""
    text = sections(measure.definition)
    names = ", ".join(measure.definition.aliases)
    lines = [measure.text + (f"  (also: {names})" if names else ""), "", *_wrap(text["Meaning"], ""), ""]
    for heading, content in list(text.items())[1:]:
        lines += _wrap(content, f"{heading + ':':<12}")
    lines += [f"{'Better:':<12}{measure.definition.better}"]
    given = options_of(measure)
    if given:
        lines += ["", "Options"]
        lines += [f"  {name:<20} {value:<10} {allowed}" for name, value, allowed in given]
    story, parts = worked_example(measure)
    lines += ["", "Worked example", *_wrap(story + ".", "  "), ""]
    lines += ["  " + line for line in parts.table().render("table").splitlines()]
    return "\n".join(lines) + "\n"


def _wrap(text: str, prefix: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=prefix, subsequent_indent=" " * len(prefix))
