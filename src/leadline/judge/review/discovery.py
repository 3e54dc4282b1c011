"""The discovery curve of a review: how many relevant documents were found, after how many that were read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.judge.choices import STAGES
from leadline.judge.marks import UNJUDGED
from leadline.judge.review.learners import Rows
from leadline.judge.review.project import KNOWN
from leadline.judge.review.review_state import ReviewState, counts_as_relevant


@dataclass(frozen=True)
class Discovery:
    """What reading of the current round has found, document by document."""

    found: Rows  # relevant after each document that was read; the first number is 0
    known: int  # relevant before anything was read
    drawn: int  # of the documents read, the last so many were drawn at random

    @property
    def read(self) -> int:
        return len(self.found) - 1

    @property
    def since_last(self) -> int:
        """How many documents were read since the last relevant one; all of them where none was."""
        return self.read - int(np.argmax(self.found == self.found[-1]))

    @property
    def words(self) -> str:
        """The curve in a sentence.

        >>> Discovery(np.array([0, 1, 1, 2, 2, 2]), 1, 0).words
        '5 read, 2 relevant, 2 read since the last relevant one.'
        """
        found = int(self.found[-1])
        since = f"{self.since_last:,} read since the last relevant one" if found else "none relevant yet"
        return f"{self.read:,} read, {found:,} relevant, {since}."


def discovery(state: ReviewState) -> Discovery:
    """The discovery curve of the current round: abstracts that were read here, without what was known before."""
    number, grades = state.project.current_round, state.grades[STAGES[0]]
    order = np.array(state.first_read, np.int64)
    order = order[(state.project.round_of[order] == number) & (grades[order] != UNJUDGED)]
    known = np.array([_was_known(state, row) for row in order.tolist()], np.bool_)
    relevant = counts_as_relevant(grades)
    draws = state.draws.get(number)
    drawn = np.isin(order, draws.order) & ~known if draws is not None else np.zeros(len(order), np.bool_)
    found = np.concatenate(([0], np.cumsum(relevant[order[~known]])))
    return Discovery(found, int(relevant[order[known]].sum()), int(drawn.sum()))


def _was_known(state: ReviewState, row: int) -> bool:
    return all(mark.reason == KNOWN for mark in state.marks_of(row, STAGES[0]).values())
