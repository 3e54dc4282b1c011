"""What comes next in a review and what it costs: reading on, random draws or an audit; the events that begin each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.judge.choices import AUDIT, STAGES
from leadline.judge.journal import Event
from leadline.judge.marks import UNJUDGED, UNSURE
from leadline.judge.review.audit import audit_prices, check_sample, rejected_order
from leadline.judge.review.draws import draw, kept_target, parts_of
from leadline.judge.review.learners import Rows, TextFeatures
from leadline.judge.review.project import KNOWN
from leadline.judge.review.review_state import ReviewState, counts_as_relevant
from leadline.judge.review.stopping import Certificate, needed_in_a_row
from leadline.text.store.events import ChainHead


@dataclass(frozen=True)
class Outlook:
    """What reading on and drawing would cost now, in documents, if no more of them is relevant."""

    in_a_row: int  # of the last documents that were read, those excluded without one that was kept
    needed: int  # so many in a row, and drawing is the cheaper way to the target
    draws: int  # to certify the target from now on
    draws_later: int  # the same, after reading on until then

    @property
    def reading(self) -> int:
        """How many documents to read on."""
        return max(self.needed - self.in_a_row, 0)

    def words(self, target: float) -> str:
        """Whether to read on or to draw, in a sentence; nothing where the target is certified.

        >>> Outlook(30, 29, 32, 32).words(0.95)
        'The last 30 were not relevant: random draws are now the cheaper way to 95 %.'
        """
        goal = f"{100 * target:g} %"
        if not self.draws:
            return ""
        if self.in_a_row >= self.needed:
            return f"The last {self.in_a_row:,} were not relevant: random draws are now the cheaper way to {goal}."
        return (
            f"Drawing now would take about {self.draws:,} for {goal}. Reading on pays until {self.needed:,} in a row "
            f"are not relevant ({self.in_a_row:,} so far): {self.reading:,} more, then about {self.draws_later:,} "
            "draws, and less for each one that is found."
        )


def outlook(state: ReviewState, number: int) -> Outlook:
    """What reading on in the learner's order and what random draws would cost now, in one round."""
    target, member = state.project.settings.target, state.project.round_of == number
    grades, in_a_row = state.grades[STAGES[0]], 0
    for row in reversed(state.first_read):
        if grades[row] == UNJUDGED or not member[row]:
            continue
        if grades[row] != 0 or any(each.reason == KNOWN for each in state.marks_of(row, STAGES[0]).values()):
            break
        in_a_row += 1
    now = state.round_certificate(number).certificate
    needed = needed_in_a_row(now.found, now.unread, int(member.sum()), target)
    on = min(max(needed - in_a_row, 0), now.unread)
    later = Certificate(now.found, now.unread - on, target, now.alpha).draws_needed
    return Outlook(in_a_row, needed, now.draws_needed, later)


def outlook_words(state: ReviewState, number: int) -> str:
    """The same in a sentence, while a round is read in the learner's order and something was found."""
    if number in state.draws or state.stopped is not None or not state.relevant().any() or state.is_read.all():
        return ""
    return outlook(state, number).words(state.project.settings.target)


def population(state: ReviewState, number: int) -> Rows:
    """What an audit of a round draws from: units that readers did not keep and no expert has decided on."""
    audit = state.audits.get(number)
    kept = counts_as_relevant(state.grades[STAGES[0]])
    if audit is not None:  # what they kept when it began
        kept[:] = False
        kept[audit.kept.order] = True
    return np.flatnonzero((state.project.round_of == number) & ~kept & (state.decided == UNJUDGED))


def _likely_found(state: ReviewState, number: int) -> int:
    """The relevant documents found in a round, if the expert agrees to all that was kept and not decided on yet."""
    audit, kept = state.audits.get(number), counts_as_relevant(state.grades[STAGES[0]])
    if audit is not None:
        kept[:] = False
        kept[audit.kept.order] = True
    found = np.where(state.decided == UNJUDGED, kept, counts_as_relevant(state.decided))
    return int(found[state.project.round_of == number].sum())


def prices_of_audit(
    state: ReviewState, number: int, targets: Iterable[float] = (0.8, 0.9, 0.95)
) -> dict[float, tuple[int, ...]]:
    """What an audit of a round would draw for each target, with 0, 2 and 5 % of the relevant documents overlooked."""
    settings = state.project.settings
    unread = len(population(state, number))
    return audit_prices(_likely_found(state, number), unread, {*targets, settings.target}, settings.alpha)


