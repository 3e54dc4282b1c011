"""Run: where one run came from, how it was made, and its scores by topic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leadline.records.scores.table import Table
from leadline.retrieval.engines.timing import in_words, timing_of
from leadline.show.lab.boards import Boards
from leadline.show.lab.needs import Needs
from leadline.show.serve.laboratory.asked import Word, choices, chosen_board, refused
from leadline.show.serve.laboratory.views import Shown
from leadline.text.json_output import json_text
from leadline.trust.order import places, sign

_STATES = {
    "sound": "as it was added", "changed": "changed since it was added", "missing": "the file is gone",
    "found": "found in the folder of runs, not added",
}  # fmt: skip


def run_view(boards: Boards, needs: Needs) -> Callable[..., Shown]:
    """The view of one run."""

    def run(name: str, qrels: Word = "", measure: Word = "", effort: Word = "") -> Shown:
        """Where a run came from, its manifest and hash, and its scores by topic under the judgements `qrels`."""
        with refused(404):
            entry = boards.lab.get("run", name)
        made = entry.made_from()
        shown: Shown = {
            "run": entry.name, "added": entry.added, "origin": entry.origin, "sha256": entry.sha256,
            "state": _STATES[entry.state], "file": entry.path.name, "manifest": made,
            "manifest_text": json_text(made, indent=2) if made else "",
            "timing": in_words(timing_of(made.get("timing"))),
            "qrels": "", "why_not": "", "topics": Table(["topic", "title", "score", "place", "relevant"], []),
        }  # fmt: skip
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
            rows.append([
                evidence.topics[t], need.title if need else "", float(values[r, t]), int(placed[t, r]),
                int(evidence.relevant[t]),
            ])  # fmt: skip
        place = evidence.order.index(entry.name) + 1
        columns = ["topic", "title", "score", "place", "relevant"]
        return shown | {
            "place": place,
            "of": len(evidence.runs),
            "score": float(evidence.main.mean_values()[r, 0]),
            "topics": Table(columns, rows),
        }

    return run
