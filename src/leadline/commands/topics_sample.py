"""Draw patents as topics for prior-art search, shuffled, so that the first k are a fair sample of all.

example: leadline topics sample chemistry -o topics.tsv --number 100 --fewest 5 --class C07D --after 2000-01-01
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, get_args

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.commands.citing import citing_of, counted, define_citing, write_manifest
from leadline.commands.output import check_output, emit, say
from leadline.errors import InputError, checked_choice
from leadline.judge.citations.from_citations import count_relevant
from leadline.judge.citations.sampling import FEWEST_RELEVANT, PerFamily, TopicSample, sample_topics
from leadline.records.scores.table import FORMATS, Table
from leadline.records.topics.topic import Subtopic, Topics
from leadline.records.topics.written import MARKUP, encoded_as
from leadline.text.days import parse_date

if TYPE_CHECKING:
    from numpy.typing import NDArray

BAR = 40


def define(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("collection", metavar="DIR", help="the collection")
    add("-o", "--output", metavar="FILE", required=True, help=f"a table, or markup for {', '.join(MARKUP)}, or .jsonl")
    add("-n", "--number", type=int, default=100, help="how many topics, 100 unless said")
    add("--fewest", type=int, default=FEWEST_RELEVANT, help="relevant documents a topic has at least, 3 unless said")
    add("--office", metavar="OFFICES", help="only patents of these offices: EP,US")
    add("--class", dest="classes", metavar="CLASSES", help="only patents in these classes: C07D,A61K")
    add("--after", metavar="DATE", help="only patents with a later priority date")
    add("--before", metavar="DATE", help="only patents with an earlier priority date")
    add("--per-family", default="one", help="one topic for a family, or all")
    add("--claims", action="store_true", help="write every claim as a subtopic with its weight (markup and .jsonl)")
    define_citing(parser)
    add("--seed", type=int, default=1, help="of the drawing, 1 unless said")
    add("-f", "--format", default="table", metavar="FORMAT", help=f"of what is printed: {', '.join(FORMATS)}")
    add("-q", "--quiet", action="store_true", help="print nothing")


def run(options: argparse.Namespace) -> None:
    citing = citing_of(options)
    _check(options)
    collection = Collection.open(options.collection)
    masks = _masks(collection, options)
    eligible = np.logical_and.reduce([np.ones(len(collection), bool), *masks.values()])
    counts = count_relevant(collection, np.flatnonzero(eligible).astype(np.uint32), **citing)
    sample = sample_topics(
        collection.records, counts, np.random.default_rng(options.seed),
        number=options.number, fewest=options.fewest, masks=masks, per_family=options.per_family,
    )  # fmt: skip
    topics = _with_claims(sample.topics, collection) if options.claims else sample.topics
    emit(encoded_as(topics, PurePath(options.output).suffix), options.output)
    if options.output == "-":
        return
    asked = ("seed", "number", "fewest", "office", "classes", "after", "before", "per_family")
    counted_out = {"topics": len(topics), "candidates": sample.candidates, "left_out": dict(sample.left_out)}
    facts = {**{name: getattr(options, name) for name in asked}, **citing, **counted_out}
    write_manifest(options.output, "topics", collection, facts)
    if not options.quiet:
        emit(_distribution(sample).encoded(options.format))
        say(_notes(sample, options))


def _check(options: argparse.Namespace) -> None:
    check_output(options)
    checked_choice("--per-family", options.per_family, get_args(PerFamily))
    for name in ("number", "fewest"):
        if getattr(options, name) < 1:
            raise InputError(f"--{name}", "give 1 or more")
    if options.seed < 0:
        raise InputError("--seed", "is a number from 0 up")
    if options.claims and PurePath(options.output).suffix.lower() not in (*MARKUP, ".jsonl", ".json"):
        better = f"{PurePath(options.output).stem}.xml"
        raise InputError("--claims", f"a table has no place for claims; name the output {better}")


def _masks(collection: Collection, options: argparse.Namespace) -> dict[str, NDArray[np.bool_]]:
    """What was asked of topics, by the words for those that are not."""
    masks = {}
    if options.office:
        masks[f"not of {options.office}"] = collection.select(offices=_words(options.office))
    if options.classes:
        masks[f"not in {options.classes}"] = collection.select(classes=_words(options.classes))
    known = collection.records["known"]
    if options.after:
        masks[f"not after {options.after}"] = (known > parse_date(options.after)).fill_null(value=False).to_numpy()
    if options.before:
        masks[f"not before {options.before}"] = (known < parse_date(options.before)).fill_null(value=False).to_numpy()
    return masks


def _words(text: str) -> Sequence[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _with_claims(topics: Topics, collection: Collection) -> Topics:
    def claims(topic: str) -> tuple[Subtopic, ...]:
        return tuple(
            Subtopic(str(claim.number), claim.text, claim.weight) for claim in collection.document(topic).claims
        )

    return replace(topics, items=tuple(replace(topic, subtopics=claims(topic.id)) for topic in topics))


def _distribution(sample: TopicSample) -> Table:
    """How many topics have how many relevant documents, drawn as bars."""
    histogram = sample.histogram()
    largest = max(count for _, count in histogram)
    rows = [[name, count, "█" * round(BAR * count / largest) or "▏" * (count > 0)] for name, count in histogram]
    return Table(["relevant", "topics", ""], rows)


def _notes(sample: TopicSample, options: argparse.Namespace) -> list[str]:
    least, low, median, high, most = sample.quartiles()
    notes = [
        f"{counted(len(sample.topics), 'topic')} drawn from {sample.candidates:,} that could be, seed {options.seed}",
        f"relevant documents of a topic: {least:g} to {most:g}, median {median:g}, half of them {low:g} to {high:g}",
    ]
    if len(sample.topics) < options.number:
        notes.append(f"fewer than the {options.number:,} asked for: there are no more")
    return [*notes, *(f"{counted(count, 'document')} left out: {reason}" for reason, count in sample.left_out.items())]
