"""Reviews whose judgements are known, read again in a learner's order, and what each stopping rule would have found."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError
from leadline.judge.choices import ASKED_RULES
from leadline.judge.review.learners import LEARNERS, Labels, Rows, TextFeatures, learned_order
from leadline.judge.review.stopping import ROUNDING, RULES, Review
from leadline.options import Bounds, Count, Level
from leadline.records.inputs import QrelsLike
from leadline.records.qrels import Qrels
from leadline.records.result import Result, Table, counted, number
from leadline.records.runs import Run
from leadline.records.scores import Scores

if TYPE_CHECKING:
    from leadline.collections.documents.collection import Collection

FIELDS = ("title", "abstract")
SECOND = ("naive-bayes", "svm")  # learners whose order is compared with that of another, the first that is another
ROUNDINGS = ("up", "nearest", "down")  # of the number of relevant documents that the target asks for
Array = NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class LabelledReview:
    """The documents of one review, and which of them are relevant."""

    name: str
    documents: tuple[str, ...]
    features: TextFeatures
    relevant: Labels

    def start(self, seed: int) -> Rows:
        """A relevant document and one that is not, at random: what a reviewer knows before the first round."""
        random = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        return np.array([random.choice(np.flatnonzero(self.relevant == label)) for label in (True, False)])


def labelled_reviews(collection: Collection, labels: Qrels, rel: int = 1) -> Iterator[LabelledReview]:
    """A review for each topic of the labels: its candidates are the documents that have a label.

    Where all labels of a topic are relevant, the whole collection is read: the other documents are not relevant.
    """
    import polars as pl

    texts = pl.concat(list(collection.texts(FIELDS))).sort("row")
    joined = texts.select(pl.concat_str([pl.col(name).fill_null("") for name in FIELDS], separator=" "))
    words = joined.to_series().to_list()
    whole: TextFeatures | None = None
    for topic, grades in labels.to_dict().items():
        documents = tuple(grades)
        rows = collection.rows(documents)
        if (rows < 0).any():
            first, count = documents[int(np.argmax(rows < 0))], int((rows < 0).sum())
            also = f", as {count - 1:,} of the other labelled documents" if count > 1 else ""
            problem = f"topic {topic}: {first} is not in the collection {collection.folder}{also}"
            raise InputError(labels.name, problem)
        relevant = np.array([grade >= rel for grade in grades.values()])
        features = None
        if relevant.all():
            documents, relevant = tuple(collection.records["id"]), np.zeros(len(collection), np.bool_)
            relevant[rows] = True
            features = whole = whole or TextFeatures.of(words)
        if relevant.all() or not relevant.any():
            only = "relevant" if relevant.any() else "not relevant"
            raise InputError(labels.name, f"topic {topic}: all documents are {only}, a learner needs both")
        features = features or TextFeatures.of([words[row] for row in rows.tolist()])
        yield LabelledReview(topic, documents, features, relevant)


@dataclass(frozen=True, repr=False)
class ReviewSimulation(Result):
    """What learners and rules did with reviews: arrays by learner, review, seed and, of rules, rule."""

    learners: tuple[str, ...]
    rules: tuple[str, ...]
    reviews: tuple[str, ...]
    sizes: tuple[int, ...]
    target: float
    read: Array  # learner, review, seed, rule: share of the documents read at the stop
    recall: Array  # the same: share of the relevant documents found
    needed: Array  # learner, review, seed: share that had to be read to reach the target in this order
    needed_rounded: Array  # learner, review, seed, rounding: the same for each rounding of target · R

    @property
    def seeds(self) -> int:
        return self.needed.shape[2]

    @cached_property
    def reached(self) -> Array:
        """learner, review, rule: the share of seeds that reached the target."""
        return np.asarray((self.recall >= self.target - ROUNDING).mean(axis=2))

    @property
    def saved(self) -> Array:
        """learner, review: work saved over sampling, WSS; recall is reached when it is at least the target."""
        return np.asarray(self.target - self.needed.mean(axis=2))

    @property
    def saved_by_rounding(self) -> dict[str, Array]:
        """learner, review: WSS for each rounding of target · R, as `WSS(rounding=...)` of `evaluate` has it."""
        means = self.needed_rounded.mean(axis=2)
        return {name: np.asarray(self.target - means[..., at]) for at, name in enumerate(ROUNDINGS)}

    def table(self) -> Table:
        """A row for each learner and rule, over all reviews."""
        columns = ["learner", "rule", "kind", "reached", "worst review", "recall", "read", "best possible"]
        rows = []
        for place, learner in enumerate(self.learners):
            for at, rule in enumerate(self.rules):
                reached = self.reached[place, :, at]
                means = self.recall[place, ..., at].mean(), self.read[place, ..., at].mean(), self.needed[place].mean()
                rows.append([learner, rule, RULES.named(rule).kind, reached.mean(), reached.min(), *map(float, means)])
        return Table(columns, [[float(v) if isinstance(v, np.floating) else v for v in row] for row in rows])

    def by_review(self) -> Table:
        """A row for each review, learner and rule."""
        columns = ["review", "documents", "learner", "WSS", "rule", "reached", "recall", "read"]
        rows = [
            [
                review,
                size,
                learner,
                float(self.saved[place, row]),
                rule,
                float(self.reached[place, row, at]),
                float(self.recall[place, row, :, at].mean()),
                float(self.read[place, row, :, at].mean()),
            ]
            for row, (review, size) in enumerate(zip(self.reviews, self.sizes, strict=True))
            for place, learner in enumerate(self.learners)
            for at, rule in enumerate(self.rules)
        ]
        return Table(columns, rows)

    def scores(self) -> Scores:
        """Each learner with each rule as a run, each review as a topic: recall, share read, and targets reached."""
        runs = tuple(f"{learner}+{rule}" for learner in self.learners for rule in self.rules)
        measures = self.recall.mean(axis=2), self.read.mean(axis=2), self.reached
        # learner, review, rule, measure -> run, review, measure
        values = np.stack(measures, axis=-1).transpose(0, 2, 1, 3).reshape(len(runs), len(self.reviews), 3)
        better = ("higher", "lower", "higher")
        return Scores(runs, self.reviews, ("recall", "read", "reached"), values, better=better)  # type: ignore[arg-type]

    def _finding(self) -> str:
        sizes = f"{counted(len(self.reviews), 'review')}, {counted(self.seeds, 'seed')}"
        means = self.saved.mean(1)
        saved = ", ".join(f"{name} {number(mean, means)}" for name, mean in zip(self.learners, means, strict=True))
        return f"{sizes}; WSS@{100 * self.target:g} (rounded up): {saved}"

    def _shown_table(self) -> Table:
        return self.table()


def simulate_reviews(
    reviews: Sequence[LabelledReview],
    *,
    learners: Sequence[str] = ("svm",),
    rules: Sequence[str] = (),
    seeds: int = 10,
    target: float = 0.95,
    alpha: float = 0.05,
    batch: int | None = None,
    progress: Progress | None = None,
    keep: Callable[[Run], None] | None = None,
) -> ReviewSimulation:
    """Read reviews to their end with every learner and seed, and stop with every rule, or all but ASKED_RULES."""
    if not reviews:
        raise InputError("reviews", "there are none to simulate: the labels have no topic")
    chosen = [RULES.named(name) for name in rules or [name for name in RULES if name not in ASKED_RULES]]
    names = list(learners)
    for name in names:
        LEARNERS.named(name)  # an unknown one is an error before the work begins
    shape = (len(names), len(reviews), seeds)
    read, recall, needed = np.zeros((*shape, len(chosen))), np.zeros((*shape, len(chosen))), np.zeros(shape)
    rounded = np.zeros((*shape, len(ROUNDINGS)))
    for place, learner in enumerate(names):
        for row, review in enumerate(reviews):
            total = int(review.relevant.sum())
            for seed in range(seeds):
                order = learned_order(
                    review.features, review.relevant, review.start(seed), learner, batch=batch, seed=seed
                )
                labels = review.relevant[order]
                others = partial(_other_orders, review, order, learner, seed, batch)
                enough = np.cumsum(labels) >= target * total - ROUNDING
                needed[place, row, seed] = (int(np.argmax(enough)) + 1) / len(labels)
                rounded[place, row, seed] = _read_for(labels, target * total) / len(labels)
                for at, each in enumerate(chosen):
                    # By names, so that neither the other rules nor the other reviews change the result.
                    random = np.random.default_rng([seed, *(zlib.crc32(n.encode()) for n in (review.name, each.name))])
                    stop = each.function(Review(labels, target, alpha, random, others))
                    read[place, row, seed, at], recall[place, row, seed, at] = (
                        stop.read / len(labels),
                        stop.found / total,
                    )
                if keep is not None:
                    keep(_run(review, order, f"{learner}-{seed + 1}"))
                if progress is not None:
                    progress((place * len(reviews) + row) * seeds + seed + 1, len(names) * len(reviews) * seeds)
    return ReviewSimulation(
        tuple(names),
        tuple(each.name for each in chosen),
        tuple(review.name for review in reviews),
        tuple(len(review.documents) for review in reviews),
        target,
        read,
        recall,
        needed,
        rounded,
    )


def _other_orders(review: LabelledReview, order: Rows, learner: str, seed: int, batch: int | None) -> list[Rows]:
    """The orders of three learners that began with the same documents, as places in the first order.

    One is another learner; the others see half of the words each, so that they depend less on each other.
    """
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    first = np.random.default_rng(seed).integers(2, size=len(review.features.words)) == 0
    halves = [(review.features.with_words(half), "svm") for half in (first, ~first)]
    other = review.features, next(name for name in SECOND if name != learner)
    return [
        np.asarray(place[learned_order(features, review.relevant, review.start(seed), name, batch=batch, seed=seed)])
        for features, name in (other, *halves)
    ]


def _read_for(labels: Labels, wanted: float) -> Array:
    """The documents read until so many relevant ones are found, for each rounding of their number."""
    places = np.concatenate(([0], np.flatnonzero(labels) + 1))
    numbers = math.ceil(wanted - ROUNDING), round(wanted), math.floor(wanted + ROUNDING)
    return np.array([places[number] for number in numbers], float)


def _run(review: LabelledReview, order: Rows, name: str) -> Run:
    documents = [review.documents[row] for row in order.tolist()]
    return Run.from_columns([review.name] * len(documents), documents, np.arange(len(documents), 0, -1.0), name)


# The public function that tries learners and stopping rules.


def simulate_review(
    collection: Collection | str | os.PathLike[str],
    labels: QrelsLike,
    *,
    learners: Sequence[str] = ("svm",),
    rules: Sequence[str] = (),
    seeds: Annotated[int, Bounds(1, 10_000)] = 10,
    target: Level = 0.95,
    alpha: Level = 0.05,
    batch: Count | None = None,
) -> ReviewSimulation:
    """Read labelled reviews again in a learner's order, and stop with every rule.

    labels: judgements of all candidates, or an export with labels
    learners: learners to try
    rules: stopping rules to try (default: all but budget, in-a-row and knee)
    seeds: times to begin anew
    target: recall that is wanted
    alpha: level of significance
    batch: learn after every N documents (default: batches that grow by a tenth)

    Each topic of the labels is a review of the documents that have a label; where all of them are relevant, of the
    whole collection.
    """
    from leadline.collections.documents.collection import Collection
    from leadline.records.qrels import Qrels, read_qrels

    judged = read_qrels(labels) if isinstance(labels, (str, os.PathLike)) else Qrels.of(labels)
    opened = collection if isinstance(collection, Collection) else Collection.open(collection)
    return simulate_reviews(
        list(labelled_reviews(opened, judged)),
        learners=learners,
        rules=rules,
        seeds=seeds,
        target=target,
        alpha=alpha,
        batch=batch,
    )
