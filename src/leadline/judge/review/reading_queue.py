"""What each reviewer reads next: in the learner's order or in that of the random draws, nobody the same as another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

from leadline.judge.assessors.merging import UNJUDGED
from leadline.judge.review.learner import Rows, Scores
from leadline.judge.review.order import best_unread
from leadline.judge.review.project import KNOWN, STAGES
from leadline.judge.review.review_state import ReviewState

HELD = 300.0  # seconds that a unit waits for the person who got it


class ReadingQueue:
    """Hands out units. A unit that somebody has before them is not given to another, unless both are to read it."""

    def __init__(self, scores: Callable[[], Scores], clock: Callable[[], float] = time.monotonic) -> None:
        self._scores, self._clock = scores, clock
        self._held: dict[tuple[str, int], tuple[str, float]] = {}  # stage and row: who has it, until when

    def next(
        self, state: ReviewState, person: str, stage: str, count: int, have: Iterable[int] = (), *, expert: bool = False
    ) -> list[int]:
        """The next rows for a person, besides those that they have already; for an expert, disagreements first."""
        now, own = self._clock(), set(have)
        self._held = {key: value for key, value in self._held.items() if value[1] > now}
        for row in own:
            if self._held.get((stage, row), (person, 0.0))[0] == person:
                self._held[stage, row] = person, now + HELD
        others = {row for (of, row), (name, _) in self._held.items() if of == stage and name != person}
        first = STAGES[0] == stage
        ahead = self._ahead(state, person, expert)
        chosen = (
            self._abstracts(state, person, count, own, others, ahead)
            if first
            else self._full(state, person, own, others)
        )
        chosen = chosen[:count]
        self._held.update({(stage, row): (person, now + HELD) for row in chosen})
        return chosen

    def coming(self, state: ReviewState, count: int) -> list[int]:
        """The units that come next, whoever gets them; nothing is handed out."""
        return self._unread(state, set(), count)

    def release_all(self) -> None:
        """The order changed: what people have before them may come to others as well."""
        self._held.clear()

    def release(self, stage: str, row: int) -> None:
        """A unit was marked or skipped."""
        self._held.pop((stage, row), None)

    def give_back(self, person: str, stage: str, rows: Iterable[int]) -> None:
        """A person's page was closed: what it had may come to others at once."""
        for row in rows:
            if self._held.get((stage, row), ("", 0.0))[0] == person:
                del self._held[stage, row]

    def _ahead(self, state: ReviewState, person: str, expert: bool) -> list[int]:
        """What was read and comes before the unread: disagreements for an expert, second readings for a reviewer."""
        return sorted(state.disputed) if expert else self._second_readings(state, person)

    def _abstracts(
        self, state: ReviewState, person: str, count: int, own: set[int], others: set[int], ahead: list[int]
    ) -> list[int]:
        stage, project = STAGES[0], state.project
        skipped = {
            project.row_of[document] for name, on, document in state.judging.skipped if name == person and on == stage
        }
        taken = own | others | skipped
        chosen = [row for row in ahead if row not in taken][:count]
        if len(chosen) < count:
            chosen += self._unread(state, taken, count - len(chosen))
        if len(chosen) < count:  # what was skipped comes last
            left = [row for row in skipped - own - others if state.grades[stage][row] == UNJUDGED]
            times = state.judging.skipped
            left.sort(key=lambda row: (times[person, stage, project.units[row][0]], row))
            chosen += left[: count - len(chosen)]
        return chosen

    def _unread(self, state: ReviewState, taken: set[int], count: int) -> list[int]:
        """Units that nobody has read, of the current round."""
        number = state.project.current_round
        draws = state.draws.get(number)
        closed = state.is_read | (state.project.round_of != number)
        if taken:
            closed[list(taken)] = True
        if state.mode == "draws" and draws is not None:
            reopened = ~closed
            reopened[draws.order] = False  # read before the switch and taken back: they come first
            ahead = np.flatnonzero(reopened)[:count].tolist()
            following = draws.order[~closed[draws.order]][: count - len(ahead)]
            return [*ahead, *following.tolist()]
        return best_unread(self._scores(), closed, count).tolist()

    def _second_readings(self, state: ReviewState, person: str) -> list[int]:
        """Units that are read twice, and that another but not this person has marked."""
        rows: Rows = np.flatnonzero(state.project.read_twice & (state.readers == 1))
        return [row for row in rows.tolist() if self._is_second(state, person, row)]

    def _is_second(self, state: ReviewState, person: str, row: int) -> bool:
        marks = state.marks_of(row, STAGES[0])
        return bool(marks) and person not in marks and all(mark.reason != KNOWN for mark in marks.values())

    def _full(self, state: ReviewState, person: str, own: set[int], others: set[int]) -> list[int]:
        """Units that were kept by their abstracts, in the order in which they were read."""
        stage = STAGES[1]
        wanted = state.relevant(STAGES[0]) & (state.grades[stage] == UNJUDGED)
        rows = [row for row in state.first_read if wanted[row] and row not in own and row not in others]
        units = state.project.units
        return sorted(rows, key=lambda row: state.judging.skipped.get((person, stage, units[row][0]), 0))

    def left(self, state: ReviewState, person: str, stage: str, *, expert: bool = False) -> int:
        """How many units are left for a person, those before others included."""
        if stage != STAGES[0]:
            return int((state.relevant(STAGES[0]) & (state.grades[stage] == UNJUDGED)).sum())
        unread = ~state.is_read & (state.project.round_of == state.project.current_round)
        return int(unread.sum()) + len(self._ahead(state, person, expert))
