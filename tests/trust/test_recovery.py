"""How well judgements that miss much recover the true order of systems: values worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.errors import MismatchError
from leadline.trust.incomplete import Recovery, recovery, together
from leadline.trust.study import open_study

RUNS = {
    "a": {"1": {"r1": 9.0, "r2": 8.0, "x": 7.0}},  # finds both first
    "b": {"1": {"r1": 9.0, "x": 8.0, "r2": 7.0}},
    "c": {"1": {"x": 9.0, "r2": 8.0, "r1": 7.0}},
    "d": {"1": {"x": 9.0, "y": 8.0, "r2": 7.0}},
}
TRUTH = {"1": {"r1": 1, "r2": 1}}
CITED = {"1": {"r2": 1}}  # r1 was missed


def found(cited: dict[str, dict[str, int]] = CITED) -> Recovery:
    return recovery([open_study(TRUTH, RUNS, "AP R@2")], {"cited": [open_study(cited, RUNS, "AP R@2")]})


def test_tau_by_hand() -> None:
    # AP in truth: a 1, b (1 + 2/3)/2, c (1/2 + 2/3)/2, d 1/6: a b c d. By r2 alone: a 1/2, b 1/3, c 1/2, d 1/3.
    # Of six pairs, a-b, a-d and c-d agree, b-c does not, and a-c and b-d tie: (3 - 1) / sqrt(6 · 4).
    assert found().tau[0, 0, 0] == pytest.approx(2 / np.sqrt(24))
    # R@2 in truth: a 1, b 1/2, c 1/2, d 0. By r2 alone: a 1, b 0, c 1, d 0. Not tied in truth 5, by r2 4; agreeing
    # a-b, a-d, c-d; none the other way.
    assert found().tau[0, 0, 1] == pytest.approx(3 / np.sqrt(5 * 4))


def test_the_truth_recovers_itself() -> None:
    same = found(TRUTH)
    assert same.tau.tolist() == [[[1.0, 1.0]]]
    assert same.tau_ap.tolist() == [[[1.0, 1.0]]]
    assert (same.places == 0).all()


def test_who_is_flattered() -> None:
    # True places by AP 1 2 3 4; by r2 alone a and c share 1.5, b and d 3.5: c gains 1.5, b loses 1.5.
    rows = found().flattered("AP").rows
    assert [rows[0][0], rows[0][1]] == ["c", 1.5]
    assert [rows[-1][0], rows[-1][1]] == ["b", -1.5]


def test_intervals_over_collections() -> None:
    both = together([found(), found(TRUTH)])
    mean, low, high = both.interval(both.tau)
    first = 2 / np.sqrt(24)
    assert mean[0, 0] == pytest.approx((first + 1) / 2)
    width = 12.706204736432095 * np.std([first, 1], ddof=1) / np.sqrt(2)
    assert (low[0, 0], high[0, 0]) == (pytest.approx(mean[0, 0] - width), pytest.approx(mean[0, 0] + width))
    assert both.topics == (1, 1)


def test_stored_and_read_again() -> None:
    one = found()
    again = Recovery.of_record(one.to_record())
    assert repr(again.table()) == repr(one.table())
    assert again.runs == one.runs


def test_other_runs_are_refused() -> None:
    fewer = {name: RUNS[name] for name in ("a", "b", "c")}
    with pytest.raises(MismatchError, match="same runs"):
        recovery([open_study(TRUTH, RUNS, "AP")], {"cited": [open_study(CITED, fewer, "AP")]})
