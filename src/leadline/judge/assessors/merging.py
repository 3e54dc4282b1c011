"""Merge the marks of two assessors, and count where they disagree (Lupu, Huang, Zhu and Tait, TREC-CHEM 2009).

A mark is 2 (highly relevant), 1 (relevant), 0 (not relevant), -2 (unsure) or -1 (not judged). The merged grade is the
larger in the order -1 < -2 < 0 < 1 < 2.

    >>> merged(-2, 0), merged(-1, -2), merged(1, 2)
    (0, -2, 2)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from leadline.records.scores.table import Table

ORDER = (-1, -2, 0, 1, 2)  # from the weakest mark to the strongest
UNJUDGED, UNSURE = -1, -2
RELEVANT = (1, 2)

Kind = Literal["agreed", "conflict", "lenient", "one_against_two"]
Marks = Mapping[tuple[str, str], int]  # by topic and document


def merged(first: int, second: int) -> int:
    """The grade of a document that two assessors marked."""
    return max(first, second, key=ORDER.index)


def disagreement(first: int, second: int) -> Kind:
    """How two marks differ.

    Conflict: relevant against not relevant. Lenient: one unsure or not judged, the other not. One against two: both
    relevant, but not to the same degree.

    >>> disagreement(2, 0), disagreement(-2, 1), disagreement(1, 2), disagreement(-1, -2)
    ('conflict', 'lenient', 'one_against_two', 'agreed')
    """
    unknown = (first in (UNSURE, UNJUDGED), second in (UNSURE, UNJUDGED))
    if any(unknown):
        return "agreed" if all(unknown) else "lenient"
    if first == second:
        return "agreed"
    return "one_against_two" if first in RELEVANT and second in RELEVANT else "conflict"


@dataclass(frozen=True)
class TopicDisagreement:
    """The documents of one topic, counted by how two assessors differ on them."""

    topic: str
    documents: int
    conflict: int
    lenient: int
    one_against_two: int

    @property
    def strict(self) -> int:
        """Conflicts and lenient disagreements together."""
        return self.conflict + self.lenient

    def share(self, number: int) -> float:
        """A count as a share of the topic's documents."""
        return number / self.documents if self.documents else float("nan")


def merge(first: Marks, second: Marks) -> dict[tuple[str, str], int]:
    """The merged grades of everything that either assessor was asked to judge."""
    return {key: merged(first.get(key, UNJUDGED), second.get(key, UNJUDGED)) for key in {**first, **second}}


def disagreements(first: Marks, second: Marks) -> list[TopicDisagreement]:
    """How two assessors differ, topic by topic; the last entry, `all`, is the total."""
    by_topic: dict[str, dict[str, int]] = {}
    for topic, document in {**first, **second}:
        key = topic, document
        kind = disagreement(first.get(key, UNJUDGED), second.get(key, UNJUDGED))
        counts = by_topic.setdefault(topic, {})
        counts[kind] = counts.get(kind, 0) + 1
    found = [
        TopicDisagreement(
            topic, sum(counts.values()), counts.get("conflict", 0), counts.get("lenient", 0),
            counts.get("one_against_two", 0),
        )
        for topic, counts in by_topic.items()
    ]  # fmt: skip
    counted = ("documents", "conflict", "lenient", "one_against_two")
    total = [sum(getattr(each, name) for each in found) for name in counted]
    return [*found, TopicDisagreement("all", *total)]


def disagreement_table(found: list[TopicDisagreement]) -> Table:
    """The disagreements with their shares, one row for each topic."""
    columns = ["topic", "documents", "conflict", "lenient", "strict", "one_against_two", "conflict_share"]
    columns.append("strict_share")
    rows = [
        [
            each.topic, each.documents, each.conflict, each.lenient, each.strict, each.one_against_two,
            each.share(each.conflict), each.share(each.strict),
        ]
        for each in found
    ]  # fmt: skip
    return Table(columns, rows)


def grade_counts(grades: Marks) -> Table:
    """How many documents of each topic have each grade."""
    by_topic: dict[str, dict[int, int]] = {}
    for (topic, _), grade in grades.items():
        counts = by_topic.setdefault(topic, {})
        counts[grade] = counts.get(grade, 0) + 1
    rows: list[list[object]] = [
        [topic, sum(counts.values()), *(counts.get(grade, 0) for grade in reversed(ORDER))]
        for topic, counts in by_topic.items()
    ]
    rows.append(["all", *(sum(row[c] for row in rows) for c in range(1, 2 + len(ORDER)))])  # type: ignore[misc]
    return Table(["topic", "documents", "highly_relevant", "relevant", "not_relevant", "unsure", "not_judged"], rows)


def shifts(before: Marks, after: Marks) -> Table:
    """How the expert changed the merged grades: a row for each grade before, a column for each after."""
    counts = {(a, b): 0 for a in ORDER for b in ORDER}
    for key, grade in before.items():
        counts[grade, after.get(key, grade)] += 1
    rows = [[grade, *(counts[grade, other] for other in ORDER)] for grade in ORDER]
    return Table(["merged", *(f"expert {grade}" for grade in ORDER)], rows)
