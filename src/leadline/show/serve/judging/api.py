"""What the judging pages ask and send, as JSON."""

from __future__ import annotations

import math
from typing import cast, get_args

from fastapi import Depends, FastAPI, HTTPException, Request

from leadline.errors import visible
from leadline.judge.assessors.people import Person
from leadline.judge.assessors.work_list import View
from leadline.show.serve.app import Pages
from leadline.show.serve.journal_desk import Refused, optional_text
from leadline.show.serve.judging.cards import Field
from leadline.show.serve.judging.desk import JudgingDesk
from leadline.show.serve.storing_api import JUDGES, Written, add_storing, shown_undoable, stored

MOST_CARDS = 10  # in one answer
LONGEST_PASSAGE = 5000  # characters


def add_api(app: FastAPI, pages: Pages, desk: JudgingDesk) -> None:
    """Add the addresses of judging to an application."""
    read = JudgingAnswers(desk)
    written = Depends(pages.written_json)

    @app.get("/api/topic")
    def topic(request: Request, topic: str) -> Written:
        return read.topic(pages.visitor(request).person, topic)

    @app.get("/api/next")
    def next_cards(
        request: Request, topic: str = "", after: str = "", view: str = "all", brief: int = 0, count: int = 1
    ) -> Written:
        found = pages.visitor_with_role(request, *JUDGES)
        return {"csrf": found.csrf, **read.next_cards(found.person, topic, after, view, bool(brief), count)}

    @app.get("/api/card")
    def card(request: Request, topic: str, document: str) -> Written:
        return read.card(pages.visitor(request).person, topic, document)

    @app.get("/api/text")
    def text(request: Request, topic: str, document: str, field: str) -> Written:
        person = pages.visitor(request).person
        _check(field, get_args(Field), "field")
        desk.check_document(person, topic, document)
        return {"paragraphs": desk.cards.text(document, cast(Field, field))}

    @app.get("/api/documents")
    def documents(request: Request, topic: str, view: str = "all") -> Written:
        return read.documents(pages.visitor(request).person, topic, view)

    @app.post("/api/passages")
    def passage(request: Request, content: Written = written) -> Written:
        person = pages.visitor_with_role(request, *JUDGES).person
        text, claim, on = (
            optional_text(content, "text").strip(),
            optional_text(content, "claim"),
            optional_text(content, "topic"),
        )
        desk.check_topic(person, on)
        if not 0 < len(text) <= LONGEST_PASSAGE:
            raise Refused(400, f"A passage has 1 to {LONGEST_PASSAGE:,} characters.")
        if claim not in {each["name"] for each in desk.cards.shown_topic(on)["claims"]}:
            raise Refused(400, "The topic has no such claim.")
        return stored(pages, desk, request, "passage", content, text, claim)

    add_storing(app, pages, desk)


