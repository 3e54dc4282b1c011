"""The pages of judging: the list of topics, the card, and the organiser's page with its forms."""

from __future__ import annotations

import math
from typing import Any, get_args

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.errors import visible
from leadline.judge.assessors.journal import JUDGING_ROLES, Kind, new_uid
from leadline.judge.assessors.judging_state import NOT_AGREED
from leadline.judge.assessors.work_list import View
from leadline.show.serve.app import Pages, Visitor
from leadline.show.serve.judging.api import add_api
from leadline.show.serve.judging.desk import JudgingDesk
from leadline.show.serve.judging.overview import disagreement_queue, topic_overviews
from leadline.show.serve.security import Address

PACKAGE = "leadline.show.serve.judging"
VIEWS = {"all": "All", "relevant": "Relevant", "unsure": "Unsure or not judged"}
Form = dict[str, str]


def judging_app(desk: JudgingDesk, address: Address, title: str, pages: Pages | None = None) -> FastAPI:
    """The application that serves the judging of a pool; `pages` of its own where it is part of others."""
    pages = pages or Pages(desk.people, address, [PACKAGE], title, roles=JUDGING_ROLES)
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

    @app.get("/judge")
    def judge(request: Request, topic: str, document: str = "", view: str = "all") -> Response:
        found = pages.visitor(request)
        if view not in get_args(View) or (view != "all" and found.person.role == "assessor"):
            raise HTTPException(403, "Views are for the expert.")
        with desk.lock:
            desk.check_topic(found.person, topic)
            if document:
                desk.check_document(found.person, topic, document)
        return pages.page("judge.html", found, topic=topic, document=document, view=view, views=VIEWS,
                          heading=desk.cards.shown_topic(topic)["title"] or visible(topic))  # fmt: skip


def _topic_row(desk: JudgingDesk, found: Visitor, topic: str) -> dict[str, Any]:
    documents, left = desk.documents(topic), desk.left_of(found.name, topic)
    shown, state = desk.cards.shown_topic(topic), desk.state
    merged = state.merged_of(topic) if found.person.role == "expert" else {}
    return {
        "id": topic, "title": shown["title"], "category": shown["category"], "to_judge": len(documents),
        "left": len(left), "judged": len(documents) - len(left), "closed": topic in state.closed,
        "round": state.rounds.get(topic, 1), "sent_back": state.instructions.get(topic, ""),
        "relevant": sum(grade > 0 for grade in merged.values()),
        "unsure": sum(merged.get(document, -1) < 0 for document in documents),
    }  # fmt: skip


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
        wanted = sum(topic.to_judge for topic in topics)
        made = sum(each["judged"] for topic in topics for each in topic.people)
        due = sum(each["to_judge"] for topic in topics for each in topic.people)
        people = [person for person in desk.people if person.role != "organiser"]
        return pages.page("organise.html", found, topics=topics, queue=queue, people=people, judged=judged,
                          wanted=wanted, made=made, due=due, isnan=math.isnan, not_agreed=NOT_AGREED)  # fmt: skip

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

    @app.post("/organise/close")
    def close(request: Request, form: Form = written) -> Response:
        return store(request, form, "reopen" if form.get("reopen") else "close")
