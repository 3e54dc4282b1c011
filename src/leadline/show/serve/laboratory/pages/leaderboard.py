"""Leaderboard: every run under some judgements, who leads, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple
from typing import Any

from leadline.measures.intervals import interval
from leadline.records.scores.table import Table
from leadline.retrieval.engines.timing import QueryTiming, asked_at_once, timing_of
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import decimal
from leadline.show.lab.boards import Board, Boards
from leadline.show.lab.contrasts import clearest_miss
from leadline.show.lab.kept import Kept, file_version
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.standings import standing_of, verdicts_of
from leadline.show.lab.stored_results import ResultState, StoredResults
from leadline.show.serve.laboratory.asked import Word, choices, chosen_board
from leadline.show.serve.laboratory.views import Shown
from leadline.trust.verdict import Verdicts, outcome

MOST_KEPT = 12  # boards whose tables are in memory
TOP = 20  # first documents among which the judged ones are counted


def leaderboard_view(boards: Boards, results: StoredResults) -> Callable[..., Shown]:
    """The view of the leaderboard."""
    kept: Kept[Shown] = Kept(MOST_KEPT)

    def leaderboard(qrels: Word = "", measure: Word = "", effort: Word = "", new: Word = "") -> Shown:
        """Every run under the judgements `qrels`: score, interval, judged share, letters, verdict, times and cost."""
        if not boards.lab.entries("qrels"):
            return {"qrels": "", "sentence": "", "working": False}
        board = chosen_board(boards, qrels, measure, effort)
        answer = standing_of(board, results)
        manifests = file_version(boards.lab.folder / KINDS["run"].folder)  # the folder: of what is beside the runs
        state = (answer.result is None, answer.done, answer.error)
        of = (board.entry.path, board.measure.text, str(board.first), board.versions, tuple(board.others.items()))
        key = (*of, manifests, state)
        shown = kept.get(key, lambda: {**leading(board, answer), **_tables(board, answer)})
        note = board.unscored_topics(new) if any(run.name == new for run in board.runs) else ""
        return {**shown, "choices": choices(boards, board), "new": new, "new_note": note}

    return leaderboard


def leading(board: Board, answer: ResultState) -> Shown:
    """Who leads and how sure that is, in words; for the leaderboard and for the first page."""
    evidence, found = board.evidence, verdicts_of(answer)
    shown: Shown = {
        "qrels": board.entry.name, "measure": board.measure.text, "outcome": "", "sentence": _no_run(board),
        "definitions": "", "samples": 0, "why": str(board.first),
        "working": answer.is_working, "progress": answer.said() if answer.result is None else "", "reasons": [],
        "leader": "", "rival": "", "miss": None,
        "counted": evidence.counted() if evidence else "",
    }  # fmt: skip
    if evidence is None:
        return shown
    leader, rival = evidence.leader, evidence.challenger or ""
    miss = clearest_miss(evidence)
    shown |= {"leader": leader, "rival": rival, "miss": None if miss is None else vars(miss)}
    if found is not None:
        shown |= {
            "outcome": outcome(found),
            "sentence": found.headline(),
            "reasons": found.closest_reasons(),
            "definitions": found.definitions(),
            "samples": found.samples,
        }
        return shown
    score = decimal(float(evidence.means[evidence.place(leader)]))
    first = f"The first by {board.measure.text} is {leader} with {score}"
    if answer.is_working:
        shown["sentence"] = f"{first}; whether it can be told from the others is being computed."
    else:
        few = "There is only one run" if not rival else "Too few topics have a value for every run"
        shown["sentence"] = f"{first}. {few}: nothing can be compared."
    return shown


def _no_run(board: Board) -> str:
    return "" if board.runs else f"No run shares topics with the judgements {board.entry.name}."


def _tables(board: Board, answer: ResultState) -> Shown:
    evidence = board.evidence
    others = Table(["run", "why"], [[name, why] for name, why in board.others.items()])
    judged = f"judged@{min(TOP, board.measure.cutoff or TOP)}"
    columns = [
        "place", "run", "score", "low", "high", judged, "letters", "verdict", "against", "criterion", "median_seconds",
        "p99_seconds", "per_second", "cost", "at_once",
    ]  # fmt: skip
    if evidence is None:
        empty: Shown = {"runs": Table(columns, []), "others": others, "notes": [], "timed": [], "scale": {}}
        return empty | {"beside": ""}
    rows = _rows(board, evidence, judged, verdicts_of(answer), (answer.result or {}).get("letters", {}))
    best = {(row, 2) for row in range(len(rows)) if rows[row][2] == rows[0][2]}
    timed = [name for place, name in enumerate(columns) if place >= 10 and any(row[place] is not None for row in rows)]
    low = min((row[3] for row in rows if row[3] == row[3]), default=0.0)
    span = max((row[4] for row in rows if row[4] == row[4]), default=0.0) - low
    return {
        "runs": Table(columns, rows, best=best), "others": others, "notes": list(evidence.study.notes), "timed": timed,
        "scale": {"low": low, "span": span}, "beside": asked_at_once(_timings(board, evidence)),
    }  # fmt: skip


def _timings(board: Board, evidence: Evidence) -> dict[str, QueryTiming]:
    """What queries took and cost, of runs whose manifest says so, best first."""
    entries = {entry.name: entry for entry in board.runs}
    read = {run: timing_of(entries[run].made_from().get("timing")) for run in evidence.order}
    return {run: timing for run, timing in read.items() if timing is not None}


def _rows(
    board: Board, evidence: Evidence, judged: str, found: Verdicts | None, letters: Mapping[str, str]
) -> list[list[Any]]:
    means, widths = evidence.main.mean_values()[:, 0], evidence.main.half_widths()[:, 0]
    shares = evidence.scores(judged).mean_values()[:, 0]
    against = {each.other: each for each in found.verdicts} if found else {}
    timings = _timings(board, evidence)
    rows = []
    for place, run in enumerate(evidence.order, start=1):
        r = evidence.place(run)
        mean = float(means[r])
        low, high = interval(board.measure, mean, float(widths[r]))
        # The leader is compared with its nearest rival, every other run with the leader.
        verdict = found.verdicts[0] if found and run == found.leader else against.get(run)
        other = "" if verdict is None else verdict.other if run == verdict.leader else verdict.leader
        took = astuple(timings[run]) if run in timings else [None] * 5
        rows.append([
            place, run, mean, low, high, float(shares[r]), letters.get(run, ""), verdict.word if verdict else "",
            other, verdict.criterion if verdict else "", *took,
        ])  # fmt: skip
    return rows
