"""Judgements from citations: documents that examiners, applicants and opponents cited count as relevant.

A document is relevant to a topic patent when

1. the topic cites it,
2. it is in the family of a document the topic cites,
3. a family member of the topic cites it.

Lupu and others, Overview of the TREC 2009 Chemical IR Track, section 3.1. The topic's own family never counts. Beyond
the overview, `dates="priority"` leaves out documents published after the topic's priority date, because no search on
that day could have found them.

A citation with the number and the kind of a publication in the collection means that document. One without a kind
(US5793966), or with a kind that is not in the collection (EP0047956A), means every publication of that number: the
patent is the unit, and nobody cites the A1 and not the B1 on purpose. A document outside the collection counts through
its family, if the sources name it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.collections.documents.document import ORIGINS
from leadline.collections.documents.family import without_kind
from leadline.collections.documents.hidden import JudgementDates, days_of, is_later, public_days
from leadline.collections.documents.patents import Patents, citing_family, located, row_numbers
from leadline.collections.documents.store import Collection as Documents
from leadline.errors import InputError, MismatchError
from leadline.judge.citations.provenance import RULES, Provenance
from leadline.records.inputs import Path
from leadline.records.scores.result import Result, counted
from leadline.records.topics.topic import Topic, Topics

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

TOPICS_AT_ONCE = 100_000


@dataclass(frozen=True, repr=False)
class Derived(Result):
    """The judgements with the reasons for each, and counts of what was left out (pairs of a topic and a document)."""

    provenance: Provenance
    absent: tuple[str, ...] = ()  # topics that are not patents of the collection
    citing_nothing: tuple[str, ...] = ()  # topics for which no rule reaches a document of the collection
    emptied: tuple[str, ...] = ()  # topics whose judgements were all left out
    undated_topics: tuple[str, ...] = ()  # topics without any date, for which no document is too late
    own_family: int = 0
    too_late: int = 0
    by_filing_date: int = 0  # kept without a publication date, because they were filed in time
    undated: int = 0  # kept without any date

    def _finding(self) -> str:
        ways, topics = self.provenance.ways, len(self.provenance.topics)
        pairs = ways.select("topic", "document").n_unique()
        return f"{counted(pairs, 'judgement')} of {ways['topic'].n_unique()} of {counted(topics, 'topic')}"


def from_citations(
    patents: Path | Patents,
    topics: Path | Iterable[Topic],
    *,
    dates: JudgementDates = "priority",
    origins: Collection[str] = ORIGINS,
    rules: Collection[int] = RULES,
) -> Derived:
    """Judgements of every topic from the citations of a collection, with the reason for each.

    The collection and the topics may be given as paths.
    """
    import polars as pl

    if isinstance(patents, (str, os.PathLike)):
        patents = Documents.open(patents)
    topics = list(Topics.read(topics) if isinstance(topics, (str, os.PathLike)) else topics)
    if not all(isinstance(topic, Topic) for topic in topics):
        raise InputError("topics", "must be Topics, such as Topics.read(path) or Topics.of(ids)")
    inside = located(topics, patents)
    if inside.is_empty():
        some = ", ".join(topic.patent for topic in topics[:3])
        raise MismatchError(f"no topic is a document of the collection; the topics name {some or 'nothing'}")
    reached = _reached(patents, inside["row"].unique().to_numpy(), origins, rules)
    reached = inside.join(reached, left_on="row", right_on="topic", maintain_order="left").rename({"row": "topic_row"})
    judged = _with_fate(reached, dates)
    kept = judged.filter(pl.col("fate").is_in(list(_KEPT))).sort("topic", "document", "rule", "citation")
    fates = dict(judged.group_by("fate").agg(pl.struct("topic", "document").n_unique()).iter_rows())
    days = patents.records["known"]
    present, reaching, left = (set(frame["topic"].unique()) for frame in (inside, judged, kept))
    return Derived(
        Provenance(_readable(kept, patents), topics=tuple(topic.id for topic in topics)),
        absent=tuple(topic.id for topic in topics if topic.id not in present),
        citing_nothing=tuple(topic.id for topic in topics if topic.id in present - reaching),
        emptied=tuple(topic.id for topic in topics if topic.id in reaching - left),
        undated_topics=tuple(topic for topic, row in inside.iter_rows() if dates != "none" and days[row] is None),
        own_family=fates.get("own family", 0),
        too_late=fates.get("too late", 0),
        by_filing_date=fates.get("by filing date", 0),
        undated=fates.get("undated", 0),
    )


def count_relevant(
    patents: Patents,
    rows: NDArray[np.uint32],
    *,
    dates: JudgementDates = "priority",
    origins: Collection[str] = ORIGINS,
    rules: Collection[int] = RULES,
) -> pl.DataFrame:
    """The number of relevant documents that each of these patents would have as a topic.

    Columns: row, relevant, and cited_examiner and cited_applicant, the numbers that a citation of an examiner or of an
    applicant led to. Patents without relevant documents have no row.
    """
    import polars as pl

    origin = patents.citations["origin"].cast(pl.String)
    counted = []
    for start in range(0, max(1, len(rows)), TOPICS_AT_ONCE):  # so that memory does not grow with the collection
        reached = _reached(patents, rows[start : start + TOPICS_AT_ONCE], origins, rules)
        kept = _with_fate(reached, dates).filter(pl.col("fate").is_in(list(_KEPT)))
        by = pl.col("document").filter
        counted.append(
            kept.with_columns(origin=origin.gather(kept["citation"]))
            .group_by(row="topic")
            .agg(
                relevant=pl.col("document").n_unique(),
                cited_examiner=by(pl.col("origin") == "examiner").n_unique(),
                cited_applicant=by(pl.col("origin") == "applicant").n_unique(),
            )
        )
    return pl.concat(counted).sort("row")


_KEPT = ("dated", "by filing date", "undated")


def _with_fate(pairs: pl.DataFrame, dates: JudgementDates) -> pl.DataFrame:
    """Pairs with a column `fate`: left out as "own family" or "too late", or kept, as one of `_KEPT`."""
    import polars as pl

    publication, known, topic_day = (days_of(pairs[name]) for name in ("publication", "known", "topic_known"))
    later = pl.lit(pl.Series(is_later(public_days(publication, known), topic_day)))
    dated = pl.when(pl.col("publication").is_not_null()).then(pl.lit("dated"))
    kept = dated.when(pl.col("known").is_not_null()).then(pl.lit("by filing date")).otherwise(pl.lit("undated"))
    kept = pl.lit("dated") if dates == "none" else pl.when(later).then(pl.lit("too late")).otherwise(kept)
    own = pl.when(pl.col("family") == pl.col("topic_family")).then(pl.lit("own family"))
    return pairs.with_columns(fate=own.otherwise(kept))


def _reached(
    patents: Patents, rows: NDArray[np.uint32], origins: Collection[str], rules: Collection[int]
) -> pl.DataFrame:
    """Every way from these patents to a document: topic, document, rule and citation, each a row in its table.

    The family and the dates of both are added.
    """
    import polars as pl

    documents = patents.records.select("key", "family", "publication", "known", document=row_numbers())
    facts_of_topics = documents.select(topic="document", topic_family="family", topic_known="known")
    topics = pl.DataFrame({"topic": rows}).join(facts_of_topics, on="topic")
    citations = (
        patents.citations.select("citing", "number", "cited", "origin", "citing_family", citation=row_numbers())
        .filter(pl.col("origin").cast(pl.String).is_in(list(origins)))
        .with_columns(topic_family=citing_family(patents.records))
        .join(topics.select("topic_family").unique(), on="topic_family", how="semi")
    )
    targets = _targets(citations, patents.records)
    by = citations.select("citing", "citation", "topic_family")
    own = (pl.col("topic") == pl.col("citing")).fill_null(value=False)
    ways = topics.join(by, on="topic_family").select("topic", "citation", own=own)
    cited = ways.join(targets, on="citation")
    found = []
    if 1 in rules:
        found.append(cited.filter("own").select("topic", "document", "citation", rule=pl.lit(1, pl.UInt8)))
    if 2 in rules:
        by_family = (
            ways.filter("own")
            .join(_cited_families(citations, targets, patents), on="citation")
            .join(documents.select("document", "family"), on="family")
            .join(targets, on=["citation", "document"], how="anti")
        )
        found.append(by_family.select("topic", "document", "citation", rule=pl.lit(2, pl.UInt8)))
    if 3 in rules:
        found.append(cited.filter(~pl.col("own")).select("topic", "document", "citation", rule=pl.lit(3, pl.UInt8)))
    facts = documents.select("document", "family", "publication", "known")
    return pl.concat(found).join(facts, on="document").join(topics, on="topic")


def _targets(citations: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """The documents of the collection that each citation means: columns citation and document."""
    import polars as pl

    documents = records.select("id", "key", cited=row_numbers(), whole=pl.concat_str("key", "kind"))
    inside = citations.drop_nulls("cited").join(documents, on="cited")
    exact = (pl.col("number") == pl.col("whole")) | (pl.col("number") == pl.col("id"))
    # A number without its kind is also the whole number of a document whose source gives none.
    named = exact & (without_kind(pl.col("number")) != pl.col("number"))
    loose = inside.filter(~named).select("citation", "key").join(documents.select("key", document="cited"), on="key")
    return pl.concat([inside.filter(named).select("citation", document="cited"), loose.select("citation", "document")])


def _cited_families(citations: pl.DataFrame, targets: pl.DataFrame, patents: Patents) -> pl.DataFrame:
    """The families of what each citation means, in the collection or not: columns citation and family."""
    import polars as pl

    family = patents.records.select("family", document=row_numbers())
    inside = targets.join(family, on="document").select("citation", "family")
    outside = citations.filter(pl.col("cited").is_null()).with_columns(bare=without_kind(pl.col("number")))
    listed = patents.families.select("family", bare=without_kind(pl.col("number")))  # one number, one family
    return pl.concat([inside, outside.join(listed, on="bare").select("citation", "family")]).unique()


def _readable(kept: pl.DataFrame, patents: Patents) -> pl.DataFrame:
    """The ways with ids in place of row numbers."""
    import polars as pl

    citations = patents.citations[kept["citation"]]
    ids = patents.records["id"]
    return pl.DataFrame(
        {
            "topic": kept["topic"],
            "document": ids.gather(kept["document"]),
            "rule": kept["rule"],
            "origin": citations["origin"].cast(pl.String),
            "category": citations["category"].cast(pl.String).fill_null(""),
            "citing": ids.gather(citations["citing"]).fill_null(citations["citing_number"]),
            "cited": citations["number"],
        }
    ).unique(maintain_order=True)
