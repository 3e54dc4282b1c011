"""Hits by subtopic, subtopics as intents with falling interest, and the two ideal runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from leadline.errors import InputError, MeasureError, not_a_choice
from leadline.measures.hits import Array, Hits, Integers
from leadline.measures.join import join, together
from leadline.records.inputs import QrelsLike
from leadline.records.other_packages import IdealKind, Theta
from leadline.records.qrels import Qrels, Subtopics, read_qrels
from leadline.records.runs import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray


def subtopics_of(hits: Hits) -> Subtopics:
    """Return the subtopics of the judgements; none is an error."""
    if hits.qrels is None or hits.qrels.subtopics is None:
        raise MeasureError(
            "this measure needs judgements by subtopic (topic subtopic document grade), and these have none"
        )
    return hits.qrels.subtopics


@dataclass(frozen=True)
class SubtopicHits:
    """One entry per hit and subtopic it is judged for, in the order of row, rank and subtopic.

    Subtopics are numbered over all topics, as in `Subtopics`.
    """

    hits: Hits
    hit: Integers  # which of the hits
    subtopic: Integers
    grade: Integers

    @property
    def row(self) -> Integers:
        return self.hits.row[self.hit]

    @property
    def rank(self) -> Integers:
        return self.hits.rank[self.hit]

    def total(self, values: NDArray[Any]) -> Array:
        """Return the sum over the entries of each row, added in the order of rank."""
        return np.asarray(np.bincount(self.row, weights=values, minlength=self.hits.rows), float)

    @cached_property
    def by_group(self) -> Integers:
        """The entries sorted by row, subtopic and rank, so that each (row, subtopic) is one slice."""
        return np.lexsort((self.rank, self.subtopic, self.row))

    @cached_property
    def seen_before(self) -> Integers:
        """For each entry, the number of earlier entries with its row and subtopic."""
        order = self.by_group
        row, subtopic = self.row[order], self.subtopic[order]
        # Where each group of equal row and subtopic starts; an entry's place in its group is its count of earlier ones.
        starts = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]) | (subtopic[1:] != subtopic[:-1])][: len(order)])
        place = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
        seen = np.empty(len(order), np.int64)
        seen[order] = place
        return seen


def subtopic_hits(hits: Hits, *, level: int = 1, passages: bool = False) -> SubtopicHits:
    """Return the entries of grade `level` and up. Without `passages` a document has its largest passage's grade."""
    table = subtopics_of(hits)
    assert hits.qrels is not None
    document, subtopic, grade = table.document, table.subtopic, table.grade
    if hits.qrels.kind == "passages" and not passages:
        # Rows are sorted by document and subtopic, so the passages of one pair are neighbours: keep the largest grade.
        first = np.flatnonzero(
            np.r_[True, (document[1:] != document[:-1]) | (subtopic[1:] != subtopic[:-1])][: len(document)]
        )
        grade = np.maximum.reduceat(grade, first) if len(first) else grade
        document, subtopic = document[first], subtopic[first]
    kept = grade >= level
    document, subtopic, grade = document[kept], subtopic[kept], grade[kept]
    # The judged rows of each hit's document, one after the other.
    starts = np.searchsorted(document, np.arange(len(hits.qrels.documents) + 1))
    counts = (starts[1:] - starts[:-1])[hits.document]
    hit = np.repeat(np.arange(len(hits.rank)), counts)
    entry = np.arange(len(hit)) - np.repeat(np.cumsum(counts) - counts, counts) + starts[hits.document][hit]
    return SubtopicHits(hits, hit, subtopic[entry], grade[entry].astype(np.int64))


def weights(qrels: Qrels, theta: Theta) -> Array:
    """Return the weight of every subtopic; those of a topic sum to 1.

    >>> qrels = Qrels.from_columns(["7"] * 3, ["d", "e", "f"], [1, 1, 1], subtopics=["1", "2", "3"])
    >>> weights(qrels, "halving").round(3)
    array([0.571, 0.286, 0.143])
    """
    assert qrels.subtopics is not None
    table = qrels.subtopics
    counts = np.diff(table.offsets)
    place = np.arange(len(table.names)) - np.repeat(table.offsets[:-1], counts) + 1
    if theta == "equal":
        raw: NDArray[Any] = np.ones(len(table.names))
    elif theta == "decay":
        raw = 1 / np.log2(1 + place)
    elif theta == "halving":
        raw = 2.0 ** (np.repeat(counts, counts) - place + 1)
    elif theta == "given":
        if table.weights is None:
            raise MeasureError("theta=given needs a fifth column with each subtopic's weight in the judgements")
        raw = table.weights
    else:
        raw = _claim_weights(table)
    totals = np.add.reduceat(raw, table.offsets[:-1]) if len(raw) else raw
    return raw / np.repeat(totals, counts)


