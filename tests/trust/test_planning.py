"""How many topics decide: as many as a study of them by the same test shows."""

from __future__ import annotations

import numpy as np
import pytest

import leadline as ll
from leadline.errors import InputError, MeasureError
from leadline.records.scores import Scores
from leadline.trust.randomisation import flip_p
from leadline.trust.topics_needed import Pilot, _drawn, fewest_topics, simulated_power, topic_numbers, topics_needed

RNG = np.random.default_rng
NORMAL = RNG(5).normal(0, 1, 60)


def effect_of(size: float, pilot: np.ndarray = NORMAL) -> np.ndarray:
    """Differences with a mean of so many standard deviations."""
    return (pilot - pilot.mean()) / pilot.std(ddof=1) + size


def test_no_fewer_topics_are_needed_than_the_test_can_decide_on() -> None:
    """Ahead on every one of 5 topics p is 2/32: no difference, however large, is significant at 5 %."""
    assert [topics_needed(effect_of(size)) for size in (3.0, 4.0, 100.0)] == [6, 6, 6]
    assert topics_needed(np.full(5, 0.1)) == 6
    assert topics_needed(np.full(5, 0.1), 0.05, comparisons=10_153) == 19  # 2 / 2¹⁹ is 3.8e-6, 0.05 / 10 153 is 4.9e-6
    assert topics_needed(np.array([1.0, -1.0])) is None
    assert topics_needed(np.zeros(8)) is None


def test_more_comparisons_and_smaller_effects_need_more_topics() -> None:
    for comparisons in (1, 9, 142):
        needed = [
            topics_needed(effect_of(size), comparisons=comparisons) or 10**9 for size in np.arange(2.5, 0.05, -0.1)
        ]
        assert needed == sorted(needed)
    needed = [topics_needed(effect_of(0.5), comparisons=comparisons) for comparisons in (1, 2, 9, 142)]
    assert needed == sorted(set(needed))


@pytest.mark.parametrize("size", [0.3, 0.5, 1.0, 1.6])
def test_topics_needed_have_the_power_that_was_asked_for(size: float) -> None:
    """Studies drawn by other means, each tested: as many find the effect, and with fewer topics they do not."""
    pilot = effect_of(size)
    needed = topics_needed(pilot) or 0
    for topics, least, most in ((needed, 0.785, 1.0), (int(needed * 0.9) - 1, 0.0, 0.815)):
        drawn = RNG(6).choice(pilot, (5000, topics))
        power = float(((flip_p(drawn) < 0.05) & (drawn.mean(axis=1) > 0)).mean())
        assert least <= power <= most


@pytest.mark.parametrize("kind", ["skewed", "lumpy", "zeros"])
def test_planned_power_is_reached_among_several_comparisons(kind: str) -> None:
    """Whatever the distribution: at most 3 points less than planned, and with one topic less hardly more."""
    some = {
        "skewed": RNG(1).exponential(1, 50) - 0.5,
        "lumpy": np.round(RNG(1).normal(0.5, 1, 50)),
        "zeros": np.where(RNG(1).random(50) < 0.5, 0.0, RNG(2).normal(0.8, 1, 50)),
    }
    pilot = some[kind]
    for comparisons in (1, 5):
        level = 0.05 / comparisons
        needed = topics_needed(pilot, comparisons=comparisons) or 0
        numbers = topic_numbers(fewest_topics(level)).tolist()
        fewer = numbers[max(0, numbers.index(needed) - 1)]
        for topics, least, most in ((needed, 0.77, 1.0), (fewer, 0.0, 0.83)):
            drawn = RNG(6).choice(pilot, (2500, topics))
            power = float(((flip_p(drawn) < level) & (drawn.mean(axis=1) > 0)).mean())
            assert least <= power <= most


def test_a_larger_lead_never_needs_more() -> None:
    for pilot in (RNG(1).exponential(1, 20) - 1, np.round(RNG(1).normal(0, 0.2, 30), 1), RNG(2).standard_t(3, 25)):
        needed = [
            topics_needed(pilot - pilot.mean() + lead * pilot.std()) or 10**9 for lead in np.arange(0.1, 1.5, 0.07)
        ]
        assert needed == sorted(needed, reverse=True)


@pytest.mark.parametrize("topics", [13, 40, 601])
def test_the_first_studies_of_many_are_those_of_few(topics: int) -> None:
    """However they are drawn: a power is simulated with few first, and with the others where it is near the wanted."""
    np.testing.assert_array_equal(_drawn(30, topics, 2000, 1)[:400], _drawn(30, topics, 400, 1))
    pilot = Pilot.of(effect_of(0.5)[:30])
    assert pilot is not None
    whole = simulated_power(pilot, topics, 0.01).significant
    parts = [simulated_power(pilot, topics, 0.01, each).significant for each in (slice(400), slice(400, 2000))]
    assert whole == pytest.approx((400 * parts[0] + 1600 * parts[1]) / 2000, abs=0.001)


