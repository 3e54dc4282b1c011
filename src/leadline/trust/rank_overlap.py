"""How alike are two rankings of documents? Rank-biased overlap, also of rankings with ties and of uneven length."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from leadline.errors import InputError, MismatchError, checked_choice
from leadline.measures.hits import Array, Integers
from leadline.measures.join import listed
from leadline.records.result import Result, Table, counted, number
from leadline.records.runs import Run
from leadline.trust.paired_tests import half_width

Ties = Literal["a", "b", "w"]


@dataclass(frozen=True)
class TiedRanking:
    """The documents of a ranking as numbers, and for each the first rank and the size of its group of ties."""

    documents: Integers
    first: Integers
    size: Integers

    @classmethod
    def of(cls, documents: Integers, begins: Integers) -> TiedRanking:
        """A ranking whose groups of ties begin at these places, counted from 0."""
        sizes = np.diff(begins, append=len(documents))
        return cls(documents, np.repeat(begins + 1, sizes), np.repeat(sizes, sizes))


def rbo(
    first: Sequence[Any],
    second: Sequence[Any],
    p: float = 0.9,
    *,
    depth: int | None = None,
    ties: Ties = "a",
    extrapolate: bool = True,
) -> float:
    """Rank-biased overlap: the share of the first d documents that two rankings have in common, over all depths d.

    Formula: RBO = (1 − p) Σ p^(d−1) A_d, where a reader goes on to the next depth with the probability p, so that the
    mean depth is 1 / (1 − p): 10 documents for p = 0.9. Extrapolated to endless lists as in equation 32 (identical
    rankings have 1), or without `extrapolate` the sum over the depths that both have.

    Papers: Webber, Moffat and Zobel, ACM TOIS 2010; for ties Corsi and Urbano, SIGIR 2024.

    Documents that tie stand in a tuple, list or set of their own. What a tie means decides how it counts: "a", the
    order is not known, so the mean over all orders; "b", the same, corrected so that identical rankings with ties have
    1; "w", the documents share a rank, and are all met at once.

    >>> round(rbo(["a", "b", "c"], ["a", "c", "d"], p=0.5), 4), rbo(["a", "b", "c"], ["a", "b", "c"])
    (0.7917, 1.0)
    >>> [round(rbo(["a", ("b", "c")], ["a", "b", "c"], ties=ties), 4) for ties in ("a", "b", "w")]
    [0.9775, 0.9879, 0.982]
    """
    known: dict[Any, int] = {}
    rankings = []
    for ranking in (first, second):
        groups = [list(each) if isinstance(each, (tuple, list, set, frozenset)) else [each] for each in ranking]
        names = [name for group in groups for name in group]
        if len(set(names)) < len(names):
            raise InputError("rbo", "a ranking names a document twice")
        places = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
        sizes = np.array([len(group) for group in groups if group], np.int64)
        rankings.append(TiedRanking.of(places, np.cumsum(sizes) - sizes))
    one, other = rankings
    place = np.full(len(known), -1)
    place[other.documents] = np.arange(len(other.documents))
    checked_choice("ties", ties, get_args(Ties))
    return overlap_of(one, other, place, checked_p(p), depth, ties, extrapolate)


def checked_p(p: float) -> float:
    """The probability of going on; an error unless it is between 0 and 1."""
    if isinstance(p, bool) or not isinstance(p, (int, float)) or not 0 < p < 1:
        raise InputError("p", f"must be between 0 and 1, got {p!r}; 0.9 is usual, for a mean depth of 10 documents")
    return float(p)


def overlap_of(
    one: TiedRanking, other: TiedRanking, place: Integers, p: float, depth: int | None, ties: Ties, extrapolate: bool
) -> float:
    """The overlap of two rankings; `place` is where the other has each document, from 0, and -1 where it has not."""
    most = max(len(one.documents), len(other.documents)) if depth is None else depth
    lengths = sorted(min(most, len(each.documents)) for each in (one, other))
    short, long = lengths
    if not long:
        return 1.0  # two empty rankings are the same
    if not short:
        return 0.0
    at = place[one.documents]
    mine = np.flatnonzero(at >= 0)
    theirs = at[mine]
    depths = np.arange(1, long + 1)
    common, size = _SHARED[ties](one, other, mine, theirs, depths)
    # Of documents beyond the end of the shorter ranking, the share that it has up to there is taken to be common.
    beyond = depths[short:] - short
    agreement = common / size
    agreement[short:] = (common[short:] + agreement[short - 1] * beyond) / size[short:]
    weights = p ** depths.astype(np.float64)
    if not extrapolate:
        return float((1 - p) / p * (weights * agreement)[:short].sum())
    return float((1 - p) / p * (weights * agreement).sum() + agreement[-1] * weights[-1])


def _by_rank(one: TiedRanking, other: TiedRanking, mine: Integers, theirs: Integers, depths: Integers) -> Any:
    """How many documents both have met at each depth, and how many they could; a group is met at its first rank."""
    met = np.maximum(one.first[mine], other.first[theirs])
    common = np.cumsum(np.bincount(met, minlength=len(depths) + 1)[1 : len(depths) + 1])
    sizes = [np.searchsorted(each.first, depths, side="right") for each in (one, other)]
    # A ranking that has ended counts as going on without ties.
    sizes = [np.where(depths > len(each.first), depths, size) for each, size in zip((one, other), sizes, strict=True)]
    return common.astype(np.float64), (sizes[0] + sizes[1]) / 2


def _over_orders(one: TiedRanking, other: TiedRanking, mine: Integers, theirs: Integers, depths: Integers) -> Any:
    """The mean number of common documents over all orders of the ties, and the depth."""
    firsts, sizes = (one.first[mine], other.first[theirs]), (one.size[mine], other.size[theirs])
    alone = (sizes[0] == 1) & (sizes[1] == 1)
    met = np.maximum(*firsts)[alone]
    common = np.cumsum(np.bincount(met, minlength=len(depths) + 1)[1 : len(depths) + 1]).astype(np.float64)
    tied = np.flatnonzero(~alone)
    if len(tied):
        parts = [
            np.clip((depths - f[tied, None] + 1) / s[tied, None], 0, 1) for f, s in zip(firsts, sizes, strict=True)
        ]
        common += (parts[0] * parts[1]).sum(axis=0)
    return common, depths.astype(np.float64)


def _corrected(one: TiedRanking, other: TiedRanking, mine: Integers, theirs: Integers, depths: Integers) -> Any:
    """The same over the largest that the ties allow: the root of the product of what each shares with itself."""
    common, _ = _over_orders(one, other, mine, theirs, depths)
    squares = []
    for each in (one, other):
        square = depths.astype(np.float64)
        inside = depths[: len(each.first)] - 1  # the document at each depth
        met = depths[: len(each.first)] - each.first[inside] + 1  # of its group, up to this depth
        square[: len(inside)] = each.first[inside] - 1 + met**2 / each.size[inside]
        squares.append(square)
    return common, np.sqrt(squares[0] * squares[1])


_SHARED: dict[Ties, Callable[..., Any]] = {"a": _over_orders, "b": _corrected, "w": _by_rank}


# The rankings of runs.


@dataclass(frozen=True, repr=False)
class RankOverlap(Result):
    """The rank-biased overlap of every two runs, topic by topic."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    p: float
    pairs: tuple[tuple[int, int], ...]
    values: Array  # pair, topic; NaN where one of the two has no ranking
    notes: tuple[str, ...] = ()

    @property
    def means(self) -> Array:
        """The mean over the topics of each pair."""
        return np.nanmean(self.values, axis=1)

    def table(self) -> Table:
        """A row for each pair: its mean over topics with the 95 % interval."""
        rows = []
        for (a, b), values in zip(self.pairs, self.values, strict=True):
            known = values[~np.isnan(values)]
            mean, width = float(known.mean()), float(half_width(known)) if len(known) > 1 else float("nan")
            ends = [float(max(mean - width, 0.0)), float(min(mean + width, 1.0))] if len(known) > 1 else [width, width]
            rows.append([self.runs[a], self.runs[b], len(known), mean, *ends])
        columns = ["run_a", "run_b", "topics", "rbo", "low", "high"]
        return Table(columns, rows, alike=[columns[3:]])

    def topic_table(self) -> Table:
        """A row for each pair and topic."""
        rows = [
            [self.runs[a], self.runs[b], topic, float(value)]
            for (a, b), values in zip(self.pairs, self.values, strict=True)
            for topic, value in zip(self.topics, values, strict=True)
            if not np.isnan(value)
        ]
        return Table(["run_a", "run_b", "topic", "rbo"], rows)

    def finding(self) -> str:
        """Which runs are most and least alike, in a sentence."""
        means = self.means
        most, least = int(means.argmax()), int(means.argmin())
        words = [
            f"{self.runs[a]} and {self.runs[b]} ({number(means[k], means)})" for k, (a, b) in enumerate(self.pairs)
        ]
        if most == least:
            return f"rank-biased overlap of {words[most]}"
        return f"most alike are {words[most]}, least {words[least]}, by rank-biased overlap"

    def _finding(self) -> str:
        return self.finding()

    def _shown_table(self) -> Table:
        return self.table()


