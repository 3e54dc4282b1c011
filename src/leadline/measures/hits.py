"""Hits: the ranks of the judged documents in ranked lists; hits that answer "what if", and strata.

Each (run, topic) pair is a row; its hits are the slice from `offsets[i]` to `offsets[i + 1]` of flat arrays, in the
order of rank. Leaving out judgements, or changing the order inside ties, makes other Hits from these; no file is read
twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import MeasureError
from leadline.records.qrels import Qrels, Subtopics
from leadline.text.fields import Ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Array = Integers = Mask = np.ndarray  # numpy.typing takes 8 ms to import


AGAIN = " again "  # stands between the id of a document opened again and a number; ids in files hold no blanks


@dataclass(frozen=True)
class Reading:
    """Data on every document read, judged or not: flat arrays in the order of reading, a slice for each row."""

    offsets: Integers
    words: Array | None = None
    seconds: Array | None = None
    iterations: Integers | None = None


@dataclass(frozen=True)
class Characters:
    """The passages of every row in the order of reading, and the stretches of new relevant characters in them.

    A character that an earlier passage of the list had counts as read again, and not as found again.
    """

    offsets: Integers  # of each row: its passages
    length: Integers  # of each passage
    rank: Integers  # of each passage: the rank of its document
    passage: Integers  # of each stretch: which passage it is in
    at: Integers  # how many characters of the passage stand before it
    size: Integers
    document: Integers  # its place among the judged documents
    relevant: Integers  # of each judged document: its relevant characters

    @cached_property
    def row(self) -> Integers:
        """The row of each passage."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @cached_property
    def read_before(self) -> Integers:
        """The characters of its row that are read before each passage."""
        read = np.concatenate([[0], np.cumsum(self.length)])
        return np.asarray(read[:-1] - read[self.offsets[:-1]][self.row], np.int64)

    @cached_property
    def begins(self) -> Integers:
        """The characters of its row that are read before each stretch."""
        return np.asarray(self.read_before[self.passage] + self.at, np.int64)

    @property
    def read(self) -> Integers:
        """The characters of each row."""
        return np.bincount(self.row, weights=self.length, minlength=len(self.offsets) - 1).astype(np.int64)

    def found(self, effort: int | None = None) -> Array:
        """The relevant characters of each row, among the first ones that are read if `effort` says how many."""
        size = self.size if effort is None else np.clip(effort - self.begins, 0, self.size)
        found = np.bincount(self.row[self.passage], weights=size, minlength=len(self.offsets) - 1)
        return np.asarray(found, np.float64)

    def found_in(self) -> Array:
        """The new relevant characters of each passage."""
        return np.asarray(np.bincount(self.passage, weights=self.size, minlength=len(self.length)), np.float64)

    def where(self, passages: Mask) -> Characters:
        """Only some of the passages."""
        place = np.cumsum(passages) - 1
        kept = passages[self.passage]
        return replace(
            self,
            offsets=np.concatenate([[0], np.cumsum(passages)])[self.offsets],
            length=self.length[passages],
            rank=self.rank[passages],
            passage=place[self.passage[kept]],
            at=self.at[kept],
            size=self.size[kept],
            document=self.document[kept],
        )

    def rows_where(self, rows: Mask) -> Characters:
        """Only some of the rows."""
        inner = self.where(rows[self.row])
        return replace(inner, offsets=np.concatenate([[0], np.cumsum(np.diff(inner.offsets)[rows])]))

    def judged_where(self, kept: Mask, place: Integers) -> Characters:
        """As if only these documents had been judged; `place` numbers them anew."""
        known = kept[self.document]
        return replace(
            self,
            passage=self.passage[known],
            at=self.at[known],
            size=self.size[known],
            document=place[self.document[known]],
            relevant=self.relevant[kept],
        )


