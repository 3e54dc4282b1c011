"""People, judging and reviewing: who may open the lab, and how far the work of people is."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.errors import InputError, checked_choice
from leadline.judge.choices import LINK_DAYS
from leadline.judge.journal import JudgingJournal, People
from leadline.judge.marks import JudgingState
from leadline.judge.pools import Pool
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.review_state import ReviewState
from leadline.records.result import Table
from leadline.show.lab.lab import Lab, LabEntry, viewer
from leadline.show.lab.lab_store import AuditLog
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.views import Shown, add_view, refused, sentence

ORGANISER = ("organiser",)
MOST_LINES = 1000  # of the audit log, the latest
MOST_DAYS = 3650
MAY = {  # what each role may do, in words
    "reader": "looks and searches",
    "runner": "also adds runs and starts jobs",
    "assessor": "looks, judges and reviews",
    "expert": "also decides where assessors disagree",
    "organiser": "does everything but judge",
}


def add_people(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog) -> None:
    """Add the organiser's page."""
    view = _view(lab, pages.people, audit)
    add_view(app, pages, "/people", "people.html", view, roles=ORGANISER)

    async def form_of(request: Request) -> dict[str, str]:
        pages.visitor_with_role(request, *ORGANISER)
        return await pages.written_form(request)

    written = Depends(form_of)

    @app.post("/people/invite", include_in_schema=False)
    def invite(request: Request, form: dict[str, str] = written) -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        name, role, days = (form.get(each, "").strip() for each in ("person", "role", "days"))
        with refused():
            checked_choice("role", role, list(MAY))
            if not (days.isascii() and days.isdigit() and 1 <= int(days[:5]) <= MOST_DAYS):
                raise InputError("days", f"must be a whole number from 1 to {MOST_DAYS}")
            if name == found.name:
                raise InputError("name", "that is you: your link would end")
            token = pages.people.add(name, role, days=int(days))  # type: ignore[arg-type]
        audit.add(found.name, found.person.role, f"invited {name} as {role}")
        command = shlex.join(["leadline", "lab", "people", ".", "add", name, "--role", role, "--days", days])
        link = pages.address.link(token)
        made = {"name": name, "role": role, "days": days, "link": link, "command": command}
        return pages.page("people.html", found, **{**view(), "made": made})

    @app.post("/people/blind", include_in_schema=False)
    def blind(request: Request, form: dict[str, str] = written) -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        if form.get("blind") not in ("yes", "no"):
            raise HTTPException(400, "Choose whether the lab is blind.")
        lab.set_blind(form["blind"] == "yes")
        did = "hid the results from participants" if lab.is_blind else "opened the results"
        audit.add(found.name, found.person.role, did)
        return RedirectResponse("/people", 303)

    @app.post("/people/revoke", include_in_schema=False)
    def revoke(request: Request, form: dict[str, str] = written) -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        if form.get("person") == found.name:
            raise HTTPException(400, "You cannot end your own link here.")
        try:
            pages.people.revoke(form.get("person", ""))
        except InputError as error:
            raise HTTPException(400, sentence(error)) from None
        audit.add(found.name, found.person.role, f"ended the link of {form['person']}")
        return RedirectResponse("/people", 303)


def _view(lab: Lab, people: People, audit: AuditLog) -> Callable[[], Shown]:
    def people_and_audit() -> Shown:
        """Who may open the lab, whether it is blind, and what was done."""
        people.refresh()
        listed = [
            [
                each.name,
                each.role,
                "ended" if each.revoked else "expired" if each.has_expired else "valid",
                each.expires[:10],
                sum(entry.owner == each.name for entry in lab.entries("run")),
            ]
            for each in people
        ]
        problem, lines = "", []
        try:
            lines = list(audit.lines())
        except InputError as error:
            problem = sentence(error)
        done = [[line.at[:19], line.person, line.role, line.did] for line in islice(reversed(lines), MOST_LINES)]
        return {
            "people": Table(["person", "role", "link", "expires", "runs"], listed),
            "blind": lab.is_blind,
            "audit": Table(["at", "person", "role", "did"], done),
            "problem": problem,
            "folder": lab.name,
            "made": None,
            "roles": MAY,
            "days": LINK_DAYS,
            "is_team": type(people) is People,
        }

    return people_and_audit


# Judge and Review: the pools and the reviews of the lab, and how far they are.


def judge_view(lab: Lab) -> Callable[[], Shown]:
    """The view of the pools."""

    def judge() -> Shown:
        """The pools of the lab, and how many of their documents are judged."""
        rows = [_pool_row(entry) for entry in lab.entries("pool")]
        return {"pools": Table(["pool", "topics", "to_judge", "judged", "problem"], rows), "folder": lab.name}

    return judge


def review_view(lab: Lab) -> Callable[[], Shown]:
    """The view of the reviews."""

    def review() -> Shown:
        """The reviews of the lab, and how far they are."""
        rows = [_review_row(entry) for entry in lab.entries("review")]
        columns = ["review", "title", "documents", "read", "relevant", "recall_at_least", "problem"]
        return {"reviews": Table(columns, rows), "folder": lab.name}

    return review


def _pool_row(entry: LabEntry) -> list[object]:
    try:
        pool = Pool.read(entry.path)
        judged = 0
        if Path(f"{entry.path}.journal").exists():
            with contextlib.closing(JudgingJournal(f"{entry.path}.journal", write=False)) as journal:
                marks = JudgingState.of(journal.events()).marks
                judged = len({(topic, document) for _, topic, document in marks})
        return [entry.name, len(pool.topics), len(pool.to_judge()), judged, ""]
    except InputError as error:
        return [entry.name, None, None, None, sentence(error)]


def _review_row(entry: LabEntry) -> list[object]:
    try:
        project = ReviewProject.open(entry.path)
        with contextlib.closing(project.journal(write=False)) as journal:
            state = ReviewState.of(project, journal.events())
        known: list[object] = [entry.name, project.settings.title, len(project.units), int(state.is_read.sum())]
        who = viewer()
        if who is not None and who.role == "assessor" and state.hides_marks:
            return [*known, None, None, ""]
        certificate = state.round_certificate(project.current_round).certificate
        return [*known, int(state.relevant().sum()), certificate.recall, ""]
    except InputError as error:
        return [entry.name, "", None, None, None, None, sentence(error)]
