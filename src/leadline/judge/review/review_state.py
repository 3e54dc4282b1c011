"""Where a review stands: who read what, the random draws, what they certify, and what each person reads next.

The switch to random draws stores the whole order in the journal before the first draw is shown: `draws.py` says what it
follows from, `next_step.py` makes the events. The first order of a round stands; a later one is ignored, so nobody can
draw again until the result pleases. A draw counts when it and all draws before it have been read. One may go back to
the learner's order; what is found there counts as found, but only the draws in their order carry the certificate.

What an expert decides in an audit (`audit.py`) is kept apart from what readers marked, and so are the two certificates.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError
from leadline.judge.choices import AUDIT, STAGES
from leadline.judge.journal import Event
from leadline.judge.marks import UNJUDGED, UNSURE, JudgingState, Mark, merged
from leadline.judge.review.audit import Audit, AuditState, audit_state, prefix
from leadline.judge.review.draws import RandomDraws, StoredParts, kept_target
from leadline.judge.review.learners import (
    LEARNERS,
    WORD,
    Labels,
    ReviewLearner,
    Rows,
    Scores,
    TextFeatures,
    best_unread,
    similar,
)
from leadline.judge.review.machine_readers import Machines
from leadline.judge.review.project import KNOWN, STARTER, ReviewProject
from leadline.judge.review.stopping import (
    Certificate,
    RoundCertificate,
    lowest_so_far,
    missing_limits,
    with_sensitivity,
)
from leadline.text.background import Background

Grades = NDArray[np.int8]
READERS = ("assessor", "expert")


@dataclass(frozen=True)
class SecondReadings:
    """What second readers kept, and whether the first had kept it too: how often first readers overlook something."""

    both: int  # documents that two people read
    second: int  # of them, those that the second kept
    confirmed: int  # of these, those that an expert calls relevant
    kept: int  # of the confirmed, those that the first kept too
    overlooked: int  # those that the first did not keep and no expert rejected: who waits can make the limit only lower
    waiting: tuple[int, ...]  # rows that the second kept and no expert has decided


@dataclass
class ReviewState:
    """What everybody did in a review."""

    project: ReviewProject
    judging: JudgingState = field(default_factory=JudgingState)
    draws: dict[int, RandomDraws] = field(default_factory=dict)  # by round
    mode: str = "learner"  # or draws
    ignored: int = 0  # further orders for a round that had one
    stopped: Event | None = None
    stopped_by: tuple[str, ...] = ()  # who decided: one who leads, or all reviewers
    agreed: dict[str, Event] = field(
        default_factory=dict
    )  # reviewers who want the review to stop, or to go on if it was
    changes: list[Event] = field(default_factory=list)  # of learner or target, while the review went on
    audits: dict[int, Audit] = field(default_factory=dict)  # by round
    number_named: str = ""  # the public number that the order of the next draws is to follow from as well, in words
    _parts: StoredParts = field(default_factory=StoredParts, repr=False)
    _targets: dict[int, float] = field(default_factory=dict, repr=False)  # of each round, when its draws began
    _audit_targets: dict[int, float] = field(default_factory=dict, repr=False)  # the same of its audit

    def __post_init__(self) -> None:
        size = len(self.project.units)
        self.grades: dict[str, Grades] = {stage: np.full(size, UNJUDGED, np.int8) for stage in STAGES}
        self.machines = Machines(size)
        self.readers = np.zeros(size, np.int8)  # how many people marked each abstract
        self.disputed: set[int] = set()  # rows whose abstract reviewers marked differently, and no expert decided
        self.first_read: list[int] = []  # rows in the order in which they were first marked
        self.decided = np.full(size, UNJUDGED, np.int8)  # what experts decided, in an audit or before
        self.audit_read: list[int] = []  # rows in the order in which they were first marked in an audit
        self._seen = np.zeros(size, np.bool_)
        self._is_open = ~self.project.read_twice  # what all may follow from: read once, or by both of its readers
        self._readers_in_turn: dict[int, list[str]] = {}  # of rows that are read twice: who marked it, first to last

    @classmethod
    def of(cls, project: ReviewProject, events: Iterable[Event]) -> ReviewState:
        state = cls(project)
        for event in events:
            state.add(event)
        return state

    def add(self, event: Event) -> None:
        """Take one more event into account."""
        if event.kind == "draws":
            self._parts.add(event)
        elif event.kind == "switch":
            self._switch(event)
        elif event.kind == "audit":
            self._audit(event)
        elif event.kind == "number":
            self.number_named = event.value
        elif event.kind in ("stop", "resume"):
            self.stopped = event if event.kind == "stop" else None
            self.stopped_by = tuple(self.agreed) if event.person in self.agreed else (event.person,)
            self.agreed.clear()
        elif event.kind == "agree":
            self.agreed[event.person] = event
        elif event.kind == "disagree":
            self.agreed.pop(event.person, None)
        elif event.kind in ("machine", "opinion", "consent"):  # none of them is a mark
            self.machines.add(event, self.project.row_of.get(event.document))
        elif event.kind == "settings":
            self.project = self.project.with_settings(**settings_of(event))
            self.changes.append(event)
        elif event.kind == "round":  # there is something to read again, first in the learner's order
            self.stopped, self.mode = None, "learner"
            self.agreed.clear()
        else:
            self.judging.add(event)
            row = self.project.row_of.get(event.document)
            if row is not None and event.topic in self.grades:
                self._grade(row, event.topic)
                if event.role == "expert":
                    self._decide(row)
                if event.kind == "mark" and event.role == "assessor" and event.topic == STAGES[0]:
                    self._note_reader(row, event.person)

            elif row is not None and event.topic == AUDIT:
                self._decide(row)
                if row not in self.audit_read:
                    self.audit_read.append(row)

    def _decide(self, row: int) -> None:
        """Bring up to date what experts decided on a unit: the last word of any of them."""
        topics = (STAGES[0], AUDIT)
        marks = [
            mark
            for topic in topics
            for name, mark in self.marks_of(row, topic).items()
            if self.judging.roles[name] == "expert"
        ]
        self.decided[row] = max(marks, key=lambda mark: mark.at).grade if marks else UNJUDGED

    def _audit(self, event: Event) -> None:
        """An audit begins, or its draws do: the first of each stands."""
        to, known = json.loads(event.value)["to"], self.audits.get(event.round)
        if to == "begin":
            kept, again = self._parts.take(kept_target(event.uid)), self._parts.take(event.uid)
            none = np.zeros(0, np.int64)
            begun = Audit.begun(
                RandomDraws.of(event, none if kept is None else kept), none if again is None else again,
                event.value, event.round,
            )  # fmt: skip
            self.ignored += known is not None and not np.array_equal(known.kept.order, begun.kept.order)
            self.audits.setdefault(event.round, begun)
            return
        order = self._parts.take(event.uid)
        if known is None or order is None:
            return
        if known.draws is None:
            self.number_named = ""  # it was used
            self._audit_targets[event.round] = self.project.settings.target
            self.audits[event.round] = replace(known, draws=RandomDraws.of(event, order))
        else:
            self.ignored += not np.array_equal(known.draws.order, order)

    def _note_reader(self, row: int, person: str) -> None:
        """Remember who was first: a mark that is changed later does not make its reader the second."""
        if self.project.read_twice[row]:
            names = self._readers_in_turn.setdefault(row, [])
            if person not in names:
                names.append(person)

    def _switch(self, event: Event) -> None:
        self.mode = json.loads(event.value)["to"]
        order = self._parts.take(event.uid)
        if self.mode != "draws":
            return
        known = self.draws.get(event.round)
        if known is not None:
            self.ignored += order is not None and not np.array_equal(known.order, order)
            return
        self.number_named = ""  # it was used
        self.draws[event.round] = RandomDraws.of(event, np.zeros(0, np.int64) if order is None else order)
        self._targets[event.round] = self.project.settings.target

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
            self._is_open[row] = not self.project.read_twice[row] or len(marks) > 1 or STARTER in marks
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
    def hides_marks(self) -> bool:
        """Whether a reviewer may not learn yet what others marked."""
        return self.project.settings.is_blind and self.stopped is None

    def own_grades(self, person: str, stage: str) -> Grades:
        """What a reviewer marked, and what was known at the start."""
        grades = np.full(len(self.project.units), UNJUDGED, np.int8)
        for row in np.flatnonzero(self.grades[stage] != UNJUDGED).tolist():
            mark = self._mark(person, stage, row) or self._mark(STARTER, stage, row)
            grades[row] = UNJUDGED if mark is None else mark.grade
        return grades

    def open_grades(self) -> Grades:
        """The grades of abstracts that may shape what people read next: of what two people read, once both have.

        Before that, not even what the reader of it reads next may follow from its mark: what they read and have before
        them others do not get.
        """
        return np.where(self._is_open, self.grades[STAGES[0]], np.int8(UNJUDGED))

    def _mark(self, person: str, stage: str, row: int) -> Mark | None:
        return self.judging.marks.get((person, stage, self.project.units[row][0]))

    @property
    def is_read(self) -> NDArray[np.bool_]:
        return np.asarray(self.grades[STAGES[0]] != UNJUDGED)

    def relevant(self, stage: str = "") -> NDArray[np.bool_]:
        """What counts as relevant: kept or unsure; at the last stage, what is not decided yet counts as well."""
        stage = stage or self.project.topics[-1]
        kept = counts_as_relevant(self.grades[STAGES[0]])
        if stage == STAGES[0]:
            return kept
        full = self.grades[STAGES[1]]
        return np.asarray(kept & (counts_as_relevant(full) | (full == UNJUDGED)))

    def round_certificate(self, number: int, *, alpha: float = 0.0, stage: str = "") -> RoundCertificate:
        """What is known of one round; `alpha` is the settings' unless another is given."""
        # The bound is made for the target at the switch: chosen after looking at draws, it would not be valid.
        alpha, target = alpha or self.project.settings.alpha, self._targets.get(number, self.project.settings.target)
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
        counted = prefix(read[order])
        hits = np.concatenate(([0], np.cumsum(relevant[order[:counted]])))
        looks = np.arange(counted + 1)
        limits = missing_limits(found, unread, looks, hits, target=target, alpha=alpha)
        elsewhere = int(relevant[order[counted:]].sum())
        lowest = lowest_so_far(limits, hits)
        most = int(lowest[-1])
        reopened = int((member & ~read & ~drawn_from).sum()) if draws is not None else 0
        certificate = Certificate(found, unread, target, alpha, counted, int(hits[-1]), most, elsewhere, reopened)
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
            number,
            certificate,
            np.arange(len(before) + counted + 1),
            np.concatenate((certain[:-1], bounds)),
            np.concatenate((np.full(len(certain) - 1, np.nan), estimates)),
            int((np.diff(lowest) > 0).sum()),
            draws is not None,
            int(read[order[counted:]].sum()),
        )

    def recall_bound(self, *, stage: str = "") -> float:
        """The lower limit of recall over all rounds: each has its share of the error that is allowed."""
        rounds, known, most = len(self.project.rounds), 0, 0
        for number in range(1, rounds + 1):
            found = self.round_certificate(number, alpha=self.project.settings.alpha / rounds, stage=stage).certificate
            known += found.found + found.hits + found.elsewhere
            most += found.found + found.missed_at_most + found.reopened
        return known / most if most else 1.0

    def second_readings(self, number: int) -> SecondReadings:
        """What two people read of a round, and what an expert says of what the second of them kept.

        Only documents that a hash chose for two readers are counted, since people chose the others. Kept means marked
        relevant: unsure is not kept.
        """
        stage, waiting = STAGES[0], []
        both = kept_second = confirmed = kept = overlooked = 0
        for row, names in sorted(self._readers_in_turn.items()):
            if self.project.round_of[row] != number:
                continue
            marks = self.marks_of(row, stage)
            readers = [name for name in names if name in marks and marks[name].reason != KNOWN]
            if len(readers) < 2:
                continue
            both += 1
            first, second = (marks[name].grade > 0 for name in readers[:2])
            if not second:
                continue
            kept_second += 1
            grade = int(self.decided[row])  # also in an audit
            if grade == UNJUDGED:
                waiting.append(row)
            confirmed += grade > 0
            kept += first and grade > 0
            overlooked += not first and grade != 0
        return SecondReadings(both, kept_second, confirmed, kept, overlooked, tuple(waiting))

    def machine_disputed(self) -> list[int]:
        """The rows that people excluded, a machine that is a second reader would keep, and no expert has decided."""
        excluded = self.grades[STAGES[0]] == 0
        rows = self.machines.overlooked(excluded).tolist() if self.machines.with_role("second") else []
        return [row for row in rows if self.decided[row] == UNJUDGED]

    def bound_with_sensitivity(self, number: int) -> float:
        """The lower limit of recall of a round if reviewers overlook relevant documents; NaN where that is unknown."""
        readings = self.second_readings(number)
        if not readings.kept:
            return float("nan")
        half = self.round_certificate(number, alpha=self.project.settings.alpha / 2, stage=STAGES[0])
        return with_sensitivity(half.certificate, readings.kept, readings.overlooked)

    def decisions(self) -> Grades:
        """The grade of each abstract in the end: what was decided in an audit stands above what readers marked."""
        grades = self.grades[STAGES[0]].copy()
        rows = [row for row in self.audit_read if self.decided[row] != UNJUDGED]
        grades[rows] = self.decided[rows]
        return grades

    def experts(self) -> str:
        """Who decided in the audit, in words; whoever is an expert where nobody has yet."""
        audited = {name for name, topic, _ in self.judging.marks if topic == AUDIT}
        names = sorted(audited) or sorted(name for name, role in self.judging.roles.items() if role == "expert")
        return " and ".join(names)

    def round_audit(self, number: int, *, alpha: float = 0.0) -> AuditState | None:
        """What the audit of a round shows, None where none was begun; `alpha` is the settings' unless one is given."""
        audit, settings = self.audits.get(number), self.project.settings
        if audit is None:
            return None
        kept = counts_as_relevant(self.grades[STAGES[0]])
        member = self.project.round_of == number
        target = self._audit_targets.get(number, settings.target)
        alpha = alpha or settings.alpha
        return audit_state(audit, self.decided, kept, member, target=target, alpha=alpha, by=self.experts())

    def prices(self, number: int, targets: Iterable[float] = (0.8, 0.9, 0.95)) -> dict[float, int]:
        """How many more documents to draw for each target, if none of them is relevant."""
        now = self.round_certificate(number).certificate
        found = {}
        for target in sorted({*targets, self.project.settings.target}):
            # The limit so far is that of the settings' target, whose prior is another.
            most = now.most if target == now.target else None
            found[target] = replace(now, target=target, most=most).draws_needed
        return found


