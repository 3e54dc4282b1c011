"""Work saved over sampling is the same in a simulation and by `evaluate`, whichever way its share is rounded."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.judge.review.learners import TextFeatures
from leadline.judge.review.simulation import LabelledReview, simulate_reviews
from leadline.measures.evaluate import evaluate
from leadline.records.runs import Run


def test_simulate_and_evaluate_agree() -> None:
    random = np.random.default_rng(3)
    relevant = np.arange(90) % 3 == 0  # thirty: 28.5 of them are 95 %
    texts = [" ".join(random.choice([f"w{n}" for n in range(40 if hit else 60)], 12)) for hit in relevant]
    names = tuple(f"d{n}" for n in range(90))
    review = LabelledReview("T", names, TextFeatures.of(texts), relevant)
    runs: list[Run] = []
    found = simulate_reviews([review], rules=["budget"], seeds=1, keep=runs.append)
    judged = {"T": {name: int(hit) for name, hit in zip(names, relevant.tolist(), strict=True)}}
    order = runs[0].to_dict()
    values = {}
    for rounding in ("up", "nearest", "down"):
        scores = evaluate(judged, {"learner": order}, f"WSS(rounding={rounding})@95")
        values[rounding] = float(scores.values.ravel()[0])
        assert values[rounding] == pytest.approx(float(found.saved_by_rounding[rounding][0, 0]))
    assert values["up"] < values["nearest"] == values["down"]
    assert found.saved[0, 0] == pytest.approx(values["up"])