def _claim_weights(table: Subtopics) -> Array:
    """1 for independent claims, 0.5 for dependent ones. A subtopic named CLAIM:PARENT is a dependent claim."""
    dependent = np.array([":" in name for name in table.names])
    if dependent.any():
        return np.where(dependent, 0.5, 1.0)
    if table.weights is not None:
        return table.weights
    raise MeasureError(
        "theta=claims needs dependent claims marked: name their subtopics CLAIM:PARENT, "
        "or give the weights 1 and 0.5 in a fifth column"
    )


# Subtopics as intents: their weights, a reader's falling interest in them, and the ideal list for that reader.


def example(read: Sequence[str], judged: Mapping[str, Mapping[str, int]]) -> Hits:
    """Return one row for examples: documents in the order read, and the grades of judged ones by subtopic.

    >>> example(["d", "x", "e"], {"d": {"A": 1}, "e": {"A": 1, "B": 2}}).rank
    array([1, 3])
    """
    lines = [(subtopic, document, grade) for document in judged for subtopic, grade in judged[document].items()]
    subtopics, documents, grades = zip(*lines, strict=True)
    qrels = Qrels.from_columns(["7"] * len(lines), documents, grades, subtopics=subtopics)
    run = Run.of({"7": {document: -place for place, document in enumerate(read)}})
    return together([join(run, qrels, kernels=False)], qrels)


def intent_weights(hits: Hits, theta: Theta, level: int = 1) -> Array:
    """Return the weight of every subtopic that has a relevant document, and 0 for the others.

    They are not normalised. Equal ones are 1, so that equal sums are exactly equal.
    """
    table = subtopics_of(hits)
    assert hits.qrels is not None
    known = np.ones(len(table.names)) if theta == "equal" else weights(hits.qrels, theta)
    return np.where(np.bincount(table.subtopic[table.grade >= level], minlength=len(known)) > 0, known, 0.0)


def coverable_weight(hits: Hits, theta: Theta, level: int = 1) -> Array:
    """Return the total weight of the subtopics that have a relevant document, for each row's topic."""
    offsets = subtopics_of(hits).offsets
    return np.add.reduceat(intent_weights(hits, theta, level), offsets[:-1])[hits.topic]


def topic_weight(hits: Hits, theta: Theta, level: int = 1) -> Array:
    """Return the total weight of the subtopics of each row's topic.

    Equal weights are shared among the subtopics that have a relevant document, as ndeval does; other weights are
    shared among all listed subtopics, so one without a relevant document keeps its share.
    """
    coverable = coverable_weight(hits, theta, level)
    return coverable if theta == "equal" else np.where(coverable > 0, 1.0, 0.0)


@dataclass(frozen=True)
class Reader:
    """A reader whose interest in a subtopic, 1 at first, falls with every relevant document about it."""

    level: int  # the smallest grade that is relevant
    gain: tuple[float, ...]  # by grade, at full interest; the last value is for all higher grades
    left: tuple[float, ...]  # by grade: the share of the interest that is left after the document

    @classmethod
    def losing_interest(cls, alpha: float, level: int = 1) -> Reader:
        """Every relevant document gains 1 and takes away a share `alpha` of the interest."""
        return cls(level, (1.0,), (1 - alpha,))

    @classmethod
    def stopping(cls, probability: Sequence[float]) -> Reader:
        """A document ends the search with a probability that depends on its grade, and gains that probability."""
        return cls(1, tuple(probability), tuple(1 - stop for stop in probability))

    def of_grade(self, by_grade: tuple[float, ...], grade: Integers) -> Array:
        return np.array(by_grade)[np.clip(grade, 0, len(by_grade) - 1)]


