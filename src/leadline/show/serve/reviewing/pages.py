"""The pages of a review: the card, and the certificate with the report, also as PDF."""

from __future__ import annotations

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.judge.assessors.journal import JUDGING_ROLES
from leadline.judge.review.project import KNOWN, STAGES
from leadline.judge.review.report import ReviewReport
from leadline.show.serve.app import Pages
from leadline.show.serve.reviewing.api import add_api
from leadline.show.serve.reviewing.desk import ReviewDesk
from leadline.show.serve.reviewing.figure import certificate_figure
from leadline.show.serve.reviewing.flow_chart import flow_chart
from leadline.show.serve.reviewing.pdf_report import report_pdf
from leadline.show.serve.security import Address

STAGE_LINKS = {STAGES[0]: "Abstracts", STAGES[1]: "Full texts"}
PACKAGES = ("leadline.show.serve.judging", "leadline.show.serve.reviewing")  # the card is that of judging


def reviewing_app(desk: ReviewDesk, address: Address, title: str, pages: Pages | None = None) -> FastAPI:
    """The application that serves a review; `pages` of its own where it is part of others."""
    pages = pages or Pages(desk.people, address, PACKAGES, title, roles=JUDGING_ROLES, public_title="Leadline review")
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
        heading = desk.cards.shown_topic(topic)["title"]
        about = {"topic": topic, "document": document, "view": "all", "heading": heading}
        return pages.page("review.html", found, **about, stages=stages, known=KNOWN)

    def report() -> ReviewReport:
        desk.refresh()
        return ReviewReport.of(desk.state, *desk.journal.with_head(desk.seq))

    @app.get("/certificate")
    def certificate(request: Request) -> Response:
        found = pages.visitor(request)
        with desk.lock:
            made, number = report(), desk.project.current_round
            found_so_far = desk.state.round_certificate(number)
            figures = certificate_figure(found_so_far), certificate_figure(found_so_far, narrow=True)
            prices = [
                f"To certify {100 * target:g} % one would draw about {price:,} more, if none of them is relevant."
                for target, price in desk.state.prices(number).items() if price
            ]  # fmt: skip
        charts = flow_chart(made.prisma)[0], flow_chart(made.prisma, narrow=True)[0]
        return pages.page(
            "certificate.html", found, report=made, figures=figures, charts=charts, prices=prices, stages=stages
        )

    @app.get("/certificate.pdf")
    def pdf(request: Request) -> Response:
        pages.visitor(request)
        with desk.lock:
            made, certified = report(), desk.state.round_certificate(desk.project.current_round)
        content = report_pdf(made, certified)
        headers = {"content-disposition": 'inline; filename="review.pdf"'}
        return Response(content, media_type="application/pdf", headers=headers)

    return app
