"""What a learner is, and the register of learners: each is a class with the decorator `learner`, in its own file."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from leadline.judge.review.features import TextFeatures
from leadline.register import Register

Scores = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.bool_]


class ReviewLearner(Protocol):
    """Learns from judged documents which of the others are likely to be relevant. It may keep state between rounds."""

    def __init__(self, features: TextFeatures, seed: int = 0) -> None: ...

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        """The scores of all documents, from those judged so far: at least one of them relevant, and one not.

        Documents judged before come first, in the same order as before.
        """
        ...


LEARNERS = Register[type[ReviewLearner]]("learner", "leadline.judge.review.learners", entry_points="leadline.learners")
_Class = TypeVar("_Class", bound=type[ReviewLearner])


def learner(name: str) -> Callable[[_Class], _Class]:
    """Register a learner under a name."""

    def add(cls: _Class) -> _Class:
        LEARNERS.add(name, cls, home=cls.__module__)
        return cls

    return add


def meaning(cls: type[ReviewLearner]) -> str:
    return (inspect.getdoc(cls) or "(no description)").splitlines()[0]