def overlap(runs: Iterable[Run], *, p: float = 0.9, depth: int = 1000, ties: Ties = "a") -> RankOverlap:
    """Compare the rankings of every two runs, topic by topic, down to a depth; documents of equal score tie.

    >>> runs = [Run.of({"7": {"a": 3, "b": 2}}, "x"), Run.of({"7": {"b": 3, "a": 2}}, "y")]
    >>> overlap(runs)
    <RankOverlap rank-biased overlap of x and y (0.900)>
    """
    checked_p(p)
    checked_choice("ties", ties, get_args(Ties))
    if depth < 1:
        raise InputError("depth", f"must be at least 1, got {depth}")
    opened = list(runs)
    if len(opened) < 2:
        raise MismatchError(f"{counted(len(opened), 'run')}; a comparison needs two or more")
    topics = tuple(dict.fromkeys(topic for run in opened for topic in run.topics))
    pairs = tuple((a, b) for a in range(len(opened)) for b in range(a + 1, len(opened)))
    values = np.full((len(pairs), len(topics)), np.nan)
    for t, topic in enumerate(topics):
        rankings, documents = _rankings(opened, topic, depth)
        places = np.full((len(opened), documents), -1)
        for r, ranking in enumerate(rankings):
            if ranking is not None:
                places[r, ranking.documents] = np.arange(len(ranking.documents))
        for k, (a, b) in enumerate(pairs):
            one, other = rankings[a], rankings[b]
            if one is not None and other is not None:
                values[k, t] = overlap_of(one, other, places[b], p, depth, ties, True)
    apart = [k for k in range(len(pairs)) if np.isnan(values[k]).all()]
    if apart:
        a, b = pairs[apart[0]]
        raise MismatchError(f"{opened[a].name} and {opened[b].name} have no topic in common")
    return RankOverlap(tuple(run.name for run in opened), topics, p, pairs, values, tuple(_notes(opened, topics)))


