"""Judgements from citations: cited documents are relevant.

Relevant are what the topic cites, the families of that, and what the topic's family cites (--rules). FILE.why.tsv lists
the citations behind every judgement, and FILE.manifest.json what it was made from. With --from, select from an earlier
.why.tsv without the collection.

Examples:
  leadline qrels citations patents topics.tsv -o examiner.qrels --origin examiner,opposition
  leadline qrels citations --from qrels.txt.why.tsv --rules 1 -o direct.qrels
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, get_args

from leadline.commands.shared.argument_kinds import INPUT_FILE, OutputFile
from leadline.commands.shared.link_options import (
    add_citation_options,
    citation_rules,
    selected_citations,
    write_manifest,
)
from leadline.commands.shared.options import add_choice, add_options, add_summary_options
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public
from leadline.errors import UsageError
from leadline.judge.choices import Grades
from leadline.records.result import Table, counted

if TYPE_CHECKING:
    from leadline.judge.citations import Derived, Provenance


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "collection", nargs="?")
    public("from_citations").add(parser, "topics", topics={"nargs": "?"})
    add_options(
        parser,
        "-o",
        type=OutputFile("qrels", beside=(".why.tsv", ".manifest.json")),
        required=True,
        help="judgements file to write",
    )
    earlier = "select from this .why.tsv, in place of DIR TOPICS"
    parser.add_argument("--from", type=INPUT_FILE, dest="source", metavar="WHY", help=earlier)
    add_citation_options(parser)
    add_choice(parser, "--grades", get_args(Grades), "grade 1 for all, or 2 for the categories X and Y", "one")
    add_summary_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import Collection
    from leadline.judge.citations import Provenance, from_citations
    from leadline.records.topics import Topics

    if options.source:
        if options.collection or options.topics:
            raise UsageError("--from", "cannot be combined with DIR TOPICS")
        if options.dates:
            raise UsageError("--dates", "cannot be combined with --from: a .why.tsv holds no dates")
        _write(Provenance.read(options.source).select(**selected_citations(options)), options)
        return
    if options.topics is None:
        raise UsageError("DIR TOPICS", "give both, or --from WHY")
    rules = citation_rules(options)
    collection = Collection.open(options.collection)
    derived = from_citations(collection, Topics.read(options.topics), **rules)
    _write(derived.provenance, options)
    if options.output != "-":
        write_manifest(options.output, "qrels from citations", collection, {**rules, "grades": options.grades})
    print_notes(_notes(derived), options)


def _write(provenance: Provenance, options: argparse.Namespace) -> None:
    write(provenance.qrels(grades=options.grades, name=options.output).to_bytes(), options.output)
    if options.output == "-":
        return
    provenance.write(f"{options.output}.why.tsv")
    if not options.quiet:
        counts = provenance.counts()
        shown = [name for name in counts.columns if name == "rule" or counts[name].sum()]
        write(Table(shown, counts.select(shown).rows()).encoded(options.format, formulas=options.keep_formulas))


def _notes(derived: Derived) -> list[str]:
    """What was left out, and why."""
    from leadline.measures.join import listed

    judged = derived.provenance.ways["topic"].n_unique()
    topics_left_out = (
        (derived.absent, "not in the collection"),
        (derived.citing_nothing, "citing nothing in the collection"),
        (derived.emptied, "without judgements, because every cited document was left out"),
        (derived.undated_topics, "without a date: no document counts as published too late"),
    )
    documents = (
        (derived.own_family, "in the topic's own family: left out"),
        (derived.too_late, "published after the topic's priority date: left out (--dates none keeps them)"),
        (derived.by_filing_date, "without publication date, but filed in time: kept"),
        (derived.undated, "without a date: kept"),
    )
    return [
        f"{judged:,} of {counted(len(derived.provenance.topics), 'topic')} have judgements",
        *(f"{counted(len(topics), 'topic')} {what}: {listed(topics)}" for topics, what in topics_left_out if topics),
        *(f"{counted(number, 'cited document')} {what}" for number, what in documents if number),
    ]
