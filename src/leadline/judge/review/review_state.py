"""Where a review stands: who read what, the random draws, and what they certify. Derived from the events of a journal.

The switch to random draws stores its seed and the whole order in the journal before the first draw is shown:

    draws   value: rows of the units in the order of drawing, target: the id of the switch (as many events as needed)
    switch  value: {"to": "draws", "seed": ..., "unread": ..., "found": ..., "sha256": ...}

The first order of a round stands; a later one is ignored, so nobody can draw again until the result pleases. A draw
counts when it and all draws before it have been read. One may go back to the learner's order; what is found there
counts as found, but only the draws in their order carry the certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError
from leadline.judge.assessors.journal import LONGEST, Event
from leadline.judge.assessors.judging_state import JudgingState, Mark
from leadline.judge.assessors.merging import UNJUDGED, UNSURE, merged
from leadline.judge.review.certificate import Certificate, lowest_so_far, missing_limits, with_sensitivity
from leadline.judge.review.learner import Rows
from leadline.judge.review.project import KNOWN, STAGES, ReviewProject

Grades = NDArray[np.int8]
READERS = ("assessor", "expert")


@dataclass(frozen=True)
class RandomDraws:
    """The order in which what was unread is drawn, fixed when it began."""

    seed: int
    order: Rows  # rows of units
    found: int  # relevant at the switch
    at: str
    person: str
    uid: str

    @classmethod
    def of(cls, event: Event, order: Rows) -> RandomDraws:
        said = json.loads(event.value)
        return cls(int(said["seed"]), order, int(said["found"]), event.at, event.person, event.uid)

    @property
    def is_as_seeded(self) -> bool:
        """Whether the order is the one that follows from the seed."""
        return np.array_equal(self.order, drawn_order(np.sort(self.order), self.seed))


@dataclass(frozen=True)
class RoundCertificate:
    """What the draws of one round show."""

    number: int
    certificate: Certificate
    looks: Rows  # documents read at each look, from the first of the round on
    bounds: NDArray[np.float64]  # the lower limit of recall at each look
    estimates: NDArray[np.float64]
    refuted: int  # how often the draws refuted a limit
    switched: bool
    waiting: int  # draws that were read but do not count yet, since one before them was not


@dataclass
class ReviewState:
    """What everybody did in a review."""

    project: ReviewProject
    judging: JudgingState = field(default_factory=JudgingState)
    draws: dict[int, RandomDraws] = field(default_factory=dict)  # by round
    mode: str = "learner"  # or draws
    ignored: int = 0  # further orders for a round that had one
    stopped: Event | None = None
    _parts: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        size = len(self.project.units)
        self.grades: dict[str, Grades] = {stage: np.full(size, UNJUDGED, np.int8) for stage in STAGES}
        self.readers = np.zeros(size, np.int8)  # how many people marked each abstract
        self.disputed: set[int] = set()  # rows whose abstract reviewers marked differently, and no expert decided
        self.first_read: list[int] = []  # rows in the order in which they were first marked
        self._seen = np.zeros(size, np.bool_)

    @classmethod
    def of(cls, project: ReviewProject, events: Iterable[Event]) -> ReviewState:
        state = cls(project)
        for event in events:
            state.add(event)
        return state

    def add(self, event: Event) -> None:
        """Take one more event into account."""
        if event.kind == "draws":
            self._parts.setdefault(event.target, []).append(event.value)
        elif event.kind == "switch":
            self._switch(event)
        elif event.kind in ("stop", "resume"):
            self.stopped = event if event.kind == "stop" else None
        elif event.kind == "round":  # there is something to read again, first in the learner's order
            self.stopped, self.mode = None, "learner"
        else:
            self.judging.add(event)
            row = self.project.row_of.get(event.document)
            if row is not None and event.topic in self.grades:
                self._grade(row, event.topic)

    def _switch(self, event: Event) -> None:
        self.mode = json.loads(event.value)["to"]
        parts = self._parts.pop(event.uid, [])
        if self.mode != "draws":
            return
        if event.round in self.draws:
            self.ignored += bool(parts)
            return
        order = np.array([int(word) for part in parts for word in part.split()], np.int64)
        self.draws[event.round] = RandomDraws.of(event, order)

    def _grade(self, row: int, stage: str) -> None:
        """Bring the grade of one unit up to date: the expert's, else the merged one of the reviewers."""
        marks = self.marks_of(row, stage)
        grade = UNJUDGED
        for person, mark in marks.items():
            if self.judging.roles[person] == "assessor":
                grade = merged(grade, mark.grade)
        decided = [mark for person, mark in marks.items() if self.judging.roles[person] == "expert"]
        if decided:
            grade = max(decided, key=lambda mark: mark.at).grade
        self.grades[stage][row] = grade
        if stage == STAGES[0]:
            self.readers[row] = len(marks)
            differ = not decided and len({mark.grade for mark in marks.values()}) > 1
            (self.disputed.add if differ else self.disputed.discard)(row)
            if grade != UNJUDGED and not self._seen[row]:
                self._seen[row] = True
                self.first_read.append(row)

    def marks_of(self, row: int, stage: str) -> dict[str, Mark]:
        """Everybody's mark on a unit."""
        unit, marks = self.project.units[row][0], self.judging.marks
        return {name: marks[name, stage, unit] for name in self.judging.roles if (name, stage, unit) in marks}

    @property
    def is_read(self) -> NDArray[np.bool_]:
        return np.asarray(self.grades[STAGES[0]] != UNJUDGED)

    def relevant(self, stage: str = "") -> NDArray[np.bool_]:
        """What counts as relevant: kept or unsure; at the last stage, what is not decided yet counts as well."""
        stage = stage or self.project.topics[-1]
        kept = _counts_as_relevant(self.grades[STAGES[0]])
        if stage == STAGES[0]:
            return kept
        full = self.grades[STAGES[1]]
        return np.asarray(kept & (_counts_as_relevant(full) | (full == UNJUDGED)))

    def round_certificate(self, number: int, *, alpha: float = 0.0, stage: str = "") -> RoundCertificate:
        """What is known of one round; `alpha` is the settings' unless another is given."""
        settings, alpha = self.project.settings, alpha or self.project.settings.alpha
        member = self.project.round_of == number
        relevant, read, draws = self.relevant(stage), self.is_read, self.draws.get(number)
        in_round = np.array(self.first_read, np.int64)
        in_round = in_round[member[in_round] & read[in_round]]
        order = draws.order if draws is not None else np.zeros(0, np.int64)
        drawn_from = np.zeros(len(member), np.bool_)
        drawn_from[order] = True
        before = in_round[~drawn_from[in_round]]
        unread = len(order) if draws is not None else int(member.sum()) - len(before)
        found = int(relevant[before].sum())
        counted = _prefix(read[order])
        hits = np.concatenate(([0], np.cumsum(relevant[order[:counted]])))
        looks = np.arange(counted + 1)
        limits = missing_limits(found, unread, looks, hits, target=settings.target, alpha=alpha)
        elsewhere = int(relevant[order[counted:]].sum())
        lowest = lowest_so_far(limits, hits)
        most = int(lowest[-1])
        reopened = int((member & ~read & ~drawn_from).sum()) if draws is not None else 0
        certificate = Certificate(
            found, unread, settings.target, alpha, counted, int(hits[-1]), most, elsewhere, reopened
        )
        # Before the switch nothing is known of the unread: all of them may be relevant.
        gained = np.concatenate(([0], np.cumsum(relevant[before])))
        certain = gained / np.maximum(gained + member.sum() - np.arange(len(gained)), 1)
        bounds = (found + hits) / np.maximum(found + lowest, 1)
        bounds[-1] = certificate.recall
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.maximum(found + unread * hits / looks, 1e-12)
            estimates = np.where(looks > 0, (found + hits) / np.maximum(expected, found + hits), np.nan)
        estimates[-1] = certificate.estimate
        return RoundCertificate(
            number, certificate, np.arange(len(before) + counted + 1),
            np.concatenate((certain[:-1], bounds)), np.concatenate((np.full(len(certain) - 1, np.nan), estimates)),
            int((np.diff(lowest) > 0).sum()), draws is not None, int(read[order[counted:]].sum()),
        )  # fmt: skip

    def recall_bound(self, *, stage: str = "") -> float:
        """The lower limit of recall over all rounds: each has its share of the error that is allowed."""
        rounds, known, most = len(self.project.rounds), 0, 0
        for number in range(1, rounds + 1):
            found = self.round_certificate(number, alpha=self.project.settings.alpha / rounds, stage=stage).certificate
            known += found.found + found.hits + found.elsewhere
            most += found.found + found.missed_at_most + found.reopened
        return known / most if most else 1.0

    def sensitivity(self) -> tuple[int, int]:
        """Of the random draws that two people read and that count as relevant: how many the first reader kept, and all.

        The first reader is whoever marked it first; skips and unsure marks count as kept.
        """
        agreed = both = 0
        relevant, stage = self.relevant(STAGES[0]), STAGES[0]
        for draws in self.draws.values():
            order = draws.order[: _prefix(self.is_read[draws.order])]
            for row in order[relevant[order] & (self.readers[order] > 1)].tolist():
                marks = [
                    mark for name, mark in self.marks_of(row, stage).items()
                    if self.judging.roles[name] == "assessor" and mark.reason != KNOWN
                ]  # fmt: skip
                if len(marks) > 1:
                    both += 1
                    agreed += min(marks, key=lambda mark: mark.at).grade != 0
        return agreed, both

    def bound_with_sensitivity(self, number: int) -> float:
        """The lower limit of recall of a round if reviewers miss relevant documents; NaN without double readings."""
        agreed, both = self.sensitivity()
        if not both:
            return float("nan")
        half = self.round_certificate(number, alpha=self.project.settings.alpha / 2, stage=STAGES[0])
        return with_sensitivity(half.certificate, agreed, both)

    def prices(self, number: int, targets: Iterable[float] = (0.8, 0.9, 0.95)) -> dict[float, int]:
        """How many more documents to draw for each target, if none of them is relevant."""
        now = self.round_certificate(number).certificate
        found = {}
        for target in sorted({*targets, self.project.settings.target}):
            # The limit so far is that of the settings' target, whose prior is another.
            most = now.most if target == now.target else None
            found[target] = replace(now, target=target, most=most).draws_needed
        return found


