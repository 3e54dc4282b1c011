"""What the commands of reviews share."""

from __future__ import annotations

import argparse
import contextlib

from leadline.errors import InputError
from leadline.judge.assessors.event_chain import ChainHead
from leadline.judge.assessors.journal import Event
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.review_state import ReviewState


def add_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("review", metavar="REVIEW", help="folder of the review, made by `leadline review serve`")


def open_review(options: argparse.Namespace) -> tuple[ReviewState, list[Event], ChainHead]:
    """Where a review stands, all that happened, and the head of the journal's chain."""
    project = ReviewProject.open(options.review)
    if not project.rounds:
        problem = f"has no documents yet: `leadline review serve {options.review} --documents FILES` adds them"
        raise InputError(options.review, problem)
    with contextlib.closing(project.journal()) as journal:
        events, head = journal.with_head()
    return ReviewState.of(project, events), events, head
