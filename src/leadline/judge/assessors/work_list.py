"""What is left for a person to judge, and in which order it is shown.

The order is shuffled for each person, so that nobody can tell rank or stratum from it, and two people do not tire at
the same documents. It depends only on seed, person, topic and document: it stays when a pool is extended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

from leadline.judge.assessors.journal import Role
from leadline.judge.assessors.judging_state import JudgingState
from leadline.judge.assessors.merging import RELEVANT, UNJUDGED, UNSURE

View = Literal["all", "relevant", "unsure"]


def shuffled(documents: Sequence[str], seed: int, person: str, topic: str) -> list[str]:
    """The documents of a topic in one person's order.

    >>> anna, ben = (shuffled(["d1", "d2", "d3", "d4"], 1, name, "7") for name in ("anna", "ben"))
    >>> sorted(anna) == sorted(ben), anna == ben
    (True, False)
    """

    def place(document: str) -> bytes:
        text = f"{seed}\t{person}\t{topic}\t{document}"
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()

    return sorted(documents, key=place)


def is_open_to(state: JudgingState, roles: dict[str, Role], person: str, topic: str) -> bool:
    """Whether a person may judge a topic: it is assigned to them, or to nobody of their role."""
    assigned = [name for name in state.assigned.get(topic, []) if roles.get(name) == roles.get(person)]
    return not assigned or person in assigned


def left_to_judge(state: JudgingState, person: str, topic: str, ordered: Sequence[str]) -> list[str]:
    """What a person has not judged in this round, in the order given; what they skipped comes last."""
    current, again = state.rounds.get(topic, 1), state.again.get(topic, set())
    expert = state.roles.get(person) == "expert"
    left = []
    for document in ordered:
        mark = state.marks.get((person, topic, document))
        if mark is None or (not expert and document in again and mark.round < current):
            left.append(document)
    return sorted(left, key=lambda document: state.skipped.get((person, topic, document), 0))


def in_view(state: JudgingState, topic: str, ordered: Sequence[str], view: View) -> list[str]:
    """The documents an expert asked for: all, those merged as relevant, or those unsure or not judged by anybody."""
    if view == "all":
        return list(ordered)
    grades = state.merged_of(topic)
    wanted = RELEVANT if view == "relevant" else (UNSURE, UNJUDGED)
    return [document for document in ordered if grades.get(document, UNJUDGED) in wanted]
