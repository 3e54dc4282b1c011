"""Which run is best depends on the measure, and what is drawn at random on the seed."""

from __future__ import annotations

import numpy as np

from leadline.show.report.evidence import Evidence

QRELS = {str(t): {"a": 1, "b": 2, "c": 0} for t in range(3)}
RUNS = {
    "late": {t: {"x": 9.0, "y": 8.0, "a": 7.0, "b": 6.0} for t in QRELS},
    "early": {t: {"a": 9.0, "x": 8.0, "y": 7.0, "b": 6.0} for t in QRELS},
    "also early": {t: {"a": 9.0, "x": 8.0, "y": 7.0, "b": 6.0} for t in QRELS},
}


def test_higher_is_better_mostly() -> None:
    evidence = Evidence.of(QRELS, RUNS, "AP")
    assert evidence.order == ("also early", "early", "late")
    assert (evidence.leader, evidence.challenger) == ("also early", "early")


def test_lower_is_better_where_the_measure_says_so() -> None:
    evidence = Evidence.of(QRELS, RUNS, "effort@0.5")  # documents to read for half of what is relevant
    assert evidence.means[[evidence.place(run) for run in evidence.order]].tolist() == [1.0, 1.0, 3.0]
    assert evidence.order == ("also early", "early", "late")


def test_relevant_is_what_reaches_the_level() -> None:
    assert Evidence.of(QRELS, RUNS, "AP").relevant.tolist() == [2, 2, 2]
    assert Evidence.of(QRELS, RUNS, "AP(rel=2)").relevant.tolist() == [1, 1, 1]


def test_the_seed_decides_what_is_drawn() -> None:
    drawn = {
        (seed, purpose): Evidence.of(QRELS, RUNS, "AP", seed=seed).rng(purpose).random(3).tolist()
        for seed in (1, 2)
        for purpose in ("verdict", "power")
    }
    assert len({tuple(numbers) for numbers in drawn.values()}) == 4
    again = Evidence.of(QRELS, RUNS, "AP", seed=2).rng("power").random(3)
    np.testing.assert_array_equal(again, drawn[2, "power"])
