"""What judging is worth: how far people agree beyond chance, and how many relevant documents were not found.

Marks are numbers; NaN where a person did not judge. Intervals are by the bootstrap over documents.

    >>> marks = np.array([[0, 0, 1, 1, 2, 0], [0, 1, 1, 1, 2, 0]], float)
    >>> round(cohen_kappa(*marks), 3), round(cohen_kappa(*marks, weights="linear"), 3)
    (0.739, 0.786)
    >>> round(krippendorff_alpha(marks), 3)
    0.756
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, checked_choice
from leadline.judge.marks import ORDER, UNJUDGED, JudgingState, Key, Neither, disagreements
from leadline.records.qrels import Qrels
from leadline.records.result import Table, counted

Array = NDArray[np.float64]
Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]


def cohen_kappa(first: Array, second: Array, *, weights: Weights = "none") -> float:
    """Cohen's kappa of two people's marks on the documents both judged; weighted by the distance of the marks if asked.

    Cohen, Educational and Psychological Measurement 1960, and Psychological Bulletin 1968. NaN where both always gave
    the same single mark, or judged nothing in common.
    """
    checked_choice("weights", weights, ("none", "linear", "quadratic"))
    both = np.isfinite(first) & np.isfinite(second)
    values = np.unique(np.concatenate([first[both], second[both]]))
    if len(values) < 2:
        return math.nan
    return float(_kappas(_crossed(first[both], second[both], values)[None], weights)[0])


def _crossed(first: Array, second: Array, values: Array) -> Array:
    """How many documents have each mark of the first and each of the second."""
    cells = np.searchsorted(values, first) * len(values) + np.searchsorted(values, second)
    return np.bincount(cells, minlength=len(values) ** 2).reshape(len(values), -1).astype(np.float64)


def _kappas(tables: Array, weights: Weights) -> Array:
    """Cohen's kappa of each of several tables of marks; NaN where both always gave the same mark."""
    observed = tables / tables.sum(axis=(1, 2), keepdims=True)
    expected = observed.sum(axis=2)[:, :, None] * observed.sum(axis=1)[:, None, :]
    places = np.arange(tables.shape[1])
    apart = np.abs(places[:, None] - places[None, :])
    penalty = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weights]
    chance = (penalty * expected).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance > 0, 1 - (penalty * observed).sum(axis=(1, 2)) / chance, math.nan)


def kappa_interval(
    first: Array, second: Array, *, weights: Weights = "none", samples: int = 1000, seed: int = 1
) -> tuple[float, float]:
    """The 95 % interval of Cohen's kappa, by drawing again the documents that both judged.

    Kappa follows from how often each pair of marks occurs, so these counts are drawn, all samples at once.
    """
    both = np.isfinite(first) & np.isfinite(second)
    values = np.unique(np.concatenate([first[both], second[both]]))
    if not len(values):
        return math.nan, math.nan
    table = _crossed(first[both], second[both], values)
    drawn = np.random.default_rng(seed).multinomial(int(both.sum()), table.ravel() / table.sum(), samples)
    return _middle(_kappas(drawn.reshape(samples, *table.shape).astype(np.float64), weights).tolist())


def fleiss_kappa(marks: Array) -> float:
    """Fleiss' kappa of any number of people (rows) on the documents (columns) that all of them judged.

    Fleiss, Psychological Bulletin 1971: (P − Pₑ) / (1 − Pₑ), where P is the share of the pairs of people who agree on a
    document, and Pₑ what it would be if each mark were drawn from all marks. NaN where all marks are the same, or no
    document was judged by all: alpha takes documents that some did not judge.

    >>> round(fleiss_kappa(np.array([[1, 1, 0, 0], [1, 1, 0, 1], [1, 0, 0, 0]])), 3)  # P = 2/3, Pₑ = 1/2
    0.333
    """
    complete = marks[:, np.isfinite(marks).all(axis=0)]
    people, documents = complete.shape
    values = np.unique(complete)
    if len(values) < 2 or people < 2:
        return math.nan
    counts = np.stack([(complete == value).sum(axis=0) for value in values])
    agreed = float((counts * (counts - 1)).sum()) / (documents * people * (people - 1))
    chance = float(((counts.sum(axis=1) / complete.size) ** 2).sum())
    return (agreed - chance) / (1 - chance)


