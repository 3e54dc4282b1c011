"""How many topics decide: as many as a study of them by the same test shows."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.trust.planning import topics_needed
from leadline.trust.randomisation import flip_p

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
