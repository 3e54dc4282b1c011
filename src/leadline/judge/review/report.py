"""The facts of a review for a court or a journal: what was searched, by whom, when, how many, and what is certified."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadline.judge.choices import AUDIT, STAGES
from leadline.judge.journal import Event
from leadline.judge.marks import UNJUDGED, UNSURE
from leadline.judge.review.audit import AuditState
from leadline.judge.review.machine_measuring import machine_savings, machine_sentences
from leadline.judge.review.machine_readers import machine_words
from leadline.judge.review.next_step import audit_bound
from leadline.judge.review.project import KNOWN, STARTER
from leadline.judge.review.review_state import READERS, ReviewState, counts_as_relevant, settings_of
from leadline.judge.review.stopping import sensitivity_limit
from leadline.records.result import counted
from leadline.text.store.events import ChainHead
from leadline.version import __version__


@dataclass(frozen=True)
class ReaderCounts:
    """What one person read."""

    name: str
    role: str
    abstracts: int
    full_texts: int
    audited: int  # documents decided in an audit
    first: str
    last: str


@dataclass(frozen=True)
class PrismaCounts:
    """The numbers of a PRISMA 2020 flow chart, in units: records, or families as one."""

    identified: int  # documents of all rounds
    duplicates: int  # in the review already when they came, or of a family that is one unit
    screened: int
    not_read: int
    excluded: int
    unsure: int
    sought: int  # for full texts; 0 with one stage
    full_excluded: int
    full_waiting: int
    reasons: tuple[tuple[str, int], ...]  # for exclusion, most frequent first; of full texts where there are such
    included: int
    known: int  # of those screened, judged before the review
    same_text: int = 0  # of the duplicates, those with the text of another record under another id


@dataclass(frozen=True)
class ReviewReport:
    """Everything that the page and the PDF say."""

    title: str
    criteria: str
    query: str
    searched: tuple[tuple[str, str], ...]  # label and text
    readers: tuple[ReaderCounts, ...]
    prisma: PrismaCounts
    certificate: tuple[str, ...]  # sentences: what is certified by the readers' standard
    audit: tuple[str, ...]  # the same by an expert's
    machines: tuple[str, ...]  # what machines that read are worth, and what they saved
    hashes: tuple[tuple[str, str], ...]
    begun: str
    last: str
    stopped: str
    head: ChainHead | None = None

    @classmethod
    def of(cls, state: ReviewState, events: Sequence[Event], head: ChainHead | None = None) -> ReviewReport:
        """The facts of a review from its journal; `head` is that of the journal's chain after these events."""
        settings = state.project.settings
        moments = [event.at for event in events] or [""]
        stop = state.stopped
        names = state.stopped_by
        by = f"all reviewers ({', '.join(names)})" if len(names) > 1 else "".join(names)
        stopped = f"Stopped by {by}, {_moment(stop.at)}." if stop is not None else "The review goes on."
        return cls(
            settings.title,
            settings.criteria,
            settings.query,
            _searched(state),
            _readers(state),
            prisma_counts(state),
            tuple(certificate_sentences(state)),
            tuple(audit_sentences(state)),
            (*machine_sentences(state), *machine_savings(state)),
            _hashes(state, head),
            _moment(moments[0]),
            _moment(moments[-1]),
            stopped,
            head,
        )


def role_word(role: str) -> str:
    """What a role is called in a review."""
    return "reviewer" if role == "assessor" else role


