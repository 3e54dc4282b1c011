"""Judgements by claim from office actions: a document over which a claim was rejected is relevant to that claim.

The grade is 2 when the document alone rejects the claim (section 102, category X) and 1 when it does so together with
others (section 103, category Y). Every claim is listed for every such document of the topic, with grade 0 where the
claim was not rejected over it, as in the judgements from passages (`from_claims.py`).

Examiners number the claims of the application as they were when they read them. A published application has mostly the
same claims; those of the granted patent were often amended and renumbered.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.collections.documents.document import Claim
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.patents import located
from leadline.collections.documents.store import Collection
from leadline.errors import MismatchError
from leadline.judge.citations.from_claims import claim_table
from leadline.judge.citations.office_actions import OfficeActions, Rejection
from leadline.judge.citations.provenance import encoded_tsv
from leadline.records.qrels.qrels import Qrels
from leadline.records.topics.topic import Topic
from leadline.text.files import write_whole

if TYPE_CHECKING:
    import polars as pl

ALONE, TOGETHER = 2, 1  # grades
_REASONS = ("topic", "claim", "document", "grade", "statute", "date", "action", "passages", "written")


@dataclass(frozen=True)
class RejectionJudgements:
    """For each topic, claim and document: the grade and the claim's weight, and every rejection behind it."""

    rows: pl.DataFrame  # topic, claim, document, grade, weight
    reasons: pl.DataFrame  # topic, claim, document, grade, statute, date, action, passages, written
    outside: int  # rejections over documents that are not in the collection
    unknown_claims: int  # rejections of claims that the patent does not have
    absent: tuple[str, ...]  # topics without a rejection

    def qrels(self, name: str = "qrels") -> Qrels:
        topics, claims, documents, grades, weights = (column.to_list() for column in self.rows.get_columns())
        return Qrels.from_columns(topics, documents, grades, name, subtopics=claims, weights=weights)

    def write_why(self, path: str | os.PathLike[str]) -> None:
        """Write the rejections behind the judgements: section, date, action, passages, and the number as written."""
        write_whole(path, encoded_tsv(self.reasons))


def from_rejections(collection: Collection, topics: Iterable[Topic], actions: OfficeActions) -> RejectionJudgements:
    """Judgements of the topics whose applications have rejections."""
    import polars as pl

    asked = list(topics)
    inside = set(located(asked, collection)["topic"])
    patents = {topic.id: collection.document(topic.patent) for topic in asked if topic.id in inside}
    if not patents:
        raise MismatchError("no topic is a document of the collection")
    by_application: dict[str, list[Rejection]] = {}
    for rejection in actions.rejections:
        by_application.setdefault(rejection.application, []).append(rejection)
    found = _documents(collection, {rejection.document for rejection in actions.rejections})
    claims: dict[str, Sequence[Claim]] = {}
    reasons: list[tuple[str | int, ...]] = []
    outside = unknown = 0
    for topic, patent in patents.items():
        rejected = by_application.get(patent.application_number, [])
        numbers = {claim.number for claim in patent.claims}
        claims[topic] = patent.claims or [Claim(number, "") for number in sorted({one.claim for one in rejected})]
        for one in rejected:
            documents = [document for document in found[one.document] if document != patent.id]
            outside += not documents
            if documents and numbers and one.claim not in numbers:
                unknown += 1
                continue
            grade, reason = ALONE if one.alone else TOGETHER, (one.statute, one.date, one.action, one.passages)
            reasons += [(topic, str(one.claim), document, grade, *reason, one.document) for document in documents]
    if not reasons:
        raise MismatchError(
            "no topic has a claim that was rejected over a document of the collection: do the office actions belong to "
            "these patents?"
        )
    schema = {name: pl.Int64 if name == "grade" else pl.String for name in _REASONS}
    why = pl.DataFrame(reasons, schema=schema, orient="row")
    grades = why.group_by("topic", "claim", "document").agg(pl.col("grade").max())
    listed = why.select("topic", "document").unique(maintain_order=True)
    rows = (
        claim_table(claims)
        .select("topic", "claim", "weight")
        .join(listed, on="topic", maintain_order="left_right")
        .join(grades, on=["topic", "claim", "document"], how="left", maintain_order="left")
        .with_columns(pl.col("grade").fill_null(0))
        .select("topic", "claim", "document", "grade", "weight")
    )
    judged = set(why["topic"])
    return RejectionJudgements(rows, why, outside, unknown, tuple(t.id for t in asked if t.id not in judged))


def _documents(collection: Collection, written: set[str]) -> dict[str, list[str]]:
    """The documents of the collection that each number means: the publication, else all of that number."""
    records = collection.records
    names = sorted(written)
    ids, by_key = set(records["id"]), dict[str, list[str]]()
    for name, key in records.select("id", "key").iter_rows():
        by_key.setdefault(key, []).append(name)
    found = {}
    for name in names:
        number = normalise(name)
        found[name] = [number.id] if number.id in ids else by_key.get(number.key, [])
    return found
