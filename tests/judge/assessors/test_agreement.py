"""Agreement beyond chance, against other programs where they are installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leadline.judge.judging_quality import bootstrap_interval, cohen_kappa, fleiss_kappa, krippendorff_alpha


def marks(rng: np.random.Generator, people: int = 2) -> Any:
    """Marks of people who agree in part, with the true mark in the first row."""
    size, kinds = int(rng.integers(5, 60)), int(rng.integers(2, 6))
    truth = rng.integers(0, kinds, size).astype(float)
    return np.stack([np.where(rng.random(size) < 0.6, truth, rng.integers(0, kinds, size)) for _ in range(people)])


def test_kappa_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn")
    for seed in range(200):
        first, second = marks(np.random.default_rng(seed)).astype(int)
        for weights in ("none", "linear", "quadratic"):
            expected = metrics.cohen_kappa_score(first, second, weights=None if weights == "none" else weights)
            ours = cohen_kappa(first.astype(float), second.astype(float), weights=weights)  # type: ignore[arg-type]
            assert ours == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_alpha_is_that_of_the_package_krippendorff() -> None:
    package = pytest.importorskip("krippendorff", reason="needs the package krippendorff")
    for seed in range(200):
        rng = np.random.default_rng(seed)
        table = marks(rng, people=4)
        table[rng.random(table.shape) < 0.2] = np.nan
        for level in ("nominal", "ordinal", "interval"):
            expected = package.alpha(reliability_data=table, level_of_measurement=level)
            ours = krippendorff_alpha(table, level=level)  # type: ignore[arg-type]
            assert ours == pytest.approx(expected, abs=1e-12)


def test_alpha_of_krippendorffs_own_example() -> None:
    """The reliability data of Krippendorff's text on computing alpha: four observers, 12 units; nominal alpha .743."""
    star = np.nan
    table = np.array([
        [1, 2, 3, 3, 2, 1, 4, 1, 2, star, star, star],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, star, 3],
        [star, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, star],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, star],
    ])  # fmt: skip
    assert krippendorff_alpha(table) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(table, level="ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(table, level="interval") == pytest.approx(0.849, abs=5e-4)


def test_what_has_no_answer_is_nan() -> None:
    same = np.ones((2, 5))
    assert np.isnan(cohen_kappa(*same))
    assert np.isnan(krippendorff_alpha(same))
    assert np.isnan(krippendorff_alpha(np.full((2, 3), np.nan)))


def test_intervals_hold_the_value_and_shrink() -> None:
    rng = np.random.default_rng(3)
    few, many = marks(rng)[:, :20], np.tile(marks(rng), 30)
    for table in (few, many):
        low, high = bootstrap_interval(lambda each: cohen_kappa(*each), table, samples=200)
        assert low <= cohen_kappa(*table) <= high
    wide = np.subtract(*bootstrap_interval(lambda each: cohen_kappa(*each), few, samples=200)[::-1])
    narrow = np.subtract(*bootstrap_interval(lambda each: cohen_kappa(*each), many, samples=200)[::-1])
    assert narrow < wide


# seed, (people, documents, grades), kappa
STATSMODELS = (
    (3, (12, 14, 5), 0.47645186354863794),
    (4, (3, 30, 2), 0.40336562978072366),
    (5, (5, 8, 4), 0.5229982964224871),
)
# How often six psychiatrists gave each of 30 patients each of five diagnoses: Fleiss 1971, table 1.
DIAGNOSES = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


def test_fleiss_kappa_of_his_own_example() -> None:
    counts = [[int(digit) for digit in row] for row in DIAGNOSES.split()]
    marks = np.array([np.repeat(range(5), row) for row in counts], float).T
    assert marks.shape == (6, 30)
    assert fleiss_kappa(marks) == pytest.approx(0.430, abs=5e-4)  # as printed


def test_fleiss_kappa_is_that_of_statsmodels() -> None:
    # statsmodels.stats.inter_rater.fleiss_kappa 0.15.0 of the same marks
    for seed, (people, documents, grades), expected in STATSMODELS:
        rng = np.random.default_rng(seed)
        marks = rng.integers(0, grades, (people, documents))
        marks[1:, ::2] = marks[0, ::2]
        assert fleiss_kappa(marks.astype(float)) == pytest.approx(expected, abs=1e-14)


def test_fleiss_kappa_takes_only_documents_that_all_judged() -> None:
    marks = np.array([[1, 1, 0, 0, 1], [1, 1, 0, 1, np.nan], [1, 0, 0, 0, 0]])
    assert fleiss_kappa(marks) == fleiss_kappa(marks[:, :4])
    assert np.isnan(fleiss_kappa(np.ones((3, 4))))
    assert np.isnan(fleiss_kappa(np.full((3, 2), np.nan)))
    assert fleiss_kappa(np.array([[0, 1], [0, 1], [0, 1]], float)) == 1
