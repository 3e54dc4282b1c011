"""The application that serves a lab: its pages, added one by one, and who may see them."""

from __future__ import annotations

from fastapi import FastAPI, Request

from leadline.judge.assessors.people import People
from leadline.show.lab.boards import Boards
from leadline.show.lab.documents import LabDocuments
from leadline.show.lab.lab import Lab
from leadline.show.lab.needs import Needs
from leadline.show.lab.stored_results import StoredResults
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.pages.compare import compare_view
from leadline.show.serve.laboratory.pages.home import home_view
from leadline.show.serve.laboratory.pages.leaderboard import leaderboard_view
from leadline.show.serve.laboratory.pages.run import run_view
from leadline.show.serve.laboratory.pages.topic import topic_view
from leadline.show.serve.laboratory.pages.trust import add_trust_figures, trust_view
from leadline.show.serve.laboratory.uploads import add_uploads
from leadline.show.serve.laboratory.views import ROLES, add_view
from leadline.show.serve.security import Address

PACKAGE = "leadline.show.serve.laboratory"
MENU = {  # address: words, in the order of the menu
    "/": "Home",
    "/leaderboard": "Leaderboard",
    "/compare": "Compare",
    "/trust": "Trust",
}


def lab_app(lab: Lab, people: People, address: Address) -> FastAPI:
    """The application of a lab."""
    cookie = f"leadline_lab_{lab.id[:8]}"  # cookies are shared by all ports of a host
    pages = Pages(people, address, [PACKAGE], lab.title, cookie=cookie, constants={"menu": MENU})
    app = pages.app()
    boards, results, documents, needs = Boards(lab), StoredResults(lab), LabDocuments(lab), Needs(lab)
    add_view(app, pages, "/", "home.html", home_view(boards, results))
    add_view(app, pages, "/leaderboard", "leaderboard.html", leaderboard_view(boards, results))
    add_view(app, pages, "/run/{name}", "run.html", run_view(boards, needs))
    add_view(app, pages, "/compare", "compare.html", compare_view(boards, results, documents, needs))
    add_view(app, pages, "/topic/{id:path}", "topic.html", topic_view(boards, documents, needs))
    add_view(app, pages, "/trust", "trust.html", trust_view(boards, results))
    add_trust_figures(app, pages, boards, results)
    add_uploads(app, pages, boards)

    @app.get("/api/openapi.json", include_in_schema=False)
    def description(request: Request) -> dict[str, object]:
        pages.visitor_with_role(request, *ROLES)
        return app.openapi()

    return app
