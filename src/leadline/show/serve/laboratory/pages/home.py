"""Home: what is in the lab, and what to do next."""

from __future__ import annotations

from collections.abc import Callable

from leadline.errors import LeadlineError
from leadline.records.scores.table import Table
from leadline.show.lab.boards import Boards
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.standings import standing_of
from leadline.show.lab.stored_results import StoredResults
from leadline.show.serve.laboratory.pages.leaderboard import leading
from leadline.show.serve.laboratory.views import Shown


def home_view(boards: Boards, results: StoredResults) -> Callable[[], Shown]:
    """The view of the first page."""
    lab = boards.lab

    def home() -> Shown:
        """What is in the lab, by kind, and what to do next."""
        entries = lab.entries()
        counts = {kind: sum(entry.kind == kind for entry in entries) for kind in KINDS}
        rows = [[entry.kind, entry.name, entry.added[:10], entry.origin] for entry in entries]
        return {
            "leads": _leads(boards, results) if counts["qrels"] and counts["run"] else None,
            "qrels": [entry.name for entry in entries if entry.kind == "qrels"],
            "counts": counts,
            "kinds": {kind.name: kind.title for kind in KINDS.values()},
            "entries": Table(["kind", "name", "added", "from"], rows),
            "next": next_steps(counts, str(lab.folder)),
        }

    return home


def _leads(boards: Boards, results: StoredResults) -> Shown | None:
    """Who leads under the first judgements, as the leaderboard says it; None where no run fits any."""
    try:
        board = boards.board()
        return leading(board, standing_of(board, results, patience=0.3)) if board.runs else None
    except LeadlineError:  # a damaged file: the leaderboard says which
        return None


def next_steps(counts: dict[str, int], folder: str) -> list[str]:
    """What is missing before the lab can answer, in the order in which it is needed.

    >>> next_steps({"qrels": 1, "run": 0, "collection": 1, "index": 1, "topics": 1}, "lab")
    ['There are no runs: add them with `leadline lab add lab FILE ...`, or upload one on the leaderboard.']
    """
    steps = []
    if not counts["collection"] and not counts["index"]:
        steps.append(f"To search, add a collection and its index: `leadline lab add {folder} COLLECTION INDEX`.")
    elif not counts["index"]:
        steps.append(f"To search, index the collection: `leadline index COLLECTION -o {folder}/indexes/words`.")
    if not counts["qrels"]:
        steps.append(f"To measure, add judgements: `leadline lab add {folder} QRELS`.")
    if not counts["run"]:
        steps.append(
            f"There are no runs: add them with `leadline lab add {folder} FILE ...`, or upload one on the leaderboard."
        )
    return steps
