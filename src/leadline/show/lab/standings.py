"""Who leads and how sure that is: verdicts and letters of a board, computed once and stored."""

from __future__ import annotations

import dataclasses
from typing import Any

from leadline.show.figures.evidence import Evidence
from leadline.show.lab.boards import SAMPLES, Board
from leadline.show.lab.stored_results import Report, ResultKey, ResultState, StoredData, StoredResults
from leadline.trust.pairs import compare
from leadline.trust.verdict import Verdict, Verdicts


def standing_of(board: Board, results: StoredResults, **options: Any) -> ResultState:
    """The verdicts on the leader and the letters of all runs; empty where there is nothing to compare."""
    evidence = board.evidence
    if evidence is None or not evidence.comparable:
        return ResultState({"verdicts": None, "letters": {}})
    key = ResultKey(
        "standing", board.hashes, {"measure": board.measure.text, "samples": SAMPLES, "seed": evidence.seed}
    )
    return results.answer(key, lambda report: _standing(evidence, report), **options)


def pair_verdict(board: Board, first: str, second: str, results: StoredResults) -> ResultState:
    """The verdict on two runs alone, without correction for other comparisons."""
    evidence = board.pair(*sorted((first, second)))
    if not evidence.comparable:
        return ResultState({"verdicts": None})
    names = ("qrels", *(f"run {run}" for run in evidence.runs))
    key = ResultKey(
        "pair", {name: board.hashes[name] for name in names},
        {"measure": board.measure.text, "samples": SAMPLES, "seed": evidence.seed},
    )  # fmt: skip
    return results.answer(key, lambda report: {"verdicts": _written(evidence.decide(report))})


def verdicts_of(answer: ResultState) -> Verdicts | None:
    """The verdicts in a result."""
    written = (answer.result or {}).get("verdicts")
    if written is None:
        return None
    each = tuple(Verdict(**{**one, "reasons": tuple(one["reasons"])}) for one in written["verdicts"])
    return Verdicts(**{**written, "verdicts": each, "notes": tuple(written["notes"])})


def _standing(evidence: Evidence, report: Report) -> StoredData:
    letters = compare(evidence.main, evidence.measure.text, seed=evidence.seed).letters()
    return {"letters": letters, "verdicts": _written(evidence.decide(report))}


def _written(found: Verdicts | None) -> StoredData | None:
    return None if found is None else dataclasses.asdict(found)
