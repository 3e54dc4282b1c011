"""A review for other programs: RIS and CSV with labels, judgements, a pool, and the table that `review stop` reads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from leadline.collections.documents.document import Document
from leadline.errors import InputError, visible
from leadline.judge.assessors.merging import UNJUDGED, UNSURE
from leadline.judge.pools.pool import COLUMNS, Pool
from leadline.judge.pools.strata import Stratum
from leadline.judge.review.project import KNOWN, STAGES
from leadline.judge.review.review_state import ReviewState
from leadline.judge.review.simulation import LabelledReview
from leadline.records.qrels.qrels import Qrels
from leadline.records.scores.table import Table

BATCH = 500  # documents read at once
WORDS = {1: "included", 0: "excluded", UNSURE: "unsure", UNJUDGED: ""}
LABELS = {1: "ASReview_relevant", 0: "ASReview_irrelevant", UNSURE: "ASReview_not_seen", UNJUDGED: "ASReview_not_seen"}


def topic_of(state: ReviewState) -> str:
    """The name of the review as a topic: without blanks, which divide the fields of judgements."""
    return "_".join(state.project.settings.title.split()) or "review"


def decisions(state: ReviewState, stage: str = "") -> np.ndarray:
    """What was decided about each unit at a stage (default: the last): 1, 0, -2 (unsure or open) or -1 (not read)."""
    first = state.grades[STAGES[0]].astype(int)
    found = np.where(first > 0, 1, first)
    if state.project.settings.stages == 2 and stage != STAGES[0]:
        full = state.grades[STAGES[1]].astype(int)
        open_ = (found == 1) | (found == UNSURE)
        found = np.where(open_, np.where(full > 0, 1, np.where(full == UNJUDGED, UNSURE, full)), found)
    return np.asarray(found)


def review_qrels(state: ReviewState, stage: str = "") -> Qrels:
    """The judgements: every document that was decided, each of a family like the one that was read."""
    grades, topic = decisions(state, stage), topic_of(state)
    pairs = [(each, grades[row]) for row, unit in enumerate(state.project.units) if grades[row] >= 0 for each in unit]
    documents, values = [each for each, _ in pairs], [int(grade) for _, grade in pairs]
    return Qrels.from_columns([topic] * len(pairs), documents, values, topic)


def review_pool(state: ReviewState, stage: str = "") -> tuple[Pool, dict[tuple[str, str], int]]:
    """The review as a pool with strata, and the grades: what was read in the learner's order is one stratum, all of it
    judged; what was unread at the switch is the next, of which the random draws are a sample. A round has two strata.
    """
    import polars as pl

    project, topic = state.project, topic_of(state)
    stratum, sampled = project.round_of * 2 - 1, state.is_read.copy()
    drawn = 0
    for number, draws in state.draws.items():
        counted = state.round_certificate(number).certificate.drawn
        stratum[draws.order] = 2 * number
        sampled[draws.order[counted:]] = False
        drawn += counted
    rows = [
        (topic, each, unit[0], int(stratum[row]), 0, 0, bool(sampled[row]))
        for row, unit in enumerate(project.units) for each in unit
    ]  # fmt: skip
    types = (pl.String, pl.String, pl.String, pl.Int32, pl.Int32, pl.UInt32, pl.Boolean)
    frame = pl.DataFrame(rows, schema=dict(zip(COLUMNS, types, strict=True)), orient="row")
    read = int(state.is_read.sum()) - drawn
    share = drawn / max(len(project.units) - read, 1)
    strata = (Stratum(max(read, 1), 1.0), Stratum(max(len(project.units), read + 1, 2), min(max(share, 1e-9), 1.0)))
    grades = decisions(state, stage)
    known = {
        (topic, unit[0]): int(grade) for unit, grade in zip(project.units, grades, strict=True) if grade != UNJUDGED
    }
    return Pool(frame, strata, project.settings.seed, ()), known


def reading_table(state: ReviewState) -> Table:
    """What was read in the current round in its order, as `leadline review stop` reads it; the draws come last."""
    number = state.project.current_round
    draws, units = state.draws.get(number), state.project.units
    grades, relevant, read = state.grades[STAGES[0]], state.relevant(), state.is_read
    order = draws.order if draws is not None else np.zeros(0, np.int64)
    counted = state.round_certificate(number).certificate.drawn
    later = set(order.tolist())
    member = state.project.round_of == number
    before = [row for row in state.first_read if read[row] and member[row] and row not in later]

    def line(row: int, at_random: int) -> list[object]:
        unsure = grades[row] == UNSURE
        return [units[row][0], "?" if unsure else int(relevant[row]), at_random]

    rows = [*(line(row, 0) for row in before), *(line(row, 1) for row in order[:counted].tolist())]
    return Table(["document", "relevant", "drawn"], rows)


def _documents(state: ReviewState) -> Iterator[tuple[int, Document]]:
    """Every unit's document, with its row."""
    collections = state.project.collections()
    for number, collection in enumerate(collections, start=1):
        rows = np.flatnonzero(state.project.round_of == number).tolist()
        for start in range(0, len(rows), BATCH):
            chosen = rows[start : start + BATCH]
            names = [state.project.units[row][0] for row in chosen]
            yield from zip(chosen, collection.documents_named(names), strict=True)


