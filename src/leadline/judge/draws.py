"""Draw documents for judging with known probabilities: more of those that matter and of which little is known.

>>> chances(np.array([8.0, 1.0, 1.0, 2.0]), 2).round(2)
array([1.  , 0.25, 0.25, 0.5 ])
"""

from __future__ import annotations

import base64
import itertools
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError
from leadline.judge.choices import DEFAULT_ENDS, FRAME_DEPTH, MOST_ROUNDS
from leadline.judge.relevance_model import Array, Integers, Mask, RankedLists, first_guess, predict, stakes
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import Table, counted
from leadline.records.runs import Run
from leadline.text.fields import decode_id, read_fields
from leadline.text.source import read_text

NEVER_RULED_OUT = 0.0005  # the least probability of relevance, when documents are drawn
BY_RANK = 0.1  # the share of the draws that follows the fused rank alone, whatever the model says


def chances(weights: Array, count: int) -> Array:
    """Probabilities in proportion to the weights, none above 1, that add up to `count`, or to all there are."""
    chance, _ = _chances(weights, count)
    return chance


def _chances(weights: Array, count: int) -> tuple[Array, float]:
    """The same, and the factor of the proportion."""
    certain = np.zeros(len(weights), bool)
    count = min(count, int((weights > 0).sum()))
    while True:
        left, total = count - int(certain.sum()), float(weights[~certain].sum())
        if left <= 0 or total <= 0:
            return certain.astype(float), 0.0
        factor = left / total
        more = (factor * weights >= 1 - 1e-12) & ~certain
        if not more.any():
            return np.where(certain, 1.0, np.minimum(factor * weights, 1.0)), factor
        certain |= more


def systematic(chance: Array, order: Array, rng: np.random.Generator) -> Integers:
    """The places drawn, one for each whole number that the running sum of the chances passes, from a random start.

    `order` sorts the places first, so that the sample has its share of every part of that order.
    """
    places = np.argsort(order, kind="stable")
    running = np.cumsum(chance[places])
    whole = max(round(float(running[-1])), 0) if len(running) else 0
    if not whole:
        return np.empty(0, np.int64)
    passed = np.floor(np.round(running * (whole / running[-1]) + rng.random(), 9))
    return places[np.diff(passed, prepend=0.0) > 0]


def draw_round(
    lists: RankedLists, likely: Array, judged: Mask, count: int, rng: np.random.Generator
) -> tuple[Integers, Array]:
    """Draw `count` documents of each topic that are not judged: their places, and the chance every document had.

    The chance of those that are judged already is what it would be now: who multiplies the chances of all rounds not to
    be drawn has that of being drawn at all.
    """
    matters = stakes(lists, likely)
    bounded = np.clip(likely, NEVER_RULED_OUT, 1 - NEVER_RULED_OUT)
    doubt = matters * np.sqrt(bounded * (1 - bounded))
    chance, drawn = np.zeros(len(likely)), []
    for start, stop in zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True):
        inside = slice(start, stop)
        open_ = np.flatnonzero(~judged[inside])
        if not len(open_):
            chance[inside] = 1.0
            continue
        by_doubt, by_rank = doubt[inside], lists.fused[inside]
        weights = (1 - BY_RANK) * by_doubt / max(float(by_doubt[open_].sum()), 1e-300)
        weights += BY_RANK * by_rank / float(by_rank[open_].sum())
        exact, factor = _chances(weights[open_], count)
        chance[inside] = np.minimum(factor * weights, 1.0) if factor else 1.0
        chance[inside][open_] = exact
        drawn.append(start + open_[systematic(exact, likely[inside][open_], rng)])
    return np.sort(np.concatenate(drawn)) if drawn else np.empty(0, np.int64), chance


# A pool that is drawn in rounds: each after the documents of the one before were judged.


NOT_DRAWN = -1  # the grade of a document in a pool
Grades = Mapping[tuple[str, str], int]  # of (topic, document)


