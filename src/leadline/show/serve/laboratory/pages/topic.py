"""Topic: the need, its judgements with reasons, and where every system finds each relevant document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from fastapi import HTTPException

from leadline.errors import nearest, visible
from leadline.measures.hits import Integers
from leadline.records.scores.table import Table
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import count
from leadline.show.lab.boards import Board, Boards
from leadline.show.lab.contrasts import documents_of
from leadline.show.lab.documents import LabDocuments
from leadline.show.lab.needs import Needs
from leadline.show.serve.laboratory.asked import Word, choices, chosen_board
from leadline.show.serve.laboratory.views import Shown
from leadline.trust.order import places

FEW_SYSTEMS = 20  # columns of the table of ranks, unless all are asked for
MOST_NAMED = 5  # systems in a sentence
MOST_JUDGED = 1000  # judgements in the page


def topic_view(boards: Boards, documents: LabDocuments, needs: Needs) -> Callable[..., Shown]:
    """The view of one topic."""

    def topic(
        id: str, qrels: Word = "", measure: Word = "", effort: Word = "", systems: Word = "", document: Word = ""
    ) -> Shown:
        """The need of a topic, its judgements with reasons, and the ranks at which systems find relevant documents.

        `systems=all` shows more than the first systems; `document` is shown first.
        """
        if not boards.lab.entries("qrels"):
            raise HTTPException(404, "There are no judgements in the lab, and so no topics.")
        board = chosen_board(boards, qrels, measure, effort)
        if id not in board.qrels.topics:
            near = nearest(id, board.qrels.topics)
            raise HTTPException(404, f"{visible(id)} is not a topic of the judgements {board.entry.name}{near}")
        place = board.qrels.topics.index(id)
        grades = board.qrels.judgements(id)
        need = needs.topic(id)
        patent = documents.document(need.patent if need else id)
        known = documents.known(grades)
        reasons = needs.reasons(board.entry, id)
        judged = [
            [document, known[document].title if document in known else "", grade, "; ".join(reasons.get(document, ())),
             known[document].collection if document in known else ""]
            for document, grade in sorted(grades.items(), key=lambda each: -each[1])
        ]  # fmt: skip
        neighbours = (board.qrels.topics[place - 1] if place else "", *board.qrels.topics[place + 1 : place + 2], "")
        return {
            "topic": id, "qrels": board.entry.name, "measure": board.measure.text, "choices": choices(boards, board),
            "need": None if need is None else {
                "title": need.title, "description": need.description, "narrative": need.narrative,
                "category": need.category, "attributes": dict(need.attributes),
            },
            "patent": None if patent is None else {
                "id": patent[1].id, "title": patent[1].title, "abstract": patent[1].abstract, "collection": patent[0],
            },
            "level": board.measure.level,
            "judgements": Table(["document", "title", "grade", "reason", "collection"], judged[:MOST_JUDGED]),
            "judged": len(judged), "before": neighbours[0], "after": neighbours[1],
            **_by_system(board, place, known, all_systems=systems == "all", first=document),
            "document": document,
        }  # fmt: skip

    return topic


def _by_system(board: Board, topic: int, known: dict[str, Any], *, all_systems: bool, first: str) -> Shown:
    """Every system's score, and the rank at which each lists every relevant document.

    A document counts as found if it is among those that are read.
    """
    evidence = board.evidence
    if evidence is None:
        empty = Table(["run", "score", "place", "found"], [])
        return {"scores": empty, "ranks": Table(["document"], []), "systems": [], "left": 0, "findings": [],
                "chosen": ""}  # fmt: skip
    columns = documents_of(evidence, topic)
    ranks = evidence.ranks[:, columns]
    read = _read(evidence, ranks)
    order = [evidence.place(run) for run in evidence.order]
    values = evidence.main.values[:, topic, 0]
    better = -1 if evidence.measure.definition.better == "lower" else 1
    placed = places(np.nan_to_num(better * values, nan=-np.inf))
    scores: list[list[Any]] = [
        [evidence.runs[r], float(values[r]), int(placed[r]), int((read[r] > 0).sum())] for r in order
    ]
    scores.sort(key=lambda row: row[2])
    shown = order if all_systems else order[:FEW_SYSTEMS]
    names = [board.qrels.documents[int(evidence.relevant_documents[d])] for d in columns]
    found_by = (read > 0).sum(axis=0)
    contrast = sorted(range(len(names)), key=lambda d: (names[d] != first, *_spread(read[shown, d]), names[d]))
    rows = [
        [
            names[d], known[names[d]].title if names[d] in known else "", int(found_by[d]),
            known[names[d]].collection if names[d] in known else "", *(int(ranks[r, d]) or None for r in shown),
        ]
        for d in contrast
    ]  # fmt: skip
    systems = [evidence.runs[r] for r in shown]
    return {
        "scores": Table(["run", "score", "place", "found"], scores),
        "ranks": Table(["document", "title", "found_by", "collection", *systems], rows),
        "systems": systems, "left": len(order) - len(shown), "findings": _findings(evidence, names, read),
        "chosen": _chosen(evidence, first, ranks[:, names.index(first)]) if first in names else "",
    }  # fmt: skip


def _read(evidence: Evidence, ranks: Integers) -> Integers:
    """The ranks of the documents that are read, 0 for the others; all are read if the measure has no cutoff."""
    cutoff = evidence.measure.cutoff
    return ranks if cutoff is None else np.where(ranks <= cutoff, ranks, 0)


def _within(evidence: Evidence) -> str:
    """Which documents are read, in words; empty if all are."""
    cutoff = evidence.measure.cutoff
    return "" if cutoff is None or cutoff >= evidence.depth else f" within the first {count(cutoff)}"


def _chosen(evidence: Evidence, document: str, ranks: Integers) -> str:
    """Which systems miss a relevant document, and which has it first, in a sentence."""
    order = [evidence.place(run) for run in evidence.order]
    read, within = _read(evidence, ranks), _within(evidence)
    missed = [evidence.runs[r] for r in order if not read[r]]
    listed = [r for r in order if ranks[r]]
    if not listed:
        return f"{document} is relevant, and no system finds it."
    best = min(listed, key=lambda r: int(ranks[r]))
    rank = f"the best rank is {int(ranks[best])}, of {evidence.runs[best]}."
    if len(missed) == len(order):
        return f"{document} is relevant, and no system finds it{within}; {rank}"
    by = f"missed by {', '.join(missed[:MOST_NAMED])}" if missed else "found by every system"
    more = f" and {len(missed) - MOST_NAMED} more" if len(missed) > MOST_NAMED else ""
    return f"{document} is relevant and {by}{more}{within}; {rank}"


def _spread(ranks: Integers) -> tuple[bool, int, int]:
    """A sort key: first those that few systems miss and others have early, last those of all or none."""
    missed = int((ranks == 0).sum())
    return missed in (0, len(ranks)), missed, int(ranks[ranks > 0].min(initial=10**9))


def _findings(evidence: Evidence, names: list[str], ranks: Integers) -> list[str]:
    """The documents that exactly one system missed, or found, and those that none found; a sentence each.

    `ranks` are those of the documents that are read.
    """
    said, within = [], _within(evidence)
    runs = len(evidence.runs)
    missed = (ranks == 0).sum(axis=0)
    alone = np.flatnonzero(missed == 1) if runs > 2 else np.array([], np.int64)
    for d in sorted(alone.tolist(), key=lambda d: int(ranks[:, d][ranks[:, d] > 0].min()))[:3]:
        who = evidence.runs[int((ranks[:, d] == 0).argmax())]
        best = int(ranks[:, d][ranks[:, d] > 0].min())
        said.append(f"{names[d]} is missed by {who} alone{within}; the best rank of the others is {best}.")
    if runs > 1:
        for d in np.flatnonzero(missed == runs - 1).tolist()[:3]:
            finder = int((ranks[:, d] > 0).argmax())
            rank = int(ranks[finder, d])
            said.append(f"{names[d]} is found by {evidence.runs[finder]} alone{within}, at rank {rank}.")
    nobody = int((missed == runs).sum())
    if nobody:
        said.append(
            f"{count(nobody, 'relevant document')} {'is' if nobody == 1 else 'are'} found by no system{within}."
        )
    return said