def krippendorff_alpha(marks: Array, *, level: Level = "nominal") -> float:
    """Krippendorff's alpha of any number of people (rows) on documents (columns); NaN for a missing mark.

    Krippendorff, Content Analysis, 2004. NaN where there is no variation, or no document that two people judged.
    """
    checked_choice("level", level, ("nominal", "ordinal", "interval"))
    values = np.unique(marks[np.isfinite(marks)])
    if len(values) < 2:
        return math.nan
    counts = np.stack([(marks == value).sum(axis=0) for value in values], axis=1).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 1]  # a document that one person judged says nothing of agreement
    if not len(counts):
        return math.nan
    judged = counts.sum(axis=1)
    # Coincidences: the pairs of marks within documents, each document weighted by 1 / (its marks - 1).
    weighted = counts / (judged - 1)[:, None]
    coincidences = counts.T @ weighted - np.diag(weighted.sum(axis=0))
    totals = coincidences.sum(axis=0)
    distance = _distances(values, totals, level)
    expected = float((np.outer(totals, totals) * distance).sum() / (totals.sum() - 1))
    return float(1 - (coincidences * distance).sum() / expected) if expected else math.nan


def _distances(values: Array, totals: Array, level: Level) -> Array:
    """The squared distance of every two marks."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    # Ordinal: how many marks lie between two values, each end counted half.
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)


def bootstrap_interval(
    statistic: Callable[[Array], float], marks: Array, *, samples: int = 1000, seed: int = 1
) -> tuple[float, float]:
    """The 95 % interval of a statistic of marks (people × documents), by drawing documents again."""
    if samples < 1:
        raise InputError("samples", f"must be at least 1, got {samples}")
    rng = np.random.default_rng(seed)
    documents = marks.shape[1]
    values = [statistic(marks[:, rng.integers(0, documents, documents)]) for _ in range(samples)] if documents else []
    return _middle(values)


def _middle(values: Sequence[float]) -> tuple[float, float]:
    """The ends of the middle 95 % of values."""
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return math.nan, math.nan
    low, high = np.percentile(known, [2.5, 97.5]).tolist()
    return low, high


# How many relevant documents of a pool were not found? Estimates from a stratified sample, by topic.
#
# Horvitz and Thompson: a stratum with r relevant among n judged of its N documents has about N r / n. The variance is
# that of a sample without replacement; the interval is Student's, and never says fewer than were found. A stratum with
# nothing judged yet adds nothing to the estimate, and all of its documents to the upper end.


@dataclass(frozen=True)
class MissingEstimate:
    """What one topic's pool holds: what was judged, found and estimated."""

    topic: str
    pooled: int
    judged: int
    found: int
    relevant: float  # estimated in the whole pool; NaN where nothing is judged
    low: float  # the 95 % interval of that estimate
    high: float

    @property
    def recall(self) -> float:
        """The share of the pool's relevant documents that was found, by the estimate."""
        return self.found / self.relevant if self.relevant else math.nan


def estimate_missing(pool: Qrels, *, level: int = 1) -> list[MissingEstimate]:
    """Estimate for each topic of a judged pool how many relevant documents its unjudged part has.

    >>> judged = Qrels.from_columns(["7"] * 5, list("abcde"), [1, 1, 0, -1, -1], strata=["1", "2", "2", "2", "2"])
    >>> estimate = estimate_missing(judged)[0]
    >>> estimate.found, estimate.relevant
    (2, 3.0)
    """
    from scipy.special import stdtrit  # kappa, which every page of judging may show, needs no SciPy

    if pool.kind == "drawn":
        return _missing_of_draws(pool, level)
    strata = pool.strata if pool.strata is not None else np.ones(len(pool.grades), np.int32)
    found = []
    for t, topic in enumerate(pool.topics):
        inside = pool.topic_of_document == t
        total, variance, freedom, hits, judged, unknown = 0.0, 0.0, 0, 0, 0, 0
        for stratum in np.unique(strata[inside]).tolist():
            grades = pool.grades[inside & (strata == stratum)]
            size, seen = len(grades), grades[grades >= 0]
            relevant, n = int((seen >= level).sum()), len(seen)
            hits, judged = hits + relevant, judged + n
            if not n:
                unknown += size  # none or all of it may be relevant
                continue
            share = relevant / n
            total += size * share
            if n < size:  # a stratum that was judged in full has no error
                likely = (relevant + 1) / (n + 2)  # never 0 or 1: few judged without a hit show little
                spread = likely * (1 - likely)
                variance += size * size * (1 - n / size) * spread / n
                freedom += max(n - 1, 1)
        width = float(stdtrit(freedom, 0.975)) * math.sqrt(variance) if freedom else 0.0
        pooled = int(inside.sum())
        low, high = max(float(hits), total - width), min(total + width + unknown, float(hits + pooled - judged))
        estimate = total if judged else math.nan
        found.append(MissingEstimate(topic, pooled, judged, hits, estimate, low, max(low, high)))
    return found