@dataclass(frozen=True)
class Draws:
    """What was drawn of the runs' documents so far, with what probability, and what the model expects of each."""

    lists: RankedLists
    ends: tuple[int, ...]  # how many documents of a topic are drawn when each round ends
    seed: int
    round_of: NDArray[np.uint8]  # of each document: the round that drew it, 0 if none did
    chance: Array  # of being drawn in one of the rounds so far
    expected: Array  # the probability of relevance that the last round was drawn by
    machine: Array | None = None  # a machine's probability of relevance, NaN where it has none
    machine_name: str = ""
    earlier: str = ""  # the digest of the pool before the last round

    @classmethod
    def first(
        cls,
        runs: Sequence[Run],
        ends: Sequence[int] = DEFAULT_ENDS,
        *,
        depth: int = FRAME_DEPTH,
        seed: int = 1,
        topics: Sequence[str] | None = None,
        machine: Mapping[tuple[str, str], float] | None = None,
        machine_name: str = "",
    ) -> Draws:
        """Draw the first round from the union of the runs' lists down to a rank."""
        lists = RankedLists.of(runs, depth, topics)
        said = None if machine is None else _of_documents(lists, machine, machine_name)
        count = len(lists.documents)
        nothing = np.zeros(count, np.uint8), np.zeros(count), first_guess(lists, said)
        return cls(lists, checked_ends(ends), seed, *nothing, said, machine_name)._drawn()

    @property
    def rounds(self) -> int:
        """How many rounds were drawn."""
        return int(self.round_of.max(initial=0))

    @property
    def drawn(self) -> Mask:
        return self.round_of > 0

    def next(self, grades: Grades, *, to: int | None = None) -> Draws:
        """Draw the next round by the judgements of those before; `to` is where it ends, if no end is left or another
        is wanted."""
        ends, done = self.ends, self.ends[self.rounds - 1]
        if to is not None:
            ends = checked_ends([*ends[: self.rounds], to, *(end for end in ends[self.rounds :] if end > to)])
        if len(ends) == self.rounds:
            problem = f"all rounds are drawn, the last ends at {done} a topic: name another end, such as {2 * done}"
            raise InputError("rounds", problem)
        if len(ends) > MOST_ROUNDS:
            raise InputError("rounds", f"at most {MOST_ROUNDS} can be drawn")
        wanted, _ = self._judged(grades)
        open_ = int(self.drawn.sum()) - len(wanted)
        if not len(wanted):
            raise InputError("rounds", f"none of the {counted(open_, 'document')} drawn is judged yet")
        if self.drawn.all():
            raise InputError("rounds", "every document that the runs found was drawn")
        return replace(self, ends=ends, expected=self.model(grades))._drawn()

    def model(self, grades: Grades) -> Array:
        """The probability of relevance of each document by the judgements; of a judged one as if its own were missing.

        So a document's mark has no part in the probability with which it might have been drawn in later rounds: with
        the model's own prediction the number of relevant documents came out 5 to 10 % too small.
        """
        judged, relevant = self._judged(grades)
        if not len(judged):
            return self.expected
        found = predict(self.lists, judged, relevant, self.machine)
        expected = found.all
        expected[judged] = found.left_out
        return expected

    def machine_worth(self, grades: Grades) -> float:
        """How many judgements by people alone one with the machine is worth; NaN without a machine or judgements.

        Variance falls with the number of judgements: the ratio is that of Σ (1 − p) / p² · g² · e² with the errors e of
        the model without the machine, and with it; g is what the document matters to the scores.
        """
        judged, relevant = self._judged(grades)
        if self.machine is None or not len(judged):
            return float("nan")
        alone, together = (predict(self.lists, judged, relevant, said) for said in (None, self.machine))
        chance = self.chance[judged]
        weight = (1 - chance) / chance**2 * stakes(self.lists, together.all)[judged] ** 2
        errors = [float((weight * (relevant - found.left_out) ** 2).sum()) for found in (alone, together)]
        return errors[0] / errors[1] if errors[1] > 0 else float("nan")

    def machine_said(self, grades: Grades) -> list[str]:
        """What the machine saved, as a sentence; nothing without a machine."""
        worth = self.machine_worth(grades)
        if not np.isfinite(worth):
            return []
        count = len(self._judged(grades)[0]) / len(self.lists.topics)
        about = (
            f"{count:.0f} judged a topic with {self.machine_name or 'the machine'} are worth about {count * worth:.0f}"
        )
        return [f"{about} by people alone (for AP)"]

    def _judged(self, grades: Grades) -> tuple[Integers, Mask]:
        """The documents drawn that have a grade, and whether each is relevant."""
        known = {place: grades.get(name, -1) for place, name in self.names_drawn()}
        judged = [place for place, grade in known.items() if grade >= 0]
        return np.array(judged, np.int64), np.array([known[place] >= 1 for place in judged], bool)

    def grades(self, known: Grades, to_judge: int, not_drawn: int) -> NDArray[np.int32]:
        """The grade of every document."""
        values = np.full(len(self.lists.documents), not_drawn, np.int32)
        for place, name in self.names_drawn():
            values[place] = known.get(name, to_judge)
        return values

    def without_last(self) -> Draws:
        """The documents drawn before the last round."""
        return replace(self, round_of=np.where(self.round_of == self.rounds, 0, self.round_of).astype(np.uint8))

    def names_drawn(self) -> Iterator[tuple[int, tuple[str, str]]]:
        """The places of the documents drawn, each with its topic and name."""
        topics, documents = self.lists.topics, self.lists.documents
        of = self.lists.topic_of_document
        return ((place, (topics[of[place]], documents[place])) for place in np.flatnonzero(self.drawn).tolist())

    def _drawn(self) -> Draws:
        """With the next round drawn by what is expected now."""
        number = self.rounds + 1
        before = self.ends[number - 2] if number > 1 else 0
        rng = np.random.default_rng([self.seed, number])
        new, chance = draw_round(self.lists, self.expected, self.drawn, self.ends[number - 1] - before, rng)
        round_of = self.round_of.copy()
        round_of[new] = number
        # A document drawn has a chance above 0, also where the sum of a round's chances was rounded.
        together = np.maximum(1 - (1 - self.chance) * (1 - chance), 1e-9)
        return replace(self, round_of=round_of, chance=np.minimum(together, 1.0))

    def sizes(self) -> Table:
        """How many documents each topic has, and how many of them each round drew."""
        numbers = range(1, self.rounds + 1)
        topic = self.lists.topic_of_document
        columns = [np.bincount(topic[self.round_of == n], minlength=len(self.lists.topics)) for n in numbers]
        pooled = np.diff(self.lists.offsets).tolist()
        rows: list[list[Any]] = [
            [name, pooled[t], int(sum(column[t] for column in columns)), *(int(column[t]) for column in columns)]
            for t, name in enumerate(self.lists.topics)
        ]
        names = [f"round {n}, to {end}" for n, end in zip(numbers, self.ends, strict=False)]
        return Table(["topic", "pooled", "to_judge", *names], rows)

    def contributions(self) -> Table:
        """What each run brought into the pool, how much of it was drawn, and what only it found."""
        lists, run = self.lists, self.lists.run_of_row[self.lists.row]
        finders = lists.over_runs(np.ones(len(lists.listed)))
        drawn, alone = self.drawn[lists.listed], finders[lists.listed] == 1
        counts = [
            np.bincount(run[mask], minlength=len(lists.runs)).tolist()
            for mask in (slice(None), drawn, alone, alone & drawn)
        ]
        rows = [[name, *(column[r] for column in counts)] for r, name in enumerate(lists.runs)]
        return Table(["run", "pooled", "to_judge", "found_only_by_it", "of_these_to_judge"], rows)

    # What the record of a pool keeps: the lists and the rounds. Probabilities stand in the pool itself.

    def content(self) -> dict[str, Any]:
        lists = self.lists
        inside = lists.listed - np.repeat(lists.offsets[lists.topic_of_row], np.diff(lists.starts))
        return {
            "ends": list(self.ends),
            "lengths": _packed(np.diff(lists.starts).astype("<u4")),
            "listed": _packed(inside.astype("<u4")),
            "round_of": _packed(self.round_of),
            "machine": None if self.machine is None else _packed(self.machine.astype("<f8")),
            "machine_name": self.machine_name,
            "earlier": self.earlier,
        }

    @classmethod
    def of_content(
        cls, content: Mapping[str, Any], judged: Qrels, runs: Sequence[str], seed: int, where: str, fix: str
    ) -> Draws:
        """The draws that a record keeps; `judged` is the pool, whose documents may stand in any order.

        `fix` says how a damaged record is mended.

        Record and pool are replaced one after the other: where that was stopped, the pool is that before the round.
        """
        assert judged.probabilities is not None
        assert judged.expected is not None
        names = judged.documents.names()
        order = np.array(sorted(range(len(names)), key=lambda d: (judged.topic_of_document[d], names[d])), np.int64)
        try:
            lengths = _unpacked(content["lengths"], "<u4", len(judged.topics) * len(runs)).astype(np.int64)
            inside = _unpacked(content["listed"], "<u4", int(lengths.sum()))
            round_of = _unpacked(content["round_of"], "u1", len(names))
            machine = content["machine"] and _unpacked(content["machine"], "<f8", len(names)).astype(float)
            ends, name, earlier = checked_ends(content["ends"]), str(content["machine_name"]), content["earlier"]
            largest = np.repeat(np.repeat(np.diff(judged.offsets), len(runs)), lengths)
            if (inside >= largest).any() or int(round_of.max(initial=0)) > len(ends):
                raise ValueError
        except (ValueError, KeyError, TypeError, zlib.error):
            raise InputError(where, f"is damaged: {fix}") from None
        first = np.repeat(np.repeat(judged.offsets[:-1], len(runs)), lengths)
        lists = RankedLists(
            tuple(runs),
            judged.topics,
            tuple(names[d] for d in order.tolist()),
            judged.offsets,
            np.concatenate([[0], np.cumsum(lengths)]),
            (first + inside).astype(np.int32),
        )
        chance, expected = judged.probabilities[order], judged.expected[order]
        found = cls(lists, ends, seed, round_of.astype(np.uint8), chance, expected, machine, name, earlier)
        drawn, before = judged.grades[order] != NOT_DRAWN, found.without_last()
        return before if (drawn == before.drawn).all() and before.rounds else found.checked(drawn, where, fix)

    def checked(self, drawn: Mask, where: str, fix: str) -> Draws:
        """The draws, if these documents are those drawn."""
        if not np.array_equal(drawn, self.drawn):
            raise InputError(where, f"has other documents drawn than its pool: {fix}")
        return self


