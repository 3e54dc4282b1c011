"""The application that serves a lab: its pages, added one by one, and who may see them."""

from __future__ import annotations

from fastapi import FastAPI, Request

from leadline.judge.assessors.people import People
from leadline.show.lab.lab import Lab
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.pages.home import home_view
from leadline.show.serve.laboratory.searching import LINKS, add_searching
from leadline.show.serve.laboratory.views import ROLES, add_view
from leadline.show.serve.security import Address

PACKAGE = "leadline.show.serve.laboratory"
MENU = {  # address: words, in the order of the menu
    "/": "Home",
    "/search": "Search",
    "/prior-art": "Prior art",
    "/collections": "Collections",
}


def lab_app(lab: Lab, people: People, address: Address) -> FastAPI:
    """The application of a lab."""
    cookie = f"leadline_lab_{lab.id[:8]}"  # cookies are shared by all ports of a host
    pages = Pages(people, address, [PACKAGE], lab.title, cookie=cookie, constants={"menu": MENU, **LINKS})
    app = pages.app()
    add_view(app, pages, "/", "home.html", home_view(lab))
    add_searching(app, pages, lab)

    @app.get("/api/openapi.json", include_in_schema=False)
    def description(request: Request) -> dict[str, object]:
        pages.visitor_with_role(request, *ROLES)
        return app.openapi()

    return app
