"""People: who may open the lab, whether it is blind, and what was done; for the organiser."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.errors import InputError
from leadline.judge.assessors.people import People
from leadline.records.scores.table import Table
from leadline.show.lab.audit import AuditLog
from leadline.show.lab.lab import Lab
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.views import Shown, add_view, sentence

ORGANISER = ("organiser",)
MOST_LINES = 1000  # of the audit log, the latest


def add_people(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog) -> None:
    """Add the organiser's page."""
    add_view(app, pages, "/people", "people.html", _view(lab, pages.people, audit), roles=ORGANISER)

    async def form_of(request: Request) -> dict[str, str]:
        pages.visitor_with_role(request, *ORGANISER)
        return await pages.written_form(request)

    written = Depends(form_of)

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
            [each.name, each.role, "ended" if each.revoked else "expired" if each.has_expired else "valid",
             each.expires[:10], sum(entry.owner == each.name for entry in lab.entries("run"))]
            for each in people
        ]  # fmt: skip
        problem, lines = "", []
        try:
            lines = list(audit.lines())
        except InputError as error:
            problem = str(error)
        done = [[line.at[:19], line.person, line.role, line.did] for line in islice(reversed(lines), MOST_LINES)]
        return {
            "people": Table(["person", "role", "link", "expires", "runs"], listed), "blind": lab.is_blind,
            "audit": Table(["at", "person", "role", "did"], done), "problem": problem, "folder": str(lab.folder),
        }  # fmt: skip

    return people_and_audit