def parse_ends(text: str) -> tuple[int, ...]:
    """The ends of rounds from text such as `12,25,50`.

    >>> parse_ends("12,25,50")
    (12, 25, 50)
    """
    try:
        return checked_ends([int(part) for part in text.split(",")])
    except ValueError:
        raise InputError("rounds", f"{text!r} is not a list of ends such as 12,25,50") from None


def checked_ends(ends: Sequence[int]) -> tuple[int, ...]:
    """The ends of rounds, if they are whole numbers that ascend from 1."""
    numbers = [0, *ends]
    if not ends or any(type(end) is not int for end in ends) or any(b <= a for a, b in itertools.pairwise(numbers)):
        raise InputError("rounds", f"must end at numbers that ascend from 1, got {', '.join(map(str, ends)) or 'none'}")
    if len(ends) > MOST_ROUNDS:
        raise InputError("rounds", f"at most {MOST_ROUNDS} can be drawn")
    return tuple(ends)


def _of_documents(lists: RankedLists, said: Mapping[tuple[str, str], float], name: str) -> Array:
    """What a machine says of each document of the lists; NaN where it says nothing."""
    topics = [lists.topics[t] for t in lists.topic_of_document.tolist()]
    found = np.array([said.get(pair, np.nan) for pair in zip(topics, lists.documents, strict=True)])
    if np.isnan(found).all():
        raise InputError(name or "machine", "judges none of the documents that the runs found")
    return found


