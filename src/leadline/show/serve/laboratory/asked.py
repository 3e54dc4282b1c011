"""What requests ask for, checked: a wrong parameter is answered with one sentence that names the nearest right one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated

from fastapi import HTTPException, Query

from leadline.errors import InputError, LeadlineError, MeasureError, MismatchError
from leadline.measures.definition import Measure
from leadline.measures.evaluate import MAIN_MEASURE
from leadline.measures.notation import parse_measure
from leadline.show.figures.formatting import in_words
from leadline.show.lab.boards import Board, Boards
from leadline.show.serve.laboratory.views import sentence

Word = Annotated[str, Query(max_length=300)]
EFFORTS = (5, 10, 20, 50, 100, 200, 500, 1000)
LARGEST_EFFORT = 1_000_000
PLAIN = ("PRES", "R", "AP", "nDCG", "P", "RR", "bpref", "Rprec")
BY_SUBTOPIC = ("CT", "alpha_nDCG", "strec")


@contextlib.contextmanager
def refused(status: int = 400) -> Iterator[None]:
    """Turn the errors of wrong input into answers with a status."""
    try:
        yield
    except LeadlineError as error:
        raise HTTPException(status, sentence(error)) from None


def chosen_measure(written: str, effort: str = "") -> Measure:
    """The measure of a request. `effort` replaces its cutoff, if it has one.

    >>> chosen_measure("nDCG@10", "100").text, chosen_measure("PRES").text, chosen_measure("bpref", "10").text
    ('nDCG@100', 'PRES@1000', 'bpref')
    """
    name, _, _ = written.partition("@")
    if effort:
        if not (effort.isascii() and effort.isdigit() and 1 <= int(effort) <= LARGEST_EFFORT):
            raise HTTPException(400, f"effort must be a whole number from 1 to {LARGEST_EFFORT:,}, got {effort!r}.")
        with contextlib.suppress(MeasureError):
            found = parse_measure(f"{name}@{int(effort)}")
            if found.cutoff is not None:
                return found
    with refused():
        try:
            found = parse_measure(written or MAIN_MEASURE)
        except MeasureError:
            with contextlib.suppress(MeasureError):
                return parse_measure(f"{name}@{MAIN_MEASURE.partition('@')[2]}")
            raise
        # One name for one measure, whichever way it was asked for.
        return found if found.cutoff is None or "@" in found.text else parse_measure(f"{name}@{found.cutoff}")


def chosen_board(boards: Boards, qrels: str, measure: str, effort: str = "") -> Board:
    """The board of a request; without a measure and an effort it has the measure that the lab begins with."""
    wanted = chosen_measure(measure, effort) if measure or effort else None
    if qrels:
        with refused(404):
            boards.lab.get("qrels", qrels)
    try:
        return boards.board(qrels, wanted)
    except (MeasureError, MismatchError, InputError) as error:
        raise HTTPException(400, sentence(error)) from None


def choices(boards: Boards, board: Board) -> dict[str, object]:
    """What the form of a page offers: judgements, measures and efforts, with the chosen ones among them."""
    name = board.measure.text.partition("@")[0]
    by_subtopic = BY_SUBTOPIC if board.qrels.kind == "subtopics" else ()
    cutoff = board.measure.cutoff
    return {
        "qrels": [entry.name for entry in boards.lab.entries("qrels")],
        "measures": list(dict.fromkeys([*PLAIN, *by_subtopic, name])),
        "efforts": sorted({*EFFORTS, *([cutoff] if cutoff else [])}),
        "measure": name,
        "effort": cutoff,
        "why": str(board.first) if board.measure.text == board.first.measure.text else f"{in_words(board.measure)}.",
    }
