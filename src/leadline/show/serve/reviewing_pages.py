"""The pages of a review: the card, the certificate with the report, and what they ask and send as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast, get_args

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.errors import InputError, visible
from leadline.judge.choices import AUDIT, JUDGING_ROLES, LEARNER_NAMES, STAGES
from leadline.judge.journal import Person
from leadline.judge.marks import UNJUDGED
from leadline.judge.review.audit import price_sentence
from leadline.judge.review.discovery import discovery
from leadline.judge.review.next_step import outlook_words, population, prices_of_audit
from leadline.judge.review.project import KNOWN
from leadline.judge.review.report import ReviewReport, audit_sentences, certificate_sentences, role_word
from leadline.judge.review.tags import tag_text, tags_of, used_tags
from leadline.show.serve.app import JUDGES, Pages, Refused, Written, add_storing, shown_undoable, stored, text_of
from leadline.show.serve.cards import Field
from leadline.show.serve.deciding import add_deciding, audit_stages
from leadline.show.serve.desks import CRITERIA, STAGE_NAMES, ReviewDesk
from leadline.show.serve.reviewing_figures import certificate_figure, discovery_figure, flow_chart, report_pdf
from leadline.show.serve.security import Address

STAGE_LINKS = {STAGES[0]: "Abstracts", STAGES[1]: "Full texts"}
TOLD_LATER = "Some documents are read twice, so the report is for the organiser and the expert until the review stops."


def reviewing_app(desk: ReviewDesk, address: Address, title: str, pages: Pages | None = None) -> FastAPI:
    """The application that serves a review; `pages` of its own where it is part of others."""
    pages = pages or Pages(desk.people, address, title, roles=JUDGING_ROLES, public_title="Leadline review")
    app = pages.app()
    add_api(app, pages, desk)
    stages = {name: STAGE_LINKS[name] for name in desk.project.topics}

    @app.get("/")
    def home(request: Request) -> Response:
        found = pages.visitor(request)
        if found.person.role == "organiser":
            return RedirectResponse(f"{pages.prefix}/certificate", 303)
        return RedirectResponse(f"{pages.prefix}/read?topic={STAGES[0]}", 303)

    @app.get("/read")
    def read(request: Request, topic: str = STAGES[0], document: str = "") -> Response:
        found = pages.visitor(request)
        if found.person.role == "organiser":
            raise HTTPException(403, "The organiser sees the certificate and the report, and does not read.")
        desk.check_topic(found.person, topic)
        if document:
            desk.check_document(found.person, topic, document)
        heading = STAGE_NAMES[topic]
        about = {"topic": topic, "document": document, "view": "all", "heading": heading}
        targets = sorted({0.8, 0.9, 0.95, 0.98, 0.99, desk.settings.target})
        changeable: dict[str, Any] = {"settings": desk.settings, "learners": LEARNER_NAMES, "targets": targets}
        changeable["role"] = role_word(found.person.role)
        rights = {"leads": desk.leads(found.person), "sees_all": desk.sees_all(found.person)}
        links = stages | audit_stages(desk, found.person)
        shown = {**about, **rights, "audit": topic == AUDIT, **changeable}
        return pages.page("review.html", found, **shown, stages=links, known=KNOWN)

    def report(person: Person) -> ReviewReport:
        desk.refresh()
        if not desk.sees_all(person):
            raise HTTPException(403, TOLD_LATER)
        return ReviewReport.of(desk.state, *desk.journal.with_head(desk.seq))

    @app.get("/certificate")
    def certificate(request: Request) -> Response:
        found = pages.visitor(request)
        with desk.lock:
            made, number = report(found.person), desk.project.current_round
            found_so_far = desk.state.round_certificate(number)
            figures = certificate_figure(found_so_far), certificate_figure(found_so_far, narrow=True)
            audit = desk.state.round_audit(number)
            audited = audit.found if audit is not None and audit.phase == "draws" else None
            audit_figures = (certificate_figure(audited), certificate_figure(audited, narrow=True)) if audited else ()
            quoted = (
                prices_of_audit(desk.state, number) if audit is None and len(population(desk.state, number)) else {}
            )
            discovered = discovery(desk.state)
            curves = discovery_figure(discovered), discovery_figure(discovered, narrow=True)
            prices = _price_sentence(desk.state.prices(number))
            ahead = outlook_words(desk.state, number)
        charts = flow_chart(made.prisma)[0], flow_chart(made.prisma, narrow=True)[0]
        shown: dict[str, Any] = {
            "report": made,
            "figures": figures,
            "curves": curves,
            "discovered": discovered.words,
            "charts": charts,
            "outlook": ahead,
            "prices": prices,
            "role": role_word(found.person.role),
            "audit_figures": audit_figures,
            "audit_prices": [price_sentence(target, draws) for target, draws in quoted.items()],
            "stages": stages | audit_stages(desk, found.person),
        }
        return pages.page("certificate.html", found, **shown, leads=desk.leads(found.person))

    @app.get("/certificate.pdf")
    def pdf(request: Request) -> Response:
        found = pages.visitor(request)
        with desk.lock:
            made, number = report(found.person), desk.project.current_round
            certified, audit = desk.state.round_certificate(number), desk.state.round_audit(number)
        content = report_pdf(made, certified, audit)
        headers = {"content-disposition": 'inline; filename="review.pdf"'}
        return Response(content, media_type="application/pdf", headers=headers)

    return app


def _price_sentence(prices: Mapping[float, int]) -> str:
    """What each target that is not certified yet costs, in one sentence; empty where all are."""
    wanted = {f"{100 * target:g} %": f"{price:,}" for target, price in prices.items() if price}
    draws = list(wanted.values()) if len(set(wanted.values())) > 1 else list(wanted.values())[:1]
    targets, numbers = (" or ".join(filter(None, (", ".join(each[:-1]), *each[-1:]))) for each in ([*wanted], draws))
    return f"To certify {targets} one would draw about {numbers} more, if none of them is relevant." if wanted else ""


# What the pages of a review ask and send, as JSON.


MOST_CARDS = 10  # in one answer
MOST_HAD = 100  # documents that a page says it has
MOST_LISTED = 500  # documents in the list below the card


def add_api(app: FastAPI, pages: Pages, desk: ReviewDesk) -> None:
    """Add the addresses of a review to an application."""
    answers = ReviewAnswers(desk)
    written = Depends(pages.written_json)
    add_storing(app, pages, desk)
    add_deciding(app, pages, desk)

    @app.get("/api/topic")
    def topic(request: Request, topic: str) -> Written:
        return answers.topic(pages.visitor(request).person, topic)

    @app.get("/api/next")
    def next_cards(request: Request, topic: str = STAGES[0], have: str = "[]", count: int = 1) -> Written:
        found = pages.visitor_with_role(request, *JUDGES)
        return {"csrf": found.csrf, **answers.next_cards(found.person, topic, have, count)}

    @app.post("/api/release")
    def release(request: Request, content: Written = written) -> Written:
        person = pages.visitor_with_role(request, *JUDGES).person
        desk.give_back(person.name, text_of(content, "topic"), _documents(content.get("have")))
        return {"released": True}

    @app.get("/api/card")
    def card(request: Request, topic: str, document: str) -> Written:
        person = pages.visitor(request).person
        desk.check_document(person, topic, document)
        return answers.card(person, topic, document)

    @app.get("/api/text")
    def text(request: Request, topic: str, document: str, field: str) -> Written:
        desk.check_document(pages.visitor(request).person, topic, document)
        if field not in get_args(Field):
            raise Refused(400, f"field must be one of {', '.join(get_args(Field))}.")
        return {"paragraphs": desk.cards.text(document, cast(Field, field))}

    @app.get("/api/documents")
    def documents(request: Request, topic: str) -> Written:
        return answers.documents(pages.visitor(request).person, topic)

    @app.get("/api/certificate")
    def certificate(request: Request) -> Written:
        return answers.certificate(pages.visitor(request).person)

    @app.get("/api/find")
    def find(request: Request, words: str) -> Written:
        found = desk.find(pages.visitor(request).person, words)
        return {"found": [{**each, "title": desk.cards.card(each["document"])["title"]} for each in found]}

    @app.post("/api/settings")
    def settings(request: Request, content: Written = written) -> Written:
        new = desk.change_settings(pages.visitor(request).person, content)
        return {"saved": True, "id": content["id"], "stored": "new" if new else "already"}

    @app.post("/api/tags")
    def tags(request: Request, content: Written = written) -> Written:
        return stored(pages, desk, request, "tags", content, _tags(content.get("tags")))

    @app.post("/api/agree")
    def agree(request: Request, content: Written = written) -> Written:
        new = desk.agree(pages.visitor(request).person, content)
        return {"saved": True, "id": content["id"], "stored": "new" if new else "already"}

    @app.post("/api/stop")
    def stop(request: Request, content: Written = written) -> Written:
        new = desk.stop(pages.visitor(request).person, content, resume=content.get("resume") is True)
        return {"saved": True, "id": content["id"], "stored": "new" if new else "already"}


class ReviewAnswers:
    """What the pages show to a person: never the marks of another, except to the expert and the organiser."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk
        self._last: tuple[int, Written] | None = None

    def topic(self, person: Person, topic: str) -> Written:
        """The stage, its criteria, and the reasons for exclusion."""
        desk = self._desk
        desk.check_topic(person, topic)
        words = [each._asdict() for each in desk.cards.highlights(topic)]
        more = {"round": desk.project.current_round, "sent_back": "", "closed": False}
        general: Written = {"instructions": CRITERIA, "reasons": list(desk.settings.reasons)}
        with desk.lock:  # others' words may tell what they kept
            general["tags"] = used_tags(desk.judging, "" if desk.sees_all(person) else person.name)
        return {**desk.cards.shown_topic(topic), "id": "", **general, **more, "topic": topic, "highlight": words}

    def next_cards(self, person: Person, topic: str, have: str, count: int) -> Written:
        """The next documents that a person reads, and how far the review is."""
        desk = self._desk
        desk.refresh()
        with desk.lock:
            desk.check_topic(person, topic)
            stopped = desk.state.stopped is not None
            wanted = (
                []
                if stopped
                else desk.next_rows(person, topic, min(max(count, 1), MOST_CARDS), _documents_in_address(have))
            )
            left = desk.queue.left(desk.state, person.name, topic, expert=person.role == "expert")
            pace = desk.pace(person.name, topic)
            mine = sum(1 for name, on, _ in desk.judging.skipped if name == person.name and on == topic)
            answer = {
                "topic": topic,
                "left": left,
                "judged": int(desk.state.is_read.sum()),
                "to_judge": len(desk.project.units),
                "skipped": mine,
                "round": desk.project.current_round,
                "seconds": None if math.isnan(pace) else pace,
                "closed": stopped,
                "mode": desk.state.mode,
                "undoable": shown_undoable(desk.judging.undoable(person.name, topic)),
            }
            if topic == AUDIT:
                done = sum(bool(desk.state.decided[row] != UNJUDGED) for row in desk.state.audit_read)
                answer |= {"judged": done, "to_judge": done + left, "mode": "audit"}
            elif topic != STAGES[0]:
                all_seen, state = desk.sees_all(person), desk.state
                graded = state.grades[topic] if all_seen else state.own_grades(person.name, topic)
                done = int((graded != UNJUDGED).sum())
                answer |= {"judged": done, "to_judge": done + left}
        cards = [self.card(person, topic, desk.project.units[row][0]) for row in wanted]
        return {**answer, "card": cards[0] if cards else None, "cards": cards}

    def card(self, person: Person, topic: str, document: str) -> Written:
        """A document with what this person did about it; with everybody's marks for the expert and the organiser."""
        desk = self._desk
        card = dict(desk.cards.card(document))
        family = desk.project.units[desk.project.row_of[document]][1:]
        if family:
            shown = ", ".join(visible(each) for each in family[:5]) + (" …" if len(family) > 5 else "")
            found = desk.cards.document(document)
            together = "one family with" if found is not None and found.office else "the same text as"
            card["about"] = [*card["about"], f"{together} {shown}"]
        key = person.name, topic, document
        with desk.lock:
            judging = desk.judging
            mark = judging.marks.get(key)
            own: Written = {
                "grade": mark.grade if mark else None,
                "reason": visible(mark.reason) if mark else "",
                "note": visible(judging.notes.get(key, ""), "\n"),
                "passages": [],
                "tags": [visible(each) for each in tags_of(judging, *key)],
            }
            others: Written = {}
            if person.role != "assessor":
                marks = desk.state.marks_of(desk.project.row_of[document], topic)
                others["marks"] = [
                    {
                        "person": name,
                        "role": role_word(judging.roles.get(name, "")),
                        "grade": each.grade,
                        "reason": visible(each.reason),
                        "passages": [],
                        "note": visible(judging.notes.get((name, topic, document), ""), "\n"),
                    }
                    for name, each in marks.items()
                    if name != person.name
                ]
        return {**card, **own, **others}

    def documents(self, person: Person, topic: str) -> Written:
        """What was read last in a list, with a person's own marks, and everybody's for expert and organiser."""
        desk = self._desk
        titles = desk.titles()
        with desk.lock:
            desk.check_topic(person, topic)
            judging, rows = desk.judging, []
            names = [name for name, role in judging.roles.items() if role in JUDGES]
            for row in reversed(desk.state.audit_read if topic == AUDIT else desk.state.first_read):
                document = desk.project.units[row][0]
                mark = judging.marks.get((person.name, topic, document))
                if person.role == "assessor" and mark is None:
                    continue
                shown: Written = {
                    "document": document,
                    "title": visible(titles[row]),
                    "grade": mark.grade if mark else None,
                    "note": (person.name, topic, document) in judging.notes,
                    "tags": tags_of(judging, person.name, topic, document),
                }
                if person.role != "assessor":
                    marks = desk.state.marks_of(row, topic)
                    shown["marks"] = {name: marks[name].grade if name in marks else None for name in names}
                rows.append(shown)
                if len(rows) >= MOST_LISTED:
                    break
        return {"documents": rows}

    def certificate(self, person: Person) -> Written:
        """Where the review stands, with the figure and the prices; without them where they tell what others marked."""
        desk = self._desk
        desk.refresh()
        with desk.lock:
            agreement = desk.agreement(person)
            if not desk.sees_all(person):
                return {**self._without_marks(person), "agreement": agreement}
            if self._last is None or self._last[0] != desk.seq:
                self._last = desk.seq, self._certificate()
            return {**self._last[1], "agreement": agreement}

    def _without_marks(self, person: Person) -> Written:
        """Where the review stands as far as a reviewer may know it: how much was read, and their own marks."""
        state, stage = self._desk.state, STAGES[0]
        own = [mark.grade for (name, on, _), mark in state.judging.marks.items() if name == person.name and on == stage]
        blocking = _blocking(self._desk)
        return {
            "hidden": True,
            "mode": state.mode,
            "stopped": False,
            "switched": state.project.current_round in state.draws,
            "read": int(state.is_read.sum()),
            "of": len(state.project.units),
            "own": {"read": len(own), "kept": sum(grade > 0 for grade in own)},
            "blocking": blocking if (person.name, stage, blocking) in state.judging.skipped else "",
        }

    def _certificate(self) -> Written:
        desk, state = self._desk, self._desk.state
        number = desk.project.current_round
        found = state.round_certificate(number)
        certificate = found.certificate
        bound = state.bound_with_sensitivity(number)
        readings = state.second_readings(number)
        discovered = discovery(state)
        audit = state.round_audit(number)
        is_audited = audit is not None and audit.phase == "draws"  # before, it certifies nothing
        return {
            "hidden": False,
            "mode": state.mode,
            "switched": found.switched,
            "stopped": state.stopped is not None,
            "read": int(state.is_read.sum()),
            "of": len(desk.project.units),
            "relevant": int(state.relevant().sum()),
            "unsure": desk.unsure(),
            "drawn": certificate.drawn,
            "hits": certificate.hits,
            "unread": certificate.unread,
            "bound": certificate.recall,
            "waiting": found.waiting,
            "reopened": certificate.reopened,
            "refuted": found.refuted + certificate.is_refuted,
            "estimate": None if math.isnan(certificate.estimate) else certificate.estimate,
            "estimate_words": certificate.estimate_words,
            "sentences": certificate_sentences(state),
            "audited": audit_sentences(state) if is_audited else [],
            "alpha": certificate.alpha,
            "target": certificate.target,
            "words": certificate.words,
            "prices": [{"target": target, "draws": price} for target, price in state.prices(number).items()],
            "figure": certificate_figure(found, narrow=True),
            "discovery": discovery_figure(discovered, narrow=True),
            "since_last": discovered.since_last if discovered.found[-1] else None,
            "learner": state.project.settings.learner,
            "wanted": state.project.settings.target,
            "outlook": outlook_words(state, number),
            "named": state.number_named,
            "sensitivity": None
            if math.isnan(bound)
            else {"bound": bound, "kept": readings.kept, "confirmed": readings.confirmed},
            "rounds": len(desk.project.rounds),
            "overall": state.recall_bound() if len(desk.project.rounds) > 1 else None,
            "learning": {"rounds": desk.proposer.rounds, "seconds": round(desk.proposer.seconds, 3)},
            "blocking": _blocking(desk),
        }


def _blocking(desk: ReviewDesk) -> str:
    """The skipped draw that holds later ones back, if there is one."""
    draws = desk.state.draws.get(desk.project.current_round)
    if draws is None:
        return ""
    unread = draws.order[~desk.state.is_read[draws.order]][:1].tolist()
    name = desk.project.units[unread[0]][0] if unread else ""
    skipped = any(document == name and on == STAGES[0] for _, on, document in desk.judging.skipped)
    return name if skipped else ""


def _tags(found: Any) -> str:
    """The tags that a page sends, as the journal keeps them."""
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise Refused(400, "tags must be a JSON list of texts.")
    try:
        return tag_text(found)
    except InputError as error:
        raise Refused(400, f"Not possible: {error.problem}.") from None


def _documents_in_address(text: str) -> list[str]:
    """The documents that a page says it has, as an address has them."""
    try:
        return _documents(json.loads(text))
    except (ValueError, RecursionError):
        raise Refused(400, "have must be a JSON list of documents.") from None


def _documents(found: Any) -> list[str]:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found) or len(found) > MOST_HAD:
        raise Refused(400, f"have must be a JSON list of at most {MOST_HAD} documents.")
    return found
