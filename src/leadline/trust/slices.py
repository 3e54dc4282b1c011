"""On which kinds of topics does a system do well? Scores by any attribute of the topics."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.errors import InputError, MismatchError
from leadline.measures.alignment import listed
from leadline.measures.hits import Array, Integers, Mask
from leadline.records.scores.result import Result, counted
from leadline.records.scores.scores import FEWEST_TOPICS, Scores
from leadline.records.scores.table import Table
from leadline.records.topics.topic_sheet import TOPIC_ID, topic_sheet
from leadline.text.sheet import is_missing, label
from leadline.text.source import read_text
from leadline.trust.aligned import Aligned, aligned
from leadline.trust.bins import binned


@dataclass(frozen=True, repr=False)
class Slices(Result):
    """The mean of every run on every slice of the topics, with an interval if the slice has enough topics."""

    measure: str
    by: str
    names: tuple[str, ...]  # of the slices
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    members: Mask  # slice, topic
    means: Array  # slice, run
    low: Array  # 95 % interval of the mean by Student's t; NaN below five topics
    high: Array
    better: str = "higher"
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Integers:
        """The number of topics in each slice."""
        return np.asarray(self.members.sum(axis=1))

    def warning(self, place: int) -> str:
        """A warning that a slice has too few topics; empty when it has enough."""
        count = int(self.counts[place])
        if count >= FEWEST_TOPICS:
            return ""
        return f"only {counted(count, 'topic')}: too few to say anything ({FEWEST_TOPICS} are needed)"

    def table(self) -> Table:
        """A row for each slice and run; the best run of a slice is marked if the slice has enough topics."""
        rows: list[list[Any]] = []
        best = set()
        for s, name in enumerate(self.names):
            warning = self.warning(s)
            lead = self.means[s].min() if self.better == "lower" else self.means[s].max()
            for r, run in enumerate(self.runs):
                if not warning and len(self.runs) > 1 and self.better != "neither" and self.means[s, r] == lead:
                    best.add((len(rows), 3))
                numbers = [float(column[s, r]) for column in (self.means, self.low, self.high)]
                rows.append([name, run, int(self.counts[s]), *numbers, warning])
        return Table(["slice", "run", "topics", "mean", "low", "high", "warning"], rows, best=best)

    def _finding(self) -> str:
        small = sum(bool(self.warning(place)) for place in range(len(self.names)))
        too_small = f", {small} of them too small" if small else ""
        sizes = f"{counted(len(self.runs), 'run')} on {counted(len(self.topics), 'topic')}"
        return f"{self.measure} by {self.by}: {counted(len(self.names), 'slice')}{too_small}; {sizes}"

    def _shown_table(self) -> Table:
        return self.table()


def slices(scores: Scores, measure: str, attributes: Mapping[str, Any], by: str) -> Slices:
    """The scores of one measure by an attribute of the topics: office, class, number of relevant documents, length.

    `attributes` maps topics to values, and `by` is the name of the attribute. Numbers go into about four bins with
    round edges, or stay as they are if there are at most five different ones. A list of values puts the topic into
    several slices. Topics without a value form a slice of their own.

    >>> values = np.array([[0.1, 0.2, 0.3, 0.2, 0.2, 0.9, 0.7]])[:, :, None]
    >>> scores = Scores(("bm25",), tuple("1234567"), ("AP",), values)
    >>> offices = {"1": "EP", "2": "EP", "3": "EP", "4": "EP", "5": "EP", "6": "US"}
    >>> found = slices(scores, "AP", offices, "office")
    >>> for row in found.table().rows:
    ...     print(row[0], row[2], round(row[3], 3))
    EP 5 0.2
    US 1 0.9
    no office 1 0.7
    >>> found.warning(1)
    'only 1 topic: too few to say anything (5 are needed)'
    """
    matrix, topics, notes = _by_topic(scores, measure)
    known = {topic: cells for topic in topics if (cells := _cells(attributes.get(topic)))}
    if not known:
        ours, theirs = listed(topics, 3), listed(list(map(str, attributes)), 3)
        raise MismatchError(f"no topic has a value of {by}: the scores have topics {ours}, the attributes {theirs}")
    groups = _groups(topics, known)
    said = list(notes)
    without = np.array([topic not in known for topic in topics])
    if without.any():
        groups.append((f"no {by}", without))
        missing = [topic for topic in topics if topic not in known]
        said.append(
            f"{counted(len(missing), 'topic')} without a value of {by}, in a slice of their own: {listed(missing)}"
        )
    members = np.stack([inside for _, inside in groups])
    several = int((members.sum(axis=0) > 1).sum())
    if several:
        said.append(f"{counted(several, 'topic')} with more than one {by}, in more than one slice")
    means, widths = _mean_and_width(matrix, members)
    small = int((members.sum(axis=1) < FEWEST_TOPICS).sum())
    if small:
        said.append(f"{small} of {len(groups)} slices too small to say anything: fewer than {FEWEST_TOPICS} topics")
    return Slices(
        measure,
        by,
        tuple(name for name, _ in groups),
        scores.runs,
        topics,
        members,
        means,
        means - widths,
        means + widths,
        scores.better[scores.measures.index(measure)],
        tuple(said),
    )


def _by_topic(scores: Scores, measure: str) -> Aligned:
    """Runs × topics without gaps; unlike `aligned`, also for a single run."""
    if len(scores.runs) > 1:
        return aligned(scores, measure)
    values = scores.of(measure)
    kept = np.flatnonzero(np.isfinite(values).all(axis=0)).tolist()
    if not kept:
        raise MismatchError(f"{measure}: no topic has a value")
    gone = len(scores.topics) - len(kept)
    notes = (f"{measure}: {counted(gone, 'topic')} undefined, left out",) if gone else ()
    return Aligned(values[:, kept], tuple(scores.topics[t] for t in kept), notes)


def _cells(value: Any) -> list[Any]:
    """The values of one topic: none, one, or several."""
    several = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
    return [cell for cell in several if not is_missing(cell)]


def _groups(topics: Sequence[str], known: Mapping[str, list[Any]]) -> list[tuple[str, Mask]]:
    """The slices: bins of numbers from low to high, or other values with the most frequent first."""
    numbers = [_number(cells[0]) if len(cells) == 1 else None for cells in known.values()]
    places = np.array([topics.index(topic) for topic in known])
    if not any(number is None for number in numbers):
        groups = []
        for name, inside in binned(np.array(numbers, np.float64)):
            members = np.zeros(len(topics), np.bool_)
            members[places[inside]] = True
            groups.append((name, members))
        return groups
    by_value: dict[str, Mask] = {}
    for place, cells in zip(places.tolist(), known.values(), strict=True):
        for cell in cells:
            by_value.setdefault(label(cell), np.zeros(len(topics), np.bool_))[place] = True
    return sorted(by_value.items(), key=lambda item: (-int(item[1].sum()), item[0]))


def _number(cell: Any) -> float | None:
    """The number in a cell, or None. A code with leading zeros is a name, not a number."""
    text = str(cell).strip()
    digits = text.lstrip("+-")
    if isinstance(cell, bool) or "_" in text or (len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()):
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _mean_and_width(matrix: Array, members: Mask) -> tuple[Array, Array]:
    """The mean of each slice and run, and half the width of its 95 % interval by Student's t."""
    from scipy.special import stdtrit

    # Sums over the topics of a slice are products with its 0/1 membership; the variance divides by n − 1.
    inside = members.astype(np.float64)
    count = inside.sum(axis=1)[:, None]
    means = inside @ matrix.T / count
    squares = np.einsum("st,srt->sr", inside, (matrix[None] - means[:, :, None]) ** 2)
    enough = count >= FEWEST_TOPICS
    freedom = np.where(enough, count - 1, 1)
    widths = stdtrit(freedom, 0.975) * np.sqrt(squares / freedom / count)
    return means, np.where(enough, widths, np.nan)


def read_attributes(path: str | os.PathLike[str]) -> dict[str, dict[str, Any]]:
    """The attributes of topics, {column: {topic: value}}, from a CSV, TSV, JSON or JSONL file or TREC's markup.

    The topic is in the column `query_id`, `qid`, `topic` or similar, or else in the first column.
    """
    sheet = topic_sheet(read_text(path), header=True)
    found = sheet.find(TOPIC_ID)
    key = 0 if found is None else found
    topics = sheet.labels(key)
    first: dict[str, int] = {}
    for row, topic in enumerate(topics):
        if first.setdefault(topic, row) != row:
            raise sheet.error(row, f"topic {topic} is listed twice, first in {sheet.where(first[topic])}")
    if len(sheet.columns) < 2:
        raise InputError(sheet.name, f"one column ({sheet.columns[0]}), expected topic and one or more attributes")
    return {
        name: {topic: row[c] for topic, row in zip(topics, sheet.rows, strict=True)}
        for c, name in enumerate(sheet.columns)
        if c != key
    }
