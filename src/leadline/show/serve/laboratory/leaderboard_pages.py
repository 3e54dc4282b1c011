"""Home, leaderboard, run, trust and reports: who leads, how sure that is, and whether it can be believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Any

import numpy as np
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from leadline.errors import InputError, LeadlineError, without_places
from leadline.records.result import Table, counted
from leadline.retrieval.engines.engine import QueryTiming, asked_at_once, in_words, timing_of
from leadline.show.charts import count, decimal
from leadline.show.lab.boards import Board, Boards, clearest_miss
from leadline.show.lab.jobs import Jobs
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Kept, Lab, file_version, viewer
from leadline.show.lab.lab_store import AuditLog
from leadline.show.lab.opened import Needs
from leadline.show.lab.stored_results import (
    DRAWINGS,
    FIRST,
    PATIENCE,
    STUDIES,
    ResultState,
    StoredResults,
    standing_of,
    study_of,
)
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import headline, with_times
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.views import ROLES, Shown, Word, add_view, choices, chosen_board, refused, sentence
from leadline.text.files import json_text
from leadline.trust.no_verdict import why_no_verdict
from leadline.trust.pairs import Standing
from leadline.trust.rankings import places, sign

MOST_KEPT = 12  # boards whose tables are in memory
TOP = 20  # first documents among which the judged ones are counted
MOST_SHOWN, FEW = 25, 5  # rows of the page; a few more are shown at once
MOST_MEASURES = 5  # beside the one that decides


def leaderboard_view(boards: Boards, results: StoredResults) -> Callable[..., Shown]:
    """The view of the leaderboard."""
    kept: Kept[Shown] = Kept(MOST_KEPT)

    def leaderboard(
        qrels: Word = "",
        measure: Word = "",
        effort: Word = "",
        new: Word = "",
        also: Word = "",
        find: Word = "",
        pins: Word = "",
        shown: Word = "",
    ) -> Shown:
        """Every run under the judgements `qrels`: score, interval, judged share, letters, verdict, times and cost.

        `also` are other measures, `pins` runs that stay on top; the page shows the runs with `find` in their names.
        """
        if not boards.lab.entries("qrels"):
            return {"qrels": "", "sentence": "", "working": False}
        board = chosen_board(boards, qrels, measure, effort)
        standing, answer = standing_of(board, results)
        manifests = file_version(boards.lab.folder / KINDS["run"].folder)  # the folder: of what is beside the runs
        state = (standing is None, answer.done, answer.error)
        of = (board.entry.path, board.measure.text, str(board.first), board.versions, tuple(board.others.items()))
        key = (*of, manifests, state)
        found = kept.get(key, lambda: {**leading(board, standing, answer), **_tables(board, standing)})
        note = board.unscored_topics(new) if any(run.name == new for run in board.runs) else ""
        asked = {"qrels": board.entry.name, "measure": board.measure.text, "also": also, "find": find, "pins": pins}
        return {
            **found,
            **_selected(found["runs"], find, pins.split(), [board.baseline, new], shown),
            "choices": choices(boards, board),
            "new": new,
            "new_note": note,
            "baseline": board.baseline,
            "asked": {**asked, "shown": shown},
            "measures": _further(boards, board, also),
        }

    return leaderboard


def _selected(runs: Table, find: str, pins: Sequence[str], always: Sequence[str], shown: str) -> Shown:
    """Which rows of the leaderboard its page shows: pinned ones, then the first with `find` in their names."""
    names = [str(row[1]) for row in runs.rows]
    on_top = [place for place, name in enumerate(names) if name in pins]
    fitting = [place for place, name in enumerate(names) if find.lower() in name.lower()]
    first = fitting if shown == "all" or len(fitting) <= MOST_SHOWN + FEW else fitting[:MOST_SHOWN]
    kept = [place for place in fitting if place not in set(first) and names[place] in always]
    return {
        "pinned": on_top,
        "visible": [place for place in [*first, *kept] if place not in set(on_top)],
        "fitting": len(fitting),
        "hidden": len(fitting) - len(first) - len(kept),
    }


def _further(boards: Boards, board: Board, also: str) -> Table:
    """The means of all runs by other measures; those that do not exist are answered with their nearest names."""
    wanted = list(dict.fromkeys(also.replace(",", " ").split()))
    if len(wanted) > MOST_MEASURES:
        raise HTTPException(400, f"At most {MOST_MEASURES} further measures, got {len(wanted)}.")
    names, columns = [run.name for run in board.runs], []
    for text in wanted:
        other = chosen_board(boards, board.entry.name, text).evidence
        means = {} if other is None else {run: float(other.means[other.place(run)]) for run in other.runs}
        columns.append([means.get(name) for name in names])
    rows = [list(row) for row in zip(names, *columns, strict=True)]
    return Table(["run", *wanted], rows)


def leading(board: Board, standing: Standing | None, answer: ResultState) -> Shown:
    """Who leads and how sure that is, in words; for the leaderboard and for the first page."""
    evidence = board.evidence
    shown: Shown = {
        "qrels": board.entry.name,
        "measure": board.measure.text,
        "outcome": "",
        "sentence": _no_run(board),
        "definitions": "",
        "samples": 0,
        "why": str(board.first),
        "working": standing is None and answer.is_working,
        "progress": answer.said() if answer.result is None else "",
        "reasons": [],
        "leader": "",
        "rival": "",
        "miss": None,
        "counted": evidence.counted() if evidence else "",
    }
    if evidence is None:
        return shown
    miss = clearest_miss(evidence)
    shown |= {
        "leader": evidence.leader,
        "rival": evidence.challenger or "",
        "miss": None if miss is None else vars(miss),
        "sentence": f"{_first(board, evidence)}; whether it can be told from the others is being computed.",
    }
    if standing is None:
        return shown if shown["working"] else shown | {"sentence": f"{_first(board, evidence)}."}
    if not standing.verdicts:
        return shown | {"sentence": _nothing_compared(board, evidence, standing)}
    return shown | {
        "outcome": standing.outcome(),
        "sentence": standing.headline(),
        "reasons": standing.closest_reasons(),
        "definitions": standing.definitions(),
        "samples": standing.samples,
    }


def _first(board: Board, evidence: Evidence) -> str:
    score = decimal(float(evidence.means[evidence.place(evidence.leader)]), among=evidence.means.tolist())
    return f"The first by {board.measure.text} is {evidence.leader} with {score}"


def _nothing_compared(board: Board, evidence: Evidence, standing: Standing) -> str:
    """Why there is no verdict; who is first is not said where a measure of effort puts nobody first."""
    if why_no_verdict(evidence.main, board.measure.text):
        return standing.no_verdict
    return f"{_first(board, evidence)}. {standing.no_verdict}"


def _no_run(board: Board) -> str:
    return "" if board.runs else f"No run shares topics with the judgements {board.entry.name}."


def _tables(board: Board, standing: Standing | None) -> Shown:
    evidence = board.evidence
    others = Table(["run", "why"], [[name, why] for name, why in board.others.items()])
    judged = f"judged@{min(TOP, board.measure.cutoff or TOP)}"
    columns = [
        "place", "run", "score", "low", "high", judged, "letters", "verdict", "against", "criterion", "median_seconds",
        "p99_seconds", "per_second", "cost", "at_once", "p_corrected",
    ]  # fmt: skip
    if evidence is None:
        empty: Shown = {"runs": Table(columns, []), "others": others, "notes": [], "timed": [], "scale": {}}
        return empty | {"beside": ""}
    rows = _rows(board, evidence, judged, standing)
    decides = not why_no_verdict(evidence.main, board.measure.text)
    best = {(row, 2) for row in range(len(rows)) if decides and rows[row][2] == rows[0][2]}
    timed = [columns[place] for place in range(10, 15) if any(row[place] is not None for row in rows)]
    low = min((row[3] for row in rows if row[3] == row[3]), default=0.0)
    span = max((row[4] for row in rows if row[4] == row[4]), default=0.0) - low
    return {
        "runs": Table(columns, rows, best=best, alike=[columns[2:5]]),
        "others": others,
        "notes": list(dict.fromkeys((*evidence.study.notes, *(standing.notes if standing else ())))),
        "timed": timed,
        "scale": {"low": low, "span": span},
        "beside": asked_at_once(_timings(board, evidence)),
    }


def _timings(board: Board, evidence: Evidence) -> dict[str, QueryTiming]:
    """What queries took and cost, of runs whose manifest says so, best first."""
    entries = {entry.name: entry for entry in board.runs}
    read = {run: timing_of(entries[run].made_from().get("timing")) for run in evidence.order}
    return {run: timing for run, timing in read.items() if timing is not None}


def _rows(board: Board, evidence: Evidence, judged: str, standing: Standing | None) -> list[list[Any]]:
    shares = evidence.scores(judged).mean_values()[:, 0]
    unknown = np.full(len(evidence.runs), np.nan)  # until it is computed
    low, high = (standing.pairs.low_means, standing.pairs.high_means) if standing else (unknown, unknown)
    means = standing.pairs.means if standing else evidence.means
    timings = _timings(board, evidence)
    rows = []
    for place, run in enumerate(evidence.order, start=1):
        r = evidence.place(run)
        # The leader is compared with its nearest rival, every other run with the leader.
        verdict = (standing.against(run) or standing.nearest) if standing else None
        other = "" if verdict is None else verdict.other if run == verdict.leader else verdict.leader
        took = astuple(timings[run]) if run in timings else [None] * 5
        rows.append(
            [
                place,
                run,
                float(means[r]),
                float(low[r]),
                float(high[r]),
                float(shares[r]),
                standing.letters.get(run, "") if standing else "",
                verdict.word if verdict else "",
                other,
                verdict.criterion if verdict else "",
                *took,
                verdict.p_corrected if verdict else None,
            ]
        )
    return rows


# Run: where one run came from, how it was made, and its scores by topic.


_STATES = {
    "sound": "as it was added",
    "changed": "changed since it was added",
    "missing": "the file is gone",
    "found": "found in the folder of runs, not added",
}


def run_view(boards: Boards, needs: Needs) -> Callable[..., Shown]:
    """The view of one run."""

    def run(name: str, qrels: Word = "", measure: Word = "", effort: Word = "") -> Shown:
        """Where a run came from, its manifest and hash, and its scores by topic under the judgements `qrels`."""
        with refused(404):
            entry = boards.lab.get("run", name)
        made = without_places(entry.made_from())
        shown: Shown = {
            "run": entry.name,
            "added": entry.added,
            "origin": without_places(entry.origin),
            "sha256": entry.sha256,
            "state": _STATES[entry.state],
            "file": entry.path.name,
            "manifest": made,
            "manifest_text": json_text(made, indent=2) if made else "",
            "timing": in_words(timing_of(made.get("timing"))),
            "qrels": "",
            "why_not": "",
            "topics": Table(["topic", "title", "score", "place", "relevant"], []),
        }
        if not boards.lab.entries("qrels"):
            return shown | {"why_not": "There are no judgements in the lab."}
        board = chosen_board(boards, qrels, measure, effort)
        shown |= {"qrels": board.entry.name, "measure": board.measure.text, "choices": choices(boards, board)}
        evidence = board.evidence
        if evidence is None or entry.name in board.others:
            return shown | {"why_not": board.others.get(entry.name, "")}
        values = evidence.main.values[:, :, 0]
        better = sign(evidence.measure.definition.better)
        placed = places(np.nan_to_num(better * values, nan=-np.inf).T)  # topic × run
        r = evidence.place(entry.name)
        rows = []
        for t in np.flatnonzero(np.isfinite(values[r])).tolist():
            need = needs.topic(evidence.topics[t])
            rows.append(
                [
                    evidence.topics[t],
                    need.title if need else "",
                    float(values[r, t]),
                    int(placed[t, r]),
                    int(evidence.relevant[t]),
                ]
            )
        place = evidence.order.index(entry.name) + 1
        columns = ["topic", "title", "score", "place", "relevant"]
        return shown | {
            "place": place,
            "of": len(evidence.runs),
            "score": float(evidence.main.mean_values()[r, 0]),
            "topics": Table(columns, rows),
        }

    return run


# Trust: what the measure can tell apart, whether fewer judgements would do, and whose judgements matter.


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
        standing, answer = standing_of(board, results, patience=0.01)
        left = found["leftout"].result
        rows = left["rows"] if left else []
        columns = left["columns"] if left else ["measure", "without", "relevant_lost", "tau"]
        return {
            **empty,
            "working": any(each.is_working for each in found.values()) or (standing is None and answer.is_working),
            "sentence": _answer(board, standing, found["incomplete"].result),
            "progress": {name: each.said() for name, each in found.items() if each.result is None},
            "figures": {name: figure_words(found[name]) for name in FIGURES if found[name].result},
            "left_out": Table(columns, sorted(rows, key=lambda row: (row[3] is None, row[3]))),
            **{name: _table(found[name].result) for name in FIGURES if found[name].result},
        }

    return trust


def add_figures(app: FastAPI, pages: Pages, boards: Boards, results: StoredResults) -> None:
    """Add the address of the drawings of this page and of the first one."""
    known = (*FIGURES, *FIRST)

    def may_see(request: Request) -> None:
        pages.visitor_with_role(request, *ROLES)

    @app.get("/figure.svg", dependencies=[Depends(may_see)], include_in_schema=False)
    def drawing(
        figure: Word, qrels: Word = "", measure: Word = "", theme: Word = "light", width: Word = "wide"
    ) -> Response:
        board = chosen_board(boards, qrels, measure)
        fewest = FEWEST_RUNS if figure in FIGURES else 1
        if figure not in known or (theme, width) not in DRAWINGS or len(board.runs) < fewest:
            raise HTTPException(404, f"There is no such figure: choose one of {', '.join(known)}.")
        found = study_of(board, figure, results, patience=0.5).result
        if not found or not found["drawn"]:
            raise HTTPException(404, "The figure is being computed.")
        headers = {"cache-control": "private, no-cache"}  # of the same address, once runs are added
        return Response(found["drawn"][f"{theme}-{width}"], media_type="image/svg+xml", headers=headers)


def _studies(board: Board, results: StoredResults) -> dict[str, ResultState]:
    """All studies; only the first of those that are missing is waited for."""
    found: dict[str, ResultState] = {}
    for name in STUDIES:
        waits = not any(each.is_working for each in found.values())
        found[name] = study_of(board, name, results, patience=PATIENCE if waits else 0.01)
    return found


def _answer(board: Board, standing: Standing | None, incomplete: Mapping[str, Any] | None) -> str:
    """Whether the scores can be believed, from what is computed so far; empty where that is nothing."""
    return " ".join(filter(None, (_kept_order(board, incomplete), standing.finding() if standing else "")))


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


def figure_words(answer: ResultState) -> dict[str, Any]:
    result = answer.result or {}
    return {
        "title": result["title"],
        "reading": result["reading"],
        "source": result["source"],
        "is_drawn": bool(result["drawn"]),
    }


def _table(result: Mapping[str, Any] | None) -> Table:
    rows = result["rows"] if result else []
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return Table(columns, [[row.get(name) for name in columns] for row in rows])


# Reports: the pages that `leadline report` wrote, listed and shown as they are, shut off from the application.


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
        return {"reports": Table(["report", "added", "by"], rows), "folder": lab.name}

    return reports


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
    lab, jobs = boards.lab, Jobs(boards.lab)

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
            "waits": _what_waits(lab, jobs),
        }

    return home


def _what_waits(lab: Lab, jobs: Jobs) -> list[dict[str, str]]:
    """What the organiser has to look at: jobs that run or failed, pools with unjudged documents, damaged runs."""
    who = viewer()
    if who is None or not who.sees_everything:
        return []
    found, asked = [], jobs.all()
    if running := [job for job in asked if not job.has_ended]:
        found.append({"words": f"{counted(len(running), 'job')} not done yet: {running[-1].what}", "address": "/jobs"})
    newest = next(iter(asked), None)
    if newest is not None and newest.state in ("failed", "stopped"):
        said = f"The last job failed: {newest.what}. {without_places(newest.problem)}"
        found.append({"words": said, "address": f"/job/{newest.id}"})
    for kind, words in (("pool", "judge"), ("review", "read")):
        entries = lab.entries(kind)
        if entries:
            what = counted(len(entries), kind)
            found.append(
                {"words": f"{what} to {words}: how far people are", "address": f"/{words if kind == 'pool' else kind}"}
            )
    return found


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
        found = study_of(board, name, results, patience=0.01 if shown["working"] else PATIENCE)
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
