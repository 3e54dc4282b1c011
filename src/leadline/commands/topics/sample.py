"""Draw patents as topics, in random order, so that the first k are a fair sample.

Examples:
  leadline topics sample patents -o sample.tsv --number 20 --fewest 2
  leadline topics sample patents -o sample.tsv --office EP,US --after 1990-01-01
  leadline topics sample patents -o sample.tsv --quota EP:2,US:3 --fewest 1
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, get_args

from leadline.commands.shared.argument_kinds import OutputFile, Value
from leadline.commands.shared.link_options import add_citation_options, citation_rules, write_manifest
from leadline.commands.shared.options import add_choice, add_number, add_options, add_summary_options, split_list
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public
from leadline.errors import UsageError
from leadline.judge.choices import FEWEST_RELEVANT, PerFamily
from leadline.records.other_packages import MARKUP
from leadline.records.result import Table, counted
from leadline.text.days import parse_date

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leadline.collections.documents.collection import Collection
    from leadline.judge.citations import TopicSample
    from leadline.records.topics import Subtopic, Topics

BAR = 40  # columns of the longest bar
NUMBER = 100  # of topics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "collection")
    add_options(
        parser,
        "-o",
        type=OutputFile("topics", beside=(".manifest.json",)),
        required=True,
        help=f"topics to write: a table, {', '.join(MARKUP)} (markup) or .jsonl",
    )
    add_number(parser, "-n --number", f"number of topics (default: {NUMBER})")
    parser.add_argument(
        "--quota", metavar="OFFICE:N,...", type=Value(_quota), help="exact number of topics of each office"
    )
    add_number(parser, "--fewest", "smallest number of relevant documents of a topic", FEWEST_RELEVANT)
    public("search").add(
        parser,
        *("offices", "classes", "after", "before"),
        offices={"dest": "office", "default": None},
        classes={"default": None},
        after={"help": "only patents with a priority date after this date"},
        before={"help": "only patents with a priority date before this date"},
    )
    add_choice(parser, "--per-family", get_args(PerFamily), "topics per family", "one")
    claims = "write every claim as a subtopic with its weight (markup and .jsonl only)"
    parser.add_argument("--claims", action="store_true", help=claims)
    add_citation_options(parser)
    public("compare").add(parser, "seed")
    add_summary_options(parser)


def run(options: argparse.Namespace) -> None:
    import numpy as np

    from leadline.collections.documents.collection import Collection
    from leadline.judge.citations import count_relevant, sample_topics
    from leadline.records.topics import encoded_as

    if options.claims and PurePath(options.output).suffix.lower() not in (*MARKUP, ".jsonl", ".json"):
        better = f"{PurePath(options.output).stem}.xml"
        raise UsageError("--claims", f"a table cannot hold claims; name the output {better}")
    for name in ("number", "office"):
        if options.quota and getattr(options, name) is not None:
            raise UsageError("--quota", f"cannot be combined with --{name}: it says how many topics of which offices")
    options.number = sum(options.quota.values()) if options.quota else options.number or NUMBER
    rules = citation_rules(options)
    collection = Collection.open(options.collection)
    masks = _masks(collection, options)
    eligible = np.logical_and.reduce([np.ones(len(collection), bool), *masks.values()])
    counts = count_relevant(collection, np.flatnonzero(eligible).astype(np.uint32), **rules)
    sample = sample_topics(
        collection.records,
        counts,
        np.random.default_rng(options.seed),
        number=options.number,
        fewest=options.fewest,
        masks=masks,
        per_family=options.per_family,
        quota=options.quota,
    )
    topics = _with_claims(sample.topics, collection) if options.claims else sample.topics
    write(encoded_as(topics, PurePath(options.output).suffix), options.output)
    if options.output == "-":
        return
    asked = ("seed", "number", "quota", "fewest", "office", "classes", "after", "before", "per_family")
    outcome = {"topics": len(topics), "candidates": sample.candidates, "left_out": dict(sample.left_out)}
    facts = {**{name: getattr(options, name) for name in asked}, **rules, **outcome}
    write_manifest(options.output, "topics", collection, facts)
    if not options.quiet:
        write(_distribution(sample).encoded(options.format, formulas=options.keep_formulas))
    print_notes(_notes(sample, options), options)


def _quota(text: str) -> dict[str, int]:
    """The number of topics of each office, from a text such as EP:77,US:923."""
    quota: dict[str, int] = {}
    for part in split_list(text):
        office, _, number = part.partition(":")
        if not (office.strip() and number.strip().isdigit() and int(number) > 0):
            raise argparse.ArgumentTypeError(f"{part!r} is not an office with a number of topics; write EP:77,US:923")
        if office.strip().upper() in quota:
            raise argparse.ArgumentTypeError(f"{office.strip().upper()} is named twice")
        quota[office.strip().upper()] = int(number)
    if not quota:
        raise argparse.ArgumentTypeError("must name at least one office, such as EP:77,US:923")
    return quota


def _masks(collection: Collection, options: argparse.Namespace) -> dict[str, NDArray[np.bool_]]:
    """The documents that each option allows, by the words for the others."""
    masks = {}
    if options.quota:
        masks[f"not of {', '.join(options.quota)}"] = collection.select(offices=list(options.quota))
    if options.office:
        masks[f"not of {options.office}"] = collection.select(offices=split_list(options.office))
    if options.classes:
        masks[f"not in {options.classes}"] = collection.select(classes=split_list(options.classes))
    known = collection.records["known"]
    if options.after:
        later = known > parse_date(options.after, late=True)
        masks[f"not after {options.after}"] = later.fill_null(value=False).to_numpy()
    if options.before:
        masks[f"not before {options.before}"] = (known < parse_date(options.before)).fill_null(value=False).to_numpy()
    return masks


def _with_claims(topics: Topics, collection: Collection) -> Topics:
    from leadline.records.topics import Subtopic

    def claims(topic: str) -> tuple[Subtopic, ...]:
        return tuple(
            Subtopic(str(claim.number), claim.text, claim.weight) for claim in collection.document(topic).claims
        )

    return replace(topics, items=tuple(replace(topic, subtopics=claims(topic.id)) for topic in topics))


def _distribution(sample: TopicSample) -> Table:
    """The number of topics by number of relevant documents, as bars."""
    histogram = sample.histogram()
    largest = max(count for _, count in histogram)
    rows = [[name, count, "█" * round(BAR * count / largest) or "▏" * (count > 0)] for name, count in histogram]
    return Table(["relevant", "topics", ""], rows)


def _notes(sample: TopicSample, options: argparse.Namespace) -> list[str]:
    least, low, median, high, most = sample.quartiles()
    notes = [
        f"{counted(len(sample.topics), 'topic')} drawn from {sample.candidates:,} candidates, seed {options.seed}",
        f"relevant documents per topic: {least:g} to {most:g}, median {median:g}, quartiles {low:g} and {high:g}",
    ]
    if len(sample.topics) < options.number:
        notes.append(f"fewer than --number {options.number:,}: there are no more candidates")
    return [*notes, *(f"{counted(count, 'document')} left out: {reason}" for reason, count in sample.left_out.items())]
