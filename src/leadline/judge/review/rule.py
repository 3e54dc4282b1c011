"""What a stopping rule is, and the register of rules: each is a function with the decorator `rule`, in its own file.

A rule is tried on a review whose judgements are all known: it says after how many documents it would have stopped.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from leadline.judge.review.learner import Labels, Rows
from leadline.register import Register

LEAST_IN_A_ROW, SHARE_IN_A_ROW = 20, 0.02  # documents in a row, or share of all, after which reading is unrewarding
SEEDS = 2  # the documents that a simulated review begins with; an estimate that counts them stops at once
Kind = Literal["guarantee", "guarantee at one look", "guarantee if the order is no worse than chance", "rule of thumb"]


@dataclass(frozen=True)
class Review:
    """A review to its end, in the order of a learner."""

    labels: Labels  # whether each document is relevant, in the order of reading
    target: float = 0.95  # the recall that is wanted
    alpha: float = 0.05
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    others: Callable[[], Sequence[Rows]] | None = None  # the orders of other learners, as places in this one

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Stop:
    """Where a rule stops."""

    read: int
    found: int


@dataclass(frozen=True)
class StoppingRule:
    """A registered rule."""

    name: str
    function: Callable[[Review], Stop]
    kind: Kind

    @property
    def meaning(self) -> str:
        return (inspect.getdoc(self.function) or "(no description)").splitlines()[0]


RULES = Register[StoppingRule]("rule", "leadline.judge.review.rules", entry_points="leadline.rules")


def rule(name: str, kind: Kind) -> Callable[[Callable[[Review], Stop]], Callable[[Review], Stop]]:
    """Register a stopping rule under a name, and say what it can promise."""

    def add(function: Callable[[Review], Stop]) -> Callable[[Review], Stop]:
        RULES.add(name, StoppingRule(name, function, kind), home=function.__module__)
        return function

    return add


def stopped_at(review: Review, read: int) -> Stop:
    """The stop after so many documents in the learner's order."""
    return Stop(read, int(review.labels[:read].sum()))


def switch_point(labels: Labels) -> int:
    """After how many documents reading in the learner's order has become unrewarding.

    That is when so many in a row are not relevant: 20, or 2 % of all where that is more.

    >>> switch_point(np.array([True] * 3 + [False] * 40))
    23
    """
    return first_run(labels, max(LEAST_IN_A_ROW, round(SHARE_IN_A_ROW * len(labels))))


def first_run(labels: Labels, length: int) -> int:
    """After how many documents `length` in a row have not been relevant, once one was; all where there is no such run.

    >>> first_run(np.array([False, False, True, False, False, True]), 2)
    5
    """
    places = np.arange(len(labels))
    last: Rows = np.maximum.accumulate(np.where(labels, places, -1))
    long = np.flatnonzero((last >= 0) & (places - last >= length))
    return int(long[0]) + 1 if len(long) else len(labels)