def _rankings(runs: Collection[Run], topic: str, depth: int) -> tuple[list[TiedRanking | None], int]:
    """The rankings of a topic, with whole groups of ties at the end, and how many documents they have in all."""
    known: dict[str, int] = {}
    rankings: list[TiedRanking | None] = []
    for run in runs:
        if topic not in run.topics:
            rankings.append(None)
            continue
        t = run.topics.index(topic)
        lines = run.order[run.offsets[t] : run.offsets[t + 1]]
        keys = run.keys[lines]
        new = np.concatenate([[True], keys[1:] != keys[:-1]]) if run.sorting == "score" else np.ones(len(lines), bool)
        begins = np.flatnonzero(new)
        kept = begins[begins < depth]
        end = int(begins[len(kept)]) if len(kept) < len(begins) else len(lines)
        names = run.documents.take(lines[:end]).names()
        places = np.fromiter((known.setdefault(name, len(known)) for name in names), np.int64, len(names))
        rankings.append(TiedRanking.of(places, kept))
    return rankings, len(known)


def _notes(runs: Sequence[Run], topics: Sequence[str]) -> Iterable[str]:
    lacking = [run.name for run in runs if len(run.topics) < len(topics)]
    if lacking:
        yield f"{listed(lacking, 4)} lack topics that others have: a pair is compared on the topics that both have"
    tied = [run.name for run in runs if run.sorting == "score" and _has_ties(run)]
    if tied:
        yield f"equal scores in {listed(tied, 4)} count as ties; --ties says how, --order rank or file has none"


def _has_ties(run: Run) -> bool:
    topic = np.repeat(np.arange(len(run.topics)), np.diff(run.offsets))
    keys = run.keys[run.order]
    return bool(((keys[1:] == keys[:-1]) & (topic[1:] == topic[:-1])).any())
