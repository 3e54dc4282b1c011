"""Quality against speed: which systems no other beats, and where the times come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("altair", reason="a figure needs the package altair")

from hypothesis import given
from hypothesis import strategies as st

from leadline.retrieval.engines.engine import QueryTiming, recorded_timings
from leadline.show.figures.quality_speed import figure, unbeaten
from leadline.show.report.evidence import Evidence

QRELS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
RUNS = {
    "quick": {"1": {"x": 3.0, "a": 2.0}, "2": {"y": 2.0, "c": 1.0}},
    "good": {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}},
    "slow": {"1": {"x": 3.0, "b": 2.0}, "2": {"z": 1.0}},
}
TIMINGS = {"quick": QueryTiming(0.01, 0.02), "good": QueryTiming(0.5, cost=0.002), "slow": QueryTiming(2.0, 3.0, 4.0)}


def test_the_systems_that_no_other_beats() -> None:
    drawn = figure(Evidence.of(QRELS, RUNS, "AP", timings=TIMINGS))
    assert {row["run"]: row["unbeaten"] for row in drawn.rows} == {"good": True, "quick": True, "slow": False}
    assert drawn.title == "2 of 3 systems are beaten by no other in both mean and time"
    assert "quick 0.375 in 10 ms and good 1.000 in 500 ms. What a query costs: good 0.002." in drawn.reading


def test_runs_without_a_time_are_left_out_and_said() -> None:
    drawn = figure(Evidence.of(QRELS, RUNS, "AP", timings={"good": QueryTiming(0.1), "slow": QueryTiming(0.5)}))
    assert drawn.title == "good has the best mean, and no system is faster"
    assert drawn.reading.endswith("1 run without a recorded time is left out.")
    assert figure(Evidence.of(QRELS, RUNS, "AP", timings={"good": QueryTiming(0.1)})).chart is None


def test_times_that_are_not_comparable_crown_nobody() -> None:
    timings = {"good": QueryTiming(0.1, at_once=1), "slow": QueryTiming(0.5, at_once=4)}
    drawn = figure(Evidence.of(QRELS, RUNS, "AP", timings=timings))
    assert drawn.title == "Mean and time of 2 systems, whose times are not comparable"
    assert "Times are not comparable: slow with 4 queries at the same time, good with 1." in drawn.reading
    assert not any(row["unbeaten"] for row in drawn.rows)


def test_times_come_from_the_records_beside_runs(tmp_path: Path) -> None:
    for name, timing in {"a": {"median": 0.1, "p99": 0.2}, "b": {"median": -1}, "c": "soon", "d": None}.items():
        (tmp_path / f"{name}.run").write_text("1 Q0 a 1 1 x\n")
        (tmp_path / f"{name}.run.manifest.json").write_text(json.dumps({"timing": timing}))
    (tmp_path / "d.run.manifest.json").write_text("{")
    (tmp_path / "e.run").write_text("1 Q0 a 1 1 x\n")
    assert recorded_timings([str(tmp_path / f"{name}.run") for name in "abcde"]) == {"a": QueryTiming(0.1, 0.2)}
    assert Evidence.of({"1": {"a": 1}}, str(tmp_path / "*.run")).timings == {"a": QueryTiming(0.1, 0.2)}


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 3.0, 4.0]), st.sampled_from([0.1, 0.2, 0.3])), max_size=8))
def test_unbeaten_as_it_is_defined(points: list[tuple[float, float]]) -> None:
    def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one[0] <= other[0] and one[1] >= other[1] and one != other

    assert unbeaten(points) == {
        place for place, point in enumerate(points) if not any(beats(other, point) for other in points)
    }
