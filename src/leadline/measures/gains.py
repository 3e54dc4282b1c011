"""The gain of a grade, the discount of a rank, the ideal list, reading times, and the cube that documents fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.hits import Array, Hits, Integers, ratio
from leadline.measures.subtopics import SubtopicHits, subtopic_hits, subtopics_of, weights
from leadline.options import Bounds
from leadline.records.other_packages import Theta

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The last two are ir_measures' names for the first two: one word for gain and discount.
Gain = Literal["linear", "exp", "log2", "exp-log2"]
Discount = Literal["log2", "jk", "zipf"]
Base = Annotated[float, Bounds(1, above=True)]  # of the logarithm that discounts


def gains_of(grades: Integers, gain: Gain = "linear", table: Mapping[int, float] | None = None) -> Array:
    """Return the gain of each grade: from the table, else the grade or 2^grade - 1; 0 for grades below 0.

    >>> gains_of(np.array([-1, 0, 1, 2, 3]), "exp", {1: 0.5})
    array([0. , 0. , 0.5, 3. , 7. ])
    """
    positive = np.maximum(grades, 0).astype(float)
    gains = np.exp2(positive) - 1 if gain in ("exp", "exp-log2") else positive
    for grade, worth in (table or {}).items():
        gains[grades == grade] = worth
    return gains


def discounts(ranks: Integers, discount: Discount = "log2", base: float = 2.0) -> Array:
    """Return the divisor of a gain at each rank: log2(1 + r), r, or Järvelin and Kekäläinen's log_b(r) from rank b on.

    >>> discounts(np.array([1, 2, 4, 8]), "jk", base=4)
    array([1. , 1. , 1. , 1.5])
    """
    if discount == "zipf":
        return ranks.astype(float)
    if discount == "jk":
        return np.maximum(1.0, np.log2(ranks) / np.log2(base))
    return np.log2(ranks + 1.0)


@dataclass(frozen=True)
class Ideal:
    """The gains above 0 of each topic, highest first: the ideal list."""

    topic: Integers
    gain: Array
    offsets: Integers

    @classmethod
    def of(cls, hits: Hits, gain: Gain = "linear", table: Mapping[int, float] | None = None) -> Ideal:
        judged, options = hits.judged, (gain, tuple(sorted((table or {}).items())))
        if options not in judged.remembered:
            gains = gains_of(judged.grades, gain, table)
            order = np.lexsort((-gains, judged.topic))
            order = order[gains[order] > 0]
            topic = judged.topic[order]
            offsets = np.searchsorted(topic, np.arange(len(judged.offsets)))
            judged.remembered[options] = cls(topic, gains[order], offsets)
        ideal: Ideal = judged.remembered[options]
        return ideal

    @cached_property
    def place(self) -> Integers:
        """The rank of each document in the ideal list of its topic."""
        return np.arange(len(self.topic)) - self.offsets[self.topic] + 1

    @property
    def length(self) -> Integers:
        """The number of documents with a gain, for each topic."""
        return np.diff(self.offsets)

    def upto(self, values: Array, topic: Integers, rank: Integers) -> Array:
        """Return the sum of `values`, one per document of the ideal lists, over the first `rank` of a topic's list."""
        within = np.minimum(rank, self.length[topic])
        sums = np.concatenate([[0.0], running_sums(values, self.offsets)])
        return np.where(within > 0, sums[self.offsets[topic] + within], 0.0)


def running_sums(values: Array, offsets: Integers) -> Array:
    """Return running sums within groups, which are the slices between offsets.

    They are added from the front, one position of all groups at a time, so that a perfect list has exactly the sums
    of the ideal list.

    >>> running_sums(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 2, 2, 4]))
    array([1., 3., 3., 7.])
    """
    sums = np.array(values, float)
    lengths = np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    starts, lengths = offsets[:-1][longest_first], lengths[longest_first]
    for position in range(1, int(lengths.max(initial=0))):
        at = starts[: np.searchsorted(-lengths, -position)] + position
        sums[at] += sums[at - 1]
    return sums


# Reading times, as Smucker and Clarke measured them with people who searched news (SIGIR 2012).


OPENS_RELEVANT, OPENS_OTHER = 0.64, 0.39  # the share of documents opened after seeing the summary
SAVES_RELEVANT = 0.77  # the share of opened relevant documents that were saved
_SUMMARY, _WORD, _DOCUMENT = 4.4, 0.018, 7.8  # seconds


def seconds_of(words: Array, opened: Array) -> Array:
    """Return the time for documents with these lengths and probabilities of being opened.

    >>> import numpy as np
    >>> seconds_of(np.array([100.0]), np.array([OPENS_RELEVANT])).round(3)
    array([10.544])
    """
    return _SUMMARY + (_WORD * words + _DOCUMENT) * opened


