"""Digits that tell the values of a column apart, in every format for people."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.records.result import LONG_COLUMN, ROUNDING, Table, decimals, number
from leadline.records.scores import Scores
from leadline.trust.pairs import compare

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


@given(NUMBERS)
def test_different_values_look_different_and_only_0_looks_like_0(values: list[float]) -> None:
    rows = [[value] for value in values]
    shown = [Table(["x"], rows).shown(row, 0) for row in range(len(rows))]
    near = 2 * len(values) * ROUNDING * max(1.0, *map(abs, values))
    for a, text_a in zip(values, shown, strict=True):
        assert abs(a) <= near or float(text_a) != 0
        for b, text_b in zip(values, shown, strict=True):
            assert text_a != text_b or abs(a - b) <= near
    assert len({len(text.partition(".")[2]) for text in shown}) == 1  # so that the points stand below each other
    largest = max(map(abs, values))
    if largest > near:  # three significant digits at least
        assert float(shown[list(map(abs, values)).index(largest)]) == pytest.approx(
            math.copysign(1, 1) * values[list(map(abs, values)).index(largest)], rel=5e-3
        )


def test_three_systems_that_were_all_0_002() -> None:
    values = np.array([[0.00213, 0.00217], [0.00207, 0.00211], [0.00198, 0.0020]])
    scores = Scores(("a", "b", "c"), ("1", "2"), ("CT_lgc@10",), values[:, :, None])
    for text in (str(scores), scores.to_markdown(), scores.to_latex()):
        assert all(shown in text for shown in ("0.00215", "0.00209", "0.00199"))
    table = compare(scores, "CT_lgc@10", test="t").table().render("table")
    assert "0.000060" in table
    assert json.loads(compare(scores, "CT_lgc@10", test="t").table().render("json"))[0]["mean_a"] == values[0].mean()


def test_columns_that_are_compared_have_the_same_digits() -> None:
    table = Table(["run", "a", "b"], [["x", 0.5521, 0.5519]], alike=[("a", "b")])
    assert (table.shown(0, 1), table.shown(0, 2)) == ("0.5521", "0.5519")
    assert Table(["run", "a", "b"], [["x", 0.5521, 0.5519]]).shown(0, 1) == "0.552"


def test_rounding_errors_are_neither_digits_nor_differences() -> None:
    assert decimals([0.1 + 0.2, 0.3]) == 3
    assert (number(5.5e-17), number(-1e-17)) == ("0.000", "0.000")


def test_a_column_that_nobody_reads_has_six_digits_at_most() -> None:
    values = np.random.default_rng(1).random(3 * LONG_COLUMN).tolist()
    assert decimals(values) == 6
