"""What whoever leads a review decides for all: random draws, the public number they follow from, and an audit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Depends, FastAPI, Request

from leadline.errors import InputError, visible
from leadline.judge.choices import AUDIT, STAGES
from leadline.judge.journal import Event, Person
from leadline.judge.review.audit import OVERLOOKED, AuditState, price_sentence
from leadline.judge.review.next_step import audit_draw_events, audit_events, population, prices_of_audit, switch_events
from leadline.judge.review.report import audit_sentences
from leadline.show.serve.app import Pages, Refused, Written, check_id, text_of
from leadline.show.serve.desks import ReviewDesk
from leadline.show.serve.reviewing_figures import certificate_figure
from leadline.text.store.events import ChainHead

LONGEST_NUMBER = 200  # characters of a public number, or of its name
TRIES = 20  # to store draws behind the head they follow from, while others send marks
Made = Callable[[ChainHead], list[Event]]


def switch(desk: ReviewDesk, person: Person, content: Mapping[str, Any]) -> bool:
    """Go over to random draws, or back to the learner's order; the draws are stored before any is shown."""
    desk.check_leads(person)
    uid, to = check_id(content), text_of(content, "to")
    if to not in ("draws", "learner"):
        raise Refused(400, "to must be draws or learner.")
    if to == "learner":
        about = (STAGES[0], "", json.dumps({"to": "learner"}), "", desk.project.current_round)
        return _store(desk, lambda head: [Event(uid, person.name, person.role, "switch", *about)])
    number = _number(content)
    return _store(desk, lambda head: switch_events(desk.state, uid, person.name, person.role, head, number))


def name_number(desk: ReviewDesk, person: Person, content: Mapping[str, Any]) -> bool:
    """Store which public number the order of the next draws is to follow from as well, before anybody can know it."""
    desk.check_leads(person)
    uid, words = check_id(content), visible(text_of(content, "words").strip())
    if not 0 < len(words) <= LONGEST_NUMBER:
        raise Refused(400, f"words must have 1 to {LONGEST_NUMBER} characters.")
    about = (STAGES[0], "", words, "", desk.project.current_round)
    return _store(desk, lambda head: [Event(uid, person.name, person.role, "number", *about)])


def audit(desk: ReviewDesk, person: Person, content: Mapping[str, Any]) -> bool:
    """Begin an audit of the current round, or its random draws."""
    desk.check_leads(person)
    uid, to = check_id(content), text_of(content, "to")
    known = desk.state.audits.get(desk.project.current_round)
    if known is not None and uid in (known.kept.uid, known.draws.uid if known.draws is not None else ""):
        return False  # it was sent twice
    if to == "draws":
        number = _number(content)
        return _store(desk, lambda head: audit_draw_events(desk.state, uid, person.name, person.role, head, number))
    if to != "begin":
        raise Refused(400, "to must be begin or draws.")
    sample, again = content.get("sample", 0), content.get("again", True)
    if type(sample) is not int or sample < 0 or type(again) is not bool:
        raise Refused(400, "sample must be a whole number, again true or false.")
    if not has_expert(desk):
        raise Refused(409, "An audit needs an expert: `leadline review people REVIEW add NAME --role expert`.")

    features = desk.project.features()  # beside the desk, which goes on meanwhile

    def made(head: ChainHead) -> list[Event]:
        about = (desk.state, features, uid, person.name, person.role, head)
        return audit_events(*about, sample=sample, again=again)

    return _store(desk, made)


def has_expert(desk: ReviewDesk) -> bool:
    return any(each.role == "expert" and not each.revoked and not each.has_expired for each in desk.people)


def _number(content: Mapping[str, Any]) -> str:
    number = visible(text_of(content, "number", needed=False).strip())
    if len(number) > LONGEST_NUMBER:
        raise Refused(400, f"number must have at most {LONGEST_NUMBER} characters.")
    return number


