"""What a measure means, or where one score comes from.

A name alone is enough: `leadline explain P` takes an example cutoff. With QRELS RUN TOPIC, print what each document
adds to the score of that topic.

Examples:
  leadline explain PRES@100
  leadline explain WSS --format json
  leadline explain PRES@100 qrels.txt runs/bm25.run EP1437003A1
"""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from leadline.commands.shared.argument_kinds import FILE_OR_WORD
from leadline.commands.shared.options import add_options, check_format, wrong_usage
from leadline.commands.shared.output import write, write_table
from leadline.commands.shared.signature import public
from leadline.errors import UsageError
from leadline.records.result import Table, number
from leadline.text.files import json_text

if TYPE_CHECKING:
    from leadline.measures.definition import Measure

# What a measure of effort cannot say.
_VERDICTS: dict[str | None, str] = {
    "alone": "; a list of one document can win, so it gives no verdict",
    "priced": "; a list of one document can win, so it gives no verdict",
    "until found": "; it gives a verdict only where every run finds enough",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    public("explain_topic").add(parser, "measure", measure={"flags": ["measure"]})
    add("score", metavar="QRELS RUN TOPIC", type=FILE_OR_WORD, nargs="*", help="judgements, a run and a topic")
    public("evaluate").add(parser, "order", "rel", "reads", "lengths", "qrels_format")
    add_options(parser, "-f", "-o")


def run(options: argparse.Namespace) -> None:
    from leadline.measures.definition import parse_measure
    from leadline.measures.explain import explain_topic, measure_to_explain
    from leadline.records.inputs import read_lengths

    check_format(options)
    parse = parse_measure if options.score else measure_to_explain
    with wrong_usage("MEASURE"):
        measure = parse(options.measure, rel=options.rel)
    if not options.score:
        _write_description(measure, options)
        return
    if len(options.score) != 3:
        raise UsageError("QRELS RUN TOPIC", f"give all three, or the measure alone; got {len(options.score)}")
    qrels, run, topic = options.score
    parts = explain_topic(
        measure,
        qrels,
        run,
        topic,
        order=options.order,
        reads=options.reads,
        qrels_format=options.qrels_format,
        lengths=read_lengths(options.lengths) if options.lengths else None,
    )
    if options.format == "table" and options.output is None:
        write(f"{parts.measure} of topic {topic}: {number(parts.value, least=4)}\n\n")
    write_table(parts.table(), options)


def _write_description(measure: Measure, options: argparse.Namespace) -> None:
    if options.format == "table":
        write(description(measure), options.output)
    elif options.format == "json":
        write(f"{json_text(facts(measure))}\n".encode(), options.output)
    else:
        known = {name: value for name, value in facts(measure).items() if isinstance(value, str)}
        write_table(Table(["what", "text"], list(known.items())), options)


def facts(measure: Measure) -> dict[str, Any]:
    """What `description` says, for programs."""
    from leadline.measures.explain import options_of, sections, worked_example

    story, parts = worked_example(measure)
    terms = [
        {"document": term.document, "grade": term.grade, "rank": term.rank or None, "adds": term.adds}
        for term in parts.terms
    ]
    return {
        "measure": measure.text,
        "name": measure.definition.name,
        "also": list(measure.definition.aliases),
        **{heading.lower().replace(" ", "_"): text for heading, text in sections(measure.definition).items()},
        "better": measure.definition.better,
        "options": [
            {
                "name": name.removesuffix(" (after @)"),
                "value": None if value == "-" else value,
                "allowed": kinds,
                "after_at": name.endswith(" (after @)"),
            }
            for name, value, kinds in options_of(measure)
        ],
        "example": {"lists": story, "terms": terms, "score": parts.value},
    }


def description(measure: Measure) -> str:
    """Meaning, formula, paper, options and a worked example, as text."""
    from leadline.measures.explain import options_of, sections, worked_example

    text = sections(measure.definition)
    names = ", ".join(measure.definition.aliases)
    lines = [measure.text + (f"  (also: {names})" if names else ""), "", *_wrap(text["Meaning"], ""), ""]
    for heading, content in list(text.items())[1:]:
        lines += _wrap(content, f"{heading + ':':<12}")
    lines += [f"{'Better:':<12}{measure.definition.better}{_VERDICTS.get(measure.effort, '')}"]
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