def settings_of(event: Event) -> dict[str, Any]:
    """What an event changes of the settings of a running review: its learner, its target."""
    try:
        said = json.loads(event.value)
        return {name: kind(said[name]) for name, kind in (("learner", str), ("target", float)) if name in said}
    except (ValueError, TypeError):
        raise InputError("journal", f"event {event.uid} does not change settings: {event.value[:40]!r}") from None


def settings_event(uid: str, person: str, role: str, round: int, changed: Mapping[str, str | float]) -> Event:
    """The event that changes a running review; InputError for a learner or a target there is not."""
    if not changed:
        raise InputError("settings", "name a learner or a target to change")
    if "learner" in changed:
        LEARNERS.named(str(changed["learner"]))
    if not 0 < float(changed.get("target", 0.5)) < 1:
        raise InputError("target", f"must be above 0 and below 1, got {changed['target']}")
    return Event(uid, person, role, "settings", STAGES[0], value=json.dumps(dict(changed)), round=round)  # type: ignore[arg-type]


def counts_as_relevant(grades: Grades) -> NDArray[np.bool_]:
    """Which grades count as relevant: kept or unsure."""
    return np.asarray((grades > 0) | (grades == UNSURE))


# What each reviewer reads next: in the learner's order or in that of the random draws, nobody the same as another.


