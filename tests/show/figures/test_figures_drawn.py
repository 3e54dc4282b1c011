"""Every figure can be drawn from whatever evidence there is, or says what it needs; tags from files stay text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.retrieval.engines.engine import QueryTiming
from leadline.show.charts import BUOY, DEPTH, GREY, INK, MEASURE_COLOURS, OKABE_ITO, PAPER, Figure, specification
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence

PALETTE = {colour.lower() for colour in (INK, PAPER, GREY, BUOY, *DEPTH, *OKABE_ITO, *MEASURE_COLOURS)}
TAG = "<script>alert(1)</script>'\"\\"


Draw = Callable[[str, Evidence], Figure]


@pytest.fixture(scope="module")
def few() -> Evidence:
    """Two runs on five topics, one with a hostile tag."""
    qrels = {str(topic): {"a": 1, "b": 1, "c": 0} for topic in range(5)}
    run: dict[str, Any] = {topic: {"a": 3, "c": 2, "b": 1} for topic in qrels}
    runs = {TAG: run, "y": {topic: {"c": 3, "b": 2} for topic in qrels}}
    return Evidence.of(qrels, runs, "PRES@100", timings={TAG: QueryTiming(0.2), "y": QueryTiming(0.1, 0.3)})


@pytest.fixture(scope="module")
def one(golden: Path) -> Evidence:
    folder = golden / "inputs" / "syn"
    return Evidence.of(folder / "syn.qrels", folder / "runA.run", "PRES@100")


@pytest.fixture(scope="module")
def nothing_found() -> Evidence:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 0}}
    return Evidence.of(qrels, {"1": {"b": 1}, "2": {"d": 1}}, "PRES@5")


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_every_evidence(
    draw_once: Draw, name: str, golden_syn: Evidence, golden_div: Evidence, one: Evidence, few: Evidence,
    nothing_found: Evidence,
) -> None:  # fmt: skip
    for evidence in (golden_syn, golden_div, one, few, nothing_found):
        found = draw_once(name, evidence)
        assert found.name == name
        assert found.title
        assert found.reading.endswith(".")
        if found.chart is None:
            assert not found.rows
            continue
        assert found.rows
        drawn = json.dumps(specification(found.chart))
        assert '"background"' not in drawn  # paper is the page's
        assert set(map(str.lower, re.findall(r'"(#[0-9a-fA-F]{6})"', drawn))) <= PALETTE
        assert all(int(size) >= 12 for size in re.findall(r'"(?:labelF|titleF|f)ontSize": (\d+)', drawn))
        assert len(drawn) < 80_000
        assert "NaN" not in drawn
        json.loads(json.dumps(list(found.rows), allow_nan=False))


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_what_altair_allows(draw_once: Draw, name: str, golden_syn: Evidence, golden_div: Evidence) -> None:
    drawn = (draw_once(name, evidence) for evidence in (golden_syn, golden_div))
    for chart in (figure.chart for figure in drawn if figure.chart is not None):
        chart.in_altair()  # an error for what its schema does not allow


@pytest.mark.parametrize("name", FIGURES)
def test_figures_become_files(
    draw_once: Draw, name: str, golden_syn: Evidence, golden_div: Evidence, few: Evidence, tmp_path: Path
) -> None:
    pytest.importorskip("vl_convert")
    drawn = (draw_once(name, evidence) for evidence in (golden_syn, golden_div, few))
    found = next(figure for figure in drawn if figure.chart is not None)
    found.save(tmp_path / "figure.svg")
    svg = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "NaN" not in svg
    assert "undefined" not in svg
    found.save(tmp_path / "figure.csv")
    assert (tmp_path / "figure.csv").read_text(encoding="utf-8").count("\n") == len(found.rows) + 1


NAMES_A_RUN = ("precision_recall", "six_measures", "pool_map", "pres_area", "pres_surface")


@pytest.mark.parametrize("name", FIGURES)
def test_a_tag_is_only_text(draw_once: Draw, name: str, few: Evidence, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    found = draw_once(name, few)
    if found.chart is None and name not in NAMES_A_RUN:
        return
    found.save(tmp_path / "figure.svg")
    svg = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg or name not in NAMES_A_RUN
