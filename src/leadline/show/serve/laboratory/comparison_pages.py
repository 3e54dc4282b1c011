"""Compare and topic: two runs topic by topic, and where every system finds each relevant document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

import numpy as np
from fastapi import HTTPException
from markupsafe import Markup

from leadline.errors import nearest, visible
from leadline.measures.hits import Array, Integers
from leadline.records.result import Table
from leadline.show.charts import count, decimal, decimal_column, short
from leadline.show.lab.boards import Board, Boards, documents_of, lead_by_topic
from leadline.show.lab.opened import LabDocuments, Needs
from leadline.show.lab.stored_results import ResultState, StoredResults, pair_verdict, standing_of
from leadline.show.pages.drawing import SvgShape, box, drawing, line, words
from leadline.show.report.evidence import Evidence
from leadline.show.serve.laboratory.views import Shown, Word, choices, chosen_board, refused
from leadline.trust.pairs import Standing
from leadline.trust.rankings import places
from leadline.trust.verdict import EQUAL, Verdict

DEPTH, DEEPEST = 20, 200  # documents of a ranking that are shown


def compare_view(boards: Boards, results: StoredResults, documents: LabDocuments, needs: Needs) -> Callable[..., Shown]:
    """The view of two runs."""

    def compare(
        a: Word = "",
        b: Word = "",
        qrels: Word = "",
        measure: Word = "",
        effort: Word = "",
        topic: Word = "",
        depth: Word = "",
    ) -> Shown:
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
        standing, answer = standing_of(board, results)
        verdict: Verdict | None = None
        if standing is not None and standing.verdicts:
            verdict, answer = pair_verdict(board, standing, first, second, results)
        return {
            **asked,
            "few": "",
            "runs": list(evidence.order),
            "choices": choices(boards, board),
            "topic": chosen,
            **_outcome(answer, standing, verdict, first),
            **_counts(lead),
            "working": verdict is None and answer.is_working,
            "figure": _figure(evidence, lead, asked, chosen),
            "link": urlencode(asked),
            "topics": _topics(evidence, needs, first, second, lead, order),
            **_rankings(boards, board, documents, needs, first, second, chosen, _depth(depth)),
        }

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


def _outcome(answer: ResultState, standing: Standing | None, verdict: Verdict | None, first: str) -> Shown:
    """The verdict on the two in words and numbers, seen from the first."""
    if standing is None or verdict is None:
        return {
            "sentence": standing.no_verdict if standing is not None else answer.error,
            "verdict": "",
            "criterion": "",
            "letters": {},
            "reasons": [],
            "numbers": {},
            "progress": answer.said() if answer.is_working else "",
        }
    turn = 1 if verdict.leader == first else -1
    low, high = sorted((turn * verdict.low, turn * verdict.high))
    numbers = {
        "difference": turn * verdict.difference,
        "low": low,
        "high": high,
        "p": verdict.p,
        "p_corrected": verdict.p_corrected,
        "alpha": standing.alpha,
        "pairs": len(standing.pairs),
    }
    return {
        "sentence": standing.about(verdict),
        "verdict": verdict.word,
        "criterion": verdict.criterion,
        "letters": {run: standing.letters[run] for run in (verdict.leader, verdict.other)},
        "progress": "",
        "reasons": list(verdict.reasons),
        "numbers": numbers,
    }


def _counts(lead: Array) -> Shown:
    defined = lead[np.isfinite(lead)]
    won, lost = int((defined > EQUAL).sum()), int((defined < -EQUAL).sum())
    return {"won": won, "lost": lost, "tied": len(defined) - won - lost}


def _figure(evidence: Evidence, lead: Array, asked: dict[str, str], chosen: str) -> Markup:
    sorted_places = sorted(np.flatnonzero(np.isfinite(lead)).tolist(), key=lambda t: -lead[t])
    bars = [
        (
            evidence.topics[t],
            float(lead[t]) if abs(lead[t]) > EQUAL else 0.0,
            f"/compare?{urlencode({**asked, 'topic': evidence.topics[t]}, errors='replace')}#rankings",
        )
        for t in sorted_places
    ]
    counts = _counts(lead)
    label = (
        f"{asked['a']} is ahead of {asked['b']} on {counts['won']} topics, behind on {counts['lost']}, "
        f"level on {counts['tied']}; the table below has the numbers."
    )
    return Markup("").join(
        difference_figure(bars, asked["a"], asked["b"], label, chosen, narrow=narrow) for narrow in (False, True)
    )


def _topics(evidence: Evidence, needs: Needs, first: str, second: str, lead: Array, order: Sequence[int]) -> Table:
    values = evidence.main.values[:, :, 0]
    a, b = evidence.place(first), evidence.place(second)
    rows: list[list[Any]] = []
    for t in order:
        need = needs.topic(evidence.topics[t])
        title = need.title if need else ""
        rows.append(
            [
                evidence.topics[t],
                title,
                float(values[a, t]),
                float(values[b, t]),
                float(lead[t]),
                int(evidence.relevant[t]),
            ]
        )
    return Table(["topic", "title", "a", "b", "difference", "relevant"], rows, alike=["ab"])


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
            [
                rank,
                document,
                known[document].title if document in known else "",
                mark(document),
                grades.get(document),
                ranks[other].get(document),
                known[document].collection if document in known else "",
            ]
            for rank, document in enumerate(lists[run][:depth], start=1)
        ]
        columns = ["rank", "document", "title", "mark", "grade", "rank_in_other", "collection"]
        tables[f"ranking_{side}"] = Table(columns, rows)
    evidence = board.evidence
    assert evidence is not None
    place = evidence.topics.index(topic)
    found: list[list[Any]] = [
        [
            document,
            known[document].title if document in known else "",
            ranks[first].get(document),
            ranks[second].get(document),
            known[document].collection if document in known else "",
        ]
        for document in (
            board.qrels.documents[int(evidence.relevant_documents[d])] for d in documents_of(evidence, place)
        )
    ]
    found.sort(key=lambda row: _gap(row[2], row[3]))
    return {
        **tables,
        "relevant": Table(["document", "title", "rank_a", "rank_b", "collection"], found),
        "topic_title": need.title if need else "",
        "depth": depth,
        "deeper": min(DEEPEST, depth * 5),
        "longest": max(map(len, lists.values())),
        "deepest": max((rank for row in found for rank in row[2:4] if rank is not None), default=0),
    }


def _gap(first: int | None, second: int | None) -> tuple[int, float]:
    """The sort key of a relevant document: those that one run misses, those with ranks far apart, those both miss."""
    if first is None or second is None:
        return (2, 0.0) if first is second else (0, float(first or second or 0))
    return 1, min(first, second) / max(first, second)


# Topic: the need, its judgements with reasons, and where every system finds each relevant document.


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
            [
                document,
                known[document].title if document in known else "",
                grade,
                "; ".join(reasons.get(document, ())),
                known[document].collection if document in known else "",
            ]
            for document, grade in sorted(grades.items(), key=lambda each: -each[1])
        ]
        neighbours = (board.qrels.topics[place - 1] if place else "", *board.qrels.topics[place + 1 : place + 2], "")
        return {
            "topic": id,
            "qrels": board.entry.name,
            "measure": board.measure.text,
            "choices": choices(boards, board),
            "need": None
            if need is None
            else {
                "title": need.title,
                "description": need.description,
                "narrative": need.narrative,
                "category": need.category,
                "attributes": dict(need.attributes),
            },
            "patent": None
            if patent is None
            else {
                "id": patent[1].id,
                "title": patent[1].title,
                "abstract": patent[1].abstract,
                "collection": patent[0],
            },
            "level": board.measure.level,
            "judgements": Table(["document", "title", "grade", "reason", "collection"], judged[:MOST_JUDGED]),
            "judged": len(judged),
            "before": neighbours[0],
            "after": neighbours[1],
            **_by_system(board, place, known, all_systems=systems == "all", first=document),
            "document": document,
        }

    return topic


def _by_system(board: Board, topic: int, known: dict[str, Any], *, all_systems: bool, first: str) -> Shown:
    """Every system's score, and the rank at which each lists every relevant document.

    A document counts as found if it is among those that are read.
    """
    evidence = board.evidence
    if evidence is None:
        empty = Table(["run", "score", "place", "found"], [])
        return {
            "scores": empty,
            "ranks": Table(["document"], []),
            "systems": [],
            "left": 0,
            "findings": [],
            "chosen": "",
        }
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
            names[d],
            known[names[d]].title if names[d] in known else "",
            int(found_by[d]),
            known[names[d]].collection if names[d] in known else "",
            *(int(ranks[r, d]) or None for r in shown),
        ]
        for d in contrast
    ]
    systems = [evidence.runs[r] for r in shown]
    return {
        "scores": Table(["run", "score", "place", "found"], scores),
        "ranks": Table(["document", "title", "found_by", "collection", *systems], rows),
        "systems": systems,
        "left": len(order) - len(shown),
        "findings": _findings(evidence, names, read),
        "chosen": _chosen(evidence, first, ranks[:, names.index(first)]) if first in names else "",
    }


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


# The differences between two runs, topic by topic, as bars from the largest lead of one to that of the other.


WIDE, NARROW, HEIGHT = 720, 336, 220  # narrow: for a phone, where a wide one would be too small to read
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 24, 24
WIDEST = 28.0  # of a bar, in pixels


def difference_figure(
    bars: Sequence[tuple[str, float, str]],
    first: str,
    second: str,
    label: str,
    chosen: str = "",
    *,
    narrow: bool = False,
) -> Markup:
    """An SVG drawing of (topic, difference, address) sorted by difference; each bar is a link.

    Bars above the line are topics on which the first run is ahead. The page's style sheet has the colours.
    """
    largest = max((abs(lead) for _, lead, _ in bars), default=0.0) or 1.0
    full = NARROW if narrow else WIDE
    inner_w, inner_h = full - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    step = inner_w / max(len(bars), 1)
    width = min(max(step * 0.8, 1.0), WIDEST)
    middle = TOP + inner_h / 2
    parts = []
    for share in (-1.0, -0.5, 0.0, 0.5, 1.0):
        at = middle - share * inner_h / 2
        kind = "axis" if share == 0 else "grid"
        parts.append(line(LEFT, at, full - RIGHT, at, kind))
        text = "0" if share == 0 else decimal(abs(share) * largest, 2)
        parts.append(words(LEFT - 6, at + 4, text, "words soft", "end"))
    leads = decimal_column([abs(lead) for _, lead, _ in bars])
    for place, (topic, lead, address) in enumerate(bars):
        high = max(abs(lead) / largest * inner_h / 2, 0.8)
        x, y = LEFT + step * place + (step - width) / 2, middle - high if lead > 0 else middle
        kind = "ahead" if lead > 0 else "behind" if lead < 0 else "level"
        kind += " chosen" if topic == chosen else ""
        said = f"{topic}: {first if lead > 0 else second} ahead by {leads[place]}" if lead else f"{topic}: level"
        reach = box(LEFT + step * place, TOP, step, inner_h, "reach")
        bar = [SvgShape("title", text=said), reach, box(x, y, width, high, kind)]
        parts.append(SvgShape("a", {"href": address, "tabindex": "-1"}, inside=bar))
    parts.append(words(LEFT, TOP - 9, f"▲ {short(first)} ahead", "words of-ahead"))
    parts.append(words(full - RIGHT, HEIGHT - 6, f"▼ {short(second)} ahead", "words of-behind", "end"))
    size = "when-narrow" if narrow else "when-wide"
    # The links are for the mouse: who uses keys or a reader has the same ones in the table below.
    unread = [SvgShape("g", {"aria-hidden": "true"}, inside=parts)]
    return drawing(full, HEIGHT, unread, class_=f"differences {size}", role="group", aria_label=label)
