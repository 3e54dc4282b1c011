"""Measures of reviews against the output of CLEF's tar_eval (2018), against a reader in a loop, and what must hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits
from leadline.measures.join import join, together
from leadline.records.qrels import read_qrels
from leadline.records.runs import read_run

TAR_EVAL = {  # its names and ours
    "norm_area": "norm_area", "loss_er": "loss_er", "loss_e": "loss_e", "loss_r": "loss_r", "total_cost": "total_cost",
    "cg_total": "cg_total", "cg_threshold": "CG", "cg_max": "num_rel", "r": "R", "recall_threshold": "R", "ap": "AP",
}  # fmt: skip


@pytest.mark.parametrize("output", ["official", "rerun"])
def test_tar_eval(shared: Path, output: str) -> None:
    inputs = shared / "oracles/inputs/tar"
    qrels = read_qrels(inputs / "dta2019.abs.qrels", format="plain")
    run = read_run(inputs / "DTA_sheffield-baseline.run", order="file")
    hits = together([join(run, qrels, kernels=False)], qrels)
    values = {name: parse_measure(measure)(hits) for name, measure in TAR_EVAL.items()}
    for percent in range(1, 101):
        values[f"recall@{percent}.0%"] = parse_measure(f"NCG@{percent / 100}")(hits)
    compared = set()
    text = (shared / f"oracles/tar_eval/{output}.DTA_sheffield-baseline.abs.out").read_text()
    for topic, name, printed in (line.split("\t") for line in text.splitlines()):
        if name in values:
            # Its recall of all topics is of all their documents together; the other measures are averaged over topics.
            weights = hits.n_relevant() if name.startswith("recall@") else None
            mean = np.average(values[name], weights=weights)
            ours = mean if topic == "ALL" else values[name][qrels.topics.index(topic)]
            # It prints 3 decimals below 1, and none from 1 on.
            assert abs(ours - float(printed)) <= (0.5 if abs(ours) >= 1 else 0.5e-3 + 1e-9), (topic, name)
            compared.add((topic, name))
    assert len(compared) == 9 * (len(TAR_EVAL) + 100)


def value(measure: str, hits: Hits) -> float:
    return float(parse_measure(measure)(hits)[0])


def read_down(relevant: list[bool], n: int, candidates: int, effort: int) -> dict[str, float]:
    """The measures as tar_eval finds them, one document after the other."""
    area = found = found_early = 0.0
    for rank in range(1, candidates + 1):
        hit = rank <= len(relevant) and relevant[rank - 1]
        area += found + hit / 2
        found += hit
        found_early += hit and rank <= effort
    read = min(effort, len(relevant))
    loss_r, loss_e = (1 - found_early / n) ** 2, (100 / candidates) ** 2 * (read / (n + 100)) ** 2
    return {
        "norm_area": area / (n * candidates - n * n / 2), f"CG@{effort}": found_early,
        f"loss_r@{effort}": loss_r, f"loss_e@{effort}": loss_e, f"loss_er@{effort}": loss_r + loss_e,
        f"cost@{effort}": read - 20 * found_early + 20 * (n - found_early),
    }  # fmt: skip


lists = st.lists(st.booleans(), min_size=1, max_size=40)


@given(lists, st.integers(0, 5), st.integers(1, 50), st.integers(0, 20))
def test_the_same_as_reading_down_the_list(relevant: list[bool], missed: int, effort: int, others: int) -> None:
    ranks = [rank for rank, hit in enumerate(relevant, start=1) if hit]
    n = len(ranks) + missed
    if n == 0:
        return
    hits = Hits.of(ranks=ranks, missed=[1] * missed + [0] * others, retrieved=len(relevant))
    candidates = max(len(relevant), n + others)
    for measure, expected in read_down(relevant, n, candidates, effort).items():
        assert value(measure, hits) == pytest.approx(expected, abs=1e-12), measure


@given(lists, st.integers(0, 5), st.integers(1, 50))
def test_bounds(relevant: list[bool], missed: int, effort: int) -> None:
    ranks = [rank for rank, hit in enumerate(relevant, start=1) if hit]
    if not ranks and not missed:
        return
    hits = Hits.of(ranks=ranks, missed=[1] * missed, retrieved=len(relevant))
    for measure in ("norm_area", "NCG@0.3", f"loss_r@{effort}", f"loss_e@{effort}"):
        assert 0 <= value(measure, hits) <= 1 + 1e-12, measure
    assert value(f"cost@{effort}", hits) >= -20 * (len(ranks) + missed)
    best = Hits.of(ranks=range(1, len(ranks) + missed + 1), relevant=len(ranks) + missed)
    assert value("norm_area", best) == pytest.approx(1)


@given(st.permutations([True] * 4 + [False] * 8), st.integers(1, 11))
def test_a_relevant_document_one_place_earlier_is_never_worse(relevant: list[bool], place: int) -> None:
    better = list(relevant)
    if better[place] and not better[place - 1]:
        better[place - 1], better[place] = True, False
    rows = [Hits.of([r for r, hit in enumerate(one, 1) if hit], 4, retrieved=12) for one in (relevant, better)]
    for measure, sign in (("norm_area", 1), ("NCG@0.5", 1), ("CG@6", 1), ("loss_er@6", -1), ("cost@6", -1)):
        before, after = (value(measure, hits) for hits in rows)
        assert sign * after >= sign * before - 1e-12, measure


def test_a_topic_with_nothing_relevant_is_left_out() -> None:
    hits = Hits.of(ranks=[1], grades=[0])
    for measure in ("norm_area", "NCG@0.1", "CG@5", "loss_r", "loss_e", "loss_er", "cost"):
        assert np.isnan(parse_measure(measure)(hits)).all()
        assert parse_measure(measure).raw(hits) == 0


def test_the_cost_of_reading_and_of_missing_are_options() -> None:
    hits = Hits.of(ranks=[1, 4], relevant=3, retrieved=10)
    assert value("cost(reading=2,worth=5)@4", hits) == 8 - 10 + 5
    with pytest.raises(MeasureError, match="worth must be at least 0, got -1"):
        parse_measure("cost(worth=-1)")
    assert value("loss_e(base=10)", hits) == pytest.approx((10 / 10 * 10 / 13) ** 2)
