"""The analysis of variance and Tukey's HSD against R, SciPy and the t test of two systems, and at their edges."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.records.scores import Scores
from leadline.trust.analysis_of_variance import Anova, StudentisedRange, anova_t, tukey_hsd
from leadline.trust.paired_tests import all_pairs, student_t
from leadline.trust.pairs import compare


def test_two_ways_are_those_of_r(ap: np.ndarray, golden: Path) -> None:
    found = Anova.of(ap)
    lines = (golden / "significance" / "R_anova.txt").read_text(encoding="utf-8").splitlines()
    blocked = {}
    for line in lines[:8]:
        if match := re.match(r"(topic|system|Residuals) +(\d+) +(\S+) +(\S+)(?: +(\S+) +(\S+))?", line):
            blocked[match[1]] = match.groups()[1:]
    assert found.freedom == tuple(int(blocked[name][0]) for name in ("system", "topic", "Residuals"))
    for name, squares in (("system", found.systems), ("topic", found.topics), ("Residuals", found.rest)):
        assert squares == pytest.approx(float(blocked[name][1]), abs=1e-10)
    assert found.variance == pytest.approx(float(blocked["Residuals"][2]), abs=1e-11)
    assert found.f_systems == pytest.approx(float(blocked["system"][3]), abs=5e-6)
    assert found.f_topics == pytest.approx(float(blocked["topic"][3]), abs=5e-6)
    assert found.p_topics == pytest.approx(float(blocked["topic"][4]), abs=5e-7)
    assert found.p_systems < 2e-16


def test_tukey_hsd_is_that_of_r(ap: np.ndarray, oracle) -> None:
    tested, rows = tukey_hsd(ap), oracle("R_TukeyHSD.tsv")
    first, second = all_pairs(len(ap))
    place = {f"sys{b}-sys{a}": k for k, (a, b) in enumerate(zip(first, second, strict=True))}
    assert len(rows) == len(place) == 28
    assert tested.interval is not None
    low, high = tested.interval
    for row in rows:
        k = place[row["pair"]]
        # R computes the studentised range to about 1e-9
        assert tested.p[k] == pytest.approx(float(row["p_blocked_twoway"]), abs=2e-9)
        assert -high[k] == pytest.approx(float(row["lwr"]), abs=2e-9)  # R subtracts the other way round
        assert -low[k] == pytest.approx(float(row["upr"]), abs=2e-9)


@pytest.mark.parametrize("values", [2, 3, 8, 40])
@pytest.mark.parametrize("freedom", [1, 4, 60])
def test_the_studentised_range_is_that_of_scipy(values: int, freedom: int) -> None:
    from scipy.stats import studentized_range

    q = np.array([0.1, 1.0, 3.0, 6.0])
    ours = StudentisedRange(values, freedom).beyond(q)
    np.testing.assert_allclose(ours, studentized_range.sf(q, values, freedom), atol=1e-9)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=12))
def test_of_two_systems_both_are_the_paired_t_test(topics: list[tuple[float, float]]) -> None:
    matrix = np.array(topics).T.copy()
    differences = matrix[0] - matrix[1]
    if differences.std() < 1e-6:
        return
    expected = student_t(matrix).p
    np.testing.assert_allclose(anova_t(matrix).p, expected, atol=1e-8)
    np.testing.assert_allclose(tukey_hsd(matrix).p, expected, atol=1e-8)


def test_p_is_below_the_level_if_and_only_if_0_is_outside_the_interval(ap: np.ndarray) -> None:
    for test in (anova_t, tukey_hsd):
        tested = test(ap)
        assert tested.interval is not None
        low, high = tested.interval
        np.testing.assert_array_equal(tested.p < 0.05, (low > 0) | (high < 0))


def test_systems_without_a_rest() -> None:
    # the same difference on every topic; scores added in another order leave rounding errors
    matrix = np.array([[0.1, 0.2, 0.3], [0.1 + 0.2, 0.4, 0.5], [0.1, 0.2, 0.3]])
    assert anova_t(matrix).p.tolist() == [0, 1, 0]
    assert tukey_hsd(matrix).p.tolist() == [0, 1, 0]
    assert (Anova.of(matrix).f_systems, Anova.of(matrix).p_systems) == (np.inf, 0)
    equal = np.full((3, 4), 0.5)
    assert tukey_hsd(equal).p.tolist() == [1, 1, 1]
    assert Anova.of(equal).p_systems == 1


def test_pairs_by_anova_are_corrected_and_those_by_tukey_are_not(ap: np.ndarray) -> None:
    runs, topics = (tuple(map(str, range(n))) for n in ap.shape)
    scores = Scores(runs, topics, ("AP",), ap[:, :, None])
    by_t, by_range = (compare(scores, "AP", test=test) for test in ("anova", "tukey-hsd"))
    assert (by_t.correction, by_range.correction) == ("holm", "none")
    assert (by_t.p_corrected >= by_t.p).all()
    assert (by_t.p_corrected > by_t.p).any()
    assert "systems F(7, 168) = 18.92, p = 1.7e-18; topics F(24, 168) = 1.847, p = 0.013" in by_t.notes[0]
    np.testing.assert_array_equal(by_range.p_corrected, by_range.p)
    assert tuple(by_range.significant()) == tuple((by_range.low > 0) | (by_range.high < 0))
