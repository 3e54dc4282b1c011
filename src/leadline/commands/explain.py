"""What a measure means; with QRELS RUN TOPIC, where one score comes from.

example: leadline explain "PRES@100"
         leadline explain PRES@100 qrels.txt bm25.run 51
"""

from __future__ import annotations

import argparse
import textwrap

from leadline.commands.output import check_output, define_output, emit, emit_table
from leadline.errors import InputError, checked_choice
from leadline.measures.explain import explain_topic, options_of, sections, worked_example
from leadline.measures.measure import Measure
from leadline.measures.notation import parse_measure
from leadline.records.side_tables import read_lengths


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("measure", metavar="MEASURE", help='such as "nDCG(gain=exp)@10"')
    add("score", metavar="QRELS RUN TOPIC", nargs="*", help="judgements, a run and a topic")
    add("--order", metavar="ORDER", default="score", help="rank by score, by the rank column, or as in the file")
    add("--rel", metavar="GRADE", type=int, help="smallest grade that is relevant, 1 unless said")
    add("--reads", metavar="FILE", help="a reading log (topic document seconds) for CT and TBG")
    add("--lengths", metavar="FILE", help="document lengths (document words) for CT and TBG")
    add("--qrels-format", metavar="FORMAT", help="plain, strata, subtopics, prels or passages")
    define_output(parser)


def run(options: argparse.Namespace) -> None:
    check_output(options)
    checked_choice("--order", options.order, ("score", "rank", "file"))
    measure = parse_measure(options.measure, rel=options.rel)
    if not options.score:
        emit(description(measure).encode(), options.output)
        return
    if len(options.score) != 3:
        raise InputError("explain", "give QRELS RUN TOPIC to explain a score, or the measure alone")
    qrels, run, topic = options.score
    parts = explain_topic(
        measure, qrels, run, topic, order=options.order, reads=options.reads, qrels_format=options.qrels_format,
        lengths=read_lengths(options.lengths) if options.lengths else None,
    )  # fmt: skip
    if options.format == "table" and options.output is None:
        emit(f"{parts.measure} of topic {topic}: {parts.value:.4f}\n\n".encode("utf-8", "surrogateescape"))
    emit_table(parts.table(), options)


def description(measure: Measure) -> str:
    """Meaning, formula, paper, options and a worked example, as text."""
    text = sections(measure.definition)
    names = ", ".join(measure.definition.aliases)
    lines = [measure.text + (f"  (also: {names})" if names else ""), "", *_wrapped(text["Meaning"], ""), ""]
    for heading, content in list(text.items())[1:]:
        lines += _wrapped(content, f"{heading + ':':<12}")
    lines += [f"{'Better:':<12}{measure.definition.better}"]
    given = options_of(measure)
    if given:
        lines += ["", "Options"]
        lines += [f"  {name:<20} {value:<10} {allowed}" for name, value, allowed in given]
    story, parts = worked_example(measure)
    lines += ["", "Worked example", *_wrapped(story + ".", "  "), ""]
    lines += ["  " + line for line in parts.table().render("table").splitlines()]
    return "\n".join(lines) + "\n"


def _wrapped(text: str, opening: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=opening, subsequent_indent=" " * len(opening))
