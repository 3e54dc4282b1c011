"""How likely is each document of a pool to be relevant, and what does it matter: from the runs' lists and few marks.

>>> lists = RankedLists.of([Run.of({"7": {"a": 3.0, "b": 2.0, "c": 1.0}}, "x"), Run.of({"7": {"b": 1.0}}, "y")])
>>> lists.documents, lists.placed("x", "7").tolist()
(('a', 'b', 'c'), [0, 1, 2])
>>> first_guess(lists).round(2)
array([0.4 , 0.6 , 0.38])
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, visible
from leadline.records.qrels import natural
from leadline.records.runs import Run

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


# What the runs list, as flat arrays: a model and a draw of 143 runs × 30 topics × 1 000 ranks take seconds.


@dataclass(frozen=True)
class RankedLists:
    """The first documents of every run by topic. Runs, topics and the documents of a topic are in the order of names.

    `listed` holds the documents of the first topic's first run, best first, then of its second run, and so on.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    documents: tuple[str, ...]  # those of the first topic, then of the second, and so on
    offsets: Integers  # of the topics in `documents`
    starts: Integers  # of the rows (topic, run) in `listed`
    listed: NDArray[np.int32]  # places in `documents`

    @classmethod
    def of(cls, runs: Sequence[Run], depth: int = 1000, topics: Sequence[str] | None = None) -> RankedLists:
        """The lists of runs down to a rank."""
        import polars as pl

        runs = sorted(runs, key=lambda run: run.name)
        _check_names(runs)
        wanted = {topic for run in runs for topic in run.topics if topics is None or topic in set(topics)}
        if not wanted:
            raise InputError("runs", "have none of the topics asked for")
        names = tuple(sorted(wanted, key=natural))
        place = {topic: t for t, topic in enumerate(names)}
        parts = []
        for r, run in enumerate(runs):
            for t, topic in enumerate(run.topics):
                lines = run.order[run.offsets[t] : run.offsets[t + 1]][:depth]
                if topic in place and len(lines):
                    parts.append((place[topic], r, _utf8(run, topic, run.documents.take(lines).names())))
        parts.sort(key=lambda part: part[:2])
        lengths = [len(part[2]) for part in parts]
        rows = np.repeat([t * len(runs) + r for t, r, _ in parts], lengths)
        series = pl.concat([pl.Series(part[2], dtype=pl.String) for part in parts])
        frame = pl.DataFrame({"topic": rows // len(runs), "document": series})
        known = frame.unique().sort("topic", "document").with_row_index("place")
        listed = frame.join(known, on=["topic", "document"], how="left", maintain_order="left")["place"]
        return cls(
            tuple(run.name for run in runs),
            names,
            tuple(known["document"].to_list()),
            np.searchsorted(known["topic"].to_numpy(), np.arange(len(names) + 1)),
            np.searchsorted(rows, np.arange(len(names) * len(runs) + 1)),
            listed.to_numpy().astype(np.int32),
        )

    @cached_property
    def topic_of_document(self) -> Integers:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @cached_property
    def row(self) -> NDArray[np.int32]:
        """The row of each listed document."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def rank(self) -> NDArray[np.int32]:
        """The rank of each listed document, from 1."""
        return (np.arange(len(self.listed)) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1).astype(np.int32)

    @cached_property
    def run_of_row(self) -> Integers:
        return np.tile(np.arange(len(self.runs)), len(self.topics))

    @cached_property
    def topic_of_row(self) -> Integers:
        return np.repeat(np.arange(len(self.topics)), len(self.runs))

    @cached_property
    def fused(self) -> Array:
        """Σ 1 / (60 + rank) over the runs that list a document: reciprocal rank fusion."""
        return self.over_runs(1 / (60.0 + self.rank))

    @cached_property
    def depth_vote(self) -> Array:
        """Of each listed document: 1 at the first rank, falling with the logarithm of the rank to 0 at 1 001."""
        table = np.log(1001 / np.arange(1, int(self.rank.max(initial=1)) + 1)) / np.log(1001)
        return np.maximum(table, 0.0)[self.rank - 1]

    @cached_property
    def features(self) -> Array:
        """Of each document, standardised: its votes, its best rank, and how many runs have it within some ranks."""
        best = np.full(len(self.documents), np.inf)
        np.minimum.at(best, self.listed, self.rank)
        votes = self.over_runs(self.depth_vote) / len(self.runs)
        within = [np.log1p(self.over_runs((self.rank <= k).astype(float))) for k in (5, 10, 20, 50, 100, 300, 1000)]
        logs = np.log(self.fused), np.log(best), np.log(best) ** 2, *within, votes, np.log(votes + 0.001)
        columns = np.stack(logs, axis=1)
        spread = columns.std(axis=0)
        return (columns - columns.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0)

    def over_runs(self, of_listed: Array) -> Array:
        """For each document the sum over the runs that list it."""
        return np.asarray(np.bincount(self.listed, weights=of_listed, minlength=len(self.documents)), np.float64)

    def of_topics(self, of_documents: Array) -> Array:
        """For each topic the sum over its documents."""
        found = np.bincount(self.topic_of_document, weights=of_documents, minlength=len(self.topics))
        return np.asarray(found, np.float64)

    def placed(self, run: str, topic: str) -> Integers:
        """The documents of one list, best first, as places among the topic's documents."""
        t = self.topics.index(topic)
        row = t * len(self.runs) + self.runs.index(run)
        return self.listed[self.starts[row] : self.starts[row + 1]] - self.offsets[t]


def _check_names(runs: Sequence[Run]) -> None:
    if not runs:
        raise InputError("runs", "no run was given")
    twice = next((one.name for one, other in itertools.pairwise(runs) if one.name == other.name), None)
    if twice is not None:
        raise InputError(twice, "is given twice: runs need different names")


def _utf8(run: Run, topic: str, documents: list[str]) -> list[str]:
    """The documents of a list, if a pool can hold their names."""
    for name in (topic, *documents):
        if not name.isascii() and any("\ud800" <= sign < "\ue000" for sign in name):
            raise InputError(run.name, f"{visible(name)} is not UTF-8, which a pool needs")
    return documents


# The model: ridge logistic regression over all topics, on the runs' votes and a machine's judgements, if there are any.


RIDGE, OF_A_RUN, OF_A_TOPIC, OF_THE_REST = 1.0, 10.0, 2.0, 1e-3  # how far weights are drawn towards 0
STEPS, CLOSE, LONGEST_STEP = 25, 1e-4, 3.0  # of Newton's method
SURE = 4.0  # a machine's logit is believed no further than this
WORTH_FIRST = 0.6  # the probability of the documents that the runs agree on, before anything is judged


class Prediction(NamedTuple):
    """The probability of relevance of every document; of judged ones also as if their own mark were not known."""

    all: Array
    left_out: Array  # of the judged documents, in their order


def machine_logit(probabilities: Array) -> Array:
    """What a machine says, as the model takes it: NaN where it said nothing."""
    with np.errstate(divide="ignore"):
        return np.clip(np.log(probabilities / (1 - probabilities)), -SURE, SURE)


def first_guess(lists: RankedLists, machine: Array | None = None) -> Array:
    """The probability of relevance before anything is judged: by the fused rank, and a machine believed by half."""
    top = np.array(
        [
            np.sort(lists.fused[start:stop])[-20:].mean()
            for start, stop in zip(lists.offsets[:-1], lists.offsets[1:], strict=True)
        ]
    )
    guess = np.clip(WORTH_FIRST * (lists.fused / top[lists.topic_of_document]) ** 1.5, 1e-4, WORTH_FIRST)
    if machine is None:
        return guess
    said = machine_logit(machine)
    said = np.where(np.isnan(said), 0.0, said - np.nanmean(said))  # a machine that says yes to all says nothing
    return np.clip(_probability(np.log(guess / (1 - guess)) + said / 2), 1e-4, 1 - 1e-4)


def predict(lists: RankedLists, judged: Integers, relevant: Mask, machine: Array | None = None) -> Prediction:
    """Fit the model to the judged documents and predict all of them.

    machine: a machine's probability for each document, NaN where it has none: one more feature, whose weight the
        people's marks decide
    """
    features = _with_machine(lists.features, machine)
    topics, runs = len(lists.topics), len(lists.runs)
    slope = lists.features[:, 0]
    topic = lists.topic_of_document
    mean_vote = np.bincount(lists.run_of_row[lists.row], weights=lists.depth_vote, minlength=runs) / len(topic)

    # Columns: one, the features, each run's vote for the document, and an intercept and a slope for each topic.
    count = len(judged)
    at = np.full(len(topic), -1)
    at[judged] = np.arange(count)
    entries = np.flatnonzero(at[lists.listed] >= 0)
    first = 1 + features.shape[1]
    design = np.zeros((count, first + runs + 2 * topics))
    design[:, 0] = 1
    design[:, 1:first] = features[judged]
    design[:, first : first + runs] = -mean_vote
    votes = lists.depth_vote[entries]
    design[at[lists.listed[entries]], first + lists.run_of_row[lists.row[entries]]] += votes
    rows = np.arange(count)
    design[rows, first + runs + topic[judged]] = 1
    design[rows, first + runs + topics + topic[judged]] = slope[judged] - 1.5
    widths = (1, OF_THE_REST), (features.shape[1], RIDGE), (runs, OF_A_RUN), (2 * topics, OF_A_TOPIC)
    ridge = np.concatenate([np.full(width, strength) for width, strength in widths])

    weights, left_out = _ridge_logistic(design, relevant.astype(float), ridge)
    of_run, of_topic = weights[first : first + runs], weights[first + runs :]
    score = weights[0] + features @ weights[1:first] - float(mean_vote @ of_run)
    score += lists.over_runs(lists.depth_vote * of_run[lists.run_of_row[lists.row]])
    score += of_topic[topic] + of_topic[topics + topic] * (slope - 1.5)
    return Prediction(_probability(score), _probability(left_out))


def _with_machine(features: Array, machine: Array | None) -> Array:
    """The features with what a machine says, and with where it says nothing."""
    if machine is None:
        return features
    logit = machine_logit(machine)
    silent = np.isnan(logit)
    more = [np.where(silent, 0.0, logit)] + ([silent.astype(float)] if silent.any() else [])
    return np.concatenate([features, np.stack(more, axis=1)], axis=1)


def _probability(score: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(score, -30, 30)))


def _ridge_logistic(design: Array, wanted: Array, ridge: Array) -> tuple[Array, Array]:
    """The weights of a ridge logistic regression, and the score of each row by the others, to first order."""
    weights = np.zeros(design.shape[1])
    weights[0] = -1
    for _ in range(STEPS):
        likely = _probability(design @ weights)
        curve = np.maximum(likely * (1 - likely), 1e-6)
        curvature = (design * curve[:, None]).T @ design
        curvature[np.diag_indices_from(curvature)] += ridge
        step = np.linalg.solve(curvature, design.T @ (wanted - likely) - ridge * weights)
        longest = float(np.abs(step).max())
        weights += step * min(1.0, LONGEST_STEP / max(longest, 1e-300))
        if longest < CLOSE:
            break
    # Each row's leverage: how far its own mark pulled its own score.
    score = design @ weights
    leverage = np.einsum("ij,ji->i", design, np.linalg.solve(curvature, design.T))
    likely = _probability(score)
    curve = np.maximum(likely * (1 - likely), 1e-6)
    return weights, score - leverage * (wanted - likely) / (1 - np.minimum(leverage * curve, 0.95))


def stakes(lists: RankedLists, likely: Array) -> Array:
    """What a document matters: how differently its relevance would change the average precision of the runs.

    The standard deviation over runs of the derivative of AP, where documents are relevant with these probabilities.
    """
    expected, rank, row = likely[lists.listed], lists.rank, lists.row
    rows, share = len(lists.starts) - 1, 1 / len(lists.runs)
    relevant = np.maximum(lists.of_topics(likely), 1e-9)[lists.topic_of_row]

    # Of each listed document: (1 + those expected above it) / rank + what it adds to the precision of those below it.
    above = _running(lists, expected)
    above -= expected
    lifted = expected / rank
    below = np.bincount(row, weights=lifted, minlength=rows)[row] - _running(lists, lifted)
    own = (1 + above) / rank
    average = np.bincount(row, weights=expected * own, minlength=rows) / relevant
    change = own + below

    # Mean and mean square over runs; a run that does not list the document loses its average precision's share.
    by_topic = average.reshape(-1, len(lists.runs))
    lost, lost_squared = by_topic.mean(axis=1), (by_topic**2).mean(axis=1)
    topic = lists.topic_of_document
    mean = lists.over_runs(change) * share - lost[topic]
    square = lists.over_runs((change - average[row]) ** 2 - average[row] ** 2) * share + lost_squared[topic]
    deviation = np.sqrt(np.maximum(square - mean**2, 1e-14))
    return np.asarray(deviation / relevant[topic * len(lists.runs)])


def _running(lists: RankedLists, values: Array) -> Array:
    """The sum of the values of each list down to each place."""
    total = np.cumsum(values)
    before = np.concatenate([[0.0], total])[lists.starts[:-1]]
    return np.asarray(total - np.repeat(before, np.diff(lists.starts)))
