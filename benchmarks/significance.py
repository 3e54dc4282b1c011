"""How long the tests of all pairs of 48 systems take, compared with other programs.

    python benchmarks/significance.py [--repeat 5] [--systems 48] [--topics 400] [--draws 100000]

The target: 100 000 flips × 1128 pairs × 400 topics in under 3 seconds on two processors, in float64. The peers test
one pair at a time and would take long for all pairs, so they are timed on a small case (2 pairs, 2000 flips); the time
for all pairs is extrapolated from it, and printed as an extrapolation. Their imports and compilation are not counted.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from leadline.trust.paired_tests import all_pairs, bootstrap, random_counts, randomised_tukey, student_t
from leadline.trust.randomisation import randomisation, wilcoxon

PROMISE = 3.0  # seconds
SMALL_SYSTEMS, SMALL_PAIRS, SMALL_DRAWS = 3, 2, 2000


def seconds(work: Callable[[], object], repeat: int) -> list[float]:
    """Times of the work, after once to warm up."""
    work()
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return sorted(taken)


def scipy_pair(a: np.ndarray, b: np.ndarray, draws: int) -> float:
    from scipy import stats

    # The fastest way its documentation offers: a vectorised statistic, and pairs flipped within samples.
    return stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=draws, batch=1000, rng=1,
    ).pvalue  # fmt: skip


def ranx_pair(a: np.ndarray, b: np.ndarray, draws: int) -> float:
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    return fisher_randomization_test(a, b, n_permutations=draws)[0]


def show(name: str, taken: list[float], more: str = "") -> None:
    print(f"{name:<40}{statistics.median(taken):>9.3f}{taken[0]:>9.3f}{taken[-1]:>9.3f}  {more}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--systems", type=int, default=48)
    parser.add_argument("--topics", type=int, default=400)
    parser.add_argument("--draws", type=int, default=100_000)
    options = parser.parse_args()

    rng = np.random.default_rng(1)
    matrix = rng.beta(0.6, 1.4, (options.systems, options.topics))
    pairs = len(all_pairs(options.systems)[0])
    print(f"{pairs} pairs × {options.topics} topics, {os.cpu_count()} processors; seconds: median, lowest, highest")
    flips = seconds(lambda: randomisation(matrix, rng=rng, draws=options.draws), options.repeat)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    show(f"randomisation, {options.draws} flips", flips, f"{peak:.0f} MB at most; the promise is under {PROMISE:g} s")
    show("Student's t", seconds(lambda: student_t(matrix), options.repeat))
    show("Wilcoxon", seconds(lambda: wilcoxon(matrix), options.repeat))
    draws = options.draws // 10
    show(
        f"paired bootstrap, {draws} samples",
        seconds(lambda: bootstrap(matrix, random_counts(options.topics, draws, rng)), options.repeat),
    )
    show(
        f"randomised Tukey HSD, {draws} arrangements",
        seconds(lambda: randomised_tukey(matrix, rng=rng, draws=draws), options.repeat),
    )

    print(f"\nthe small case: {SMALL_PAIRS} pairs × {options.topics} topics × {SMALL_DRAWS} flips")
    small = matrix[:SMALL_SYSTEMS]
    ours = seconds(lambda: randomisation(small, rng=rng, draws=SMALL_DRAWS), options.repeat)
    show("leadline (all 3 pairs)", ours)
    scale = pairs / SMALL_PAIRS * options.draws / SMALL_DRAWS
    for name, pair in (("scipy.stats.permutation_test", scipy_pair), ("ranx, fisher", ranx_pair)):
        try:
            taken = seconds(lambda pair=pair: [pair(small[0], small[k], SMALL_DRAWS) for k in (1, 2)], options.repeat)
        except ImportError:
            print(f"{name} is not installed: left out")
            continue
        whole = statistics.median(taken) * scale
        ratio = whole / statistics.median(flips)
        show(name, taken, f"extrapolated to the whole: {whole / 60:.0f} min, {ratio:.0f} times ours")


if __name__ == "__main__":
    main()