@dataclass(frozen=True)
class Judged:
    """The judgements of each topic, retrieved or not."""

    offsets: Integers
    grades: Integers
    remembered: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # ideals and counts

    @classmethod
    def of(cls, qrels: Qrels) -> Judged:
        return cls(qrels.offsets, qrels.grades.astype(np.int64))

    @cached_property
    def topic(self) -> Integers:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def count(self, mask: Mask) -> Integers:
        return np.bincount(self.topic[mask], minlength=len(self.offsets) - 1)

    def n_relevant(self, level: int) -> Integers:
        """The number of relevant documents of each topic. Computed once for each level."""
        if ("relevant", level) not in self.remembered:
            self.remembered["relevant", level] = self.count(self.grades >= level)
        found: Integers = self.remembered["relevant", level]
        return found

    @cached_property
    def best_first(self) -> Integers:
        """The grades of each topic, highest first."""
        return self.grades[np.lexsort((-self.grades, self.topic))]

    @cached_property
    def place(self) -> Integers:
        """The place, from 1, of each entry of `best_first` in its topic."""
        return np.arange(len(self.grades)) - np.repeat(self.offsets[:-1], np.diff(self.offsets)) + 1


@dataclass(frozen=True)
class Hits:
    """The judged documents of every row, by rank."""

    offsets: Integers
    rank: Integers  # from 1
    grade: Integers
    document: Integers  # its place among the judged documents
    retrieved: Integers  # how many documents each row holds
    judged: Judged
    topic: Integers  # of each row: which topic of `judged`
    tie_first: Integers = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    tie_last: Integers = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    qrels: Qrels | None = field(default=None, repr=False)
    reading: Reading | None = field(default=None, repr=False)
    characters: Characters | None = field(default=None, repr=False)  # of runs of passages
    _relevant_hits: dict[int, Hits] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        ranks: Sequence[int],
        relevant: int | None = None,
        *,
        grades: Sequence[int] | None = None,
        missed: Sequence[int] = (),
        retrieved: int | None = None,
    ) -> Hits:
        """Return one row for examples: judged documents at these ranks, and `relevant` relevant documents in total.

        `grades` are the grades at `ranks` (default: all 1), `missed` those of judged documents not in the list.
        Give `relevant` or `missed`.

        >>> hits = Hits.of(ranks=[1, 98, 99, 100], relevant=4)
        >>> hits.n_relevant(), hits.retrieved
        (array([4]), array([100]))
        """
        found = np.array(grades if grades is not None else [1] * len(ranks), np.int64)
        if relevant is not None and not missed:
            missed = [1] * (relevant - int((found >= 1).sum()))
        known = np.concatenate([found, np.array(missed, np.int64)]).astype(np.int64)
        rank = np.array(ranks, np.int64)
        return cls(
            offsets=np.array([0, len(rank)]),
            rank=rank,
            grade=found,
            document=np.arange(len(rank)),
            retrieved=np.array([retrieved if retrieved is not None else max(ranks, default=0)]),
            judged=Judged(np.array([0, len(known)]), known),
            topic=np.array([0]),
            tie_first=rank,
            tie_last=rank,
        )

    @property
    def rows(self) -> int:
        return len(self.retrieved)

    @cached_property
    def row(self) -> Integers:
        """The row of each hit."""
        return np.repeat(np.arange(self.rows), np.diff(self.offsets))

    def total(self, values: NDArray[Any]) -> Array:
        """Return the sum over the hits of each row, added in the order of rank."""
        # Without any hits, bincount returns integers, which cannot hold NaN.
        return np.asarray(np.bincount(self.row, weights=values, minlength=self.rows), np.float64)

    def count(self, mask: Mask) -> Integers:
        """Return the number of hits of each row in the mask."""
        return np.bincount(self.row[mask], minlength=self.rows)

    def running(self, mask: Mask, at: Integers | slice = slice(None)) -> Integers:
        """Return for each hit, or those at some places, how many hits of its row down to it are in the mask."""
        counted = np.cumsum(mask, dtype=np.int64)
        before = np.concatenate([[0], counted])[self.offsets[:-1]]
        return counted[at] - before[self.row[at]]

    def relevant(self, level: int = 1) -> Mask:
        return self.grade >= level

    def only_relevant(self, level: int = 1) -> Hits:
        """Return only the relevant hits, which is all that most measures use. Computed once for each level."""
        if level not in self._relevant_hits:
            relevant = self.relevant(level)
            if relevant.all():
                return self
            self._relevant_hits[level] = self.where(relevant)
        return self._relevant_hits[level]

    def n_relevant(self, level: int = 1) -> Integers:
        """Return the number of relevant documents of each row's topic, found or not: n."""
        return self.judged.n_relevant(level)[self.topic]

    def n_judged(self) -> Integers:
        """Return the number of judged documents (grade 0 and up) of each row's topic."""
        return self.judged.count(self.judged.grades >= 0)[self.topic]

    def n_candidates(self) -> Integers:
        """Return the number of documents a reviewer could read: those judged, of any grade, or the list if longer."""
        return np.maximum(np.diff(self.judged.offsets)[self.topic], self.retrieved)

    def found(self, level: int = 1, cutoff: int | None = None) -> Integers:
        """Return the number of relevant documents found within the cutoff: m."""
        found = self.only_relevant(level)
        return np.diff(found.offsets) if cutoff is None else found.count(found.rank <= cutoff)

    def sum_of_ranks(self, level: int = 1, cutoff: int | None = None) -> Array:
        """Return the sum of the ranks of the relevant documents found within the cutoff."""
        found = self.only_relevant(level)
        return found.total(found.rank if cutoff is None else found.rank * (found.rank <= cutoff))

    def sum_of_precisions(self, level: int = 1, cutoff: int | None = None) -> Array:
        """Return the sum of the precisions at the relevant documents found within the cutoff."""
        found = self.only_relevant(level)
        place = np.arange(1, len(found.rank) + 1) - found.offsets[found.row]
        precision = place / found.rank
        return found.total(precision if cutoff is None else precision * (found.rank <= cutoff))

    def where(self, mask: Mask) -> Hits:
        """Return only the hits in the mask; judgements and ranks stay as they are."""
        kept = np.flatnonzero(mask)
        rank = self.rank[kept]
        return replace(
            self,
            offsets=np.searchsorted(kept, self.offsets),
            rank=rank,
            grade=self.grade[kept],
            document=self.document[kept],
            tie_first=rank if self.tie_first is self.rank else self.tie_first[kept],
            tie_last=rank if self.tie_last is self.rank else self.tie_last[kept],
        )

    def rows_where(self, mask: Mask) -> Hits:
        """Return only some of the rows."""
        inner = self.where(mask[self.row])
        counts = np.diff(inner.offsets)[mask]
        return replace(
            inner,
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            retrieved=self.retrieved[mask],
            topic=self.topic[mask],
            reading=None if self.reading is None else _rows_of_reading(self.reading, mask),
            characters=None if self.characters is None else self.characters.rows_where(mask),
        )


