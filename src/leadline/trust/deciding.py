"""Decide whether the leader is better than each other run, by tests on all judgements and on half of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.measures.intervals import bounds, interval
from leadline.measures.notation import parse_measure
from leadline.records.scores.scores import Scores
from leadline.trust.aligned import aligned
from leadline.trust.corrections import holm
from leadline.trust.order import best_first, sign
from leadline.trust.paired import checked_alpha, half_width
from leadline.trust.randomisation import flip_test
from leadline.trust.study import Study, checked_samples, dropped_topics
from leadline.trust.verdict import EQUAL, STABLE, TOP, Verdict, Verdicts, Word, criterion, doubt, reasons

HALF = 0.5  # the share of judgements kept in a sample
FULL_DRAWS, SAMPLE_DRAWS = 100_000, 10_000
POWER = 0.8  # the probability of a decision that `topics_needed` asks for
MANY_TOPICS = 100_000  # if more topics than this are needed, the number is not reported


def decide(
    scores: Scores,
    measure: str,
    *,
    study: Study | None = None,
    samples: int = 100,
    alpha: float = 0.05,
    seed: int | np.random.Generator = 1,
    complete: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Verdicts:
    """Compare the run with the best mean with every other, by randomisation tests with Holm's correction.

    `study` holds the judgements to leave out; without it, nothing is firm. The question is only whether the leader
    leads, so the correction is for as many comparisons as there are other runs; `compare` tests every pair and
    corrects for all of them. `complete` says that every relevant document is in the judgements.
    """
    if study is not None:
        checked_samples(samples)
    checked_alpha(alpha)
    rng = np.random.default_rng(seed)
    matrix, _, notes = aligned(scores, measure)
    direction = sign(scores.better[scores.measures.index(measure)])
    matrix = matrix * direction
    leader = best_first(matrix.mean(axis=1), scores.runs)[0]
    others = np.flatnonzero(np.arange(len(matrix)) != leader)
    differences = matrix[leader] - matrix[others]
    p = flip_test(differences, rng, FULL_DRAWS)
    corrected = holm(p)
    stays = turns = np.full(len(others), np.nan)
    unjudged, doubts = math.nan, ""
    if study is None:
        notes = (*notes, "without the judgements, stability cannot be tried, so no lead is called firm")
    else:
        stays, turns, lost = _with_half(study, measure, direction, leader, others, samples, alpha, rng, progress)
        notes = (*notes, *lost)
        if not complete:
            unjudged = _unjudged(study, leader)
            doubts = doubt(unjudged, only_relevant=not (study.qrels.grades < study.measures[0].level).any())
    lowest, highest = bounds(measure)
    against = tuple(
        _verdict(
            scores.runs[leader], scores.runs[others[i]], differences[i], highest - lowest, float(p[i]),
            float(corrected[i]), len(others), float(stays[i]), float(turns[i]), samples, alpha,
        )
        for i in np.lexsort((others, differences.mean(axis=1)))
    )  # fmt: skip
    mean, width = float(matrix[leader].mean()) * direction, float(half_width(matrix[leader]))
    return Verdicts(
        measure, scores.runs[leader], mean, *interval(measure, mean, width), against,
        0 if study is None else samples, unjudged, doubts, alpha, notes,
    )  # fmt: skip


def _with_half(
    study: Study,
    measure: str,
    direction: float,
    leader: int,
    others: Integers,
    samples: int,
    alpha: float,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None,
) -> tuple[Array, Array, list[str]]:
    """The shares of the samples in which the lead over each other run stays significant, and in which it turns.

    The last is a note on the topics that dropped out of samples, where any did.
    """
    place = [wanted.text for wanted in study.measures].index(measure)
    stays, turns = np.zeros(len(others)), np.zeros(len(others))
    realised, topics_lost = np.empty(samples), np.empty(samples)
    for done in range(samples):
        values, realised[done], topics_lost[done] = study.sample(HALF, rng)
        values = values[:, :, place] * direction
        values = values[:, np.isfinite(values).all(axis=0)]
        if values.shape[1]:  # a sample in which no topic is left shows nothing
            differences = values[leader] - values[others]
            ahead = differences.mean(axis=1) > 0
            stays += ahead & (holm(flip_test(differences, rng, SAMPLE_DRAWS)) < alpha)
            turns += differences.mean(axis=1) < 0
        if progress is not None:
            progress(done + 1, samples)
    return stays / samples, turns / samples, dropped_topics(study, [HALF], realised[None], topics_lost[None])


def _unjudged(study: Study, leader: int) -> float:
    """The share of the leader's first documents that are unjudged."""
    topics = len(study.topics)
    values = parse_measure(f"judged@{TOP}").raw(study.hits)[leader * topics : (leader + 1) * topics]
    answered = study.hits.retrieved[leader * topics : (leader + 1) * topics] > 0
    return float(1 - values[answered].mean()) if answered.any() else np.nan


def lead_rests_on(differences: Array) -> int:
    """How many of the leader's best topics must be left out for its lead to be gone.

    >>> lead_rests_on(np.array([0.5, 0.1, -0.2, -0.1]))
    1
    """
    left = differences.sum() - np.cumsum(np.sort(differences)[::-1])
    return int(np.argmax(left <= 1e-12)) + 1


def topics_needed(differences: Array, alpha: float = 0.05, power: float = POWER) -> int | None:
    """How many topics a paired t test needs to find this mean difference with this standard deviation.

    The n that solves n = ((t_alpha + t_power) sd / mean)², by iteration from the normal distribution's solution (Cohen,
    Statistical Power Analysis for the Behavioral Sciences, 1988). None if it is above MANY_TOPICS.

    >>> topics_needed(np.array([0.1, -0.1, 0.2, 0.0, 0.1, -0.05, 0.15, 0.05]))
    28
    """
    from scipy.special import ndtri, stdtrit

    with np.errstate(over="ignore", invalid="ignore"):
        mean, deviation = abs(float(differences.mean())), float(differences.std(ddof=1))
    if not math.isfinite(mean) or not math.isfinite(deviation):
        return None
    if deviation == 0:
        return 2 if mean > 0 else None
    if mean / deviation < (ndtri(1 - alpha / 2) + ndtri(power)) / np.sqrt(MANY_TOPICS):
        return None
    n = ((ndtri(1 - alpha / 2) + ndtri(power)) * deviation / mean) ** 2
    for _ in range(50):
        freedom = max(n - 1, 1.0)
        n = ((stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power)) * deviation / mean) ** 2
    return max(2, int(np.ceil(n)))


def _verdict(
    leader: str,
    other: str,
    differences: Array,
    most: float,
    p: float,
    corrected: float,
    comparisons: int,
    stays: float,
    turns: float,
    samples: int,
    alpha: float,
) -> Verdict:
    """The verdict and its reasons, from the differences by topic, at most `most`, and the results of the tests."""
    mean, width = float(differences.mean()), float(half_width(differences))
    low, high = max(mean - width, -most), min(mean + width, most)  # NaN for one topic
    # Only what was shown counts: without judgements to leave out, a significant lead is fragile.
    word: Word = "undecided" if not corrected < alpha else "firm" if stays >= STABLE else "fragile"
    unexplained = Verdict(
        leader, other, word, criterion(word, corrected, comparisons, stays, samples, alpha), mean, low, high,
        p, corrected, len(differences), int((differences > EQUAL).sum()),
        int((differences < -EQUAL).sum()), lead_rests_on(differences), stays, turns, topics_needed(differences, alpha),
        (),
    )  # fmt: skip
    return replace(unexplained, reasons=reasons(unexplained, comparisons, samples, alpha, POWER))
