"""The pages of judging: the list of topics, the card, the organiser's page, and what they ask and send as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast, get_args
from urllib.parse import urlencode

import numpy as np
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.errors import visible
from leadline.judge.choices import JUDGING_ROLES
from leadline.judge.journal import Kind, Person, new_uid
from leadline.judge.judging_quality import cohen_kappa
from leadline.judge.marks import NOT_AGREED, JudgingState, View, disagreement, disagreements, progress
from leadline.show.serve.app import (
    JUDGES,
    Pages,
    Refused,
    Visitor,
    Written,
    add_storing,
    optional_text,
    shown_undoable,
    stored,
)
from leadline.show.serve.cards import Field
from leadline.show.serve.desks import JudgingDesk
from leadline.show.serve.security import Address

VIEWS = {"all": "All", "relevant": "Relevant", "unsure": "Unsure or not judged", "differ": "Marked differently"}
Form = dict[str, str]


def judging_app(desk: JudgingDesk, address: Address, title: str, pages: Pages | None = None) -> FastAPI:
    """The application that serves the judging of a pool; `pages` of its own where it is part of others."""
    pages = pages or Pages(desk.people, address, title, roles=JUDGING_ROLES)
    app = pages.app()
    add_api(app, pages, desk)
    _add_pages(app, pages, desk)
    _add_organiser(app, pages, desk)
    return app


def _add_pages(app: FastAPI, pages: Pages, desk: JudgingDesk) -> None:
    @app.get("/")
    def home(request: Request) -> Response:
        found = pages.visitor(request)
        if found.person.role == "organiser":
            return RedirectResponse(f"{pages.prefix}/organise", 303)
        desk.refresh()
        with desk.lock:
            rows = [_topic_row(desk, found, topic) for topic in desk.topics_of(found.person)]
        return pages.page("topics.html", found, topics=rows, instructions=desk.instructions)

    @app.get("/next", include_in_schema=False)
    def next_document(request: Request) -> Response:
        """The page with the next document of an assessor, or with what an expert has to decide; else the topics."""
        found = pages.visitor(request)
        desk.refresh()
        with desk.lock:
            open_topics = [topic for topic in desk.topics_of(found.person) if topic not in desk.state.closed]
            if found.person.role == "expert":
                waiting = {row["topic"]: "differ" for row in disagreement_queue(desk)}
            else:
                waiting = {topic: "all" for topic in open_topics if desk.left_of(found.name, topic)}
        topic = next((each for each in open_topics if each in waiting), "")
        if not topic or found.person.role == "organiser":
            return RedirectResponse(f"{pages.prefix}/", 303)
        asked = {"topic": topic} | ({"view": waiting[topic]} if waiting[topic] != "all" else {})
        return RedirectResponse(f"{pages.prefix}/judge?{urlencode(asked)}", 303)

    @app.get("/judge")
    def judge(request: Request, topic: str, document: str = "", view: str = "all") -> Response:
        found = pages.visitor(request)
        if view not in get_args(View) or (view != "all" and found.person.role == "assessor"):
            raise HTTPException(403, "Views are for the expert.")
        with desk.lock:
            desk.check_topic(found.person, topic)
            if document:
                desk.check_document(found.person, topic, document)
        return pages.page(
            "judge.html",
            found,
            topic=topic,
            document=document,
            view=view,
            views=VIEWS,
            heading=desk.cards.shown_topic(topic)["title"] or visible(topic),
        )


def _topic_row(desk: JudgingDesk, found: Visitor, topic: str) -> dict[str, Any]:
    documents, left = desk.documents(topic), desk.left_of(found.name, topic)
    shown, state = desk.cards.shown_topic(topic), desk.state
    merged = state.merged_of(topic) if found.person.role == "expert" else {}
    return {
        "id": topic,
        "title": shown["title"],
        "category": shown["category"],
        "to_judge": len(documents),
        "left": len(left),
        "judged": len(documents) - len(left),
        "closed": topic in state.closed,
        "round": state.rounds.get(topic, 1),
        "sent_back": state.instructions.get(topic, ""),
        "relevant": sum(grade > 0 for grade in merged.values()),
        "unsure": sum(merged.get(document, -1) < 0 for document in documents),
    }


def _add_organiser(app: FastAPI, pages: Pages, desk: JudgingDesk) -> None:
    async def organisers_form(request: Request) -> Form:
        pages.visitor_with_role(request, "organiser")  # first: nothing of the answer depends on the form for others
        return await pages.written_form(request)

    written = Depends(organisers_form)

    @app.get("/organise")
    def organise(request: Request) -> Response:
        found = pages.visitor_with_role(request, "organiser")
        desk.refresh()
        with desk.lock:
            topics, queue = topic_overviews(desk), disagreement_queue(desk)
            judged = len({(topic, document) for _, topic, document in desk.state.marks})
            drawn = desk.round()
        wanted = sum(topic.to_judge for topic in topics)
        made = sum(each["judged"] for topic in topics for each in topic.people)
        due = sum(each["to_judge"] for topic in topics for each in topic.people)
        people = [person for person in desk.people if person.role != "organiser"]
        return pages.page(
            "organise.html",
            found,
            topics=topics,
            queue=queue,
            people=people,
            judged=judged,
            wanted=wanted,
            made=made,
            due=due,
            drawn=drawn,
            isnan=math.isnan,
            not_agreed=NOT_AGREED,
        )

    def store(request: Request, form: Form, kind: Kind, value: str = "", target: str = "") -> Response:
        person = pages.visitor_with_role(request, "organiser").person
        topic = form.get("topic", "")
        desk.check_topic(person, topic)
        desk.write(person, kind, {"id": form.get("id") or new_uid(), "topic": topic}, value, target)
        return RedirectResponse(f"{pages.prefix}/organise#topic-{desk.pool.topics.index(topic) + 1}", 303)

    @app.post("/organise/assign")
    def assign(request: Request, form: Form = written) -> Response:
        known = desk.people.get(form.get("person", ""))
        if known is None or known.role == "organiser":
            raise HTTPException(400, "There is no assessor or expert of that name.")
        return store(request, form, "unassign" if form.get("remove") else "assign", known.name)

    @app.post("/organise/send-back")
    def send_back(request: Request, form: Form = written) -> Response:
        text = form.get("text", "").strip()
        if not text:
            raise HTTPException(400, "Say in a sentence what the assessors should look at again.")
        return store(request, form, "send_back", text, NOT_AGREED if form.get("which") == NOT_AGREED else "")

    @app.post("/organise/round")
    def draw_round(request: Request, form: Form = written) -> Response:
        pages.visitor_with_role(request, "organiser")
        desk.refresh()
        desk.draw_round()
        return RedirectResponse(f"{pages.prefix}/organise", 303)

    @app.post("/organise/close")
    def close(request: Request, form: Form = written) -> Response:
        return store(request, form, "reopen" if form.get("reopen") else "close")


# What the organiser sees: progress by topic and person, agreement, and where people disagree.


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
        counts = _agreement_counts(state, topic)
        turn = state.rounds.get(topic, 1)
        closed = topic in state.closed
        found.append(
            TopicOverview(
                topic,
                desk.cards.shown_topic(topic)["title"],
                len(desk.documents(topic)),
                "closed" if closed else f"round {turn}",
                closed,
                people,
                state.assigned.get(topic, []),
                counts["conflict"],
                counts["lenient"],
                counts["one_against_two"],
                sum(grade == -2 for grade in state.merged_of(topic).values()),
                _kappa(state, topic),
            )
        )
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


def _agreement_counts(state: JudgingState, topic: str) -> dict[str, int]:
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
                queue.append(
                    {
                        "topic": on,
                        "document": document,
                        "kind": kind,
                        "words": KINDS[kind],
                        "marks": given,
                        "notes": {n: state.notes[n, on, document] for n in given if (n, on, document) in state.notes},
                    }
                )
    queue.sort(key=lambda row: list(KINDS).index(row["kind"]))
    return queue[:MOST_QUEUED]


# What the judging pages ask and send, as JSON.


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
                "topic": topic,
                "left": len(left),
                "judged": len(asked) - len(left),
                "to_judge": len(asked),
                "skipped": sum((person.name, topic, each) in state.skipped for each in left),
                "seconds": None if math.isnan(pace) else pace,
                "round": state.rounds.get(topic, 1),
                "closed": closed,
            }
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
                "grade": mark.grade if mark else None,
                "reason": visible(mark.reason) if mark else "",
                "note": visible(state.notes.get((person.name, topic, document), ""), "\n"),
                "passages": self._passages(topic, document, person.name),
            }
            others = {} if person.role == "assessor" else {"marks": self._marks(person, topic, document)}
        return {**card, **own, **others}

    def _passages(self, topic: str, document: str, person: str) -> list[Written]:
        done = list(self._desk.state.undoable(person, topic))
        return [
            {"id": event.uid, "claim": visible(event.target), "text": visible(event.value, "\n")}
            for event in reversed(done)
            if event.kind == "passage" and event.document == document
        ]

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
            found.append(
                {
                    "person": name,
                    "role": desk.state.roles.get(name, ""),
                    "grade": mark.grade if mark else None,
                    "reason": visible(mark.reason) if mark else "",
                    "note": visible(note, "\n"),
                    "passages": self._passages(topic, document, name),
                }
            )
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
                row: Written = {
                    "document": document,
                    "grade": mark.grade if mark else None,
                    "note": (person.name, topic, document) in state.notes,
                }
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
