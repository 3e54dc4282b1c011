"""Reports: the pages that `leadline report` wrote, listed and shown as they are, shut off from the application."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import Response

from leadline.errors import InputError
from leadline.records.scores.table import Table
from leadline.show.lab.lab import Lab
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.views import ROLES, Shown, add_view, sentence

# A report has scripts of its own, and may come from anywhere: in a sandbox it has no origin, and so neither the
# visitor's session nor the lab's data.
POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; frame-ancestors 'none'"
)


def add_reports(app: FastAPI, pages: Pages, lab: Lab) -> None:
    """Add the list of reports, and each report."""
    add_view(app, pages, "/reports", "reports.html", _view(lab))

    @app.get("/report/{name}", include_in_schema=False)
    def report(name: str, request: Request) -> Response:
        pages.visitor_with_role(request, *ROLES)
        try:
            content = lab.get("report", name).path.read_bytes()
        except InputError as error:
            raise HTTPException(404, sentence(error)) from None
        except OSError:
            raise HTTPException(404, "The file of this report is gone.") from None
        return Response(content, media_type="text/html; charset=utf-8", headers={"content-security-policy": POLICY})


def _view(lab: Lab) -> Callable[[], Shown]:
    def reports() -> Shown:
        """The reports of the lab."""
        rows = [[entry.name, entry.added[:10], entry.owner] for entry in lab.entries("report")]
        return {"reports": Table(["report", "added", "by"], rows), "folder": str(lab.folder)}

    return reports