def _missing_of_draws(pool: Qrels, level: int) -> list[MissingEstimate]:
    """The same of a pool drawn in rounds: what a model expects, corrected by what was drawn and judged."""
    assert pool.probabilities is not None
    assert pool.expected is not None
    chance, made = pool.probabilities, pool.grades >= 0
    error = np.where(made, (pool.grades >= level) - pool.expected, 0.0)
    columns = pool.expected + error / chance, (1 - chance) * (error / chance) ** 2, made, pool.grades >= level
    topics = len(pool.topics)
    sums = [np.bincount(pool.topic_of_document, weights=column, minlength=topics) for column in columns]
    found = []
    for topic, size, total, variance, judged, hits in zip(
        pool.topics, np.diff(pool.offsets).tolist(), *(each.tolist() for each in sums), strict=True
    ):
        width = 1.96 * math.sqrt(variance)
        estimate = max(total, hits) if judged else math.nan
        low, high = max(hits, total - width), min(max(total, hits) + width, hits + size - judged)
        found.append(MissingEstimate(topic, size, int(judged), int(hits), estimate, low, max(low, high)))
    return found


def missing_table(estimates: list[MissingEstimate]) -> Table:
    """The estimates as a table: one row for each topic."""
    columns = ["topic", "pooled", "judged", "found", "relevant", "low", "high", "recall"]
    rows = [
        [each.topic, each.pooled, each.judged, each.found, each.relevant, each.low, each.high, each.recall]
        for each in estimates
    ]
    return Table(columns, rows)


# The tables of agreement, from where judging stands.


By = Literal["topic", "grade", "shift", "stage"]
BEST_FIRST = tuple(reversed(ORDER))  # 2, 1, 0, -2, -1: as overviews print grades


KAPPAS: tuple[tuple[str, Weights], ...] = (
    ("kappa", "none"),
    ("kappa, linear", "linear"),
    ("kappa, quadratic", "quadratic"),
)


def agreement_table(state: JudgingState) -> Table:
    """Kappa of every two assessors, Fleiss' kappa and alpha of all, with intervals; unsure marks are left out.

    Intervals are by drawing again the documents that the coefficient is of. Two who judged nothing in common have no
    row, nor has Fleiss' kappa where no document was judged by all.
    """
    people = state.people("assessor")
    rows: list[list[Any]] = []
    marks = {person: state.grades_of(person) for person in people}
    keys = sorted(set().union(*marks.values()))
    table = np.array([[_value(marks[person].get(key)) for key in keys] for person in people])
    for (a, first), (b, second) in itertools.combinations(enumerate(people), 2):
        both = int(np.isfinite(table[[a, b]]).all(axis=0).sum())
        for name, weights in KAPPAS if both else ():
            value = cohen_kappa(table[a], table[b], weights=weights)
            low, high = kappa_interval(table[a], table[b], weights=weights)
            rows.append([f"{first}, {second}", name, both, value, low, high])
    by_all = table[:, np.isfinite(table).all(axis=0)]
    if len(people) > 2 and by_all.size:
        interval = bootstrap_interval(fleiss_kappa, by_all)
        rows.append(["all", "Fleiss' kappa", by_all.shape[1], fleiss_kappa(by_all), *interval])
    table = table[:, np.isfinite(table).sum(axis=0) > 1]  # a document that one person judged says nothing
    low, high = bootstrap_interval(lambda each: krippendorff_alpha(each, level="ordinal"), table)
    judged = table.shape[1]
    rows.append(["all", "alpha, ordinal", judged, krippendorff_alpha(table, level="ordinal"), low, high])
    return Table(["assessors", "coefficient", "documents", "value", "low", "high"], rows)


def agreement_by(
    state: JudgingState, asked: Sequence[Key], by: By, neither: Neither = "agreed"
) -> tuple[Table, list[str]]:
    """How two assessors agree by topic, by grade or by shift, or the documents by grade at each stage; and notes.

    `asked` are the documents that were to be judged. Two assessors are compared on the topics that both have marks of.
    """
    if by == "stage":
        return _stages(state, asked)
    people = state.people("assessor")
    marks = {person: state.grades_of(person) for person in people}
    rows, notes = list[list[Any]](), list[str]()
    for first, second in itertools.combinations(people, 2):
        one, other = marks[first], marks[second]
        topics = {topic for topic, _ in one} & {topic for topic, _ in other}
        if not topics:
            continue
        both = [key for key in dict.fromkeys([*asked, *one, *other]) if key[0] in topics]
        pair = [[(each.get(key, UNJUDGED)) for key in both] for each in (one, other)]
        if by == "topic":
            kept = [{key: each[key] for key in both if key in each} for each in (one, other)]
            rows += _by_topic(f"{first}, {second}", kept[0], kept[1], both, neither, notes)
        else:
            rows += (_by_grade if by == "grade" else _by_shift)(f"{first}, {second}", *pair)
    if by != "topic" and state.people("expert"):
        merged, (final, unseen) = state.merged(), state.final()
        seen = [key for key in final if key not in unseen]
        after = [final[key] for key in seen]
        rows += (_by_grade if by == "grade" else _by_shift)(
            "merged, expert", [merged.get(key, UNJUDGED) for key in seen], after
        )
    columns = {
        "topic": [
            *("topic", "documents", "conflict", "lenient", "strict", "one_against_two", "conflict_share"),
            *("lenient_share", "strict_share", "graded_by_both", "same", "kappa", "alpha, ordinal"),
        ],
        "grade": ["grade of the first", "documents", *map(str, BEST_FIRST), "same"],
        "shift": ["shift", "documents", "share"],
    }
    return Table(["assessors", *columns[by]], rows), notes


