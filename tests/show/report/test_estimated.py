"""A report by judgements drawn with known probabilities: what is estimated is said, and nothing else is drawn."""

from __future__ import annotations

import numpy as np

import leadline as ll
from leadline.measures.evaluate import evaluate
from leadline.records.qrels import Qrels
from leadline.show.report.drawing import recall_after_each
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import figure_or_reason, headline, report


def test_the_report_says_that_scores_are_estimates() -> None:
    rng = np.random.default_rng(2)
    names = [f"d{n:02}" for n in range(40)]
    topics = [str(t) for t in range(8) for _ in names]
    expected = np.tile(np.clip(1 / (1 + np.arange(40) / 6), 0.05, 0.9), 8)
    chance = np.clip(expected + 0.2, 0, 1)
    grades = np.where(rng.random(320) < chance, rng.random(320) < expected, -1)
    qrels = Qrels.from_columns(topics, names * 8, grades, probabilities=chance.tolist(), expected=expected.tolist())
    runs = {
        name: {str(t): {d: -n + noise * rng.random() for n, d in enumerate(names)} for t in range(8)}
        for name, noise in (("good", 3.0), ("fair", 30.0), ("poor", 300.0))
    }
    evidence = Evidence.of(qrels, runs, "AP", samples=20)
    judged = int((grades >= 0).sum())
    assert evidence.counted() == f"3 runs · 8 topics · {judged} judgements"
    said = headline(evidence)
    assert "of what is relevant by the estimate" in said.effort
    assert any("AP is estimated from" in each for each in said.sure)
    after = recall_after_each(evidence, "fair")
    assert (np.diff(after) > -0.05).all()
    recall = evaluate(qrels, runs, "R@20").mean_values()[1, 0]
    assert abs(after[19] - recall) < 0.03  # without the correction of the ratio
    text = report(evidence, names=["told_apart", "six_measures", "effort_curves", "pool_map", "incomplete"])
    assert "estimated from" in text
    assert text.count("it needs all judgements, and these are a part, drawn with known probabilities") == 2
    assert figure_or_reason("told_apart", evidence).chart is not None
    assert ll.report(qrels, runs, measure="AP", samples=20) is not None