def characters_together(parts: Sequence[Characters | None]) -> Characters | None:
    """The passages of several runs as rows of one table; None if a run has documents."""
    present = [part for part in parts if part is not None]
    if len(present) < len(parts) or not present:
        return None
    starts = np.cumsum([0] + [len(part.length) for part in present])
    moved = list(zip(present, starts.tolist(), strict=False))

    def column(name: str) -> Integers:
        return np.concatenate([getattr(part, name) for part in present])

    return Characters(
        np.concatenate([*(part.offsets[:-1] + start for part, start in moved), starts[-1:]]),
        column("length"),
        column("rank"),
        np.concatenate([part.passage + start for part, start in moved]),
        column("at"),
        column("size"),
        column("document"),
        present[0].relevant,
    )


def _rows_of_reading(reading: Reading, mask: Mask) -> Reading:
    counts = np.diff(reading.offsets)
    kept = np.repeat(mask, counts)
    return Reading(
        np.concatenate([[0], np.cumsum(counts[mask])]),
        None if reading.words is None else reading.words[kept],
        None if reading.seconds is None else reading.seconds[kept],
        None if reading.iterations is None else reading.iterations[kept],
    )


def ratio(over: NDArray[Any], under: NDArray[Any] | float) -> Array:
    """Divide; a division by 0 gives 0."""
    under = np.broadcast_to(np.asarray(under, float), np.shape(over))
    return np.divide(over, under, out=np.zeros(np.shape(over)), where=under != 0)


