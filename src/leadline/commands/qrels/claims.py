"""Judgements by claim: how much of each relevant document bears on each claim.

Relevant documents come from citations, or from --qrels. The passages that bear on a claim come from --passages, or are
estimated from shared words.

Examples:
  leadline qrels claims patents topics.tsv -o by_claim.qrels
  leadline qrels claims patents topics.tsv --qrels qrels.txt -o by_claim.qrels
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, get_args

from leadline.commands.shared.argument_kinds import INPUT_FILE, OutputFile
from leadline.commands.shared.link_options import add_citation_options, citation_rules, write_manifest
from leadline.commands.shared.options import add_choice, add_options, add_summary_options, share
from leadline.commands.shared.output import print_notes, write
from leadline.commands.shared.signature import public
from leadline.errors import MismatchError
from leadline.judge.choices import Largest
from leadline.records.result import Table, counted
from leadline.retrieval.choices import BEARING

if TYPE_CHECKING:
    import polars as pl

    from leadline.collections.documents.collection import Collection
    from leadline.collections.documents.document import Claim, Document
    from leadline.judge.claims import ClaimJudgements
    from leadline.records.topics import Topics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add_options(parser, "collection")
    public("from_citations").add(parser, "topics")
    add_options(
        parser,
        "-o",
        type=OutputFile("qrels", beside=(".why.tsv", ".manifest.json")),
        required=True,
        help="judgements file to write: topic claim document grade weight",
    )
    add("--passages", metavar="FILE", type=INPUT_FILE, help="table of judged passages: topic, claim, document, passage")
    add("--qrels", metavar="FILE", type=INPUT_FILE, help="relevant documents (default: from citations)")
    words = "share of a claim's words that a passage must hold (default: %(default)s)"
    add("--share", metavar="BEARING", type=share, default=BEARING, help=words)
    add_choice(parser, "--largest", get_args(Largest), "grades are relative to the most passages of", "all")
    add_citation_options(parser)
    add_summary_options(parser)


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import Collection
    from leadline.judge.claims import claim_judgements, claim_table, estimated_passages, read_passages
    from leadline.records.topics import Topics

    collection = Collection.open(options.collection)
    topics = Topics.read(options.topics)
    claims = _claims(collection, topics)
    if options.passages:
        passages = read_passages(options.passages, claims)
        documents = passages.select("topic", "document")
        judgements = claim_judgements(claims, passages, documents, source="judged", largest=options.largest)
    else:
        documents = _relevant(collection, topics, options)
        texts = _texts(collection, documents["document"].unique().to_list())
        passages = estimated_passages(claim_table(claims), documents, texts, options.share)
        judgements = claim_judgements(claims, passages, documents, source="estimated", largest=options.largest)
    write(judgements.qrels(options.output).to_bytes(), options.output)
    if options.output == "-":
        return
    judgements.write_why(f"{options.output}.why.tsv")
    facts = {"source": judgements.source, "share": options.share, "largest": options.largest, **citation_rules(options)}
    write_manifest(options.output, "qrels by claim", collection, facts)
    if not options.quiet:
        write(_grades(judgements).encoded(options.format, formulas=options.keep_formulas))
    print_notes(_notes(judgements, topics, claims, options), options)


def _claims(collection: Collection, topics: Topics) -> dict[str, Sequence[Claim]]:
    """The claims of every topic that is in the collection."""
    from leadline.collections.documents.collection import located

    found = set(located(topics, collection)["topic"])
    if not found:
        raise MismatchError("no topic is a document of the collection")
    return {topic.id: collection.document(topic.patent).claims for topic in topics if topic.id in found}


def _relevant(collection: Collection, topics: Topics, options: argparse.Namespace) -> pl.DataFrame:
    """Topic and document of every relevant pair."""
    import polars as pl

    from leadline.judge.citations import from_citations
    from leadline.records.qrels import read_qrels

    if not options.qrels:
        return from_citations(collection, topics, **citation_rules(options)).provenance.ways.select("topic", "document")
    qrels = read_qrels(options.qrels)
    relevant = (qrels.grades > 0).nonzero()[0].tolist()
    names = [qrels.topics[topic] for topic in qrels.topic_of_document[relevant]]
    return pl.DataFrame({"topic": names, "document": [qrels.documents[place] for place in relevant]})


def _texts(collection: Collection, documents: Sequence[str]) -> Iterator[Document]:
    """The text of each document under the name given, read a part of the collection at a time."""
    from leadline.collections.documents.document import Claim, Document

    rows = collection.rows(documents)
    names = {int(row): name for row, name in zip(rows, documents, strict=True) if row >= 0}
    for texts in collection.texts(["abstract", "description", "claims"], rows[rows >= 0]):
        for row, abstract, description, claims in texts.iter_rows():
            numbered = tuple(Claim(number, text) for number, text in enumerate(claims, start=1))
            yield Document(names[row], abstract=abstract, description=description, claims=numbered)


def _grades(judgements: ClaimJudgements) -> Table:
    """The number of judgements with each grade, of independent and of dependent claims."""
    import polars as pl

    from leadline.collections.documents.document import INDEPENDENT_WEIGHT

    alone = (pl.col("weight") == INDEPENDENT_WEIGHT).sum()
    counts = judgements.rows.group_by("grade").agg(pl.len(), independent=alone, dependent=pl.len() - alone)
    return Table(["grade", "judgements", "independent claims", "dependent claims"], counts.sort("grade").rows())


def _notes(
    judgements: ClaimJudgements, topics: Topics, claims: dict[str, Sequence[Claim]], options: argparse.Namespace
) -> list[str]:
    from leadline.measures.join import listed

    judged = set(judgements.rows["topic"])
    notes = [
        f"{len(judged):,} of {counted(len(topics), 'topic')} have judgements",
        f"largest number of passages of a document that bear on a claim: {max(judgements.rows['passages'])}",
    ]
    if judgements.source == "estimated":
        notes.append(f"passages are ESTIMATED from shared words (--share {options.share:g}), not judged by people")
    left_out = (
        ([topic.id for topic in topics if topic.id not in claims], "not in the collection"),
        ([topic for topic, own in claims.items() if not own], "without claims"),
        ([topic for topic, own in claims.items() if own and topic not in judged], "without a relevant document"),
    )
    return [*notes, *(f"{counted(len(names), 'topic')} {what}: {listed(names)}" for names, what in left_out if names)]