def _store(desk: ReviewDesk, made: Made) -> bool:
    """Store events that follow from the head of the chain, as the next ones behind it."""
    with desk.lock:
        for _ in range(TRIES):
            desk.refresh()
            desk.check_open(STAGES[0])
            head = desk.journal.head(desk.seq)
            try:
                events = made(head)
            except InputError as error:
                raise Refused(409, f"Not possible: {error.problem}.") from None
            new = desk.journal.append_all(events, after=head)
            if new >= 0:
                desk.refresh()
                return new > 0
    raise Refused(409, "Others are sending marks: try again.")


def add_deciding(app: FastAPI, pages: Pages, desk: ReviewDesk) -> None:
    """Add the addresses of what is decided for all."""
    written = Depends(pages.written_json)

    def answer(content: Written, new: bool) -> Written:
        return {"saved": True, "id": content["id"], "stored": "new" if new else "already"}

    @app.post("/api/switch")
    def to_draws(request: Request, content: Written = written) -> Written:
        return answer(content, switch(desk, pages.visitor(request).person, content))

    @app.post("/api/number")
    def number(request: Request, content: Written = written) -> Written:
        return answer(content, name_number(desk, pages.visitor(request).person, content))

    @app.post("/api/audit")
    def begin(request: Request, content: Written = written) -> Written:
        return answer(content, audit(desk, pages.visitor(request).person, content))

    @app.get("/api/audit")
    def where(request: Request) -> Written:
        return audit_shown(desk, pages.visitor(request).person)


def audit_shown(desk: ReviewDesk, person: Person) -> Written:
    """Where the audit stands and what it would cost; nothing where that tells what others marked."""
    desk.refresh()
    with desk.lock:
        if not desk.sees_all(person):
            return {"hidden": True}
        state, number = desk.state, desk.project.current_round
        found = state.round_audit(number)
        drawn = found is not None and found.phase == "draws"
        prices = {} if drawn or not len(population(state, number)) else prices_of_audit(state, number)
        return {
            "hidden": False,
            "begun": found is not None,
            "phase": "none" if found is None else found.phase,
            "leads": desk.leads(person),
            "expert": has_expert(desk),
            "reads": person.role == "expert",
            "stopped": state.stopped is not None,
            "named": state.number_named,
            "population": len(population(state, number)),
            "kept": int(state.relevant(STAGES[0])[state.project.round_of == number].sum()),
            "rejected": int((state.grades[STAGES[0]][state.project.round_of == number] == 0).sum()),
            "overlooked": list(OVERLOOKED),
            "prices": [{"target": target, "draws": list(draws)} for target, draws in prices.items()],
            "price": price_sentence(state.project.settings.target, prices[state.project.settings.target])
            if prices
            else "",
            "sentences": audit_sentences(state),
            **({} if found is None else _progress(found)),
        }


def _progress(found: AuditState) -> Written:
    """How far an audit is."""
    certificate = found.certificate
    begun = found.phase == "draws"
    return {
        "ready": found.is_ready,
        "confirmed": certificate.confirmed,
        "waiting_kept": found.waiting_kept,
        "again": len(found.audit.again),
        "again_read": found.again_read,
        "again_hits": found.again_hits,
        "in_a_row": found.in_a_row,
        "needed": found.needed,
        "drawn": certificate.drawn,
        "hits": certificate.hits,
        "unread": certificate.unread,
        "held": found.found.waiting,
        "bound": certificate.recall if begun else None,
        "words": certificate.words if begun else "",
        "estimate_words": certificate.estimate_words if begun else "",
        "more": certificate.draws_needed if begun and not found.waiting_kept else None,
        "target": certificate.target,
        "figure": certificate_figure(found.found, narrow=True) if begun else "",
    }


def audit_stages(desk: ReviewDesk, person: Person) -> dict[str, str]:
    """The link to the audit, for an expert while there is one."""
    begun = desk.project.current_round in desk.state.audits
    return {AUDIT: "Audit"} if begun and person.role == "expert" else {}
