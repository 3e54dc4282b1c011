"""Which unit is likely to be relevant: scores that a learner renews in the background while people read."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable

import numpy as np

from leadline.judge.review.features import WORD, TextFeatures
from leadline.judge.review.learner import LEARNERS, Labels, ReviewLearner, Rows, Scores
from leadline.judge.review.order import similar

Judged = Callable[[], tuple[Rows, Labels]]


class Proposer:
    """Scores of all units. `wake` makes them anew from what was judged; reading them never waits for that."""

    def __init__(
        self,
        features: TextFeatures,
        learner: str,
        judged: Judged,
        *,
        query: str = "",
        seed: int = 0,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """`judged` gives the units judged so far and which of them are relevant; threads may call it.

        `prepare` is called in the background whenever the scores may have changed.
        """
        self._prepare = prepare
        self._features, self._name, self._judged, self._seed = features, learner, judged, seed
        self._start = _query_scores(features, query, seed)
        self._model: ReviewLearner | None = None
        self._taught: tuple[Rows, Labels] = (np.zeros(0, np.int64), np.zeros(0, np.bool_))
        self._wanted, self._ended = threading.Event(), False
        self._thread: threading.Thread | None = None
        self.scores: Scores = self._start  # replaced as a whole, never changed
        self.rounds = 0  # how often it learned
        self.seconds = 0.0  # how long it took the last time
        self.processor_seconds = 0.0  # the same without waiting for a processor
        self.learn()

    def start(self) -> None:
        """Learn in the background from now on."""
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Say that something was judged."""
        self._wanted.set()

    def close(self) -> None:
        self._ended = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(30)

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._ended:
                return
            self.learn()
            if self._prepare is not None:
                self._prepare()

    def learn(self) -> None:
        """Bring the scores up to date."""
        rows, relevant = self._judged()
        if len(rows) == len(self._taught[0]) and all(map(np.array_equal, (rows, relevant), self._taught)):
            return
        begin, busy = time.perf_counter(), time.thread_time()
        if not relevant.any() or relevant.all():
            scores = self._start + similar(self._features, rows[relevant])
        else:
            scores = self._learned(rows, relevant).copy()
        self._taught = rows, relevant
        self.processor_seconds = time.thread_time() - busy
        self.scores, self.seconds, self.rounds = scores, time.perf_counter() - begin, self.rounds + 1

    def _learned(self, rows: Rows, relevant: Labels) -> Scores:
        before, labels = self._taught
        goes_on = np.array_equal(rows[: len(before)], before) and np.array_equal(relevant[: len(before)], labels)
        if self._model is None or not goes_on:  # a judgement was changed or taken back
            self._model = LEARNERS.named(self._name)(self._features, self._seed)
        return self._model.learn(rows, relevant)


def _query_scores(features: TextFeatures, query: str, seed: int) -> Scores:
    """How well units fit the words of a query; without one, an order at random, so small that any word outweighs it."""
    random = np.random.default_rng(seed).random(len(features)) * 1e-9
    places = {word: column for column, word in enumerate(features.words)}
    columns = {places[word] for word in re.findall(WORD, query.lower()) if word in places}
    if not columns:
        return random
    wanted = np.zeros(len(features.words))
    wanted[list(columns)] = 1
    return features.scores(wanted) + random
