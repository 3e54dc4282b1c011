"""Reviews whose judgements are known, read by readers who overlook some of what is relevant: what both certificates
are worth then, and what they cost.

The labels are what an expert would say. A reader keeps what is relevant except a share that they overlook, at random or
the hardest. They read until their own certificate states the target; an expert then audits what they did.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError
from leadline.judge.choices import OVERLOOKED_SHARES
from leadline.judge.review.audit import needed_again, rejected_order
from leadline.judge.review.learners import LEARNERS, Labels, Rows, learned_order
from leadline.judge.review.simulation import LabelledReview, Progress
from leadline.judge.review.stopping import (
    AUDIT_PRIOR,
    READING_PRIOR,
    ROUNDING,
    Prior,
    lowest_so_far,
    missing_limits,
    sensitivity_limit,
    switch_point,
)
from leadline.options import Bounds, Count, Level
from leadline.records.result import Result, Table, counted, number

CERTIFICATES = ("reading", "two readers", "audit")
Array = NDArray[np.float64]


class Condition(NamedTuple):
    """How readers overlook."""

    overlooked: float  # share of the relevant documents
    readers: int  # 1, or 2 who read everything: what either keeps is kept
    hard: bool  # both overlook the same, the hardest; else each overlooks at random

    @property
    def words(self) -> str:
        if not self.overlooked:
            return "nothing"
        return "the hardest" if self.hard else "at random"


class CertifiedRun(NamedTuple):
    """What one certificate came to in one run."""

    certified: bool  # whether it stated the target, or everything had been read
    recall: float  # true, by the expert's standard
    held: bool  # whether its limit was true at every look
    read: float  # by readers, as a share of all documents
    decided: float  # by the expert, besides what was kept


@dataclass(frozen=True, repr=False)
class OversightSimulation(Result):
    """Outcomes by condition, review, seed, certificate and value."""

    conditions: tuple[Condition, ...]
    reviews: tuple[str, ...]
    target: float
    values: Array  # condition, review, seed, certificate, value of an CertifiedRun; NaN where there is none

    @property
    def seeds(self) -> int:
        return self.values.shape[2]

    def reached(self, of: Array) -> tuple[float, float, float]:
        """Of runs by review: the share certified, and of those the share that truly had the target, over all and in the
        worst review.
        """
        certified = of[..., 0] == 1
        true = certified & (of[..., 1] >= self.target - ROUNDING)
        by_review = true.sum(axis=-1) / np.where(certified.any(axis=-1), certified.sum(axis=-1), np.nan)
        share = float(true.sum() / certified.sum()) if certified.any() else float("nan")
        worst = float(np.nanmin(by_review)) if certified.any() else float("nan")
        return float(certified.mean()), share, worst

    def table(self) -> Table:
        """A row for each condition and certificate, over all reviews."""
        return Table([*self._columns()], [row for row in self._rows(self.values) if row])

    def by_review(self) -> Table:
        """The same for each review."""
        rows = [
            [name, *row]
            for place, name in enumerate(self.reviews)
            for row in self._rows(self.values[:, place : place + 1])
        ]
        return Table(["review", *self._columns()], rows)

    @staticmethod
    def _columns() -> tuple[str, ...]:
        return (
            *("overlooked", "how", "readers", "certificate", "certified", "reached", "worst review", "held"),
            *("read", "by the expert"),
        )

    def _rows(self, values: Array) -> list[list[object]]:
        rows: list[list[object]] = []
        for condition, of_condition in zip(self.conditions, values, strict=True):
            for place, name in enumerate(CERTIFICATES):
                of = of_condition[:, :, place]
                if np.isnan(of[..., 0]).all():
                    continue
                held = of[..., 2][of[..., 0] == 1]
                share = float(held.mean()) if len(held) else float("nan")
                means = float(of[..., 3].mean()), float(of[..., 4].mean())
                about = [condition.overlooked, condition.words, condition.readers, name]
                rows.append([*about, *self.reached(of), share, *means])
        return rows

    def _finding(self) -> str:
        sizes = f"{counted(len(self.reviews), 'review')}, {counted(self.seeds, 'seed')}, target {100 * self.target:g} %"
        audit = [self.reached(of[:, :, CERTIFICATES.index("audit")])[1] for of in self.values]
        reading = [self.reached(of[:, :, 0])[1] for of in self.values]
        least = f"reading {number(min(reading))}, audit {number(min(audit))}"
        return f"{sizes}; reached by those certified, at least: {least}"

    def _shown_table(self) -> Table:
        return self.table()


def simulate_oversight(
    reviews: Sequence[LabelledReview],
    *,
    learner: str = "svm",
    overlook: Sequence[float] = OVERLOOKED_SHARES,
    readers: Annotated[int, Bounds(1, 2)] = 1,
    hard: bool = False,
    seeds: Annotated[int, Bounds(1, 10_000)] = 10,
    target: Level = 0.95,
    alpha: Level = 0.05,
    batch: Count | None = None,
    again: bool = True,
    progress: Progress | None = None,
) -> OversightSimulation:
    """Read labelled reviews with readers who overlook relevant documents, and audit what they did.

    overlook: shares of the relevant documents that a reader overlooks
    readers: people who read each document; what either keeps is kept
    hard: all overlook the same documents, those that the learner finds last (default: each at random)
    """
    if not reviews:
        raise InputError("reviews", "there are none to simulate: the labels have no topic")
    LEARNERS.named(learner)
    conditions = tuple(Condition(share, readers, hard and share > 0) for share in dict.fromkeys(overlook))
    (found,) = simulate_conditions(
        reviews, conditions, [target], learner=learner, seeds=seeds, alpha=alpha, batch=batch, again=again,
        progress=progress,
    )  # fmt: skip
    return found


def simulate_conditions(
    reviews: Sequence[LabelledReview],
    conditions: Sequence[Condition],
    targets: Sequence[float] = (0.95,),
    *,
    learner: str = "svm",
    seeds: int = 10,
    first: int = 0,
    alpha: float = 0.05,
    batch: int | None = None,
    again: bool = True,
    progress: Progress | None = None,
) -> list[OversightSimulation]:
    """The same for any conditions and targets, a simulation for each target; without `again` the expert reads nothing
    again before the draws. The seeds are those from `first` on, so that many may be simulated in parts.
    """
    shape = (len(targets), len(conditions), len(reviews), seeds, len(CERTIFICATES), len(CertifiedRun._fields))
    values = np.full(shape, np.nan)
    for row, review in enumerate(reviews):
        for seed in range(seeds):
            orders = _Orders(review, first + seed, learner, batch)
            for place, condition in enumerate(conditions):
                for of, target in enumerate(targets):
                    run = _Run(orders, condition, target, alpha)
                    for at, outcome in enumerate(run.outcomes(again=again)):
                        if outcome is not None:
                            values[of, place, row, seed, at] = outcome
            if progress is not None:
                progress(row * seeds + seed + 1, len(reviews) * seeds)
    names = tuple(each.name for each in reviews)
    return [
        OversightSimulation(tuple(conditions), names, target, found)
        for target, found in zip(targets, values, strict=True)
    ]


class _Orders:
    """The orders of a learner in one review that begins with the same documents, whatever a reader keeps."""

    def __init__(self, review: LabelledReview, seed: int, learner: str, batch: int | None) -> None:
        self.review, self.seed, self.learner = review, seed, learner
        self.start, self._batch = review.start(seed), batch
        self._known: dict[bytes, Rows] = {}

    def of(self, keeps: Labels) -> Rows:
        """The order if this is what readers keep; learned once."""
        key = np.packbits(keeps).tobytes()
        if key not in self._known:
            self._known[key] = learned_order(
                self.review.features, keeps, self.start, self.learner, batch=self._batch, seed=self.seed
            )
        return self._known[key]

    def hardness(self) -> Rows:
        """The place of each document in the order of a learner that is told the truth: the later, the harder."""
        place = np.empty(len(self.review.documents), np.int64)
        place[self.of(self.review.relevant)] = np.arange(len(place))
        return place


class Looks(NamedTuple):
    """Draws up to the first look that states the target, or to the last."""

    drawn: int
    hits: int
    is_true: bool  # whether the limit was true at each of these looks


class _Run:
    """One review read once, and audited."""

    def __init__(self, orders: _Orders, condition: Condition, target: float, alpha: float) -> None:
        review = orders.review
        self._orders, self._review, self._condition = orders, review, condition
        self._target, self._alpha = target, alpha
        self._truth, self._total = review.relevant, len(review.documents)
        # By names, so that neither the other reviews nor the other conditions change the result.
        code = round(1000 * condition.overlooked), condition.readers, int(condition.hard)
        self._random = np.random.default_rng([orders.seed, zlib.crc32(review.name.encode()), *code])
        self._keeps = [self._keeping() for _ in range(condition.readers)]
        self._kept_by_any = np.logical_or.reduce(self._keeps)
        self._order = orders.of(self._kept_by_any)

    def _keeping(self) -> Labels:
        """What a reader would keep of all documents; what is known at the start is not overlooked."""
        keeps, share = self._truth.copy(), self._condition.overlooked
        relevant = np.setdiff1d(np.flatnonzero(self._truth), self._orders.start)
        if self._condition.hard:
            hardest = relevant[np.argsort(-self._orders.hardness()[relevant])]
            keeps[hardest[: round(share * int(self._truth.sum()))]] = False
        else:
            keeps[relevant[self._random.random(len(relevant)) < share]] = False
        return keeps

    def outcomes(self, *, again: bool) -> list[CertifiedRun | None]:
        """Of each certificate, in the order of CERTIFICATES."""
        labels = self._kept_by_any[self._order]
        switch = switch_point(labels, self._target)
        unread = self._order[switch:]
        drawn_order = self._random.permutation(unread)
        found = int(labels[:switch].sum())
        looks = self._looks(
            found, self._kept_by_any[drawn_order], READING_PRIOR, self._truth[self._order[:switch]].sum()
        )
        read = np.concatenate((self._order[:switch], drawn_order[: looks.drawn]))
        kept = read[self._kept_by_any[read]]
        reading = CertifiedRun(True, self._recall(kept), looks.is_true, len(read) / self._total, 0.0)
        return [reading, self._two_readers(), self._audit(read, kept, again=again)]

    def _recall(self, kept: Rows) -> float:
        return float(self._truth[kept].sum() / self._truth.sum())

    def _looks(self, found: int, drawn_labels: Labels, prior: Prior, true_found: int) -> Looks:
        """Draw until the target is stated; the limit of recall is compared with the truth at each look."""
        hits = np.concatenate(([0], np.cumsum(drawn_labels)))
        drawn, unread = np.arange(len(hits)), len(drawn_labels)
        limits = missing_limits(found, unread, drawn, hits, target=self._target, alpha=self._alpha, prior=prior)
        lowest = lowest_so_far(limits, hits)
        bound = (found + hits) / np.maximum(found + lowest, 1)
        last = int(np.argmax((bound >= self._target - ROUNDING) | (drawn == unread)))
        true = (true_found + hits) / self._truth.sum()
        return Looks(last, int(hits[last]), bool((bound[: last + 1] <= true[: last + 1] + ROUNDING).all()))

    def _two_readers(self) -> CertifiedRun | None:
        """The first reader's share of what the second kept, where both have read everything: no draws, one look."""
        if self._condition.readers < 2:
            return None
        first, second = self._keeps
        both, second_alone = int((first & second).sum()), int((~first & second).sum())
        bound = sensitivity_limit(both, second_alone, self._alpha)
        truly = self._recall(np.flatnonzero(self._kept_by_any))
        return CertifiedRun(
            bound >= self._target - ROUNDING, truly, bound <= truly + ROUNDING, 1.0, float(second.mean())
        )

    def _audit(self, read: Rows, kept: Rows, *, again: bool) -> CertifiedRun:
        """The expert confirms what was kept, reads the rejected again, and draws from all that was not kept."""
        labels = self._kept_by_any[read]
        rejected, found, decided = read[~labels], int(self._truth[kept].sum()), np.zeros(self._total, np.bool_)
        decided[kept] = True
        if again:
            ordered = rejected_order(
                self._review.features, read, labels, rejected, self._orders.learner, self._orders.seed
            )
            in_a_row = 0
            for row in ordered.tolist():
                if in_a_row >= needed_again(found, self._total - int(decided.sum()), self._total, self._target):
                    break
                decided[row], in_a_row = True, 0 if self._truth[row] else in_a_row + 1
                found += bool(self._truth[row])
        before = int(decided.sum()) - len(kept)
        population = self._random.permutation(np.flatnonzero(~decided))
        looks = self._looks(found, self._truth[population], AUDIT_PRIOR, found)
        recall = (found + looks.hits) / int(self._truth.sum())
        share = (before + looks.drawn) / self._total
        return CertifiedRun(True, recall, looks.is_true, len(read) / self._total, share)