def _said(state: ReviewState, row: int) -> tuple[str, str, str]:
    """The reasons, the notes and the readers of a unit."""
    unit = state.project.units[row][0]
    reasons, notes, readers = [], [], []
    for stage in state.project.topics:
        for name, mark in state.marks_of(row, stage).items():
            readers.append(name)
            if mark.reason and mark.reason != KNOWN:
                reasons.append(mark.reason)
        said = {name: state.judging.notes.get((name, stage, unit)) for name in state.judging.roles}
        notes += [f"{name}: {visible(note, chr(10))}" for name, note in said.items() if note]  # also of unread ones
    return "; ".join(dict.fromkeys(reasons)), "; ".join(notes), ", ".join(dict.fromkeys(readers))


def review_ris(state: ReviewState, stage: str = "") -> bytes:
    """All documents as RIS, with labels in the notes as ASReview writes and reads them."""
    grades, out = decisions(state, stage), []
    for row, document in _documents(state):
        reasons, notes, _ = _said(state, row)
        fields = [("TY", "JOUR"), ("ID", document.id), ("TI", document.title)]
        fields += [("AU", name) for name in document.inventors]
        fields += [("PY", document.publication), ("AB", document.abstract), ("N1", LABELS[int(grades[row])])]
        if grades[row] == UNSURE:
            fields.append(("N1", "unsure"))
        fields += [("N1", text) for text in (reasons, notes) if text]
        out += [f"{tag}  - {' '.join(text.split())}\n" for tag, text in fields if text]
        out.append("ER  - \n\n")
    return "".join(out).encode("utf-8", "replace")


def review_table(state: ReviewState, stage: str = "") -> Table:
    """All documents in a table, with the decision, the reasons and who read them."""
    grades = decisions(state, stage)
    draw_of = {row: place for draws in state.draws.values() for place, row in enumerate(draws.order.tolist(), start=1)}
    columns = ["record_id", "title", "abstract", "authors", "year", "included", "decision", "reasons", "notes",
               "read_by", "draw", "round"]  # fmt: skip
    rows: list[list[object]] = []
    for row, document in _documents(state):
        grade = int(grades[row])
        rows.append([
            document.id, document.title, document.abstract, "; ".join(document.inventors), document.publication,
            grade if grade >= 0 else "", WORDS[grade], *_said(state, row), draw_of.get(row, ""),
            int(state.project.round_of[row]),
        ])  # fmt: skip
    return Table(columns, rows)


def finished_review(state: ReviewState) -> LabelledReview:
    """The review with all its labels, to try other learners and rules on; what nobody read is not relevant."""
    relevant = state.relevant()
    if not relevant.any() or relevant.all():
        problem = "everything is relevant" if relevant.any() else "nothing was found relevant yet"
        raise InputError(str(state.project.folder), f"{problem}: a learner needs both kinds")
    names = tuple(unit[0] for unit in state.project.units)
    return LabelledReview(topic_of(state), names, state.project.features(), relevant)