def discounted_gain(
    hits: Hits, reader: Reader, theta: Theta, discount: Callable[[Integers], Array], cutoff: int | None = None
) -> Array:
    """Return the reader's gain from each row's first documents, over subtopics and ranks; not normalised."""
    within = hits if cutoff is None else hits.where(hits.rank <= cutoff)
    entries = subtopic_hits(within, level=reader.level)
    gain = intent_weights(hits, theta, reader.level)[entries.subtopic] * reader.of_grade(reader.gain, entries.grade)
    interest = _interest(entries, reader.of_grade(reader.left, entries.grade))
    return entries.total(gain * interest * discount(entries.rank))


def _interest(entries: SubtopicHits, left: Array) -> Array:
    """The interest at each entry: the product of the shares that earlier entries of its row and subtopic left."""
    order = entries.by_group
    start = np.arange(len(order)) - entries.seen_before[order]
    sorted_left = left[order]
    interest = np.ones(len(order))
    # There are only as many shares as grades: for each, count the earlier entries that have it, and take the power.
    for share in np.unique(left):
        counted = np.concatenate([[0], np.cumsum(sorted_left == share)])
        interest[order] *= share ** (counted[:-1] - counted[start])
    return interest


def greedy_ideal(hits: Hits, reader: Reader, theta: Theta, depth: int | None = None) -> Hits:
    """Return an ideal list for each topic, one row per topic: at each rank the document with the largest gain.

    Of equal gains the higher document id comes first. (A better list may exist; finding it takes too long.)

    >>> hits = example(["a"], {"a": {"A": 1}, "b": {"A": 1}, "c": {"B": 1}, "d": {"A": 1, "B": 1}})
    >>> [hits.qrels.documents[i] for i in greedy_ideal(hits, Reader.losing_interest(0.5), "equal").document]
    ['d', 'c', 'b', 'a']
    """
    subtopics_of(hits)
    assert hits.qrels is not None
    most = int(np.diff(hits.judged.offsets).max(initial=1))
    depth = most if depth is None else min(depth, most)
    known = hits.qrels.ideals
    if known.get((reader, theta), (0, None))[0] < depth:
        known[reader, theta] = depth, _greedy(all_judged(hits), reader, theta, depth)
    ideal: Hits = known[reader, theta][1]
    return ideal.where(ideal.rank <= depth)


def all_judged(hits: Hits) -> Hits:
    """Return every judged document, one row per topic; the ranks have no meaning."""
    judged = hits.judged
    return Hits(
        offsets=judged.offsets,
        rank=judged.place,
        grade=judged.grades,
        document=np.arange(len(judged.grades)),
        retrieved=np.diff(judged.offsets),
        judged=judged,
        topic=np.arange(len(judged.offsets) - 1),
        tie_first=judged.place,
        tie_last=judged.place,
        qrels=hits.qrels,
    )


def _greedy(everything: Hits, reader: Reader, theta: Theta, depth: int) -> Hits:
    # Candidates are the relevant documents by topic, highest id first; entries are their subtopics.
    entries = subtopic_hits(everything, level=reader.level)
    candidates = _highest_id_first(everything, np.unique(entries.hit))
    place = np.empty(len(everything.rank), np.int64)
    place[candidates] = np.arange(len(candidates))
    candidate, subtopic = place[entries.hit], entries.subtopic
    worth = intent_weights(everything, theta, reader.level)[subtopic] * reader.of_grade(reader.gain, entries.grade)
    left = reader.of_grade(reader.left, entries.grade)

    # All topics choose their document of the next rank together: the gain of every candidate at the present interest,
    # its maximum by topic, and the first candidate that has it. Then the interest in its subtopics falls.
    topic = everything.row[candidates]
    starts = np.flatnonzero(np.r_[True, topic[1:] != topic[:-1]][: len(topic)])
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(topic)]))
    interest = np.ones(len(subtopics_of(everything).names))
    rank = np.zeros(len(candidates), np.int64)
    for next_rank in range(1, depth + 1 if len(candidates) else 1):
        gain = np.bincount(candidate, weights=worth * interest[subtopic], minlength=len(candidates))
        gain[rank > 0] = -1  # already in the list
        largest = np.flatnonzero(gain == np.maximum.reduceat(gain, starts)[group])
        first = largest[np.r_[True, group[largest[1:]] != group[largest[:-1]]]]
        first = first[gain[first] >= 0]
        rank[first] = next_rank
        read = rank[candidate] == next_rank
        interest[subtopic[read]] *= left[read]
    ranked = np.flatnonzero(rank)
    ranked = ranked[np.lexsort((rank[ranked], topic[ranked]))]
    return _hits_of_documents(everything, candidates[ranked], rank[ranked])