def _prefix(read: NDArray[np.bool_]) -> int:
    """How many come before the first that is not read."""
    unread = np.flatnonzero(~read)
    return int(unread[0]) if len(unread) else len(read)


def _counts_as_relevant(grades: Grades) -> NDArray[np.bool_]:
    return np.asarray((grades > 0) | (grades == UNSURE))


def drawn_order(unread: Rows, seed: int) -> Rows:
    """The unread rows in the order of a seed."""
    return np.asarray(np.random.default_rng(seed).permutation(unread))


def switch_events(state: ReviewState, uid: str, person: str, role: str, seed: int) -> list[Event]:
    """What is stored, all at once, before the first random draw of the current round is shown."""
    number = state.project.current_round
    unread = np.flatnonzero(~state.is_read & (state.project.round_of == number))
    about = {"person": person, "role": role, "topic": STAGES[0], "round": number}
    if number in state.draws:  # the order is there already: only the way of reading changes
        return [Event(uid, kind="switch", value=json.dumps({"to": "draws"}), **about)]  # type: ignore[arg-type]
    if not len(unread):
        raise InputError("review", "everything has been read: there is nothing to draw")
    order = drawn_order(unread, seed)
    text = " ".join(map(str, order.tolist()))
    said = {
        "to": "draws", "seed": seed, "unread": len(order), "found": int(state.relevant().sum()),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }  # fmt: skip
    parts = _cut(text, LONGEST)
    events = [
        Event(f"{uid[:50]}-{place}", kind="draws", value=part, target=uid, **about)  # type: ignore[arg-type]
        for place, part in enumerate(parts)
    ]
    return [*events, Event(uid, kind="switch", value=json.dumps(said), **about)]  # type: ignore[arg-type]


def _cut(text: str, longest: int) -> list[str]:
    """A text in parts that are cut at blanks.

    >>> _cut("11 22 33", 6)
    ['11 22', '33']
    """
    parts, start = [], 0
    while len(text) - start > longest:
        end = text.rindex(" ", start, start + longest)
        parts.append(text[start:end])
        start = end + 1
    return [*parts, text[start:]]