# Lists changed to answer "what if": unjudged documents left out or taken as relevant, or the list cut at a depth.


def judged_only(hits: Hits) -> Hits:
    """Return the lists with only their judged documents, which move up: condensed lists, trec_eval's -J.

    Documents of a grade below 0 are in the pool but not judged, so they are left out as well.

    >>> condensed = judged_only(Hits.of(ranks=[1, 5, 9], grades=[1, -1, 2]))
    >>> condensed.rank, condensed.retrieved
    (array([1, 2]), array([2]))
    """
    kept = hits.where(hits.grade >= 0)
    rank = kept.running(np.ones(len(kept.rank), bool))
    # The judged documents of a tie are still neighbours: the new tie runs from the first to the last of them.
    changes = (np.diff(kept.row) != 0) | (np.diff(kept.tie_first) != 0)
    starts = np.flatnonzero(np.r_[True, changes][: len(rank)])
    sizes = np.diff(np.r_[starts, len(rank)])
    first = np.repeat(rank[starts], sizes)
    return replace(
        kept,
        rank=rank,
        retrieved=np.diff(kept.offsets),
        tie_first=first,
        tie_last=first + np.repeat(sizes, sizes) - 1,
        reading=_read_at(kept.reading, kept.row, kept.rank, kept.offsets),
    )


def first_only(hits: Hits, depth: int) -> Hits:
    """Return the lists cut after `depth` documents: trec_eval's -M.

    >>> cut = first_only(Hits.of(ranks=[1, 5, 9], relevant=3), depth=5)
    >>> cut.rank, cut.retrieved
    (array([1, 5]), array([5]))
    """
    kept = hits.where(hits.rank <= depth)
    retrieved = np.minimum(hits.retrieved, depth)
    offsets = np.concatenate([[0], np.cumsum(retrieved)])
    row = np.repeat(np.arange(hits.rows), retrieved)
    rank = np.arange(len(row)) - offsets[row] + 1
    return replace(
        kept,
        retrieved=retrieved,
        tie_last=np.minimum(kept.tie_last, depth),
        characters=None if hits.characters is None else hits.characters.where(hits.characters.rank <= depth),
        reading=_read_at(kept.reading, row, rank, offsets),
    )


def _read_at(reading: Reading | None, row: Integers, rank: Integers, offsets: Integers) -> Reading | None:
    """The reading data of the documents at these ranks only."""
    if reading is None:
        return None
    place = reading.offsets[row] + rank - 1
    return Reading(
        offsets,
        None if reading.words is None else reading.words[place],
        None if reading.seconds is None else reading.seconds[place],
        None if reading.iterations is None else reading.iterations[place],
    )


