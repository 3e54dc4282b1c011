"""The order of random draws, which nobody can choose: its seed follows from the journal, and from a public number.

    seed    = SHA-256 of four lines: the head of the journal's chain before the draws, the SHA-256 of the population's
              ids (sorted, a line end after each), the word `draws`, `kept` or `audit`, and the public number or nothing
    order   = the population, sorted by id, shuffled by Fisher and Yates with the numbers of PCG64(seed)

A copy of the review has the same head and so gets the same order. An order is stored whole, in the journal:

    draws   value: rows of the units in the order of drawing, target: what they belong to (as many events as needed)
    switch  value: {"to": "draws", "seed": ..., "head": ..., "events": ..., "ids": ..., "word": "draws", ...}
    audit   value: the same with {"to": "begin", "word": "kept"} and {"to": "draws", "word": "audit"}

Earlier versions drew a seed at random and stored it; the order of such a review stays what it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leadline.judge.journal import LONGEST, Event
from leadline.judge.review.learners import Rows
from leadline.records.result import counted
from leadline.text.store.events import ChainHead

GENERATOR = "PCG64, Fisher-Yates"
WORDS = {"draws": "random draws", "kept": "order of the kept documents", "audit": "draws of the audit"}
Units = Sequence[Sequence[str]]  # of a review: the document that is read, and its family


@dataclass(frozen=True)
class DrawSeed:
    """What the order of draws follows from."""

    head: str  # of the journal's chain before the draws
    events: int  # which it covers
    ids: str  # the SHA-256 of the population's ids
    word: str  # what is drawn
    number: str = ""  # public, and named before

    @property
    def hex(self) -> str:
        return hashlib.sha256("\n".join((self.head, self.ids, self.word, self.number)).encode()).hexdigest()

    @classmethod
    def of(cls, said: dict[str, Any]) -> DrawSeed | None:
        """What a stored order says it follows from; None for an order of an earlier version."""
        if "head" not in said:
            return None
        texts = (str(said.get(name, "")) for name in ("ids", "word", "number"))
        return cls(str(said["head"]), int(said["events"]), *texts)


@dataclass(frozen=True)
class RandomDraws:
    """The order in which a population is drawn, fixed when it began."""

    seed: int
    order: Rows  # rows of units
    found: int  # relevant at that time
    at: str
    person: str
    uid: str
    source: DrawSeed | None = None  # None: the seed was drawn at random, as earlier versions did

    @classmethod
    def of(cls, event: Event, order: Rows) -> RandomDraws:
        said = json.loads(event.value)
        seed = int(said["seed"], 16) if isinstance(said["seed"], str) else int(said["seed"])
        return cls(seed, order, int(said["found"]), event.at, event.person, event.uid, DrawSeed.of(said))

    def is_as_seeded(self, units: Units) -> bool:
        """Whether the order is the one that follows from the seed, and the seed from what it is said to follow from."""
        if self.source is None:
            return np.array_equal(self.order, drawn_order(np.sort(self.order), self.seed))
        if int(self.source.hex, 16) != self.seed or ids_hash(self.order, units) != self.source.ids:
            return False
        return np.array_equal(self.order, shuffled_rows(self.order, units, self.seed))

    def words(self, units: Units) -> str:
        """Where the order comes from, for a report."""
        fits = self.is_as_seeded(units)
        stored = f"stored {self.at[:10]} {self.at[11:16]} UTC by {self.person}"
        if self.source is None:
            return f"{self.seed}; the stored order {'follows' if fits else 'does NOT follow'} from it; {stored}"
        number = f", and the public number {self.source.number}" if self.source.number else ""
        head = f"the head of the chain after {counted(self.source.events, 'event')}, {self.source.head}"
        follow = "follow" if fits else "do NOT follow"
        return f"{self.seed:064x}; it and the stored order {follow} from {head}{number} ({GENERATOR}); {stored}"


def drawn_order(unread: Rows, seed: int) -> Rows:
    """The unread rows in the order of a seed, as earlier versions drew it."""
    return np.asarray(np.random.default_rng(seed).permutation(unread))


def ids_hash(rows: Rows, units: Units) -> str:
    """The SHA-256 of the ids of a population, whatever its order."""
    return hashlib.sha256("".join(f"{name}\n" for name in _sorted_ids(rows, units)).encode()).hexdigest()


def shuffled_rows(rows: Rows, units: Units, seed: int) -> Rows:
    """The rows of a population, sorted by id, in the order of a seed.

    >>> shuffled_rows(np.array([2, 0, 1, 3]), [["a"], ["b"], ["c"], ["d"]], 7)
    array([3, 1, 2, 0])
    """
    by_id = sorted(rows.tolist(), key=lambda row: units[row][0])
    numbers: list[int] = np.random.PCG64(seed).random_raw(len(by_id)).tolist()
    for last in range(len(by_id) - 1, 0, -1):
        other = numbers[last] * (last + 1) >> 64  # below last + 1
        by_id[last], by_id[other] = by_id[other], by_id[last]
    return np.array(by_id, np.int64)


def _sorted_ids(rows: Rows, units: Units) -> list[str]:
    return sorted(units[row][0] for row in rows.tolist())


def draw(rows: Rows, units: Units, head: ChainHead, word: str, number: str = "") -> tuple[Rows, dict[str, Any]]:
    """The order of a population, and what is stored of where it comes from."""
    source = DrawSeed(head.hash, head.events, ids_hash(rows, units), word, number)
    order = shuffled_rows(rows, units, int(source.hex, 16))
    said = {"seed": source.hex, "head": head.hash, "events": head.events, "ids": source.ids, "word": word}
    return order, said | ({"number": number} if number else {}) | {"generator": GENERATOR, "sha256": rows_hash(order)}


def rows_hash(order: Rows) -> str:
    """The SHA-256 of an order as it is stored."""
    return hashlib.sha256(" ".join(map(str, order.tolist())).encode()).hexdigest()


def parts_of(order: Rows, uid: str, target: str, about: dict[str, Any]) -> list[Event]:
    """The events that store an order; their ids are made from `uid`, and they belong to `target`."""
    parts = cut(" ".join(map(str, order.tolist())), LONGEST) if len(order) else []
    return [
        Event(f"{uid[:46]}-{place}", kind="draws", value=part, target=target, **about)
        for place, part in enumerate(parts)
    ]


def cut(text: str, longest: int) -> list[str]:
    """A text in parts that are cut at blanks.

    >>> cut("11 22 33", 6)
    ['11 22', '33']
    """
    parts, start = [], 0
    while len(text) - start > longest:
        end = text.rindex(" ", start, start + longest)
        parts.append(text[start:end])
        start = end + 1
    return [*parts, text[start:]]


@dataclass
class StoredParts:
    """The parts of orders that came so far."""

    parts: dict[str, list[str]] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        self.parts.setdefault(event.target, []).append(event.value)

    def take(self, target: str) -> Rows | None:
        """The order that belongs to something, once; None where none was stored."""
        parts = self.parts.pop(target, None)
        return None if parts is None else np.array([int(word) for part in parts for word in part.split()], np.int64)


@dataclass(frozen=True)
class StoredOrder:
    """An order as it is in a journal, with the first event of it."""

    round: int
    word: str
    draws: RandomDraws
    begins: str  # the id of the first of its events
    machine: str


def stored_orders(events: Iterable[Event]) -> Iterator[StoredOrder]:
    """Every order of draws in a journal, also those that are ignored because there was one before."""
    parts, first = StoredParts(), dict[str, str]()
    for event in events:
        if event.kind == "draws":
            parts.add(event)
            first.setdefault(event.target, event.uid)
        elif event.kind in ("switch", "audit"):
            target = kept_target(event.uid) if json.loads(event.value).get("to") == "begin" else event.uid
            order = parts.take(target)
            if order is not None:
                draws = RandomDraws.of(event, order)
                word = draws.source.word if draws.source else "draws"
                yield StoredOrder(event.round, word, draws, first[target], event.machine)


def kept_target(uid: str) -> str:
    """What the order of the kept documents belongs to, where an audit begins."""
    return f"{uid[:56]}-kept"


def order_name(order: StoredOrder) -> str:
    """An order in words."""
    return f"{WORDS.get(order.word, order.word)} of round {order.round}"


def drawn_twice(events: Iterable[Event]) -> list[str]:
    """What was drawn more than once, in other orders, in sentences; empty for nearly every review."""
    first: dict[tuple[int, str], StoredOrder] = {}
    said = []
    for each in stored_orders(events):
        known = first.setdefault((each.round, each.word), each)
        if not np.array_equal(known.draws.order, each.draws.order):
            said.append(
                f"the {order_name(each)} were drawn twice, in other orders: "
                f"{_when(known)}, and {_when(each)}; only the first counts"
            )
    return said


def _when(order: StoredOrder) -> str:
    return f"{order.draws.at[:10]} {order.draws.at[11:16]} UTC by {order.draws.person} on {order.machine}"
