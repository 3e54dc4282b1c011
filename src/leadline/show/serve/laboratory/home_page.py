"""Home: the report's first screen for the runs of the lab, what is in the lab, and the one thing to do first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.errors import InputError, LeadlineError, without_places
from leadline.records.result import Table
from leadline.show.lab.audit import AuditLog
from leadline.show.lab.boards import Board, Boards
from leadline.show.lab.lab import KINDS
from leadline.show.lab.stored_results import FIRST, StoredResults, standing_of, study_of
from leadline.show.report.page import headline, with_times
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.leaderboard_pages import figure_words, leading
from leadline.show.serve.laboratory.views import Shown, add_view, sentence

ORGANISER = ("organiser",)


def add_home(app: FastAPI, pages: Pages, boards: Boards, results: StoredResults, audit: AuditLog) -> None:
    """Add the first page, and the form that says which system is used today."""
    add_view(app, pages, "/", "home.html", home_view(boards, results))

    async def form_of(request: Request) -> dict[str, str]:
        pages.visitor_with_role(request, *ORGANISER)
        return await pages.written_form(request)

    written = Depends(form_of)

    @app.post("/baseline", include_in_schema=False)
    def baseline(request: Request, form: dict[str, str] = written) -> Response:
        found = pages.visitor_with_role(request, *ORGANISER)
        run = form.get("baseline", "")
        try:
            boards.lab.set_baseline(run)
        except InputError as error:
            raise HTTPException(400, sentence(error)) from None
        did = f"said that {run} is the system used today" if run else "said that no run is of the system used today"
        audit.add(found.name, found.person.role, did)
        return RedirectResponse("/", 303)


def home_view(boards: Boards, results: StoredResults) -> Callable[[], Shown]:
    """The view of the first page."""
    lab = boards.lab

    def home() -> Shown:
        """Who leads and how sure that is, recall against effort, what is in the lab, and what to do first."""
        entries = lab.entries()
        counts = {kind: sum(entry.kind == kind for entry in entries) for kind in KINDS}
        rows = [[entry.kind, entry.name, entry.added[:10], without_places(entry.origin)] for entry in entries]
        return {
            "leads": _leads(boards, results) if counts["qrels"] and counts["run"] else None,
            "first": _to_do_first(counts),
            "qrels": [entry.name for entry in entries if entry.kind == "qrels"],
            "counts": counts,
            "kinds": {kind.name: kind.title for kind in KINDS.values()},
            "entries": Table(["kind", "name", "added", "from"], rows),
            "next": next_steps(counts, lab.name),
        }

    return home


def _leads(boards: Boards, results: StoredResults) -> Shown | None:
    """The first screen under the first judgements; None where no run fits any."""
    try:
        board = boards.board()
        return _first_screen(board, results) if board.runs else None
    except LeadlineError:  # a damaged file: the leaderboard says which
        return None


def _first_screen(board: Board, results: StoredResults) -> Shown:
    standing, answer = standing_of(board, results)
    shown = leading(board, standing, answer)
    evidence = board.evidence
    if evidence is None or standing is None:
        return shown | {"screen": None, "figures": {}, "baseline": board.baseline, "runs": []}
    said = headline(evidence)
    figures: dict[str, Any] = {}
    for name in FIRST:
        found = study_of(board, name, results, patience=1.0)
        if found.result:
            figures[name] = figure_words(found)
        shown["working"] = shown["working"] or found.is_working
    return shown | {
        "screen": {**asdict(said), "reading": with_times(said)},
        "figures": figures,
        "baseline": board.baseline,
        "runs": list(evidence.order),
    }


def _to_do_first(counts: dict[str, int]) -> str:
    """The kind of file that a lab needs first before anything can be said; empty where it has them.

    >>> _to_do_first({"qrels": 0, "run": 3}), _to_do_first({"qrels": 1, "run": 0}), _to_do_first({"qrels": 1, "run": 1})
    ('qrels', 'run', '')
    """
    return next((kind for kind in ("qrels", "run") if not counts[kind]), "")


def next_steps(counts: dict[str, int], folder: str) -> list[str]:
    """What else would be of use, and the command for it.

    >>> next_steps({"collection": 1, "index": 0}, "lab")
    ['To search, index the collection: `leadline index COLLECTION -o lab/indexes/words`.']
    """
    if not counts["collection"] and not counts["index"]:
        return [f"To search, add a collection and its index: `leadline lab add {folder} COLLECTION INDEX`."]
    if not counts["index"]:
        return [f"To search, index the collection: `leadline index COLLECTION -o {folder}/indexes/words`."]
    return []
