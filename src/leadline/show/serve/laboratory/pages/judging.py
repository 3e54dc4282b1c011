"""Judge and Review: the pools and the reviews of the lab, and how far they are."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from leadline.errors import InputError
from leadline.judge.assessors.journal import JudgingJournal
from leadline.judge.assessors.judging_state import JudgingState
from leadline.judge.pools.pool import Pool
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.review_state import ReviewState
from leadline.records.scores.table import Table
from leadline.show.lab.lab import Lab, LabEntry
from leadline.show.serve.laboratory.views import Shown


def judge_view(lab: Lab) -> Callable[[], Shown]:
    """The view of the pools."""

    def judge() -> Shown:
        """The pools of the lab, and how many of their documents are judged."""
        rows = [_pool_row(entry) for entry in lab.entries("pool")]
        return {"pools": Table(["pool", "topics", "to_judge", "judged", "problem"], rows), "folder": str(lab.folder)}

    return judge


def review_view(lab: Lab) -> Callable[[], Shown]:
    """The view of the reviews."""

    def review() -> Shown:
        """The reviews of the lab, and how far they are."""
        rows = [_review_row(entry) for entry in lab.entries("review")]
        columns = ["review", "title", "documents", "read", "relevant", "recall_at_least", "problem"]
        return {"reviews": Table(columns, rows), "folder": str(lab.folder)}

    return review


def _pool_row(entry: LabEntry) -> list[object]:
    try:
        pool = Pool.read(entry.path)
        judged = 0
        if Path(f"{entry.path}.journal").exists():
            with contextlib.closing(JudgingJournal(f"{entry.path}.journal")) as journal:
                marks = JudgingState.of(journal.events()).marks
                judged = len({(topic, document) for _, topic, document in marks})
        return [entry.name, len(pool.topics), len(pool.to_judge()), judged, ""]
    except InputError as error:
        return [entry.name, None, None, None, str(error)]


def _review_row(entry: LabEntry) -> list[object]:
    try:
        project = ReviewProject.open(entry.path)
        with contextlib.closing(project.journal()) as journal:
            state = ReviewState.of(project, journal.events())
        certificate = state.round_certificate(project.current_round).certificate
        return [
            entry.name, project.settings.title, len(project.units), int(state.is_read.sum()),
            int(state.relevant().sum()), certificate.recall, "",
        ]  # fmt: skip
    except InputError as error:
        return [entry.name, "", None, None, None, None, str(error)]
