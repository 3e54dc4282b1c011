"""The application that serves a lab: its pages, added one by one, and who may see them."""

from __future__ import annotations

from fastapi import FastAPI, Request

from leadline.judge.assessors.journal import JUDGING_ROLES
from leadline.judge.assessors.people import People
from leadline.show.lab.audit import AuditLog
from leadline.show.lab.lab import Lab
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.desks import JudgingDesks, ReviewingDesks
from leadline.show.serve.laboratory.pages.home import home_view
from leadline.show.serve.laboratory.pages.jobs import add_jobs
from leadline.show.serve.laboratory.pages.judging import judge_view, review_view
from leadline.show.serve.laboratory.pages.people import add_people
from leadline.show.serve.laboratory.views import ROLES, add_view
from leadline.show.serve.laboratory.who import OwnerAlone, OwnerJudges, WhoLooks
from leadline.show.serve.security import Address

PACKAGE = "leadline.show.serve.laboratory"
MENU = {  # address: words, in the order of the menu
    "/": "Home",
    "/judge": "Judge",
    "/review": "Review",
    "/jobs": "Jobs",
}


def lab_app(lab: Lab, people: People, address: Address) -> FastAPI:
    """The application of a lab."""
    cookie = f"leadline_lab_{lab.id[:8]}"  # cookies are shared by all ports of a host
    pages = Pages(people, address, [PACKAGE], lab.title, cookie=cookie, constants={"menu": MENU})
    app = pages.app()
    audit = AuditLog(lab.audit_file())
    add_view(app, pages, "/", "home.html", home_view(lab))
    add_jobs(app, pages, lab, audit)
    add_people(app, pages, lab, audit)
    judges = OwnerJudges(people.path) if isinstance(people, OwnerAlone) else people
    add_view(app, pages, "/judge", "judge_list.html", judge_view(lab), roles=JUDGING_ROLES)
    add_view(app, pages, "/review", "review_list.html", review_view(lab), roles=JUDGING_ROLES)
    app.mount("/judge", JudgingDesks(lab, judges, pages))
    app.mount("/review", ReviewingDesks(lab, judges, pages))

    @app.get("/api/openapi.json", include_in_schema=False)
    def description(request: Request) -> dict[str, object]:
        pages.visitor_with_role(request, *ROLES)
        return app.openapi()

    app.add_middleware(WhoLooks, pages=pages)
    return app