def prisma_counts(state: ReviewState) -> PrismaCounts:
    """The numbers of the flow chart."""
    project, grades = state.project, state.decisions()
    records = sum(each.records + each.removed for each in project.rounds)
    kept = counts_as_relevant(grades)
    full = state.grades[STAGES[1]]
    two = project.settings.stages == 2
    stage = STAGES[1] if two else STAGES[0]
    reasons: Counter[str] = Counter()
    read = grades != UNJUDGED
    for row in np.flatnonzero((full if two else grades) == 0).tolist():
        topics = (stage,) if two else (AUDIT, stage)
        marks = [mark for topic in topics for mark in state.marks_of(row, topic).values() if mark.grade == 0]
        said = next((mark.reason for mark in marks if mark.reason and mark.reason != KNOWN), "no reason given")
        reasons[said] += 1
    known = sum(
        all(mark.reason == KNOWN for mark in state.marks_of(row, STAGES[0]).values())
        for row in np.flatnonzero(state.is_read).tolist()
    )
    return PrismaCounts(
        records,
        records - len(project.units),
        int(read.sum()),
        int((grades == UNJUDGED).sum()),
        int((grades == 0).sum()),
        int((grades == UNSURE).sum()),
        int(kept.sum()) if two else 0,
        int((kept & (full == 0)).sum()),
        int((kept & (full == UNJUDGED)).sum()) if two else 0,
        tuple(reasons.most_common()),
        int((kept & (full > 0)).sum()) if two else int((grades > 0).sum()),
        known,
        sum(each.folded for each in project.rounds),
    )


def certificate_sentences(state: ReviewState) -> list[str]:
    """What can be said about recall, sentence by sentence."""
    project, said = state.project, []
    rounds = len(project.rounds)
    alpha = project.settings.alpha
    for number in range(1, rounds + 1):
        found = state.round_certificate(number)
        about = project.rounds[number - 1]
        begin = f"Round {number} ({about.units:,} documents, added {about.at[:10]}): " if rounds > 1 else ""
        if not found.switched and found.certificate.unread:
            percent = math.floor(100 * found.certificate.recall + 1e-9)
            said.append(
                f"{begin}Nothing has been drawn at random, so nothing is certified: {found.certificate.unread:,} "
                f"documents were not read, and any of them may be relevant (recall is at least {percent} % even then)."
            )
        elif not found.switched:
            said.append(f"{begin}Everything was read: all that this assessor would call relevant was found.")
        else:
            said.append(begin + found.certificate.words)
            if found.certificate.estimate_words:
                said.append(begin + found.certificate.estimate_words)
        if found.refuted or found.certificate.is_refuted:
            said.append(
                f"{begin}An earlier lower limit was refuted: more relevant documents were found than it allowed, as "
                f"happens with probability {100 * alpha:g} % at most. It was dropped; the limit above follows from "
                "the draws as they are now."
            )
        if found.certificate.reopened:
            said.append(
                f"{begin}{found.certificate.reopened:,} judgements from before the random draws were taken back; these "
                "documents count as relevant and missing until they are read again."
            )
        overlooked = _overlooked_sentence(state, number) if found.switched or not found.certificate.unread else ""
        if overlooked:
            said.append(begin + overlooked)
    if rounds > 1:
        percent = math.floor(100 * state.recall_bound() + 1e-9)
        said.append(
            f"All {rounds} rounds together: at least {percent} % have been found ({100 * (1 - alpha):g} % confidence; "
            f"each round has 1/{rounds} of the error that is allowed, and unread documents of a round without draws "
            "count as relevant)."
        )
    unsure = int((state.grades[STAGES[0]] == UNSURE).sum())
    if unsure:
        said.append(f"{counted(unsure, 'document')} left unsure {'counts' if unsure == 1 else 'count'} as relevant.")
    if state.disputed:
        said.append(
            f"Reviewers disagree on {counted(len(state.disputed), 'document')}, which no expert has decided; where one "
            "of them kept it, it counts as relevant."
        )
    said += [machine_words(state.machines, name) for name in state.machines.readers]
    if disputed := len(state.machine_disputed()):
        said.append(
            f"A machine would keep {counted(disputed, 'document')} that people excluded; no expert has decided."
        )
    if project.settings.stages == 2:
        said.append("Relevant means kept after the full text; what was not decided yet counts as relevant.")
    return said


