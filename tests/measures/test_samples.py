"""Many samples of the judgements at once: every measure that takes them gives what it gives for each sample alone."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.measures.definition import MEASURES, Measure, parse_measure
from leadline.measures.samples import Samples, product
from leadline.trust.study import Study, open_study

SUMMED = sorted({entry.name for entry in MEASURES.values() if entry.sums_alone})


@pytest.fixture(scope="module")
def study() -> Study:
    rng = np.random.default_rng(3)
    names = [f"d{number}" for number in range(40)]
    topics = {f"t{t}": {name: int(rng.integers(-1, 3)) for name in names[: 4 * t]} for t in range(1, 9)}
    topics["nothing found"] = {"never": 1}
    topics["nothing relevant"] = {"d1": 0}
    runs = {
        f"run{r}": {
            topic: {name: float(score) for name, score in zip(rng.permutation(names)[:30], range(30), strict=True)}
            for topic in topics
            if rng.random() < 0.9
        }
        for r in range(5)
    }
    return open_study(topics, runs, "AP")


def written(name: str) -> list[Measure]:
    options = ("", "(rel=2)", "@7", "(rel=2)@7")
    return [parse_measure(f"{name}{each}") for each in options if "@" in each or name != "P"]


def test_there_are_measures_that_take_samples() -> None:
    assert {"AP", "PRES", "R", "P"} <= set(SUMMED)


@pytest.mark.parametrize("name", SUMMED)
@pytest.mark.parametrize("samples", [1, 2, 9])
def test_a_sample_among_many_scores_as_it_does_alone(study: Study, name: str, samples: int) -> None:
    kept = np.random.default_rng(samples).random((samples, len(study.qrels))) < 0.6
    for measure in written(name):
        found = measure.of_samples(Samples.of(study.hits, kept))
        for values, mask in zip(found.T, kept, strict=True):
            alone = measure(study.only(mask).hits)
            np.testing.assert_array_equal(values, alone, err_msg=measure.text)


@pytest.mark.parametrize(
    ("height", "inner", "width"), [(3, 5, 8), (700, 90, 24), (1, 40_000, 8), (4, 3, 13), (0, 3, 8)]
)
def test_a_product_in_pieces_is_the_product(height: int, inner: int, width: int) -> None:
    rng = np.random.default_rng(1)
    rows, weights = rng.random((height, inner)), rng.random((inner, width))
    np.testing.assert_allclose(product(rows, weights), rows @ weights, rtol=1e-12)
