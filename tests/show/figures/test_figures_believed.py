"""The figures of belief: what three measures agree on, what fewer judgements leave, what a measure tells apart."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leadline.show.figures import agreement, incomplete, power
from leadline.show.plots import incomplete_chart as chart
from leadline.show.plots import rows
from leadline.show.report.evidence import Evidence
from leadline.trust.incomplete import Incomplete
from leadline.trust.measure_comparison import Agreement, Discrimination, Power

MEASURES = ("AP", "PRES@100", "R@100")


def agreed(*columns: tuple[int, int, int]) -> Agreement:
    """Pairs by what AP, PRES and R say of each; the runs do not matter."""
    return Agreement(("a", "b"), MEASURES, np.array(columns).T)


def test_agreement_counts_every_pair_once() -> None:
    pairs = [(1, 1, 1)] * 4 + [(0, 0, 0)] * 2 + [(1, 1, 0), (0, 0, 1), (1, 1, -1), (0, -1, -1), (1, 0, -1)]
    found = agreement.groups(agreed(*pairs))
    by_name = {row["agree"]: row for row in found}
    assert [row["pairs"] for row in found] == [6, 3, 0, 1, 1]
    kinds = (agreement.BETTER, agreement.ALIKE, agreement.OPPOSED)
    assert [by_name["all three"][kind] for kind in kinds] == [4, 2, 0]
    # Of those where AP and PRES agree: one they prefer and R does not, one alike to them, one R turns round.
    assert [by_name["AP and PRES@100, not R@100"][kind] for kind in kinds] == [1, 1, 1]
    assert [by_name["none"][kind] for kind in kinds] == [0, 0, 1]
    assert all(sum(row[kind] for kind in kinds) == row["pairs"] for row in found)


def test_agreement_says_which_measure_stands_between() -> None:
    found = agreed(*[(1, 1, 1)] * 5, (1, 1, 0), (1, 1, 0), (0, 1, 1), (1, 0, -1), (1, 1, -1))
    told = agreement.groups(found)
    assert agreement.title(found, told) == "PRES@100 is between AP and R@100: it is never alone with its verdict"
    # Five of ten pairs; opposed are the one on which none agree and the one that R turns round.
    assert agreement.reading(told) == (
        "All three measures say the same of 5 of 10 pairs (50\u202f%); "
        "in 2 (20\u202f%) two of them prefer opposite runs."
    )


def test_agreement_without_a_measure_in_the_middle() -> None:
    found = agreed(*[(1, 1, 1)] * 9, (1, 1, 0))
    assert (
        agreement.title(found, agreement.groups(found))
        == "AP, PRES@100 and R@100 agree on 90\u202f% of the pairs of runs"
    )


def study(*taus: tuple[float, float, float]) -> Incomplete:
    """Two samples of two shares for three measures: the second sample lies 0.1 below the first."""
    first = np.array(taus)[:, None, :]
    return Incomplete(MEASURES, (0.2, 0.6), np.concatenate([first, first - 0.1], axis=1), runs=12)


def test_incomplete_says_who_keeps_the_order() -> None:
    found = study((0.7, 0.96, 0.95), (0.9, 1.0, 1.0))  # means with a fifth: 0.65, 0.91, 0.90
    assert incomplete.title(found) == (
        "With 20 % of the relevant documents, PRES@100 keeps the order of systems better than AP: τ 0.91 against 0.65"
    )
    assert incomplete.reading(found) == (
        "With 20 % known, τ is on average AP 0.65 (lowest 0.60), PRES@100 0.91 (lowest 0.86) and R@100 0.90 "
        "(lowest 0.85): 12 runs, 2 samples per share; thick line: their mean, thin line: the lowest."
    )
    low = study((0.1, 0.0, -0.2), (0.9, 1.0, 1.0))
    assert "R@100 −0.25 (lowest −0.30)" in incomplete.reading(low)


def test_incomplete_claims_nothing_where_samples_disagree() -> None:
    tau = np.array([[[0.8, 0.9, 0.85], [0.9, 0.8, 0.85]]])  # each measure is better in one of two samples
    found = Incomplete(("AP", "PRES@100", "R@100"), (0.2,), tau, runs=12)
    assert incomplete.title(found) == (
        "With 20 % of the relevant documents, the order of systems keeps a τ of 0.85 by AP, 0.85 by PRES@100 and "
        "0.85 by R@100"
    )


def test_incomplete_is_one_chart_wherever_it_is_drawn() -> None:
    found = study((0.7, 0.96, 0.95), (0.9, 1.0, 1.0))
    drawn = rows(found)
    assert [(row["keep"], row["mean"], row["lowest"]) for row in drawn[:3]] == [
        (0.2, 0.65, 0.6), (0.6, 0.85, 0.8), (1.0, 1.0, 1.0),
    ]  # fmt: skip
    alone = chart(found).to_dict()
    assert " ".join(alone["title"]["text"]) == found.finding()
    assert '{"y": 0.9, "text": "as good as the same"}, {"y": 0.8,' in json.dumps(alone)


def test_incomplete_ranks_again(golden_sig: Evidence) -> None:
    found = incomplete.figure(golden_sig, samples=5)
    assert {row["measure"] for row in found.rows} == set(golden_sig.trio)
    assert found.rows == incomplete.figure(golden_sig, samples=5).rows  # the same seed, the same samples


def test_power_curve_is_the_share_of_pairs() -> None:
    levels = np.array([0.9, 0.01, 0.04, 0.04, 0.3, 0.15, 0.0, 0.02, 0.06, 0.5])
    curve = power.curve(levels)
    assert curve[0] == (0.0, 0.0)
    assert (0.5, 0.04) in curve  # half of the pairs are at 0.04 or below
    assert curve[-1] == (1.0, 0.9)
    many = np.linspace(0, 1, 5000)
    assert len(power.curve(many)) < 1100
    assert len([level for _, level in power.curve(many) if level > power.TOP]) == power.BEYOND


def test_power_says_who_tells_more_apart() -> None:
    ones = (
        Discrimination(np.array([0.01, 0.2, 0.3, 0.04]), 0.12),
        Discrimination(np.array([0.01, 0.02, 0.3, 0.01]), 0.1),
    )
    found = Power("bootstrap", 0.05, ("AP", "PRES@100"), ones)
    assert power.title(found) == "PRES@100 tells 75\u202f% of the pairs of systems apart, AP 50\u202f%"
    assert "Of 4 pairs;" in power.reading(found)
    assert power.reading(found).endswith("A difference of 0.120 in AP and 0.100 in PRES@100 was always enough.")


def test_power_is_that_of_compare(golden_sig: Evidence) -> None:
    found = power.figure(golden_sig, draws=200)
    below = max(row["pairs"] for row in found.rows if row["measure"] == "AP" and row["level"] < 0.05)
    assert f"{below:.0%}".replace("%", "\u202f%") in found.title


@pytest.mark.parametrize("maker", [agreement, incomplete, power])
def test_too_little_evidence_is_said(maker: object) -> None:
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(5)}
    one = Evidence.of(qrels, {"x": {topic: {"a": 2, "b": 1} for topic in qrels}}, "PRES@10")
    found = maker.figure(one)  # type: ignore[attr-defined]
    assert found.chart is None
    assert found.reading.startswith("Needs ")
