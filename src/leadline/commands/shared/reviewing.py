"""What the commands of reviews share."""

from __future__ import annotations

import argparse
import contextlib

from leadline.errors import InputError
from leadline.judge.assessors.journal import Event
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.review_state import ReviewState


def add_review(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("review", metavar="REVIEW", help="folder of the review, made by `leadline review serve`")


def open_review(options: argparse.Namespace) -> tuple[ReviewState, list[Event]]:
    """Where a review stands, and all that happened."""
    project = ReviewProject.open(options.review)
    if not project.rounds:
        problem = f"has no documents yet: `leadline review serve {options.review} --documents FILES` adds them"
        raise InputError(options.review, problem)
    with contextlib.closing(project.journal()) as journal:
        events = list(journal.events())
    return ReviewState.of(project, events), events
