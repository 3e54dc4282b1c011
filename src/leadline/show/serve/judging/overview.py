"""What the organiser sees: progress by topic and person, agreement, and where people disagree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from leadline.judge.assessors.agreement import cohen_kappa
from leadline.judge.assessors.judging_state import JudgingState
from leadline.judge.assessors.merging import disagreement, disagreements
from leadline.judge.assessors.progress import progress
from leadline.show.serve.judging.desk import JudgingDesk

NEARLY = 0.9  # of a topic judged: it is time to look for the next
MOST_QUEUED = 500
KINDS = {"conflict": "relevant against not", "lenient": "one is unsure", "one_against_two": "1 against 2"}


@dataclass(frozen=True)
class TopicOverview:
    """One topic on the organiser's page."""

    id: str
    title: str
    to_judge: int
    status: str
    closed: bool
    people: list[dict[str, Any]]
    assigned: list[str]
    conflict: int
    lenient: int
    one_against_two: int
    unsure: int
    kappa: float


def topic_overviews(desk: JudgingDesk) -> list[TopicOverview]:
    """A row for each topic, with the progress of each of its people."""
    state, rows = desk.state, progress(desk.pool, desk.state)
    place = {name: at for at, name in enumerate(rows.columns)}
    by_topic: dict[str, list[dict[str, Any]]] = {}
    roles = desk.roles()
    for row in rows.rows:
        named = {name: row[at] for name, at in place.items()}
        named["role"] = roles.get(named["person"], named["role"])
        if named["person"] != "nobody":
            named["left"] = len(desk.left_of(named["person"], named["topic"]))
            named["judged"] = named["to_judge"] - named["left"]
            by_topic.setdefault(named["topic"], []).append(named)
    found = []
    for topic in desk.pool.topics:
        people = by_topic.get(topic, [])
        for each in people:
            each["share"] = each["judged"] / each["to_judge"] if each["to_judge"] else 1.0
            each["nearly"] = NEARLY <= each["share"] < 1
        counts = _counted(state, topic)
        turn = state.rounds.get(topic, 1)
        closed = topic in state.closed
        found.append(
            TopicOverview(
                topic, desk.cards.shown_topic(topic)["title"], len(desk.documents(topic)),
                "closed" if closed else f"round {turn}", closed, people, state.assigned.get(topic, []),
                counts["conflict"], counts["lenient"], counts["one_against_two"],
                sum(grade == -2 for grade in state.merged_of(topic).values()), _kappa(state, topic),
            )
        )  # fmt: skip
    return found


def _marks(state: JudgingState, topic: str) -> dict[str, dict[tuple[str, str], int]]:
    """The marks of each assessor on a topic."""
    marks: dict[str, dict[tuple[str, str], int]] = {}
    for (person, on, document), mark in state.marks.items():
        if on == topic and state.roles[person] == "assessor":
            marks.setdefault(person, {})[on, document] = mark.grade
    return marks


def _both(first: dict[tuple[str, str], int], second: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    """What both have marked: while people are at work, what one has not reached yet is no disagreement."""
    return [key for key in first if key in second]


def _counted(state: JudgingState, topic: str) -> dict[str, int]:
    counts = dict.fromkeys(KINDS, 0)
    for first, second in combinations(_marks(state, topic).values(), 2):
        both = _both(first, second)
        total = disagreements({key: first[key] for key in both}, {key: second[key] for key in both})[-1]
        for kind in KINDS:
            counts[kind] += getattr(total, kind)
    return counts


def _kappa(state: JudgingState, topic: str) -> float:
    """The mean kappa of every two assessors on what both judged and were sure of."""
    values = []
    for first, second in combinations(_marks(state, topic).values(), 2):
        both = [key for key in _both(first, second) if first[key] >= 0 and second[key] >= 0]
        pair = np.array([[marks[key] for key in both] for marks in (first, second)], float).reshape(2, -1)
        values.append(cohen_kappa(*pair))
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if known else math.nan


def disagreement_queue(desk: JudgingDesk, topic: str = "") -> list[dict[str, Any]]:
    """The documents that people marked differently and no expert has decided, conflicts first."""
    state = desk.state
    queue: list[dict[str, Any]] = []
    experts = {(on, document) for who, on, document in state.marks if state.roles[who] == "expert"}
    for on in [topic] if topic else desk.pool.topics:
        marks = _marks(state, on)
        for document in desk.documents(on):
            if (on, document) in experts:
                continue
            given = {name: each[on, document] for name, each in marks.items() if (on, document) in each}
            kinds = [disagreement(a, b) for a, b in combinations(given.values(), 2)]
            kind = next((kind for kind in KINDS if kind in kinds), None)
            if kind is not None:
                queue.append({
                    "topic": on, "document": document, "kind": kind, "words": KINDS[kind], "marks": given,
                    "notes": {n: state.notes[n, on, document] for n in given if (n, on, document) in state.notes},
                })  # fmt: skip
    queue.sort(key=lambda row: list(KINDS).index(row["kind"]))
    return queue[:MOST_QUEUED]
