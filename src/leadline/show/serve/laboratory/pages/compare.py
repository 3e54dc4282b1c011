"""Compare: two runs, topic by topic, and their rankings of one topic side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np
from fastapi import HTTPException
from markupsafe import Markup

from leadline.errors import nearest, visible
from leadline.measures.hits import Array
from leadline.records.scores.table import Table
from leadline.show.figures.evidence import Evidence
from leadline.show.lab.boards import Board, Boards
from leadline.show.lab.contrasts import documents_of, lead_by_topic
from leadline.show.lab.documents import LabDocuments
from leadline.show.lab.needs import Needs
from leadline.show.lab.standings import pair_verdict, verdicts_of
from leadline.show.lab.stored_results import ResultState, StoredResults
from leadline.show.serve.laboratory.asked import Word, choices, chosen_board, refused
from leadline.show.serve.laboratory.difference_figure import difference_figure
from leadline.show.serve.laboratory.views import Shown
from leadline.trust.verdict import EQUAL, Verdicts, finding

DEPTH, DEEPEST = 20, 200  # documents of a ranking that are shown


def compare_view(boards: Boards, results: StoredResults, documents: LabDocuments, needs: Needs) -> Callable[..., Shown]:
    """The view of two runs."""

    def compare(
        a: Word = "", b: Word = "", qrels: Word = "", measure: Word = "", effort: Word = "", topic: Word = "",
        depth: Word = "",
    ) -> Shown:  # fmt: skip
        """Runs `a` and `b` under the judgements `qrels`: topics won and lost, verdict, their rankings of `topic`."""
        if not boards.lab.entries("qrels"):
            return {"qrels": "", "few": "There are no judgements in the lab."}
        board = chosen_board(boards, qrels, measure, effort)
        evidence = board.evidence
        if evidence is None or len(evidence.runs) < 2:
            return {"qrels": board.entry.name, "few": "Two runs that share topics with the judgements are needed."}
        first, second = _pair(board, evidence, a, b)
        lead = lead_by_topic(evidence, first, second)
        order = sorted(np.flatnonzero(np.isfinite(lead)).tolist(), key=lambda t: (-abs(lead[t]), t))
        chosen = _chosen_topic(evidence, topic, order)
        asked = {"a": first, "b": second, "qrels": board.entry.name, "measure": board.measure.text}
        answer = pair_verdict(board, first, second, results)
        return {
            **asked, "few": "", "runs": list(evidence.order), "choices": choices(boards, board), "topic": chosen,
            **_outcome(answer, verdicts_of(answer), first, second),
            **_counts(lead), "working": answer.is_working,
            "figure": _figure(evidence, lead, asked, chosen), "link": urlencode(asked),
            "topics": _topics(evidence, needs, first, second, lead, order),
            **_rankings(boards, board, documents, needs, first, second, chosen, _depth(depth)),
        }  # fmt: skip

    return compare


def _pair(board: Board, evidence: Evidence, a: str, b: str) -> tuple[str, str]:
    """The two runs: those asked for, else the first two."""
    for run in filter(None, (a, b)):
        with refused(404):
            board.place(run)
    first = a or next(run for run in evidence.order if run != b)
    second = b or next(run for run in evidence.order if run != first)
    if first == second:
        raise HTTPException(400, f"Both are {visible(first)}: choose two different runs.")
    return first, second


def _chosen_topic(evidence: Evidence, asked: str, order: Sequence[int]) -> str:
    if not asked:
        return evidence.topics[order[0]] if order else evidence.topics[0]
    if asked not in evidence.topics:
        near = nearest(asked, evidence.topics)
        raise HTTPException(404, f"{visible(asked)} is not a topic of these judgements{near}")
    return asked


def _depth(written: str) -> int:
    if not written:
        return DEPTH
    if not (written.isascii() and written.isdigit() and 1 <= int(written) <= DEEPEST):
        raise HTTPException(400, f"depth must be a whole number from 1 to {DEEPEST}, got {visible(written)!r}.")
    return int(written)


def _outcome(answer: ResultState, found: Verdicts | None, first: str, second: str) -> Shown:
    """The verdict on the two in words and numbers, seen from the first."""
    if found is None:
        said = answer.error or ("Too few topics have a value for both." if answer.result else "")
        return {"sentence": said, "verdict": "", "criterion": "", "reasons": [], "numbers": {},
                "progress": answer.said() if answer.is_working else ""}  # fmt: skip
    (verdict,) = found.verdicts
    turn = 1 if verdict.leader == first else -1
    low, high = sorted((turn * verdict.low, turn * verdict.high))
    numbers = {"difference": turn * verdict.difference, "low": low, "high": high, "p": verdict.p, "alpha": found.alpha}
    return {"sentence": finding(found), "verdict": verdict.word, "criterion": verdict.criterion, "progress": "",
            "reasons": list(verdict.reasons), "numbers": numbers}  # fmt: skip


def _counts(lead: Array) -> Shown:
    defined = lead[np.isfinite(lead)]
    won, lost = int((defined > EQUAL).sum()), int((defined < -EQUAL).sum())
    return {"won": won, "lost": lost, "tied": len(defined) - won - lost}


def _figure(evidence: Evidence, lead: Array, asked: dict[str, str], chosen: str) -> Markup:
    sorted_places = sorted(np.flatnonzero(np.isfinite(lead)).tolist(), key=lambda t: -lead[t])
    bars = [
        (evidence.topics[t], float(lead[t]) if abs(lead[t]) > EQUAL else 0.0,
         f"/compare?{urlencode({**asked, 'topic': evidence.topics[t]}, errors='replace')}#rankings")
        for t in sorted_places
    ]  # fmt: skip
    counts = _counts(lead)
    words = (
        f"{asked['a']} is ahead of {asked['b']} on {counts['won']} topics, behind on {counts['lost']}, "
        f"level on {counts['tied']}; the table below has the numbers."
    )
    return Markup("").join(
        Markup(difference_figure(bars, asked["a"], asked["b"], words, chosen, narrow=narrow))
        for narrow in (False, True)
    )


def _topics(evidence: Evidence, needs: Needs, first: str, second: str, lead: Array, order: Sequence[int]) -> Table:
    values = evidence.main.values[:, :, 0]
    a, b = evidence.place(first), evidence.place(second)
    rows: list[list[Any]] = []
    for t in order:
        need = needs.topic(evidence.topics[t])
        title = need.title if need else ""
        rows.append([
            evidence.topics[t], title, float(values[a, t]), float(values[b, t]), float(lead[t]),
            int(evidence.relevant[t]),
        ])  # fmt: skip
    return Table(["topic", "title", "a", "b", "difference", "relevant"], rows)


def _rankings(
    boards: Boards, board: Board, documents: LabDocuments, needs: Needs, first: str, second: str, topic: str, depth: int
) -> Shown:
    """The first documents of both runs, each with its mark, and the relevant ones that only one of them lists."""
    entries = {entry.name: entry for entry in board.runs}
    lists = {}
    for run in (first, second):
        with refused(503):
            read = boards.run(entries[run])
        lists[run] = [document for document, _ in read.ranking(topic)] if topic in read.topics else []
    grades = board.qrels.judgements(topic)
    need = needs.topic(topic)
    patent = need.patent if need else topic
    level = board.measure.level
    relevant = [document for document, grade in grades.items() if grade >= level]
    shown_ids = {document for listed in lists.values() for document in listed[:depth]}
    known = documents.known({*shown_ids, *relevant, patent})
    families = {known[each].family for each in relevant if each in known}
    own = known[patent].family if patent in known else None
    ranks = {run: {document: rank for rank, document in enumerate(listed, start=1)} for run, listed in lists.items()}

    def mark(document: str) -> str:
        grade = grades.get(document)
        if grade is not None and grade >= level:
            return "relevant"
        family = known[document].family if document in known else None
        if family is not None and family == own:
            return "own family"
        if family is not None and family in families:
            return "family of a relevant one"
        return "unjudged" if grade is None or grade < 0 else "not relevant"

    tables = {}
    for side, run, other in (("a", first, second), ("b", second, first)):
        rows = [
            [rank, document, known[document].title if document in known else "", mark(document),
             grades.get(document), ranks[other].get(document),
             known[document].collection if document in known else ""]
            for rank, document in enumerate(lists[run][:depth], start=1)
        ]  # fmt: skip
        columns = ["rank", "document", "title", "mark", "grade", "rank_in_other", "collection"]
        tables[f"ranking_{side}"] = Table(columns, rows)
    evidence = board.evidence
    assert evidence is not None
    place = evidence.topics.index(topic)
    found: list[list[Any]] = [
        [document, known[document].title if document in known else "", ranks[first].get(document),
         ranks[second].get(document), known[document].collection if document in known else ""]
        for document in (board.qrels.documents[int(evidence.relevant_documents[d])]
                         for d in documents_of(evidence, place))
    ]  # fmt: skip
    found.sort(key=lambda row: _gap(row[2], row[3]))
    return {
        **tables, "relevant": Table(["document", "title", "rank_a", "rank_b", "collection"], found),
        "topic_title": need.title if need else "", "depth": depth, "deeper": min(DEEPEST, depth * 5),
        "longest": max(map(len, lists.values())),
        "deepest": max((rank for row in found for rank in row[2:4] if rank is not None), default=0),
    }  # fmt: skip


def _gap(first: int | None, second: int | None) -> tuple[int, float]:
    """The sort key of a relevant document: those that one run misses, those with ranks far apart, those both miss."""
    if first is None or second is None:
        return (2, 0.0) if first is second else (0, float(first or second or 0))
    return 1, min(first, second) / max(first, second)
