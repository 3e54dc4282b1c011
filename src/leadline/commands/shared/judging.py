"""What the commands of judging share: the pool, its journal, and whose marks count."""

from __future__ import annotations

import argparse
import contextlib

from leadline.errors import InputError, not_a_choice
from leadline.judge.assessors.journal import JudgingJournal
from leadline.judge.assessors.judging_state import JudgingState, Key

JOURNAL = ".journal"  # added to the name of the pool's file


def add_pool(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pool", metavar="POOL", help="pool that `leadline pool` made; its journal is POOL.journal")


def open_state(options: argparse.Namespace) -> JudgingState:
    """Where judging stands, or stood at the moment asked for."""
    with contextlib.closing(JudgingJournal(f"{options.pool}{JOURNAL}")) as journal:
        return JudgingState.of(journal.events(until=getattr(options, "until", "")))


def stage_grades(state: JudgingState, stage: str) -> tuple[dict[Key, int], list[str]]:
    """The grades of a stage or of a person, and what must be said of them."""
    if stage == "merged":
        return state.merged(), []
    if stage == "final":
        grades, unseen = state.final()
        experts = state.people("expert")
        note = f"{len(unseen)} documents were not seen by an expert: the merged grade stands"
        return grades, [note] if experts and unseen else []
    if stage not in state.roles:
        raise InputError("--stage", not_a_choice("", stage, ("final", "merged", *sorted(state.roles))).problem)
    return state.grades_of(stage), []