HELD = 300.0  # seconds that a unit waits for the person who got it


class ReadingQueue:
    """Hands out units. A unit that somebody has before them is not given to another, unless both are to read it."""

    def __init__(self, scores: Callable[[], Scores], clock: Callable[[], float] = time.monotonic) -> None:
        """`scores` gives those that put the unread in order."""
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
        if stage == AUDIT:
            chosen = self._audited(state, person, own | others)[:count]
            self._held.update({(stage, row): (person, now + HELD) for row in chosen})
            return chosen
        ahead = self._ahead(state, person, expert)
        chosen = (
            self._abstracts(state, person, count, own, others, ahead)
            if first
            else self._full(state, person, own, others, expert)
        )
        chosen = chosen[:count]
        self._held.update({(stage, row): (person, now + HELD) for row in chosen})
        return chosen

    def _audited(self, state: ReviewState, person: str, taken: set[int]) -> list[int]:
        """What an audit has an expert decide on, besides units that are taken; what was skipped comes last."""
        found = state.round_audit(state.project.current_round)
        units, times = state.project.units, state.judging.skipped
        rows = [row for row in found.queue if row not in taken] if found is not None else []
        return sorted(rows, key=lambda row: times.get((person, AUDIT, units[row][0]), 0))

    def hold(self, person: str, stage: str, rows: Iterable[int], seconds: float) -> None:
        """Keep units for the person who got them before, for as long as is left of it."""
        until = self._clock() + min(seconds, HELD)
        self._held.update({(stage, row): (person, until) for row in rows})

    def held_by(self, person: str, stage: str) -> dict[int, float]:
        """The units that a person has before them, and for how many seconds."""
        now = self._clock()
        mine = (item for item in self._held.items() if item[1][0] == person and item[0][0] == stage)
        return {row: until - now for (_, row), (_, until) in mine if until > now}

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
        """What was read and comes before the unread: second readings for a reviewer; for an expert, disagreements, then
        what second readers kept, which shows how much first readers overlook once it is decided.
        """
        if not expert:
            return self._second_readings(state, person)
        waiting = state.second_readings(state.project.current_round).waiting
        ahead = [*sorted(state.disputed), *(row for row in waiting if row not in state.disputed)]
        return [*ahead, *(row for row in state.machine_disputed() if row not in ahead)]

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
        # Also what a colleague says was known: left out here, it would tell that the colleague kept it.
        return bool(marks) and person not in marks and STARTER not in marks

    def _full(self, state: ReviewState, person: str, own: set[int], others: set[int], expert: bool) -> list[int]:
        """Units that were kept by their abstracts, in the order in which they were read."""
        stage, wanted = STAGES[1], self._wanted_full(state, person, expert)
        if _reads_blind(state, expert):
            others = set()  # that another has it before them would tell that they kept it too
        ahead = dict.fromkeys([*state.first_read, *state.audit_read])  # an audit finds what nobody had read
        rows = [row for row in ahead if wanted[row] and row not in own and row not in others]
        units = state.project.units
        return sorted(rows, key=lambda row: state.judging.skipped.get((person, stage, units[row][0]), 0))

    def _wanted_full(self, state: ReviewState, person: str, expert: bool) -> NDArray[np.bool_]:
        """Whose full texts are to be read: a reviewer who may not know what others kept reads those they kept."""
        if not _reads_blind(state, expert):
            return np.asarray(counts_as_relevant(state.decisions()) & (state.grades[STAGES[1]] == UNJUDGED))
        kept = counts_as_relevant(state.own_grades(person, STAGES[0]))
        return np.asarray(kept & (state.own_grades(person, STAGES[1]) == UNJUDGED))

    def left(self, state: ReviewState, person: str, stage: str, *, expert: bool = False) -> int:
        """How many units are left for a person, those before others included."""
        if stage == AUDIT:
            return len(self._audited(state, person, set()))
        if stage != STAGES[0]:
            return int(self._wanted_full(state, person, expert).sum())
        unread = ~state.is_read & (state.project.round_of == state.project.current_round)
        return int(unread.sum()) + len(self._ahead(state, person, expert))


