"""How far judging has come, by topic and person, what reading still finds, and how each person's marks drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.judge.assessors.judging_state import JudgingState
from leadline.records.scores.table import Table

if TYPE_CHECKING:
    from leadline.judge.pools.pool import Pool

QUARTERS = 4


def progress(pool: Pool, state: JudgingState) -> Table:
    """A row for each topic and person: marked, left, unsure, skipped, the share relevant and the pace."""
    wanted: dict[str, set[str]] = {}
    for topic, document in pool.to_judge().select("topic", "document").iter_rows():
        wanted.setdefault(topic, set()).add(document)
    rows: list[list[object]] = []
    for topic, documents in wanted.items():
        people = list(dict.fromkeys([*state.assigned.get(topic, []), *_who(state, topic)]))
        for person in people or ["nobody"]:
            marks = [
                mark for (who, on, document), mark in state.marks.items()
                if who == person and on == topic and document in documents
            ]  # fmt: skip
            unsure = sum(mark.grade < 0 for mark in marks)
            relevant = sum(mark.grade > 0 for mark in marks)
            skips = sum(who == person and on == topic for who, on, _ in state.skipped)
            pace = float(np.median([mark.seconds for mark in marks])) if marks else float("nan")
            status = "closed" if topic in state.closed else f"round {state.rounds.get(topic, 1)}"
            rows.append([
                topic, person, state.roles.get(person, "assessor" if person != "nobody" else ""), status,
                len(documents), len(marks), len(documents) - len(marks), unsure, skips,
                relevant / len(marks) if marks else float("nan"), pace,
            ])  # fmt: skip
    columns = ["topic", "person", "role", "status", "to_judge", "judged", "left", "unsure", "skipped", "share_relevant",
               "median_seconds"]  # fmt: skip
    return Table(columns, rows)


def _who(state: JudgingState, topic: str) -> list[str]:
    return sorted({person for person, on, _ in state.marks if on == topic})


def drift(state: JudgingState) -> Table:
    """The share of relevant marks and the pace of each person, in four equal parts of their work by time."""
    rows: list[list[object]] = []
    for person in sorted({who for who, _, _ in state.marks}):
        marks = sorted((mark for (who, _, _), mark in state.marks.items() if who == person), key=lambda mark: mark.at)
        for part, chunk in enumerate(np.array_split(np.arange(len(marks)), QUARTERS), start=1):
            chosen = [marks[place] for place in chunk.tolist()]
            if chosen:
                relevant = sum(mark.grade > 0 for mark in chosen) / len(chosen)
                seconds = float(np.median([mark.seconds for mark in chosen]))
                rows.append([person, part, len(chosen), relevant, seconds])
    return Table(["person", "quarter", "judged", "share_relevant", "median_seconds"], rows)


def found_against_read(state: JudgingState, *, level: int = 1) -> Table:
    """How many relevant documents each topic had after each quarter of what was read, in the order of first marks.

    A last quarter that found little says that more reading of this pool's sample finds little.
    """
    first: dict[tuple[str, str], str] = {}
    for (_, topic, document), mark in state.marks.items():
        first[topic, document] = min(first.get((topic, document), mark.at), mark.at)
    grades = state.final()[0]
    by_topic: dict[str, list[tuple[str, str]]] = {}
    for topic, document in sorted(first, key=lambda key: (first[key], key)):
        by_topic.setdefault(topic, []).append((topic, document))
    rows: list[list[object]] = []
    for topic, keys in by_topic.items():
        found = np.cumsum([0, *(grades[key] >= level for key in keys)])
        places = [round(len(keys) * quarter / QUARTERS) for quarter in range(1, QUARTERS + 1)]
        rows.append([topic, len(keys), *(int(found[place]) for place in places), int(found[-1] - found[places[-2]])])
    quarters = [f"found_after_{100 * quarter // QUARTERS}%" for quarter in range(1, QUARTERS + 1)]
    return Table(["topic", "read", *quarters, "in_last_quarter"], rows)
