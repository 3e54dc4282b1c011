"""The public functions take scores, or judgements and runs, and hand every option on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import leadline as ll
from leadline.errors import InputError
from leadline.trust import measure_comparison, pairs
from leadline.trust.incomplete import Incomplete
from leadline.trust.pairs import decide
from leadline.trust.study import open_study

rng = np.random.default_rng(3)
QRELS = {str(t): {f"d{d}": int(rng.integers(0, 3)) for d in range(20)} for t in range(30)}
RUNS = {
    run: {t: {f"d{d}": float(rng.random() + help * QRELS[t][f"d{d}"]) for d in range(20)} for t in QRELS}
    for run, help in (("good", 0.20), ("fair", 0.15), ("poor", 0.10))
}
SCORES = ll.evaluate(QRELS, RUNS, "AP")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            lambda seed: ll.compare(SCORES, "AP", draws=200, seed=seed).p.tolist(),
            lambda seed: pairs.compare(SCORES, "AP", draws=200, seed=seed).p.tolist(),
        ),
        (
            lambda seed: ll.compare(QRELS, RUNS, "AP", draws=200, seed=seed).p.tolist(),
            lambda seed: pairs.compare(SCORES, "AP", draws=200, seed=seed).p.tolist(),
        ),
        (
            lambda seed: ll.power(QRELS, RUNS, "AP", draws=100, seed=seed).table().rows,
            lambda seed: measure_comparison.power(SCORES, ["AP"], draws=100, seed=seed).table().rows,
        ),
        (
            lambda seed: ll.verdict(QRELS, RUNS, "AP", samples=9, seed=seed).table().rows,
            lambda seed: decide(SCORES, "AP", study=open_study(QRELS, RUNS, "AP"), samples=9, seed=seed).table().rows,
        ),
        (
            lambda seed: ll.incomplete(QRELS, RUNS, "AP", keep=[0.2], samples=9, seed=seed).tau.tolist(),
            lambda seed: Incomplete.of(open_study(QRELS, RUNS, "AP"), keep=[0.2], samples=9, seed=seed).tau.tolist(),
        ),
    ],
    ids=["compare scores", "compare runs", "power", "verdict of runs", "incomplete"],
)
def test_the_seed_is_handed_on(asked: Callable[[int], Any], expected: Callable[[int], Any]) -> None:
    for seed in (1, 2):
        assert repr(asked(seed)) == repr(expected(seed))
    assert repr(asked(1)) != repr(asked(2))


@pytest.mark.parametrize(
    "compare", [ll.compare, ll.power, ll.correlation, ll.agreement, ll.spectrogram, ll.verdict, ll.incomplete]
)
def test_judgements_come_first(compare: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="qrels"):
        compare(RUNS, QRELS, "AP")


@pytest.mark.parametrize(
    ("inputs", "options"),
    [
        ((), {}),
        ((QRELS, RUNS), {}),
        ((QRELS, "AP"), {}),
        ((SCORES, RUNS, "AP"), {}),
        ((SCORES, "AP"), {"measure": "AP"}),
        ((QRELS, RUNS, "AP"), {"measure": "AP"}),
    ],
)
def test_too_few_or_too_many_inputs_are_refused(inputs: tuple[Any, ...], options: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"give scores and measures, or|give only the measures"):
        ll.compare(*inputs, **options)


def test_a_verdict_is_by_one_measure() -> None:
    with pytest.raises(InputError, match="give one measure to compare by, got 2: AP, RR"):
        ll.verdict(QRELS, RUNS, ["AP", "RR"])  # type: ignore[call-overload]


def test_measures_by_position_or_by_name() -> None:
    by_position, by_name = ll.compare(QRELS, RUNS, "AP", test="t"), ll.compare(QRELS, RUNS, measure="AP", test="t")
    assert by_position.table().rows == by_name.table().rows == ll.compare(SCORES, "AP", test="t").table().rows
