"""Trust: what the measure can tell apart, whether fewer judgements would do, and whose judgements matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import Response

from leadline.records.scores.table import Table
from leadline.show.figures.formatting import both, count, decimal
from leadline.show.lab.boards import Board, Boards
from leadline.show.lab.standings import standing_of, verdicts_of
from leadline.show.lab.stored_results import ResultState, StoredResults
from leadline.show.lab.trust_studies import DRAWINGS, STUDIES, study_of
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.asked import Word, choices, chosen_board
from leadline.show.serve.laboratory.views import ROLES, Shown
from leadline.trust.verdict import Verdicts

FEWEST_RUNS = 2
FIGURES = ("incomplete", "power")
SAME, ANOTHER = 0.9, 0.8  # Kendall's tau from which two orders are as good as the same, and below which they are not


def trust_view(boards: Boards, results: StoredResults) -> Callable[..., Shown]:
    """The view of whether scores can be believed."""

    def trust(qrels: Word = "", measure: Word = "", effort: Word = "") -> Shown:
        """Discriminative power, missing judgements, and each run left out of the pool."""
        empty: Shown = {"few": "", "qrels": "", "working": False}
        if not boards.lab.entries("qrels"):
            return empty | {"few": "There are no judgements in the lab."}
        board = chosen_board(boards, qrels, measure, effort)
        empty |= {"qrels": board.entry.name, "measure": board.measure.text, "choices": choices(boards, board)}
        if len(board.runs) < FEWEST_RUNS:
            return empty | {"few": "Two runs that share topics with the judgements are needed."}
        found = _studies(board, results)
        standing = standing_of(board, results, patience=0.01)
        left = found["leftout"].result
        rows = left["rows"] if left else []
        columns = left["columns"] if left else ["measure", "without", "relevant_lost", "tau"]
        return {
            **empty, "working": any(each.is_working for each in (standing, *found.values())),
            "sentence": _answer(board, verdicts_of(standing), found["incomplete"].result),
            "progress": {name: each.said() for name, each in found.items() if each.result is None},
            "figures": {name: _words(found[name]) for name in FIGURES if found[name].result},
            "left_out": Table(columns, sorted(rows, key=lambda row: (row[3] is None, row[3]))),
            **{name: _table(found[name].result) for name in FIGURES if found[name].result},
        }  # fmt: skip

    return trust


def add_trust_figures(app: FastAPI, pages: Pages, boards: Boards, results: StoredResults) -> None:
    """Add the address of the drawings of the page."""

    def may_see(request: Request) -> None:
        pages.visitor_with_role(request, *ROLES)

    @app.get("/trust/figure.svg", dependencies=[Depends(may_see)], include_in_schema=False)
    def drawing(
        figure: Word, qrels: Word = "", measure: Word = "", theme: Word = "light", width: Word = "wide"
    ) -> Response:
        board = chosen_board(boards, qrels, measure)
        if figure not in FIGURES or (theme, width) not in DRAWINGS or len(board.runs) < FEWEST_RUNS:
            raise HTTPException(404, f"There is no such figure: choose one of {', '.join(FIGURES)}.")
        found = study_of(board, figure, results, patience=0.5).result
        if not found or not found["drawn"]:
            raise HTTPException(404, "The figure is being computed.")
        headers = {"cache-control": "private, max-age=3600"}
        return Response(found["drawn"][f"{theme}-{width}"], media_type="image/svg+xml", headers=headers)


def _studies(board: Board, results: StoredResults) -> dict[str, ResultState]:
    """All studies; only the first of those that are missing is waited for."""
    found: dict[str, ResultState] = {}
    for name in STUDIES:
        waits = not any(each.is_working for each in found.values())
        found[name] = study_of(board, name, results, patience=1.0 if waits else 0.01)
    return found


def _answer(board: Board, found: Verdicts | None, incomplete: Mapping[str, Any] | None) -> str:
    """Whether the scores can be believed, from what is computed so far; empty where that is nothing."""
    return " ".join(filter(None, (_kept_order(board, incomplete), _verdicts(found))))


def _kept_order(board: Board, incomplete: Mapping[str, Any] | None) -> str:
    """How well the order is kept with the share of judgements that is nearest to a half."""
    rows = [row for row in (incomplete or {}).get("rows", ()) if row["measure"] == board.measure.text]
    fewer = [row for row in rows if row["keep"] < 1]
    if not fewer:
        return ""
    row = min(fewer, key=lambda each: (abs(each["keep"] - 0.5), each["keep"]))
    tau = row["mean"]
    kept = "nearly the same" if tau >= SAME else "similar" if tau >= ANOTHER else "not the same"
    taus = f"τ {decimal(tau, 2)} on average, {decimal(row['lowest'], 2)} at the lowest"
    return (
        f"With {100 * row['known']:.0f} % of the relevant documents, the order of the {count(len(board.runs), 'run')} "
        f"by {board.measure.text} is {kept} ({taus})."
    )


def _verdicts(found: Verdicts | None) -> str:
    """The leader, and how many runs it is firmly ahead of."""
    if found is None:
        return ""
    words = [f"{word} against {found.count(word)}" for word in ("firm", "fragile", "undecided") if found.count(word)]
    return f"{found.leader} is first by {found.measure}: its lead is {both(words)}."


def _words(answer: ResultState) -> dict[str, Any]:
    result = answer.result or {}
    return {"title": result["title"], "reading": result["reading"], "source": result["source"],
            "is_drawn": bool(result["drawn"])}  # fmt: skip


def _table(result: Mapping[str, Any] | None) -> Table:
    rows = result["rows"] if result else []
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return Table(columns, [[row.get(name) for name in columns] for row in rows])