def audit_sentences(state: ReviewState) -> list[str]:
    """What can be said about recall by an expert's standard, sentence by sentence."""
    project, said = state.project, []
    rounds = len(project.rounds)
    for number in range(1, rounds + 1):
        found, about = state.round_audit(number), project.rounds[number - 1]
        begin = f"Round {number} ({about.units:,} documents, added {about.at[:10]}): " if rounds > 1 else ""
        if found is None:
            said.append(f"{begin}No audit was made: what readers overlook is not covered by what is certified above.")
            continue
        certificate = found.certificate
        if found.phase == "draws":
            said.append(begin + certificate.words)
            if certificate.estimate_words:
                said.append(begin + certificate.estimate_words)
        else:
            said.append(
                f"{begin}An audit has begun, and certifies nothing before its random draws: the expert has decided on "
                f"{certificate.confirmed:,} of {counted(certificate.kept, 'document')} that readers kept, and read "
                f"{found.again_read:,} again that they had rejected."
            )
        said += [begin + each for each in _audit_details(found)]
    if rounds > 1 and state.audits:
        percent = math.floor(100 * audit_bound(state) + 1e-9)
        confidence = f"{100 * (1 - project.settings.alpha):g} % confidence"
        said.append(
            f"All {rounds} rounds together, by the expert's standard: at least {percent} % have been found "
            f"({confidence}; each round has 1/{rounds} of the error that is allowed, and what readers did not keep in "
            "a round without an audit counts as relevant)."
        )
    if state.audits and project.settings.stages == 2:
        said.append("In the audit, relevant means what the expert would keep by title and abstract.")
    return said


def _audit_details(found: AuditState) -> list[str]:
    """What else must be known of an audit: what the expert did not agree to, what is open, and what was dropped."""
    certificate, said = found.certificate, []
    if found.again_read and found.phase == "draws":
        said.append(
            f"Before the draws the expert read {found.again_read:,} again that readers had rejected, and found "
            f"{found.again_hits:,} relevant ones among them."
        )
    if found.rejected:
        kept = counted(found.rejected, "document")
        said.append(
            f"The expert does not call {kept} relevant that readers kept; the readers' certificate counts them."
        )
    left = certificate.kept - certificate.confirmed
    if found.audit.sample:
        said.append(
            f"Of {counted(certificate.kept, 'document')} that readers kept, {found.audit.sample:,} were chosen at "
            "random for the expert; how many of all are relevant is a lower limit from these, with a fifth of the "
            "error that is allowed."
        )
    elif left and found.phase == "draws":
        is_kept = f"{left:,} of what readers kept {'is' if left == 1 else 'are'} not confirmed yet, and"
        said.append(f"{is_kept} {'does' if left == 1 else 'do'} not count as found until then.")
    if found.found.refuted or certificate.is_refuted:
        said.append(
            "An earlier lower limit of the audit was refuted: more relevant documents were found than it allowed, as "
            f"happens with probability {100 * certificate.alpha:g} % at most. It was dropped."
        )
    if certificate.reopened:
        said.append(
            f"{counted(certificate.reopened, 'decision')} from before the draws of the audit "
            f"{'was' if certificate.reopened == 1 else 'were'} taken back; these documents count as relevant and "
            "missing until the expert decides on them."
        )
    return said


def _overlooked_sentence(state: ReviewState, number: int) -> str:
    """What the second readings of a round say of what reviewers overlook, or what is missing to say it."""
    if not state.project.settings.double:
        return ""
    readings, alpha = state.second_readings(number), state.project.settings.alpha
    left = len(readings.waiting)
    waiting = f"; {left:,} {'waits' if left == 1 else 'wait'} for an expert" if left else ""
    unknown = "How much reviewers overlook is not known, and not covered by this: "
    if not readings.both:
        return f"{unknown}nothing has been read by two people."
    if not readings.second:
        return f"{unknown}of {counted(readings.both, 'document')} that two people read, the second kept none."
    if not readings.confirmed:
        of = f"{counted(readings.second, 'document')} that a second reader kept"
        return f"{unknown}an expert has confirmed none of {of}{waiting}."
    limit = sensitivity_limit(readings.kept, readings.overlooked, alpha / 2)
    bound = state.bound_with_sensitivity(number)
    bound = 0.0 if math.isnan(bound) else bound
    return (
        f"An expert confirmed {readings.confirmed:,} of the documents that the second of two readers kept; the first "
        f"had kept {readings.kept:,} of them{waiting}. If readers overlook relevant documents independently of each "
        f"other, first readers keep at least {_percent(limit)} of them, and of all that a reviewer would keep or the "
        f"expert call relevant, at least {_percent(bound)} have been found ({100 * (1 - alpha):g} % confidence at one "
        "look, half of the error for the draws and half for the readers). Where all readers overlook the same hard "
        "documents, this is too high; an audit by an expert needs no such assumption."
    )


