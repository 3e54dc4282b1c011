"""On which topics does a system do well? Scores by attributes of the topics, and every run on every topic."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from leadline.errors import InputError, MismatchError
from leadline.measures.definition import inside
from leadline.measures.hits import Array, Integers, Mask
from leadline.measures.join import listed
from leadline.records.result import Result, Table, counted
from leadline.records.scores import FEWEST_TOPICS, Scores
from leadline.records.topics import TOPIC_ID, topic_sheet
from leadline.text.sheet import is_missing, label
from leadline.text.source import read_text
from leadline.trust.no_verdict import notes_on_effort
from leadline.trust.rankings import Aligned, aligned, best_first


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
        columns = ["slice", "run", "topics", "mean", "low", "high", "warning"]
        return Table(columns, rows, best=best, alike=[columns[3:6]])

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
    round edges, or stay as they are if there are at most five different ones. Symbols of the IPC or CPC are cut to the
    subclass, class or section, whichever first has five topics for half of them; what still has fewer is one slice. A
    list of values puts the topic into several slices. Topics without a value form a slice of their own.

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
    groups, cut = _groups(topics, known)
    said = [*notes_on_effort([measure]), *notes, *([f"{by}: {cut}"] if cut else [])]
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
        inside(measure, means - widths),
        inside(measure, means + widths),
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


Groups = list[tuple[str, Mask]]


def _groups(topics: Sequence[str], known: Mapping[str, list[Any]]) -> tuple[Groups, str]:
    """The slices, bins of numbers from low to high or other values with the most frequent first, and a note on them."""
    numbers = [_number(cells[0]) if len(cells) == 1 else None for cells in known.values()]
    places = np.array([topics.index(topic) for topic in known])
    if not any(number is None for number in numbers):
        groups = []
        for name, inside in binned(np.array(numbers, np.float64)):
            members = np.zeros(len(topics), np.bool_)
            members[places[inside]] = True
            groups.append((name, members))
        return groups, ""
    by_value: dict[str, Mask] = {}
    for place, cells in zip(places.tolist(), known.values(), strict=True):
        for cell in cells:
            by_value.setdefault(label(cell), np.zeros(len(topics), np.bool_))[place] = True
    if all(_SYMBOL.fullmatch(value) for value in by_value):
        return _by_symbol(by_value, len(known))
    return _frequent_first(by_value), ""


def _frequent_first(by_value: Mapping[str, Mask]) -> Groups:
    return sorted(by_value.items(), key=lambda item: (-int(item[1].sum()), item[0]))


# Symbols of the IPC or CPC: C07D 401/04 is in the subclass C07D, the class C07 and the section C.

_SYMBOL = re.compile(r"[A-HY]\d\d[A-Z](?:\s*\d{1,4}(?:/\d{1,6})?)?")
_LEVELS = (("group", 99), ("subclass", 4), ("class", 3), ("section", 1))  # with the characters of a symbol


def _by_symbol(by_value: Mapping[str, Mask], topics: int) -> tuple[Groups, str]:
    """The finest level at which half of the topics are in slices that are large enough, and the small ones as one.

    >>> inside = np.array([[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 1]])
    >>> groups, note = _by_symbol(dict(zip(["C07D", "C07C", "A61K", "H01M"], inside.astype(bool))), 7)
    >>> [(name, int(members.sum())) for name, members in groups], note
    ([('C07', 5), ('2 others', 2)], 'the symbols are cut to the class, and 2 with fewer than 5 topics are one slice')
    """
    for level, characters in _LEVELS:
        cut: dict[str, Mask] = {}
        for symbol, members in by_value.items():
            cut[symbol[:characters]] = cut.get(symbol[:characters], False) | members
        small = [name for name, members in cut.items() if members.sum() < FEWEST_TOPICS]
        large = {name: members for name, members in cut.items() if name not in small}
        if not large or 2 * np.any(list(large.values()), axis=0).sum() < topics:
            continue
        said = [f"the symbols are cut to the {level}"] if len(cut) < len(by_value) else []
        groups = _frequent_first(large)
        if len(small) > 1:
            groups.append((f"{len(small)} others", np.any([cut[name] for name in small], axis=0)))
            said.append(f"{len(small)} with fewer than {FEWEST_TOPICS} topics are one slice")
        else:
            groups += [(name, cut[name]) for name in small]
        return groups, ", and ".join(said)
    return _frequent_first(by_value), ""


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


# Numbers in a few bins of about the same size, with round edges.


FEW = 5  # up to this many distinct values, each is a bin of its own
SLACK = 0.05  # how far, as a share of the values, an edge may be from a quartile to be rounder


def binned(values: Array) -> list[tuple[str, Mask]]:
    """Bins from low to high, each with its label and a mask of the values in it; no bin is empty.

    Five distinct values or fewer stay as they are. Otherwise the edges are near the quartiles of the values: the
    roundest number with 20 % to 30 % of the values below it, and so on. When many values are equal there may be fewer
    bins.

    >>> [(label, int(inside.sum())) for label, inside in binned(np.arange(1.0, 101.0))]
    [('1 to 29', 29), ('30 to 49', 20), ('50 to 79', 30), ('80 or more', 21)]
    >>> [label for label, _ in binned(np.array([2009.0, 2010.0, 2010.0]))]
    ['2009', '2010']
    """
    distinct = np.unique(values)
    if len(distinct) <= FEW:
        return [(shown(value), values == value) for value in distinct.tolist()]
    edges = _edges(values)
    bounds = [-math.inf, *edges, math.inf]
    whole = bool((values == np.round(values)).all())
    bins = []
    for low, high in itertools.pairwise(bounds):
        inside = np.asarray((values >= low) & (values < high))
        bins.append((_label(low, high, float(values[inside].min()), whole=whole), inside))
    return bins


def _edges(values: Array) -> list[float]:
    """The start of each new bin: near each quartile, the roundest number with about that share of values below it."""
    distinct, counts = np.unique(values, return_counts=True)
    below = (np.cumsum(counts) - counts) / len(values)  # share below each distinct value
    edges: list[tuple[float, float]] = [(0.0, -math.inf)]
    for quarter in (0.25, 0.5, 0.75):
        distance = np.abs(below[1:] - quarter)
        near = 1 + np.flatnonzero(distance <= max(SLACK, distance.min()))
        edge = roundest(float(distinct[near[0] - 1]), float(distinct[near[-1]]), float(distinct[1 + distance.argmin()]))
        share = float((values < edge).mean())
        if share > edges[-1][0]:
            edges.append((share, edge))
    return [edge for _, edge in edges[1:]]


def roundest(low: float, high: float, aim: float) -> float:
    """The number above `low` and at most `high` with the fewest digits; of several, the one nearest to `aim`.

    >>> roundest(18, 33, 24), roundest(0.231, 0.288, 0.26), roundest(6, 7, 7), roundest(-3, 5, 1)
    (20.0, 0.25, 7.0, 0.0)
    """
    if low < 0 <= high:
        return 0.0
    power = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for exponent in range(min(power, 307), max(power - 7, -324), -1):  # 10.0**-324 is 0, 5 * 10.0**308 infinite
        for step in (5, 2, 1):
            edges = [round(edge, max(0, 1 - exponent)) for edge in _multiples(low, high, step * 10.0**exponent)]
            inside = [edge for edge in edges if low < edge <= high]
            if inside:
                return min(inside, key=lambda edge: abs(edge - aim))
    return aim


def _multiples(low: float, high: float, step: float) -> list[float]:
    """Multiples of a step in a range. Larger steps are tried first, so there are never many."""
    return [step * place for place in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _label(low: float, high: float, smallest: float, *, whole: bool) -> str:
    if math.isinf(high):
        return f"{shown(low)} or more"
    if whole:
        first, last = (smallest if math.isinf(low) else low), high - 1
        return shown(first) if first == last else f"{shown(first)} to {shown(last)}"
    return f"below {shown(high)}" if math.isinf(low) else f"{shown(low)} to below {shown(high)}"


def shown(value: float) -> str:
    """A number without trailing zeros.

    >>> shown(2009.0), shown(0.25)
    ('2009', '0.25')
    """
    return str(int(value)) if value == round(value) else f"{value:.12g}"


# Which topics are answered by no run, by some or by most? Every run on every topic, both sorted by their means.


Answered = Literal["nobody", "one", "some", "most"]


@dataclass(frozen=True, repr=False)
class Spectrogram(Result):
    """Runs × topics: the run with the best mean first, the topic with the best mean first."""

    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Array
    fair: float  # a run answers a topic when its value is at least this

    @property
    def answering(self) -> Integers:
        """How many runs answer each topic."""
        return np.asarray((self.values >= self.fair).sum(axis=0), np.int64)

    def answered_by(self) -> tuple[Answered, ...]:
        """How many runs answer each topic, in words."""
        half = len(self.runs) / 2
        return tuple(
            "nobody" if count == 0 else "one" if count == 1 else "most" if count > half else "some"
            for count in self.answering.tolist()
        )

    def table(self) -> Table:
        """The values: a row for each run, a column for each topic."""
        rows = [[run, *row] for run, row in zip(self.runs, self.values.tolist(), strict=True)]
        return Table(["run", *self.topics], rows)

    def topic_table(self) -> Table:
        """A row for each topic: its mean, its best run, and how many runs answer it."""
        best = np.nanargmax(np.where(np.isnan(self.values), -np.inf, self.values), axis=0)
        means = np.nanmean(self.values, axis=0)
        rows = [
            [topic, float(means[t]), float(self.values[best[t], t]), self.runs[best[t]], count, who]
            for t, (topic, count, who) in enumerate(
                zip(self.topics, self.answering.tolist(), self.answered_by(), strict=True)
            )
        ]
        columns = ["topic", "mean", "best", "best_run", "runs_answering", "answered_by"]
        return Table(columns, rows, alike=[columns[1:3]])

    def _finding(self) -> str:
        size = f"{counted(len(self.runs), 'run')} × {counted(len(self.topics), 'topic')}"
        return f"{self.measure}: {size}; {counted(self.answered_by().count('nobody'), 'topic')} answered by nobody"

    def _shown_table(self) -> Table:
        return self.topic_table()


def spectrogram(scores: Scores, measure: str, *, fair: float | None = None) -> Spectrogram:
    """Every run on every topic. A run answers a topic when its value is at least `fair` (default: half the best mean).

    Lupu, Huang, Zhu and Tait, Overview of the TREC 2009 Chemical IR track, figures 11 and 12. Topics that are undefined
    for every run are left out.

    >>> values = np.array([[0.0, 0.8], [0.5, 0.9]])[:, :, None]
    >>> found = spectrogram(Scores(("a", "b"), ("1", "2"), ("AP",), values), "AP")
    >>> found.runs, found.topics, found.answered_by()
    (('b', 'a'), ('2', '1'), ('most', 'one'))
    """
    if scores.better[scores.measures.index(measure)] == "lower":
        raise InputError("spectrogram", f"{measure} is better when lower; use a measure that is better when higher")
    matrix = scores.of(measure)
    defined = np.flatnonzero(~np.isnan(matrix).all(axis=0))
    if not len(defined):
        raise InputError("spectrogram", f"{measure} is undefined for every run on every topic")
    matrix = matrix[:, defined]
    means = np.nan_to_num(np.array([np.nanmean(row) if not np.isnan(row).all() else 0.0 for row in matrix]))
    by_run = best_first(means, scores.runs)
    by_topic = sorted(range(len(defined)), key=lambda t: (-np.nanmean(matrix[:, t]), t))
    return Spectrogram(
        measure,
        tuple(scores.runs[r] for r in by_run),
        tuple(scores.topics[defined[t]] for t in by_topic),
        matrix[np.ix_(by_run, by_topic)],
        float(means.max() / 2 if fair is None else fair),
    )
