"""Judgements by claim from office actions: which claim was rejected over which document.

ACTIONS are files of the American office's JSON (enriched citations, or rejections with citations, or texts of office
actions), as lists, lines or responses of its API. The grade is 2 when a document alone rejects the claim (section 102,
category X), and 1 when several do (section 103, category Y). Beside the judgements, FILE.why.tsv names the section, the
date and the passages of each rejection. Claims are numbered as the examiner read them.

Examples:
  leadline qrels rejections patents topics.tsv actions.json -o rejected.qrels
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILES, OutputFile
from leadline.commands.shared.link_options import write_manifest
from leadline.commands.shared.options import add_options, add_summary_options
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public
from leadline.records.result import Table, counted

if TYPE_CHECKING:
    from leadline.judge.claims import OfficeActions, RejectionJudgements

if TYPE_CHECKING:
    from leadline.judge.claims import OfficeActions, RejectionJudgements


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "collection")
    public("from_citations").add(parser, "topics")
    parser.add_argument(
        "actions", metavar="ACTIONS", type=INPUT_FILES, nargs="+", help="office actions in JSON; may be compressed"
    )
    add_options(
        parser,
        "-o",
        type=OutputFile("qrels", beside=(".why.tsv", ".manifest.json")),
        required=True,
        help="judgements file to write: topic claim document grade weight",
    )
    add_summary_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import Collection
    from leadline.judge.claims import from_rejections, read_office_actions
    from leadline.records.topics import Topics

    collection = Collection.open(options.collection)
    topics = Topics.read(options.topics)
    actions = read_office_actions(options.actions)
    judgements = from_rejections(collection, topics, actions)
    write(judgements.qrels(options.output).to_bytes(), options.output)
    if options.output == "-":
        return
    judgements.write_why(f"{options.output}.why.tsv")
    facts = {"source": "office actions", "records": actions.records, "rejections": len(actions.rejections)}
    write_manifest(options.output, "qrels by claim", collection, facts)
    if not options.quiet:
        write(_sections(judgements).encoded(options.format, formulas=options.keep_formulas))
    print_notes(_notes(actions, judgements, len(topics)), options)


def _sections(judgements: RejectionJudgements) -> Table:
    """The number of rejections, claims, documents and topics by section of the law."""
    import polars as pl

    counts = judgements.reasons.group_by("statute").agg(
        pl.len(),
        claims=pl.struct("topic", "claim").n_unique(),
        documents=pl.col("document").n_unique(),
        topics=pl.col("topic").n_unique(),
    )
    return Table(["section", "rejections", "claims", "documents", "topics"], counts.sort("statute").rows())


def _notes(actions: OfficeActions, judgements: RejectionJudgements, topics: int) -> list[str]:
    from leadline.measures.join import listed

    judged = topics - len(judgements.absent)
    notes = [f"{judged:,} of {counted(topics, 'topic')} have judgements, from {counted(actions.records, 'record')}"]
    if judgements.absent:
        notes.append(f"{counted(len(judgements.absent), 'topic')} without a rejection: {listed(judgements.absent)}")
    for count, what in (
        (judgements.outside, "over documents that are not in the collection"),
        (judgements.unknown_claims, "of claims that the patent does not have, which was perhaps amended"),
    ):
        if count:
            notes.append(f"{counted(count, 'rejection')} left out: {what}")
    if actions.background:
        notes.append(f"{counted(actions.background, 'citation')} left out: they reject nothing")
    if actions.unresolved:
        notes.append(f"{counted(actions.unresolved, 'rejection')} left out: their text has no document number")
    if actions.unread:
        notes.append(f"{counted(actions.unread, 'record')} left out: not of a known kind")
    return notes