def _reads_blind(state: ReviewState, expert: bool) -> bool:
    return state.hides_marks and not expert


# Which unit is likely to be relevant: scores that a learner renews in the background while people read.


Judged = Callable[[], tuple[Rows, Labels]]


class Proposer:
    """Scores of all units. `wake` makes them anew from what was judged; reading them never waits for that."""

    def __init__(
        self,
        features: TextFeatures | Callable[[], TextFeatures],
        learner: str,
        judged: Judged,
        *,
        units: int = 0,
        query: str = "",
        seed: int = 0,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """`judged` gives the units judged so far and which of them are relevant; threads may call it.

        Where `features` is a function, they are made in the background, and the first of the `units` come in an order
        at random until then. `prepare` is called in the background whenever the scores may have changed.
        """
        self._prepare, self._query = prepare, query
        self._name, self._judged, self._seed, self._wanted = learner, judged, seed, learner
        self._features = features
        if isinstance(features, TextFeatures):
            self._start = _query_scores(features, query, seed)
        else:
            self._start = _random_scores(units, seed)
        self._model: ReviewLearner | None = None
        self._taught: tuple[Rows, Labels] = (np.zeros(0, np.int64), np.zeros(0, np.bool_))
        self._background = Background(self._turn, "learner")
        self.scores: Scores = self._start  # replaced as a whole, never changed
        self.rounds = 0  # how often it learned
        self.seconds = 0.0  # how long it took the last time
        self.processor_seconds = 0.0  # the same without waiting for a processor
        if isinstance(features, TextFeatures):
            self.learn()

    def start(self) -> None:
        """Learn in the background from now on."""
        self._background.start()
        if not isinstance(self._features, TextFeatures):
            self.wake()

    def wake(self) -> None:
        """Say that something was judged."""
        self._background.wake()

    def close(self) -> None:
        self._background.close(30)

    def use(self, learner: str) -> None:
        """Propose by another learner from now on, once it has learned in the background."""
        self._wanted = learner
        self.wake()

    def _turn(self) -> None:
        """Learn; where that fails, people read on by the scores there are, and the next judgement tries again."""
        self.learn()
        if self._prepare is not None:
            self._prepare()

    def learn(self) -> None:
        """Bring the scores up to date."""
        if not isinstance(self._features, TextFeatures):
            self._features = self._features()
            self.scores = self._start = _query_scores(self._features, self._query, self._seed)
        features = self._features
        rows, relevant = self._judged()
        if self._wanted != self._name:
            self._name, self._model = self._wanted, None
            self._taught = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        if len(rows) == len(self._taught[0]) and all(map(np.array_equal, (rows, relevant), self._taught)):
            return
        begin, busy = time.perf_counter(), time.thread_time()
        if not relevant.any() or relevant.all():
            scores = self._start + similar(features, rows[relevant])
        else:
            scores = self._learned(features, rows, relevant).copy()
        self._taught = rows, relevant
        self.processor_seconds = time.thread_time() - busy
        self.scores, self.seconds, self.rounds = scores, time.perf_counter() - begin, self.rounds + 1

    def _learned(self, features: TextFeatures, rows: Rows, relevant: Labels) -> Scores:
        before, labels = self._taught
        goes_on = np.array_equal(rows[: len(before)], before) and np.array_equal(relevant[: len(before)], labels)
        if self._model is None or not goes_on:  # a judgement was changed or taken back
            self._model = LEARNERS.named(self._name)(features, self._seed)
        return self._model.learn(rows, relevant)


def _random_scores(units: int, seed: int) -> Scores:
    """An order at random, so small that any word outweighs it."""
    return np.asarray(np.random.default_rng(seed).random(units) * 1e-9)


def _query_scores(features: TextFeatures, query: str, seed: int) -> Scores:
    """How well units fit the words of a query; without one, an order at random, so small that any word outweighs it."""
    random = _random_scores(len(features), seed)
    places = {word: column for column, word in enumerate(features.words)}
    columns = {places[word] for word in re.findall(WORD, query.lower()) if word in places}
    if not columns:
        return random
    wanted = np.zeros(len(features.words))
    wanted[list(columns)] = 1
    return features.scores(wanted) + random