def unjudged_right(hits: Hits, cutoff: int | None = None) -> Hits:
    """Return hits in which every unjudged document within the cutoff is relevant, with the highest grade there is.

    These documents also count among the relevant ones of the topic, so recall stays at most 1. With judgements by
    subtopic, they are relevant to all subtopics.

    >>> hits = unjudged_right(Hits.of(ranks=[1, 3], grades=[1, 0], missed=[1], retrieved=4), cutoff=10)
    >>> hits.rank.tolist(), hits.grade.tolist(), hits.n_relevant().tolist()
    ([1, 2, 3, 4], [1, 1, 0, 1], [4])
    """
    if hits.qrels is not None and hits.qrels.kind in ("strata", "prels"):
        raise MeasureError("a measure that estimates from a sample has no value with unjudged documents as right")
    best = max(1, int(hits.judged.grades.max(initial=1)))
    known = hits.where(hits.grade >= 0)
    depth = hits.retrieved if cutoff is None else np.minimum(hits.retrieved, cutoff)
    # List all ranks up to the depth and mark those of judged documents; the others are the new relevant documents.
    places = np.repeat(np.arange(hits.rows), depth)
    starts = np.cumsum(depth) - depth
    rank = np.arange(len(places)) - starts[places] + 1
    taken = np.zeros(len(places), bool)
    within = known.rank <= depth[known.row]
    taken[starts[known.row[within]] + known.rank[within] - 1] = True
    new_row, new_rank = places[~taken], rank[~taken]
    new_count = np.bincount(new_row, minlength=hits.rows)

    # The new documents differ from row to row, so each row becomes a topic of its own: first copies of the topic's
    # judgements (`old` to `at_old`), then the new ones (`at_new`).
    counts = np.diff(hits.judged.offsets)[hits.topic]
    offsets = np.concatenate([[0], np.cumsum(counts + new_count)])
    owner = np.repeat(np.arange(hits.rows), counts)
    old = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts) + hits.judged.offsets[hits.topic][owner]
    at_old = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts) + offsets[owner]
    at_new = np.arange(len(new_row)) - np.repeat(np.cumsum(new_count) - new_count, new_count)
    at_new += offsets[new_row] + counts[new_row]
    grades = np.empty(int(offsets[-1]), np.int64)
    grades[at_old] = hits.judged.grades[old]
    grades[at_new] = best

    # The hits of each row, old and new, in the order of rank.
    document = np.concatenate(
        [offsets[known.row] + known.document - hits.judged.offsets[hits.topic][known.row], at_new]
    )
    row = np.concatenate([known.row, new_row])
    ranks = np.concatenate([known.rank, new_rank])
    order = np.lexsort((ranks, row))
    return replace(
        hits,
        offsets=np.concatenate([[0], np.cumsum(np.bincount(row, minlength=hits.rows))]),
        rank=ranks[order],
        grade=grades[document][order],
        document=document[order],
        judged=Judged(offsets, grades),
        topic=np.arange(hits.rows),
        tie_first=ranks[order],
        tie_last=ranks[order],
        qrels=hits.qrels and _widened(hits.qrels, hits.topic, offsets, old, at_old, at_new, grades, best),
    )


def _widened(
    qrels: Qrels,
    topic: Integers,
    offsets: Integers,
    old: Integers,
    at_old: Integers,
    at_new: Integers,
    grades: Integers,
    best: int,
) -> Qrels:
    """The judgements with a topic for each row, and the new documents in them."""
    names = np.full(len(grades), -1)
    names[at_old] = old
    kept = qrels.documents.as_bytes()
    documents = Ids.of([kept[place] if place >= 0 else b"unjudged-%d" % k for k, place in enumerate(names.tolist())])
    subtopics = None
    if qrels.subtopics is not None:
        # Copy the subtopics of each row's topic, with the judgements of its old documents; a new document is judged for
        # every subtopic.
        table = qrels.subtopics
        counts = np.diff(table.offsets)[topic]
        starts = np.concatenate([[0], np.cumsum(counts)])
        first = np.searchsorted(table.document, np.arange(len(qrels.documents) + 1))
        many = (first[1:] - first[:-1])[old]
        entry = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first[:-1][old], many)
        owner = np.repeat(np.searchsorted(offsets, at_old, side="right") - 1, many)
        moved = table.subtopic[entry] - table.offsets[topic][owner] + starts[owner]
        new_owner = np.searchsorted(offsets, at_new, side="right") - 1
        fresh = counts[new_owner]
        fresh_subtopic = np.arange(int(fresh.sum())) - np.repeat(np.cumsum(fresh) - fresh, fresh)
        fresh_subtopic += np.repeat(starts[:-1][new_owner], fresh)
        document = np.concatenate([np.repeat(at_old, many), np.repeat(at_new, fresh)])
        subtopic = np.concatenate([moved, fresh_subtopic])
        grade = np.concatenate([table.grade[entry], np.full(len(fresh_subtopic), best)])
        order = np.lexsort((subtopic, document))
        original = np.concatenate([np.arange(table.offsets[t], table.offsets[t + 1]) for t in topic.tolist()])
        subtopics = Subtopics(
            tuple(table.names[s] for s in original.tolist()),
            starts,
            None if table.weights is None else table.weights[original],
            document[order],
            subtopic[order],
            grade[order].astype(np.int32),
            table.largest,
        )
    row_names = tuple(f"{qrels.topics[t]}-{r}" for r, t in enumerate(topic.tolist()))
    return Qrels(qrels.name, row_names, offsets, documents, grades.astype(np.int32), qrels.kind, subtopics=subtopics)


