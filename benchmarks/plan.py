"""Whether a study of as many topics as planned decides as often as planned.

    python benchmarks/plan.py [--studies 2000]

Settings of effect, distribution and number of comparisons, then some with half the judgements. In each, studies of the
topics needed are drawn from the pilot, which is the truth here, and decided from the beginning: flips of signs of
the pair and of the other pairs, which do not differ, and Holm's correction over all of them; the lead counts where its
p after correction is below 0.05. With half the judgements, each study has 100 samples, and is tested in each. The power
is to be at most 3 points below 0.8, and with the next smaller number of topics at most 3 points above.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from leadline.trust.paired_tests import holm
from leadline.trust.randomisation import flip_p
from leadline.trust.topics_needed import STABLE, fewest_topics, topic_numbers, topics_needed

WANTED, NEAR = 0.8, 0.03
EFFECTS = {1: (0.25, 0.5, 1.0), 5: (0.4, 0.8), 45: (0.5, 0.9)}  # by comparisons
SAMPLES = 100


def pilots(rng: np.random.Generator, topics: int = 50) -> dict[str, np.ndarray]:
    """Differences by topic with mean 0 and standard deviation 1."""
    found = {
        "normal": rng.normal(0, 1, topics),
        "skewed": rng.exponential(1, topics),
        "lumpy": np.round(rng.normal(0, 1.5, topics)),
        "zeros": np.where(rng.random(topics) < 0.5, 0.0, rng.normal(0, 1, topics)),
    }
    return {name: (row - row.mean()) / row.std() for name, row in found.items()}


def with_effect(name: str, pilot: np.ndarray, effect: float) -> np.ndarray:
    """The pilot with a mean; what is coarse stays on its grid, and zeros stay zeros."""
    if name == "lumpy":
        step = np.diff(np.unique(pilot)).min()
        return (np.round((pilot - pilot.min()) / step) + round((pilot.min() + effect) / step)) * step
    if name == "zeros":
        some = np.abs(pilot - np.median(pilot)) > 1e-9
        return np.where(some, pilot - pilot[some].mean() + effect / some.mean(), 0.0)
    return pilot + effect


def decided(pilot: np.ndarray, topics: int, comparisons: int, studies: int, rng: np.random.Generator) -> float:
    """The share of studies in which the lead is significant, among other pairs that do not differ."""
    drawn = rng.choice(pilot, (studies, topics))
    ahead, null = drawn.mean(axis=1) > 0, pilot - pilot.mean()
    others = [flip_p(rng.choice(null, (studies, topics))) for _ in range(comparisons - 1)]
    p = np.stack([flip_p(drawn), *others], axis=1)
    return float(np.mean([up and holm(row)[0] < 0.05 for up, row in zip(ahead, p, strict=True)]))


def firm(
    pilot: np.ndarray, halves: np.ndarray, topics: int, level: float, studies: int, rng: np.random.Generator
) -> float:
    """The share of studies in which the lead is significant, and again in 95 % of the samples."""
    found = 0
    for _ in range(studies):
        chosen = rng.integers(len(pilot), size=topics)
        if pilot[chosen].mean() <= 0 or flip_p(pilot[chosen][None])[0] >= level:
            continue
        drawn = np.nan_to_num(halves[rng.integers(len(halves), size=(SAMPLES, topics)), chosen])
        found += ((flip_p(drawn) < level) & (drawn.mean(axis=1) > 0)).sum() >= STABLE * SAMPLES
    return found / studies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=2000)
    studies = parser.parse_args().studies
    rng = np.random.default_rng(2)
    worst = []
    print(f"{'pilot':<10}{'effect':>8}{'comparisons':>13}{'topics':>8}{'power':>8}{'before':>8}")
    for name, pilot in pilots(rng).items():
        for comparisons, effects in EFFECTS.items():
            for effect in effects:
                moved = with_effect(name, pilot, effect)
                needed = topics_needed(moved, comparisons=comparisons) or 0
                power = decided(moved, needed, comparisons, studies, rng)
                tried = topic_numbers(fewest_topics(0.05 / comparisons)).tolist()
                fewer = tried[max(0, tried.index(needed) - 1)]
                before = decided(moved, fewer, comparisons, studies, rng) if fewer < needed else 0.0
                worst.append(max(WANTED - power, before - WANTED))
                real = moved.mean() / moved.std()
                print(f"{name:<10}{real:>8.2f}{comparisons:>13}{needed:>8}{power:>8.3f}{before:>8.3f}", flush=True)
    print("with half the judgements")
    for name, pilot in pilots(rng).items():
        moved = with_effect(name, pilot, 0.6)
        halves = 0.7 * moved + rng.normal(0, 0.6, (SAMPLES, len(moved)))
        for comparisons in (1, 9):
            needed = topics_needed(moved, comparisons=comparisons, halves=halves) or 0
            power = firm(moved, halves, needed, 0.05 / comparisons, studies // 4, rng)
            worst.append(abs(power - WANTED))
            print(f"{name:<10}{0.6:>8.2f}{comparisons:>13}{needed:>8}{power:>8.3f}", flush=True)
    near = sum(each <= NEAR for each in worst)
    print(f"{near} of {len(worst)} within {NEAR:.0%} of {WANTED}; the worst {max(worst):.3f}")
    sys.exit(1 if max(worst) > NEAR + 0.02 else 0)


if __name__ == "__main__":
    main()
