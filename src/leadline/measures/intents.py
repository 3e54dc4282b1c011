"""Subtopics as intents: their weights, a reader's falling interest in them, and the ideal list for that reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leadline.measures.aspects import SubtopicHits, Theta, subtopic_hits, subtopics_of, weights
from leadline.measures.hits import Array, Hits, Integers
from leadline.measures.join import join, together
from leadline.records.qrels.qrels import Qrels
from leadline.records.runs.run import Run


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
    return _listed(everything, candidates[ranked], rank[ranked])


def _highest_id_first(everything: Hits, documents: Integers) -> Integers:
    """The documents topic by topic, in each the highest id first."""
    assert everything.qrels is not None
    names = np.array(everything.qrels.documents.take(documents).as_bytes(), object)
    by_name = np.argsort(names)[::-1]
    return documents[by_name[np.argsort(everything.row[documents[by_name]], kind="stable")]]


def _listed(everything: Hits, documents: Integers, rank: Integers) -> Hits:
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