class JudgingAnswers:
    """What the pages show to a person: never the marks of another, except to the expert and the organiser."""

    def __init__(self, desk: JudgingDesk) -> None:
        self._desk = desk

    def topic(self, person: Person, topic: str) -> Written:
        """The topic, the instructions, and the reasons to choose from."""
        desk = self._desk
        with desk.lock:
            desk.check_topic(person, topic)
            state = desk.state
            sent_back = visible(state.instructions.get(topic, ""), "\n")
            more = {"round": state.rounds.get(topic, 1), "sent_back": sent_back, "closed": topic in state.closed}
        general = {"instructions": desk.instructions, "reasons": list(desk.reasons)}
        words = [each._asdict() for each in desk.cards.highlights(topic)]
        return {**desk.cards.shown_topic(topic), **general, **more, "topic": topic, "highlight": words}

    def next_cards(self, person: Person, topic: str, after: str, view: str, brief: bool, count: int) -> Written:
        """The next documents that a person has to judge, and how far they are."""
        desk = self._desk
        _check(view, get_args(View), "view")
        if person.role == "assessor" and view != "all":
            raise Refused(403, "Views are for the expert.")
        desk.refresh()
        with desk.lock:
            topic = topic or self._first_topic(person)
            desk.check_topic(person, topic)
            state = desk.state
            asked = desk.asked(person, topic, cast(View, view))
            left = desk.left(person, topic, cast(View, view))
            closed = topic in state.closed
            wanted = [] if closed else _behind(left, after)[: min(max(count, 1), MOST_CARDS)]
            pace = desk.pace(person.name, topic)
            answer = {
                "topic": topic, "left": len(left), "judged": len(asked) - len(left), "to_judge": len(asked),
                "skipped": sum((person.name, topic, each) in state.skipped for each in left),
                "seconds": None if math.isnan(pace) else pace, "round": state.rounds.get(topic, 1), "closed": closed,
            }  # fmt: skip
            if not brief:
                answer["undoable"] = shown_undoable(state.undoable(person.name, topic))
        cards = [{"document": each} if brief else self.card(person, topic, each) for each in wanted]
        return {**answer, "card": cards[0] if cards else None, "cards": cards}

    def _first_topic(self, person: Person) -> str:
        """The first topic with something left for a person."""
        topics = [each for each in self._desk.topics_of(person) if each not in self._desk.state.closed]
        if not topics:
            raise Refused(404, "No topic is assigned to you.")
        return next((each for each in topics if self._desk.left(person, each)), topics[0])

    def card(self, person: Person, topic: str, document: str) -> Written:
        """A document with what this person did about it; with everybody's marks for the expert and the organiser."""
        desk = self._desk
        desk.check_document(person, topic, document)
        card = desk.cards.card(document)
        with desk.lock:
            state = desk.state
            mark = state.marks.get((person.name, topic, document))
            own = {
                "grade": mark.grade if mark else None, "reason": visible(mark.reason) if mark else "",
                "note": visible(state.notes.get((person.name, topic, document), ""), "\n"),
                "passages": self._passages(topic, document, person.name),
            }  # fmt: skip
            others = {} if person.role == "assessor" else {"marks": self._marks(person, topic, document)}
        return {**card, **own, **others}

    def _passages(self, topic: str, document: str, person: str) -> list[Written]:
        done = self._desk.state.undoable(person, topic)
        return [
            {"id": event.uid, "claim": visible(event.target), "text": visible(event.value, "\n")}
            for event in done if event.kind == "passage" and event.document == document
        ]  # fmt: skip

    def _marks(self, person: Person, topic: str, document: str) -> list[Written]:
        """What the others said of a document."""
        desk = self._desk
        found = []
        for name in desk.judges_of(topic):
            mark, note = (
                desk.state.marks.get((name, topic, document)),
                desk.state.notes.get((name, topic, document), ""),
            )
            if name == person.name or (mark is None and not note):
                continue
            found.append({
                "person": name, "role": desk.state.roles.get(name, ""), "grade": mark.grade if mark else None,
                "reason": visible(mark.reason) if mark else "", "note": visible(note, "\n"),
                "passages": self._passages(topic, document, name),
            })  # fmt: skip
        return found

    def documents(self, person: Person, topic: str, view: str) -> Written:
        """The documents of a topic in a list, with a person's own marks, and everybody's for expert and organiser."""
        desk = self._desk
        _check(view, get_args(View), "view")
        if person.role == "assessor" and view != "all":
            raise Refused(403, "Views are for the expert.")
        with desk.lock:
            desk.check_topic(person, topic)
            state, names = desk.state, desk.judges_of(topic)
            rows = []
            for document in desk.asked(person, topic, cast(View, view)):
                mark = state.marks.get((person.name, topic, document))
                row: Written = {"document": document, "grade": mark.grade if mark else None,
                                "note": (person.name, topic, document) in state.notes}  # fmt: skip
                if person.role != "assessor":
                    marks = {name: state.marks.get((name, topic, document)) for name in names}
                    row["marks"] = {name: each.grade if each else None for name, each in marks.items()}
                rows.append(row)
        return {"documents": rows}


def _behind(left: list[str], after: str) -> list[str]:
    """What comes after a document, and then what comes before it."""
    if after not in left:
        return left
    at = left.index(after)
    return left[at + 1 :] + left[:at]


def _check(value: str, choices: tuple[str, ...], name: str) -> None:
    if value not in choices:
        raise HTTPException(400, f"{name} must be one of {', '.join(choices)}.")
