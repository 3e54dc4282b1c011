"""The study of docs/pools.md in short: the parts of xinfAP are right on average, the estimates better than depth 10."""

from __future__ import annotations

import importlib.util
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import leadline as ll
from leadline.collections.simulate.settings import Settings
from leadline.judge.pools import draw_again
from leadline.show.demo import SMALL, build_lab, planned

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def study() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pool_estimates", ROOT / "benchmarks" / "pool_estimates.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["pool_estimates"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.soak
def test_estimates_from_stratified_pools(study: ModuleType, tmp_path: Path, soak: bool) -> None:
    settings = Settings(patents=8000 if soak else 800, topics=50 if soak else 20, line_size=100.0, enough=0.5)
    lab = build_lab(tmp_path / "lab", settings, planned(SMALL)[:4], lambda name: nullcontext())
    runs, truth = study.read_lab(lab)
    judged = study.JudgedPool.of(runs, truth)
    seeds = range(1, 201 if soak else 21)
    found = {each.measure: each for each in judged.stratified("office", 200, seeds) if each.topics == "all"}
    ten = {each.measure: each for each in judged.to_depth("office", 10, runs)}
    # The sums that the estimates are made of are unbiased: 0 is within 1.5 times the 95 % interval of the mean error.
    for part in (study.RELEVANT, study.PRECISIONS):
        assert abs(found[part].mean) <= 1.5 * found[part].half_width
    # Their ratios are unbiased only in large samples; 0 is within the 95 % range of one pool's error.
    for estimate, measure in zip(study.ESTIMATES, study.MEASURES, strict=True):
        error = found[estimate]
        assert abs(error.mean) < max(1.96 * error.spread, 0.02)
        assert abs(error.mean) < 0.5 * abs(ten[f"{measure} to 10"].mean)
    # What is computed without reading again is what evaluate gives.
    pool = draw_again(judged.pool, 5, budget=200)
    grades = {(topic, name): grade for topic in truth.topics for name, grade in truth.judgements(topic).items()}
    known = {key: grades.get(key, 0) for key in pool.documents.select("topic", "document").rows()}
    scores = ll.evaluate(pool.qrels(known), {run.name: run for run in runs}, " ".join(study.ESTIMATES))
    once = next(each for each in judged.stratified("office", 200, [5]) if each.measure == study.ESTIMATES[0])
    places = [scores.topics.index(topic) for topic in judged.study.topics]
    expected = np.nanmean(np.nanmean(scores.values[:, places, 0] - judged.complete[:, :, 0], axis=0))
    assert once.mean == pytest.approx(expected)