def audit_bound(state: ReviewState) -> float:
    """The lower limit of recall over all rounds by the expert's standard; each has its share of the error."""
    rounds, known, most = len(state.project.rounds), 0, 0
    for number in range(1, rounds + 1):
        found = state.round_audit(number, alpha=state.project.settings.alpha / rounds)
        if found is None:  # what readers did not keep may all be relevant
            member = state.project.round_of == number
            sure = int((member & counts_as_relevant(state.decided)).sum())
            known, most = known + sure, most + sure + len(population(state, number))
            continue
        certificate = found.certificate
        known += certificate.found + certificate.hits + certificate.elsewhere
        most += certificate.found + certificate.missed_at_most + certificate.reopened
    return known / most if most else 1.0


# The events that begin random draws, or an audit and its draws; all of each are stored at once, behind `head`.


def switch_events(
    state: ReviewState, uid: str, person: str, role: str, head: ChainHead, number: str = ""
) -> list[Event]:
    """What is stored before the first random draw of the current round is shown."""
    turn = state.project.current_round
    unread = np.flatnonzero(~state.is_read & (state.project.round_of == turn))
    about = _about(person, role, STAGES[0], turn)
    if turn in state.draws:  # the order is there already: only the way of reading changes
        return [Event(uid, kind="switch", value=json.dumps({"to": "draws"}), **about)]
    if not len(unread):
        raise InputError("review", "everything has been read: there is nothing to draw")
    _check_number(state, number)
    order, said = draw(unread, state.project.units, head, "draws", number)
    said = {"to": "draws", "unread": len(order), "found": int(state.relevant().sum()), **said}
    return [*parts_of(order, uid, uid, about), Event(uid, kind="switch", value=json.dumps(said), **about)]


def audit_events(
    state: ReviewState,
    features: TextFeatures,
    uid: str,
    person: str,
    role: str,
    head: ChainHead,
    *,
    sample: int = 0,
    again: bool = True,
) -> list[Event]:
    """What is stored when an audit of the current round begins: the orders of what was kept, and of what was rejected.

    With `sample`, so many of the kept documents are confirmed at first; without `again`, nothing is read again.
    """
    project, turn = state.project, state.project.current_round
    if turn in state.audits:
        raise InputError("review", "an audit of this round has begun already: it can be made once")
    grades, member = state.grades[STAGES[0]], state.project.round_of == turn
    kept = np.flatnonzero(member & counts_as_relevant(grades))
    if not len(population(state, turn)):
        raise InputError("review", "readers kept everything: there is nothing to audit")
    rejected = np.flatnonzero(member & (grades == 0) & (state.decided == UNJUDGED)) if again else np.zeros(0, np.int64)
    read = np.array(state.first_read, np.int64)
    read = read[(grades[read] != UNJUDGED) & (grades[read] != UNSURE)]
    ordered = rejected_order(
        features, read, grades[read] > 0, rejected, project.settings.learner, project.settings.seed
    )
    about, target = _about(person, role, AUDIT, turn), kept_target(uid)
    order, said = draw(kept, project.units, head, "kept")
    said = {"to": "begin", "found": len(kept), "sample": check_sample(sample, len(kept)), "again": len(ordered), **said}
    return [
        *parts_of(order, f"{uid[:40]}-kept", target, about),
        *parts_of(ordered, f"{uid[:40]}-more", uid, about),
        Event(uid, kind="audit", value=json.dumps(said), **about),
    ]


def audit_draw_events(
    state: ReviewState, uid: str, person: str, role: str, head: ChainHead, number: str = ""
) -> list[Event]:
    """What is stored before the first draw of an audit is shown: the order of everything that was not kept."""
    turn = state.project.current_round
    audit = state.audits.get(turn)
    if audit is None or audit.draws is not None:
        problem = "no audit of this round has begun" if audit is None else "the audit draws at random already"
        raise InputError("review", problem)
    _check_number(state, number)
    drawn_from = population(state, turn)
    if not len(drawn_from):
        raise InputError("review", "the expert has decided on everything: there is nothing to draw")
    about = _about(person, role, AUDIT, turn)
    order, said = draw(drawn_from, state.project.units, head, "audit", number)
    said = {"to": "draws", "unread": len(order), "found": _likely_found(state, turn), **said}
    return [*parts_of(order, uid, uid, about), Event(uid, kind="audit", value=json.dumps(said), **about)]


def _about(person: str, role: str, topic: str, turn: int) -> dict[str, Any]:
    return {"person": person, "role": role, "topic": topic, "round": turn}


def _check_number(state: ReviewState, number: str) -> None:
    """A public number counts only if it was named before, and then it is needed."""
    if bool(number) != bool(state.number_named):
        said = state.number_named
        problem = (
            f"give the public number that was named before: {said}" if said else "no public number was named before"
        )
        raise InputError("number", problem)