def _by_topic(
    names: str, one: dict[Key, int], other: dict[Key, int], asked: list[Key], neither: Neither, notes: list[str]
) -> list[list[Any]]:
    """A row for each topic, and one for all."""
    rows: list[list[Any]] = []
    for each in disagreements(one, other, asked, neither):
        keys = [key for key in asked if key[0] == each.topic or each.topic == "all"]
        pair = np.array([[_value(marks.get(key)) for key in keys] for marks in (one, other)], float)
        pair = pair[:, np.isfinite(pair).all(axis=0)]
        same = float((pair[0] == pair[1]).mean()) if pair.size else math.nan
        counts = [each.documents, each.conflict, each.lenient, each.strict, each.one_against_two]
        shares = [each.share(number) for number in (each.conflict, each.lenient, each.strict)]
        both = [pair.shape[1], same, cohen_kappa(*pair), krippendorff_alpha(pair, level="ordinal")]
        rows.append([names, each.topic, *counts, *shares, *both])
    counts_as = "agreement" if neither == "agreed" else "a lenient disagreement"
    notes.append(f"{names}: unsure (-2) against not judged (-1), {counted(each.neither, 'document')}, is {counts_as}")
    return rows


def _by_grade(names: str, one: list[int], other: list[int]) -> list[list[Any]]:
    counts = Counter(zip(one, other, strict=True))
    rows: list[list[Any]] = []
    for grade in BEST_FIRST:
        given = [counts[grade, after] for after in BEST_FIRST]
        if sum(given):
            rows.append([names, grade, sum(given), *given, counts[grade, grade] / sum(given)])
    return rows


def _by_shift(names: str, one: list[int], other: list[int]) -> list[list[Any]]:
    """By how many grades the second is above the first, where both gave a grade."""
    shifts = Counter(b - a for a, b in zip(one, other, strict=True) if a >= 0 and b >= 0)
    return [[names, shift, count, count / shifts.total()] for shift, count in sorted(shifts.items())]


def _stages(state: JudgingState, asked: Sequence[Key]) -> tuple[Table, list[str]]:
    """The documents of each topic by grade, merged and after the expert; those that nobody marked are not judged."""
    merged, (final, unseen) = state.merged(), state.final()
    expert = bool(state.people("expert"))
    keys = list(dict.fromkeys([*asked, *final]))
    rows: list[list[Any]] = []
    for stage, grades in (("assessors", merged), ("expert", final))[: 1 + expert]:
        by_topic: dict[str, Counter[int]] = {}
        seen: Counter[str] = Counter()
        for key in keys:
            by_topic.setdefault(key[0], Counter())[grades.get(key, UNJUDGED)] += 1
            seen[key[0]] += stage == "expert" and key in final and key not in unseen
        by_topic["all"] = sum(by_topic.values(), Counter())
        seen["all"] = seen.total()
        for topic, counts in by_topic.items():
            size = counts.total()
            each = [counts[grade] for grade in BEST_FIRST]
            shares = [counts[grade] / size if size else math.nan for grade in BEST_FIRST]
            rows.append([stage, topic, size, *each, *shares, *([seen[topic]] if expert else [])])
    notes = ["a merged grade is the larger of the assessors' in the order -1 (not judged) < -2 (unsure) < 0 < 1 < 2"]
    without = [row[1] for row in rows if row[0] == "expert" and row[1] != "all" and not row[-1]]
    if expert and unseen:
        whole = f", among them all of {', '.join(without)}" if without else ""
        notes.append(
            f"{counted(len(unseen), 'document')} not judged by an expert{whole}: there the merged grade stands"
        )
    names = ["stage", "topic", "documents", *map(str, BEST_FIRST), *(f"share {grade}" for grade in BEST_FIRST)]
    return Table([*names, *(["seen_by_expert"] if expert else [])], rows), notes


def _value(grade: int | None) -> float:
    return math.nan if grade is None or grade < 0 else float(grade)
