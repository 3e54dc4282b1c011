"""Prior art: a patent of the collection, or one that is pasted or uploaded, and what bears on each of its claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from leadline.errors import LeadlineError, visible
from leadline.show.lab.opened import OpenedLab
from leadline.show.lab.prior_art_searches import LARGEST, MOST_K, PriorArtSearches
from leadline.show.lab.prior_art_systems import prior_art_systems
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.description import json_body
from leadline.show.serve.laboratory.links import link
from leadline.show.serve.laboratory.views import ROLES, Shown, error_line
from leadline.show.serve.security import LargeBody

TEMPLATE = "prior_art.html"
K = 10
PASTED = ("index", "date", "k", "system")  # fields beside the patent
PATENT = json_body(("text",), text="a patent: title, description and claims", date="of its filing")
SLOWEST = 60.0  # seconds in which all of a patent must come


def prior_art_view(opened: OpenedLab, searches: PriorArtSearches) -> Callable[..., Shown]:
    """The view of the page of prior art."""

    def prior_art(
        index: Annotated[str, Query(description="name of an index (default: the first)")] = "",
        patent: Annotated[str, Query(description="number of a patent in the collection, in any spelling")] = "",
        pasted: Annotated[str, Query(description="key of a patent that was pasted")] = "",
        k: Annotated[int, Query(ge=1, le=MOST_K, description="families")] = K,
        system: Annotated[str, Query(description="system that searches (default: best)", max_length=100)] = "",
    ) -> Shown:
        """Earlier documents that bear on the claims of a patent, claim by claim."""
        shown = _empty(opened, index, patent, pasted, k, system)
        if not shown["index"] or not (patent.strip() or pasted):
            return shown
        try:
            found = searches.find(shown["index"], patent.strip(), pasted, k, system)
        except LeadlineError as error:
            return {**shown, "error": error_line(error)}
        return {**shown, **found, "searched": True}

    return prior_art


def _empty(opened: OpenedLab, index: str, patent: str, pasted: str, k: int, system: str) -> dict[str, Any]:
    names = [entry.name for entry in opened.lab.entries("index")]
    return {
        "asked": {"index": index, "patent": patent, "pasted": pasted, "k": k if k != K else None, "system": system},
        "index": index or next(iter(names), ""), "indexes": names, "patent": patent, "k": k, "error": "",
        "searched": False, "text": "", "chosen_system": system,
        "systems": list(prior_art_systems()), "largest": LARGEST, "folder": str(opened.lab.folder),
    }  # fmt: skip


def add_pasting(app: FastAPI, pages: Pages, opened: OpenedLab, searches: PriorArtSearches) -> None:
    """Add the address that takes a patent as text or as a file, and goes on to the page of its prior art."""

    large = {path: LargeBody(LARGEST + 100_000, SLOWEST) for path in ("/prior-art", "/api/prior-art")}
    app.state.large_bodies = {**getattr(app.state, "large_bodies", {}), **large}

    @app.post("/prior-art", include_in_schema=False)
    async def paste(request: Request) -> Response:
        visitor = pages.visitor_with_role(request, *ROLES)
        fields = await pages.written_parts(request)
        written = {name: fields.get(name, b"").decode("utf-8", "replace").strip() for name in PASTED}
        asked = written["k"] or str(K)
        if not (asked.isascii() and asked.isdigit() and len(asked) < 4 and 1 <= int(asked) <= MOST_K):
            raise HTTPException(400, f"k must be a whole number from 1 to {MOST_K}, got {visible(asked[:80])!r}.")
        k = int(asked)
        try:
            key = await run_in_threadpool(searches.keep, fields.get("file") or fields.get("text", b""), written["date"])
        except LeadlineError as error:
            text = fields.get("text", b"").decode("utf-8", "replace")
            shown = _empty(opened, written["index"], "", "", k, written["system"]) | {
                "error": error_line(error),
                "text": text,
            }
            return pages.page(TEMPLATE, visitor, 400, **shown)
        values = {
            "index": written["index"],
            "pasted": key,
            "k": k if k != K else None,
            "system": written["system"][:100],
        }
        return RedirectResponse(link("/prior-art", values), 303)

    @app.post("/api/prior-art", tags=["pages"], summary="Keep a patent given as `text`, with its `date`; gives its key",
              openapi_extra=PATENT)  # fmt: skip
    async def keep(request: Request) -> dict[str, str]:
        pages.visitor_with_role(request, *ROLES)
        content = await pages.written_json(request)
        text, date = content.get("text"), content.get("date", "")
        if not isinstance(text, str) or not isinstance(date, str):
            raise HTTPException(400, "text and date must be texts.")
        try:
            return {"pasted": await run_in_threadpool(searches.keep, text.encode(), date)}
        except LeadlineError as error:
            raise HTTPException(400, error_line(error)) from None