# The computation of the Cube Test: documents fill a cube that has a compartment, with a lid, for each subtopic.
#
# It has three variants: the paper's equations, the script of the paper's authors, and the scorer of TREC's Dynamic
# Domain track. `fill` computes each of them.


Time = Literal["rank", "words", "150", "top", "given"]
Lid = Literal["relevance", "height", "off"]
Variant = Literal["paper", "cikm", "trecdd"]
Passages = Literal["discount", "sum"]

_SCRIPT_GRADES = 4  # the authors' script divides by this, whatever the grades of the judgements
_TRACK_LID = 5  # in grades, which the Dynamic Domain scorer does not scale to 0..1
_USUAL_WORDS = 150.0


@dataclass(frozen=True)
class Filling:
    """How the cube fills: a row for each row of the hits, a column for each document in the order read."""

    gain: Array  # volume that each document adds
    clock: Array  # time at which it has been read
    read: Integers  # number of documents read, for each row
    time: Array  # time for all that is read
    speed: Array  # gain of the N-th document or iteration over its own time

    @property
    def final(self) -> Array:
        """Volume over time when everything has been read."""
        return ratio(self.gain.cumsum(1)[:, -1], self.time)

    @property
    def average(self) -> Array:
        """Volume over time, averaged over the documents read."""
        return ratio((ratio(self.gain.cumsum(1), self.clock) * _among(self.read, self.gain.shape[1])).sum(1), self.read)


def fill(
    hits: Hits,
    effort: int,
    *,
    gamma: float,
    theta: Theta,
    time: Time = "rank",
    lid: Lid = "relevance",
    max_grade: int | None = None,
    variant: Variant = "paper",
    passages: Passages = "discount",
) -> Filling:
    """Read the first `effort` documents, or iterations, of every row into the cube."""
    table = subtopics_of(hits)
    if variant == "trecdd":
        return _by_iteration(hits, effort, gamma, theta, passages)
    largest = table.largest
    if variant == "cikm":
        time, lid, max_grade = "words", "height", max_grade or _SCRIPT_GRADES
    if max_grade is not None and largest > max_grade:
        raise MeasureError(f"the judgements hold a grade of {largest}, above max_grade={max_grade}")
    # The gain and the clock of each document within the effort; the gain is cut off by the lid.
    hits = hits.where(hits.rank <= effort)
    read = np.minimum(hits.retrieved, effort)
    depth = max(int(read.max(initial=0)), 1)
    entries = subtopic_hits(hits)
    height = _heights(entries, gamma, lid, max_grade or largest, seen_already=int(variant == "cikm"))
    gain = _by_document(entries, height, theta, depth)
    own = times_of(hits, depth, time, opened_if_irrelevant=OPENS_RELEVANT if variant == "cikm" else OPENS_OTHER)
    clock = own.cumsum(1) if time != "top" else np.full(own.shape, float(effort))
    speed = np.where(read == effort, ratio(gain[:, -1], own[:, -1]), 0.0)
    return Filling(gain, clock, read, clock[:, -1], speed)


def _heights(entries: SubtopicHits, gamma: float, lid: Lid, max_grade: int, seen_already: int) -> Array:
    """The height that each entry adds to its compartment; the lid is at 1."""
    height = entries.grade * gamma ** (entries.seen_before + seen_already)
    # Computed in grades and scaled at the end, so that the lid is reached exactly: three thirds fill a compartment.
    if lid == "relevance":
        height *= _before(entries, entries.grade) < max_grade
    elif lid == "height":
        height *= _before(entries, height) < max_grade
    else:
        height *= np.exp(1.0 - entries.rank)
    return height / max_grade


def _by_document(entries: SubtopicHits, height: Array, theta: Theta, depth: int) -> Array:
    """The volume that each document adds: the sum over its subtopics of height times weight."""
    hits = entries.hits
    assert hits.qrels is not None
    volume = height * weights(hits.qrels, theta)[entries.subtopic]
    cell = entries.row * depth + entries.rank - 1
    added = np.bincount(cell, weights=volume, minlength=hits.rows * depth)
    return np.asarray(added, np.float64).reshape(hits.rows, depth)


def _before(entries: SubtopicHits, values: NDArray[Any]) -> NDArray[Any]:
    """For each entry, the sum of `values` over the earlier entries of its row and subtopic, added by rank."""
    sums = np.zeros(len(values), values.dtype)
    order = entries.by_group
    starts = np.flatnonzero(entries.seen_before[order] == 0)
    lengths = np.diff(starts, append=len(order))
    by_length = np.argsort(-lengths, kind="stable")
    starts, lengths = starts[by_length], lengths[by_length]
    # Step through all groups together, one place at a time; the longest come first, so those that go on are a prefix.
    so_far = np.zeros(len(starts), values.dtype)
    for place in range(int(lengths.max(initial=0))):
        longer = int(np.searchsorted(-lengths, -place))
        here = order[starts[:longer] + place]
        sums[here] = so_far[:longer]
        so_far[:longer] += values[here]
    return sums