def _highest_id_first(everything: Hits, documents: Integers) -> Integers:
    """The documents topic by topic, in each the highest id first."""
    assert everything.qrels is not None
    names = np.array(everything.qrels.documents.take(documents).as_bytes(), object)
    by_name = np.argsort(names)[::-1]
    return documents[by_name[np.argsort(everything.row[documents[by_name]], kind="stable")]]


def _hits_of_documents(everything: Hits, documents: Integers, rank: Integers) -> Hits:
    counts = np.bincount(everything.row[documents], minlength=everything.rows)
    return Hits(
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        rank=rank,
        grade=everything.grade[documents],
        document=documents,
        retrieved=counts,
        judged=everything.judged,
        topic=everything.topic,
        tie_first=rank,
        tie_last=rank,
        qrels=everything.qrels,
    )


# Two ideal runs for topics with subtopics: one for breadth, one for depth.
#
# The Cube Test's gamma, the value of reading more of the same, decides which of them scores higher.


def ideal_run(qrels: QrelsLike, kind: IdealKind = "coverage", theta: Theta = "equal") -> Run:
    """Return a run of the relevant documents only, in one of two perfect orders.

    qrels: judgements by subtopic; - is standard input
    kind: subtopics in turn, or a single one after the other
    theta: weights of subtopics

    `coverage` takes the subtopics by weight, one document each in turn; `single` takes all documents of the heaviest
    subtopic, then those of the next. A subtopic gives its best grade first. Equal weights keep the order of the
    subtopics, equal grades the order of the judgements. No document comes twice: in its turn a subtopic gives the
    best that is left. Topics without a relevant document are left out.

    Luo, Wing, Yang and Hearst, CIKM 2013.

    >>> qrels = Qrels.from_columns(["7"] * 5, ["a", "b", "c", "d", "a"], [1, 2, 1, 1, 1], subtopics=list("11223"))
    >>> [document for document, _ in ideal_run(qrels, "coverage").ranking("7")]
    ['b', 'c', 'a', 'd']
    >>> [document for document, _ in ideal_run(qrels, "single").ranking("7")]
    ['b', 'a', 'c', 'd']
    """
    qrels = read_qrels(qrels) if isinstance(qrels, (str, os.PathLike)) else Qrels.of(qrels)
    if kind not in get_args(IdealKind):
        raise not_a_choice("ideal run", kind, get_args(IdealKind))
    if qrels.subtopics is None:
        raise InputError(qrels.name, "has no subtopics (topic subtopic document grade), which an ideal run needs")
    orders = _best_first(qrels.subtopics)
    heavy_first = np.lexsort((-weights(qrels, theta), _topic_of(qrels.subtopics)))
    topics: list[str] = []
    documents: list[str] = []
    scores: list[int] = []
    for t, topic in enumerate(qrels.topics):
        by_weight = [orders[c] for c in heavy_first[qrels.subtopics.offsets[t] : qrels.subtopics.offsets[t + 1]]]
        order = list(_in_turn(by_weight)) if kind == "coverage" else list(dict.fromkeys(chain(*by_weight)))
        topics.extend([topic] * len(order))
        documents.extend(qrels.documents[place] for place in order)
        scores.extend(range(len(order), 0, -1))
    if not topics:
        raise InputError(qrels.name, "has no relevant document to rank")
    return Run.from_columns(topics, documents, scores, f"ideal-{kind}")


def _topic_of(table: Subtopics) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.repeat(np.arange(len(table.offsets) - 1), np.diff(table.offsets))


def _best_first(table: Subtopics) -> list[list[int]]:
    """The relevant documents of each subtopic, best grade first. A document has the grade of its best passage."""
    best: list[dict[int, int]] = [{} for _ in table.names]
    for document, subtopic, grade in zip(
        table.document.tolist(), table.subtopic.tolist(), table.grade.tolist(), strict=True
    ):
        if grade >= 1:
            best[subtopic][document] = max(grade, best[subtopic].get(document, 0))
    return [sorted(grades, key=lambda document: -grades[document]) for grades in best]


def _in_turn(orders: list[list[int]]) -> Iterator[int]:
    seen: set[int] = set()
    waiting = [iter(order) for order in orders]
    while waiting:
        still = []
        for documents in waiting:
            document = next((document for document in documents if document not in seen), None)
            if document is not None:
                seen.add(document)
                still.append(documents)
                yield document
        waiting = still