def _percent(share: float) -> str:
    return f"{math.floor(100 * share + 1e-9)} %"


def _searched(state: ReviewState) -> tuple[tuple[str, str], ...]:
    settings = state.project.settings
    found = []
    for each in state.project.rounds:
        families = (
            f" in {each.units:,} families or single documents" if each.records != each.units + each.folded else ""
        )
        families += f", {each.folded:,} of them with the text of another under another id" if each.folded else ""
        came = f"{', '.join(each.sources) or 'a collection'}: {each.records:,} documents{families}"
        again = f"; {each.removed:,} more listed twice or in the review already" if each.removed else ""
        found.append((f"Added {each.at[:10]}", came + again))
    if settings.query:
        found.append(("Query at the start", settings.query))
    known = sum(mark.reason == KNOWN for mark in state.judging.marks.values())
    if known:
        found.append(("Known beforehand", counted(known, "document")))
    order = [*(f"machine {name}" for name in state.machines.with_role("order")), f"learner {settings.learner}"]
    found.append(("Order of reading", f"{', '.join(order)}, then random draws"))
    for event in state.changes:
        said = ", ".join(f"{name} {value}" for name, value in settings_of(event).items())
        found.append((f"Changed {event.at[:10]}", f"{said}, by {event.person}"))
    if settings.double:
        found.append(("Read by two people", _read_by_two(state)))
    return tuple(found)


def _read_by_two(state: ReviewState) -> str:
    """The share of the documents that two people read, how many were, and how far they agreed."""
    both = differing = decided = 0
    for row in np.flatnonzero(state.readers > 1).tolist():
        marks = state.marks_of(row, STAGES[0])
        reviewers = [name for name in marks if state.judging.roles[name] == "assessor" and marks[name].reason != KNOWN]
        both += len(reviewers) > 1
        if len({marks[name].grade for name in reviewers}) > 1:
            differing += 1
            decided += row not in state.disputed
    said = f"{100 * state.project.settings.double:g} % of the documents, chosen by a hash; {both:,} so far"
    return f"{said}, {differing:,} of them marked differently, {decided:,} of these decided" if differing else said


def _readers(state: ReviewState) -> tuple[ReaderCounts, ...]:
    by_name: dict[str, list[tuple[str, str]]] = {}
    for (name, stage, _), mark in state.judging.marks.items():
        if mark.reason != KNOWN or name != STARTER:
            by_name.setdefault(name, []).append((stage, mark.at))
    return tuple(
        ReaderCounts(
            name,
            role_word(state.judging.roles[name]),
            sum(stage == STAGES[0] for stage, _ in marks),
            sum(stage == STAGES[1] for stage, _ in marks),
            sum(stage == AUDIT for stage, _ in marks),
            _moment(min(at for _, at in marks)),
            _moment(max(at for _, at in marks)),
        )
        for name, marks in sorted(by_name.items())
        if state.judging.roles[name] in READERS
    )


def _hashes(state: ReviewState, head: ChainHead | None) -> tuple[tuple[str, str], ...]:
    found = []
    rounds = state.project.rounds
    for each in rounds:
        of = f" of round {each.number}" if len(rounds) > 1 else ""
        found.append((f"Collection{of}, SHA-256", each.collection_hash))
        found.append((f"Candidates{of}, SHA-256", each.sha256))
        draws = state.draws.get(each.number)
        audit = state.audits.get(each.number)
        orders = {"Random draws": draws}
        if audit is not None:
            orders |= {"Order of the kept documents": audit.kept, "Draws of the audit": audit.draws}
        found += [
            (f"{name}{of}, seed", order.words(state.project.units))
            for name, order in orders.items()
            if order is not None
        ]
    if state.ignored:
        found.append(("Later orders of draws", f"{state.ignored:,}, all ignored: the first stands"))
    if head is not None:
        old = f"; the chain began after the first {head.unchained:,}, which it covers" if head.unchained else ""
        found.append((head.label, head.hash + old))
    found.append(("Program", f"Leadline {__version__}"))
    return tuple(found)


def _moment(at: str) -> str:
    return f"{at[:10]} {at[11:16]} UTC" if at else ""