def times_of(hits: Hits, depth: int, time: Time, opened_if_irrelevant: float) -> Array:
    """The time that each document takes; 0 after the end of a list."""
    there = _among(hits.retrieved, depth)
    if time in ("rank", "top"):
        return there.astype(float)
    if time == "given":
        if hits.reading is None or hits.reading.seconds is None:
            raise MeasureError("time=given needs a reading log: give --reads FILE (topic, document, seconds)")
        return _as_matrix(hits.reading.seconds, hits.reading.offsets, depth, 0.0)
    if time == "150":
        words = np.full(there.shape, _USUAL_WORDS)
    elif hits.reading is None or hits.reading.words is None:
        raise MeasureError("time=words needs document lengths: give --lengths FILE (document, words), or use time=150")
    else:
        words = _as_matrix(hits.reading.words, hits.reading.offsets, depth, 0.0)
    chance = np.full(there.shape, opened_if_irrelevant)
    relevant = hits.relevant()
    chance[hits.row[relevant], hits.rank[relevant] - 1] = OPENS_RELEVANT
    return seconds_of(words, chance) * there


def _by_iteration(hits: Hits, effort: int, gamma: float, theta: Theta, passages: Passages) -> Filling:
    """The Dynamic Domain scorer: time is counted in iterations, and volume above the lid is lost."""
    if hits.reading is None or hits.reading.iterations is None:
        raise MeasureError("variant=trecdd needs runs that number their iterations in the second column, from 0")
    offsets = hits.reading.offsets
    depth = max(int(hits.retrieved.max(initial=0)), 1)
    iteration = _as_matrix(hits.reading.iterations + 1.0, offsets, depth, np.inf)
    # Documents are read until the first one of a later iteration; the clock stops at the run's last iteration.
    read = np.logical_and.accumulate(iteration <= effort, axis=1).sum(1)
    inside = _among(read, depth)
    ends = np.r_[0.0, hits.reading.iterations + 1.0][np.where(hits.retrieved > 0, offsets[1:], 0)]
    entries, grade = _passages_joined(hits, passages)
    # Each document adds its discounted height as far as there is room under the lid.
    height = grade * gamma ** (entries.seen_before + 1)
    before = _before(entries, height)
    height = np.minimum(before + height, _TRACK_LID) - np.minimum(before, _TRACK_LID)
    gain = _by_document(entries, height / _TRACK_LID, theta, depth) * inside
    speed = (gain * (iteration == effort)).sum(1)
    return Filling(gain, np.minimum(iteration, ends[:, None]), read, np.minimum(effort, ends), speed)


def _passages_joined(hits: Hits, passages: Passages) -> tuple[SubtopicHits, Array]:
    """One entry per document and subtopic, and the total of its passages. Grade 0 counts as 1."""
    single = subtopic_hits(hits, level=0, passages=True)
    grade = np.maximum(single.grade, 1)
    # Passages of one document and subtopic are summed, largest first, each divided by log2(1 + its place).
    order = np.lexsort((-grade, single.subtopic, single.hit))
    hit, subtopic, grade = single.hit[order], single.subtopic[order], grade[order]
    starts = np.flatnonzero((np.diff(hit, prepend=-1) != 0) | (np.diff(subtopic, prepend=-1) != 0))
    counts = np.diff(starts, append=len(hit))
    place = np.arange(len(hit)) - np.repeat(starts, counts) + 1
    worth = grade / np.log2(place + 1) if passages == "discount" else grade.astype(float)
    total = np.bincount(np.repeat(np.arange(len(starts)), counts), weights=worth, minlength=len(starts))
    entries = replace(single, hit=hit[starts], subtopic=subtopic[starts], grade=grade[starts])
    return entries, np.asarray(total, np.float64)


def _among(counts: Integers, depth: int) -> NDArray[np.bool_]:
    """A mask of the first `counts` columns of each row."""
    return np.arange(depth) < counts[:, None]


def _as_matrix(flat: NDArray[Any], offsets: Integers, depth: int, missing: float) -> Array:
    """The slices of a flat array as rows of a matrix, filled up with `missing`."""
    counts = np.diff(offsets)
    row = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(flat)) - np.repeat(offsets[:-1], counts)
    kept = place < depth
    matrix = np.full((len(counts), depth), missing)
    matrix[row[kept], place[kept]] = flat[kept]
    return matrix
