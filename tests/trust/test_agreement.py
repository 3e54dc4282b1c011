"""Agreement of three measures: against scipy's Wilcoxon pair by pair, and by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import wilcoxon

from leadline.errors import MismatchError
from leadline.records.scores import Scores
from leadline.show.papers import published
from leadline.trust.measure_comparison import Agreement, agreement


def trec_chem() -> Scores:
    """Twelve of TREC-CHEM's runs under both of its measures, and under the worse of the two."""
    first, second = published.trec_chem_2009("xinfAP"), published.trec_chem_2009("infNDCG")
    assert (first.runs, first.topics) == (second.runs, second.topics)
    values = np.concatenate([first.values, second.values, np.minimum(first.values, second.values)], axis=2)
    return Scores(first.runs, first.topics, ("xinfAP", "infNDCG", "lower"), values).select_runs(range(0, 24, 2))


def verdict_of_scipy(a: np.ndarray, b: np.ndarray) -> int:
    differences = np.round(a - b, 9)
    if not differences.any():
        return 0
    test = wilcoxon(differences)
    if test.pvalue >= 0.05:
        return 0
    ranked = differences[differences != 0]
    upper = wilcoxon(ranked, alternative="greater").pvalue
    return 1 if upper < 0.5 else -1


def test_equals_scipy_on_trec_chem() -> None:
    scores = trec_chem()
    found = agreement(scores)
    pairs = list(itertools.combinations(range(len(scores.runs)), 2))
    expected = [[verdict_of_scipy(scores.values[a, :, m], scores.values[b, :, m]) for a, b in pairs] for m in range(3)]
    assert found.verdicts.tolist() == expected
    assert found.pairs() == [(scores.runs[a], scores.runs[b]) for a, b in pairs]
    kinds = [len(set(column)) for column in zip(*expected, strict=True)]
    rows = {row[0]: row[1] for row in found.table().rows}
    assert rows["all three"] == kinds.count(1)
    assert rows["none"] == kinds.count(3)
    assert sum(rows.values()) == len(pairs)
    assert {-1, 0, 1} == set(np.unique(found.verdicts).tolist())


def test_counts_by_hand() -> None:
    verdicts = np.array(
        [
            [1, 0, -1, 1, 0, 1],
            [1, 0, -1, 0, 1, 0],
            [1, 0, 1, 1, 1, -1],
        ]
    )
    table = Agreement(("a", "b", "c", "d"), ("AP", "R", "PRES"), verdicts).table()
    assert list(table.columns) == ["agree", "pairs", "share", "one_better", "indistinguishable", "opposed"]
    assert [list(row) for row in table.rows] == [
        ["all three", 2, pytest.approx(1 / 3), 1, 1, 0],
        ["AP and R, not PRES", 1, pytest.approx(1 / 6), 1, 0, 1],
        ["AP and PRES, not R", 1, pytest.approx(1 / 6), 1, 0, 0],
        ["R and PRES, not AP", 1, pytest.approx(1 / 6), 1, 0, 0],
        ["none", 1, pytest.approx(1 / 6), 0, 0, 1],
    ]


def test_a_measure_that_is_better_low_prefers_the_lower() -> None:
    scores = trec_chem()
    turned = replace(scores, values=-scores.values, better=("lower",) * 3)
    assert np.array_equal(agreement(turned).verdicts, agreement(scores).verdicts)


def test_topics_left_out_are_said_aloud() -> None:
    scores = trec_chem()
    scores.values[0, 3, 1] = np.nan
    (note,) = agreement(scores).notes
    assert note.startswith(f"infNDCG: topic {scores.topics[3]} has no value for {scores.runs[0]}")


def test_three_measures_with_topics_are_needed() -> None:
    with pytest.raises(MismatchError, match="agreement needs exactly three measures, got 2: xinfAP, infNDCG"):
        agreement(trec_chem(), ["xinfAP", "infNDCG"])
    with pytest.raises(MismatchError, match="give scores by topic"):
        agreement(published.clef_ip_2009())
