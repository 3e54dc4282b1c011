"""Judgements by claim: a grade for each claim of the topic and each relevant document.

The grade of a document for a claim is ⌈4 · passages of the document that bear on the claim ÷ the largest such
number⌉, after Luo, Wing, Yang and Hearst, The Water Filling Model and the Cube Test (CIKM 2013). The paper takes the
largest over all its topics and relevant documents, as `largest="all"` does; one very long document can then make nearly
every other grade 1, so `topic` and `claim` take the largest within each topic or claim.

A claim is a subtopic, of weight 1 when it is independent and 0.5 when it refers to another. Every claim is listed for
every relevant document of the topic, with grade 0 where nothing bears on it, so that the weights are shared among all
claims.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from leadline.collections.documents.document import Claim
from leadline.errors import InputError, MismatchError
from leadline.judge.citations.provenance import encoded_tsv
from leadline.records.qrels.qrels import Qrels
from leadline.text.files import write_whole
from leadline.text.sheet import Sheet, label, read_sheet

if TYPE_CHECKING:
    import polars as pl

Largest = Literal["all", "topic", "claim"]
_WITHIN: Mapping[str, tuple[str, ...]] = {"all": (), "topic": ("topic",), "claim": ("topic", "claim")}


@dataclass(frozen=True)
class ClaimJudgements:
    """For each topic, claim and relevant document: passages that bear on the claim, grade, and the claim's weight."""

    rows: pl.DataFrame  # topic, claim, document, passages, grade, weight
    source: Literal["judged", "estimated"]

    def qrels(self, name: str = "qrels") -> Qrels:
        topics, claims, documents, _, grades, weights = (column.to_list() for column in self.rows.get_columns())
        return Qrels.from_columns(topics, documents, grades, name, subtopics=claims, weights=weights)

    def write_why(self, path: str | os.PathLike[str]) -> None:
        """Write the number of passages behind each grade, and whether they were judged or estimated."""
        import polars as pl

        table = self.rows.with_columns(source=pl.lit(self.source))
        write_whole(path, encoded_tsv(table))


def claim_judgements(
    claims: Mapping[str, Sequence[Claim]],
    passages: pl.DataFrame,
    documents: pl.DataFrame,
    *,
    source: Literal["judged", "estimated"],
    largest: Largest = "all",
) -> ClaimJudgements:
    """Grades from the counts in `passages` (topic, claim, document, passages), for relevant `documents` by topic."""
    import polars as pl

    relevant = documents.select("topic", "document").unique(maintain_order=True)
    listed = claim_table(claims).select("topic", "claim", "weight").join(relevant, on="topic")
    most = pl.max_horizontal(pl.col("passages").max(), 1)
    most = most.over(_WITHIN[largest]) if _WITHIN[largest] else most
    rows = (
        listed.join(passages, on=["topic", "claim", "document"], how="left", maintain_order="left")
        .with_columns(pl.col("passages").fill_null(0).cast(pl.Int64))
        # ⌈4n ÷ largest⌉ in integers: a floating-point quotient could be just above a whole number.
        .with_columns(grade=(4 * pl.col("passages") + most - 1) // most)
        .select("topic", "claim", "document", "passages", "grade", "weight")
    )
    if rows.is_empty():
        raise MismatchError("no topic has both claims and a relevant document")
    return ClaimJudgements(rows, source)


def claim_table(claims: Mapping[str, Sequence[Claim]]) -> pl.DataFrame:
    """One row per claim: topic, claim, text, weight."""
    import polars as pl

    rows = [(topic, str(claim.number), claim.text, claim.weight) for topic, own in claims.items() for claim in own]
    schema = {"topic": pl.String, "claim": pl.String, "text": pl.String, "weight": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def read_passages(path: str | os.PathLike[str], claims: Mapping[str, Sequence[Claim]]) -> pl.DataFrame:
    """Counts of judged passages, from a table with the columns topic, claim, document and passage.

    The claim * means every claim of the topic. A passage listed twice counts once. Topics that are not in `claims` are
    ignored.
    """
    import polars as pl

    sheet = read_sheet(path)
    columns = [_column(sheet, names) for names in (("topic",), ("claim", "subtopic"), ("document",), ("passage",))]
    numbers = {topic: {str(claim.number) for claim in own} for topic, own in claims.items()}
    passages = [
        (topic, claim, *map(label, (row[columns[2]], row[columns[3]])))
        for r, row in enumerate(sheet.rows)
        if (topic := label(row[columns[0]])) in numbers
        for claim in _claims(sheet, r, label(row[columns[1]]), numbers[topic])
    ]
    if not passages:
        raise MismatchError(f"{sheet.name}: no passage is of a topic with claims in the collection")
    frame = pl.DataFrame(passages, schema=["topic", "claim", "document", "passage"], orient="row")
    keys = ["topic", "claim", "document"]
    return frame.group_by(keys, maintain_order=True).agg(passages=pl.col("passage").n_unique())


def _column(sheet: Sheet, names: Sequence[str]) -> int:
    place = sheet.find(names)
    if place is None:
        have = ", ".join(sheet.columns[:6])
        raise InputError(sheet.name, f"no column {names[0]} among {have}; expected topic, claim, document, passage")
    return place


def _claims(sheet: Sheet, row: int, written: str, known: Iterable[str]) -> list[str]:
    if written == "*":
        return sorted(known)
    if written not in known:
        raise sheet.error(row, f"the patent has no claim {written!r}; its claims are 1 to {max(map(int, known))}")
    return [written]
