"""The application that serves a lab: its pages, added one by one, and who may see them."""

from __future__ import annotations

from fastapi import FastAPI, Request

from leadline.judge.assessors.journal import JUDGING_ROLES
from leadline.judge.assessors.people import People
from leadline.show.lab.audit import AuditLog
from leadline.show.lab.boards import Boards
from leadline.show.lab.documents import LabDocuments
from leadline.show.lab.lab import Lab
from leadline.show.lab.needs import Needs
from leadline.show.lab.stored_results import StoredResults
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.description import described
from leadline.show.serve.laboratory.desks import JudgingDesks, ReviewingDesks
from leadline.show.serve.laboratory.pages.compare import compare_view
from leadline.show.serve.laboratory.pages.home import home_view
from leadline.show.serve.laboratory.pages.jobs import add_jobs
from leadline.show.serve.laboratory.pages.judging import judge_view, review_view
from leadline.show.serve.laboratory.pages.leaderboard import leaderboard_view
from leadline.show.serve.laboratory.pages.people import add_people
from leadline.show.serve.laboratory.pages.reports import add_reports
from leadline.show.serve.laboratory.pages.run import run_view
from leadline.show.serve.laboratory.pages.topic import topic_view
from leadline.show.serve.laboratory.pages.trust import add_trust_figures, trust_view
from leadline.show.serve.laboratory.searching import LINKS, add_searching
from leadline.show.serve.laboratory.uploads import add_uploads
from leadline.show.serve.laboratory.views import ROLES, add_view
from leadline.show.serve.laboratory.who import OwnerAlone, OwnerJudges, WhoLooks
from leadline.show.serve.security import Address

PACKAGE = "leadline.show.serve.laboratory"
MENU = {  # address: words, in the order of the menu
    "/": "Home",
    "/search": "Search",
    "/prior-art": "Prior art",
    "/collections": "Collections",
    "/leaderboard": "Leaderboard",
    "/compare": "Compare",
    "/trust": "Trust",
    "/reports": "Reports",
    "/judge": "Judge",
    "/review": "Review",
    "/jobs": "Jobs",
}


def lab_app(lab: Lab, people: People, address: Address) -> FastAPI:
    """The application of a lab."""
    cookie = f"leadline_lab_{lab.id[:8]}"  # cookies are shared by all ports of a host
    pages = Pages(people, address, [PACKAGE], lab.title, cookie=cookie, constants={"menu": MENU, **LINKS})
    app = pages.app()
    audit = AuditLog(lab.audit_file())
    _add_scores(app, pages, lab, audit)
    add_searching(app, pages, lab)
    _add_people(app, pages, lab, people, audit)

    @app.get("/api/openapi.json", include_in_schema=False)
    def description(request: Request) -> dict[str, object]:
        pages.visitor_with_role(request, *ROLES)
        return described(app)

    app.add_middleware(WhoLooks, pages=pages)
    return app


def _add_scores(app: FastAPI, pages: Pages, lab: Lab, audit: AuditLog) -> None:
    """Add the pages that say which system finds more, and whether it can be believed."""
    boards, results, documents, needs = Boards(lab), StoredResults(lab), LabDocuments(lab), Needs(lab)
    add_view(app, pages, "/", "home.html", home_view(boards, results))
    add_view(app, pages, "/leaderboard", "leaderboard.html", leaderboard_view(boards, results))
    add_view(app, pages, "/run/{name}", "run.html", run_view(boards, needs))
    add_view(app, pages, "/compare", "compare.html", compare_view(boards, results, documents, needs))
    add_view(app, pages, "/topic/{id:path}", "topic.html", topic_view(boards, documents, needs))
    add_view(app, pages, "/trust", "trust.html", trust_view(boards, results))
    add_trust_figures(app, pages, boards, results)
    add_uploads(app, pages, boards, audit)
    add_reports(app, pages, lab)


def _add_people(app: FastAPI, pages: Pages, lab: Lab, people: People, audit: AuditLog) -> None:
    """Add the pages on which people work: judging, reviewing, jobs, and who may do what."""
    add_jobs(app, pages, lab, audit)
    add_people(app, pages, lab, audit)
    judges = OwnerJudges(people.path) if isinstance(people, OwnerAlone) else people
    add_view(app, pages, "/judge", "judge_list.html", judge_view(lab), roles=JUDGING_ROLES)
    add_view(app, pages, "/review", "review_list.html", review_view(lab), roles=JUDGING_ROLES)
    app.mount("/judge", JudgingDesks(lab, judges, pages))
    app.mount("/review", ReviewingDesks(lab, judges, pages))