# Judgements sampled by stratum: each pooled document's stratum, and how many documents a judged one represents.


# NIST's sample_eval adds these to the counts, since near the top of a list few or no documents are judged.
# (trec_eval's infAP adds 2e-5 instead of 3e-5.)
RELEVANT_ADDED, JUDGED_ADDED = 1e-5, 3e-5


@dataclass(frozen=True)
class Strata:
    """The strata of a pool; the arrays have an entry for each pooled document, judged or not."""

    stratum: Integers  # from 0 in each topic
    count: int  # the largest number of strata of a topic
    weight: Array  # documents of the stratum divided by its judged ones; 0 if none is judged


def strata_of(hits: Hits) -> Strata:
    """Return the strata of the judgements; none is an error."""
    if hits.qrels is None or hits.qrels.strata is None:
        raise MeasureError(
            "this measure needs judgements by stratum (topic 0 document stratum grade), and these have none"
        )
    # Number the distinct (topic, label) pairs, and count the documents and the judged documents of each.
    topic, label = hits.judged.topic, hits.qrels.strata.astype(np.int64)
    spread = np.ptp(label) + 1 if len(label) else 1
    groups, group = np.unique(topic * spread + label - label.min(initial=0), return_inverse=True)
    first_of_topic = np.searchsorted(groups, np.arange(len(hits.judged.offsets) - 1) * spread)
    size = np.bincount(group, minlength=len(groups))
    judged = np.bincount(group[hits.judged.grades >= 0], minlength=len(groups))
    stratum = group - first_of_topic[topic]
    return Strata(stratum, int(stratum.max(initial=-1)) + 1, ratio(size, judged)[group])


def estimated_relevant(hits: Hits, strata: Strata, rel: int = 1) -> Array:
    """Return for each row the estimated number of relevant documents in the pool: the sum of weights."""
    represented = np.where(hits.judged.grades >= rel, strata.weight, 0.0)
    estimate = np.bincount(hits.judged.topic, weights=represented, minlength=len(hits.judged.offsets) - 1)
    return np.asarray(estimate, np.float64)[hits.topic]


def estimated_found(hits: Hits, strata: Strata, rel: int = 1) -> Array:
    """Return for each row the estimated number of relevant documents in the list.

    Per stratum: pooled documents in the list times the share of relevant ones among the judged ones in the list.
    """
    total = np.zeros(hits.rows)
    for stratum in range(strata.count):
        inside = strata.stratum[hits.document] == stratum
        pooled, judged = hits.count(inside), hits.count(inside & (hits.grade >= 0))
        relevant = hits.count(inside & hits.relevant(rel))
        total += pooled * (relevant + RELEVANT_ADDED) / (judged + JUDGED_ADDED)
    return total


def estimated_above(hits: Hits, strata: Strata, rel: int = 1) -> Array:
    """Return for each hit the estimated number of relevant documents above it, computed as in `estimated_found`."""
    total = np.zeros(len(hits.rank))
    for stratum in range(strata.count):
        inside = strata.stratum[hits.document] == stratum
        pooled, judged, relevant = (
            hits.running(mask) - mask for mask in (inside, inside & (hits.grade >= 0), inside & hits.relevant(rel))
        )
        total += pooled * (relevant + RELEVANT_ADDED) / (judged + JUDGED_ADDED)
    return total