def _packed(values: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()


def _unpacked(text: str, kind: str, count: int) -> NDArray[Any]:
    """Numbers as they were packed; ValueError or zlib.error where they are not these, or not so many."""
    size = count * np.dtype(kind).itemsize
    content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size + 1)
    if len(content) != size:
        raise ValueError
    return np.frombuffer(content, kind)


# What a machine says: probabilities or labels, which the model takes as one more feature.


def read_machine(path: str | os.PathLike[str]) -> dict[tuple[str, str], float]:
    """A machine's judgements, by topic and document: lines `topic document probability`, or judgements with labels.

    A label of 1 and more is taken as relevant, 0 as not; how far either is believed is learned from people's marks.
    """
    table = read_fields(read_text(os.fspath(path)), 3, 5, _wrong_count)
    if table.columns == 5:
        raise table.error(int(np.flatnonzero(table.ids[4].lengths)[0]), _wrong_count(5))
    if table.columns == 4:
        judged = read_qrels(path, format="plain")
        topics = [judged.topics[t] for t in judged.topic_of_document.tolist()]
        labels = zip(topics, judged.documents.names(), judged.grades.tolist(), strict=True)
        return {(topic, document): float(grade >= 1) for topic, document, grade in labels if grade >= 0}
    chances = table.floats(2, "probability")
    wrong = (chances < 0) | (chances > 1)
    if wrong.any():
        line = int(wrong.argmax())
        raise table.error(line, f"probability {chances[line]:g} is not between 0 and 1")
    names = zip(*([decode_id(name) for name in column.as_bytes()] for column in table.ids[:2]), strict=True)
    found: dict[tuple[str, str], float] = {}
    for line, (pair, chance) in enumerate(zip(names, chances.tolist(), strict=True)):
        if pair in found:
            raise table.error(line, f"document {pair[1]!r} is judged twice for topic {pair[0]}")
        found[pair] = chance
    return found


def _wrong_count(found: int) -> str:
    return f"{found} field{'s' * (found != 1)}, expected 3 (topic document probability) or 4 (topic 0 document label)"
