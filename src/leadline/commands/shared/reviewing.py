"""What the commands of reviews share."""

from __future__ import annotations

import argparse
import contextlib
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import OUR_FOLDER
from leadline.errors import InputError

if TYPE_CHECKING:
    from leadline.judge.journal import Event
    from leadline.judge.review.review_state import ReviewState
    from leadline.text.store.events import ChainHead


def add_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "review", metavar="REVIEW", type=OUR_FOLDER, help="folder of the review, made by `leadline review serve`"
    )


def open_review(options: argparse.Namespace) -> tuple[ReviewState, list[Event], ChainHead]:
    """Where a review stands, all that happened, and the head of the journal's chain."""
    from leadline.judge.review.project import ReviewProject
    from leadline.judge.review.review_state import ReviewState

    project = ReviewProject.open(options.review)
    if not project.rounds:
        problem = f"has no documents yet: `leadline review serve {options.review} --documents FILES` adds them"
        raise InputError(options.review, problem)
    with contextlib.closing(project.journal(write=False)) as journal:
        events, head = journal.with_head()
    return ReviewState.of(project, events), events, head