def test_a_firm_verdict_needs_more_and_has_its_power() -> None:
    """Studies with 100 samples of half the judgements each, all of them tested."""
    pilot = effect_of(0.7)
    halves = 0.7 * pilot + RNG(3).normal(0, 0.6, (60, len(pilot)))
    halves[RNG(4).random(halves.shape) < 0.05] = np.nan  # topics that lost their relevant documents
    needed, significant = topics_needed(pilot, halves=halves) or 0, topics_needed(pilot) or 0
    assert needed > significant
    found = 0
    for study in range(250):
        draws = RNG((9, study))
        chosen = draws.integers(len(pilot), size=needed)
        half = np.nan_to_num(halves[draws.integers(len(halves), size=(100, needed)), chosen])
        stays = ((flip_p(half) < 0.05) & (half.mean(axis=1) > 0)).sum() >= 95
        found += stays and flip_p(pilot[chosen][None])[0] < 0.05
    assert found / 250 == pytest.approx(0.8, abs=0.08)
    assert (topics_needed(pilot, halves=np.tile(pilot, (100, 1))) or 0) == significant  # halves that change nothing


def scores(spread: float = 0.2, topics: int = 30) -> Scores:
    values = np.clip(0.5 + RNG(1).normal(0, spread, (4, topics)) + np.arange(4)[:, None] / 20, 0, 1)
    return Scores(tuple("abcd"), tuple(map(str, range(topics))), ("AP",), values[:, :, None])


def test_a_plan_names_what_the_verdict_would() -> None:
    """The topics needed against each other run, at the observed differences, and the hardest last."""
    field = scores()
    found = ll.plan(field, "AP")
    matrix = field.values[:, :, 0]
    for pair in found.pairs:
        one, other = ("abcd".index(name) for name in pair.name.split(" against "))
        assert pair.topics == topics_needed(matrix[one] - matrix[other], comparisons=6)
        assert pair.difference == pytest.approx(matrix[one].mean() - matrix[other].mean())
    assert [pair.topics or 10**9 for pair in found.pairs] == sorted(pair.topics or 10**9 for pair in found.pairs)
    assert found.comparisons == 6  # all pairs of four runs
    assert "A new study of as many topics as the pilot has, 30, decides in" in found.headline()
    assert found.headline() == ll.plan(field, "AP").headline()


def test_a_given_difference_is_planned_for_pairs_like_the_pilots() -> None:
    small, large = (ll.plan(scores(), "AP", difference=lead, runs=10) for lead in (0.05, 0.1))
    assert (small.comparisons, small.given) == (45, True)
    assert [pair.difference for pair in small.pairs] == pytest.approx([0.05, 0.05])
    assert (small.hardest.topics or 0) > (large.hardest.topics or 0) > 0
    needed = [topics or 0 for _, topics in small.by_runs]
    assert needed == sorted(needed)
    point = next(p for p in small.hardest.points if p.topics == small.hardest.topics)
    assert 0.79 <= point.power < 0.85
    assert point.error == pytest.approx(np.sqrt(point.power * (1 - point.power) / 2000))


def test_what_cannot_be_decided_is_said() -> None:
    equal = Scores(("x", "y"), tuple("12345"), ("AP",), np.full((2, 5, 1), 0.5))
    assert "not even 100,000 topics would decide" in ll.plan(equal, "AP").headline()
    assert "cannot be decided by more topics" in ll.plan(equal, "AP").headline()
    with pytest.raises(InputError, match="nothing is known of how far they differ"):
        ll.plan(equal, "AP", difference=0.1)
    few = Scores(("x", "y"), tuple("12345"), ("AP",), np.stack([np.linspace(0.5, 0.9, 5), np.full(5, 0.3)])[:, :, None])
    assert "With the 5 topics of the pilot nothing can be decided: 6 at the least." in ll.plan(few, "AP").headline()


def test_before_any_data_measures_are_known_by_any_of_their_names() -> None:
    one, other = (ll.plan(measure=each, difference=0.3) for each in ("R@100", "recall_100"))
    assert [pair.topics for pair in one.pairs] == [pair.topics for pair in other.pairs]
    known = topics_needed(effect_of(0.05 / 0.126), comparisons=45) or 0
    usual = next(
        p for p in ll.plan(measure="AP", difference=0.05, runs=10).pairs if p.name.endswith("d collection, usual runs")
    )
    assert (usual.topics or 0) == pytest.approx(known, rel=0.15)
    with pytest.raises(InputError, match="give a pilot, or one of AP, PRES@100"):
        ll.plan(measure="RBP", difference=0.05)
    with pytest.raises(InputError, match="give a pilot"):
        ll.plan(measure="AP")  # type: ignore[call-overload]
    with pytest.raises(MeasureError, match="gives no verdict"):
        ll.plan(measure="last_rel", difference=5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"difference": 0.0}, "difference: must be above 0"),
        ({"power": 1.0}, "power: must be between 0 and 1"),
        ({"alpha": 5}, "alpha: must be between 0 and 1"),
        ({"runs": 1}, "runs: must be at least 2"),
        ({"comparisons": 0}, "comparisons: must be at least 1"),
        ({"runs": 5, "comparisons": 4}, "give one of the two"),
    ],
)
def test_wrong_options_are_one_line(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ll.plan(scores(), "AP", **wrong)  # type: ignore[call-overload]
