"""A lead over many rivals is corrected for their number, by Holm's rule; over one alone it is not."""

from __future__ import annotations

import numpy as np
import pytest

import leadline as ll
from leadline.trust.pairs import decide

TOPICS = 6  # ahead on all of them, p is 2 / 2**6


def field(rivals: int) -> ll.Scores:
    lead = np.linspace(0.1, 0.2, TOPICS)
    values = np.array([np.full(TOPICS, 0.9), *(0.9 - lead * (1 + r / 10) for r in range(rivals))])
    runs = ("leader", *(f"rival{r}" for r in range(rivals)))
    return ll.Scores(runs, tuple(map(str, range(TOPICS))), ("AP",), values[:, :, None])


@pytest.mark.parametrize(("rivals", "word"), [(1, "fragile"), (2, "undecided"), (5, "undecided")])
def test_the_number_of_rivals_matters(rivals: int, word: str) -> None:
    found = decide(field(rivals), "AP").verdicts
    assert [verdict.p for verdict in found] == [2 / 2**TOPICS] * rivals
    assert [verdict.p_corrected for verdict in found] == pytest.approx([min(1, rivals * 2 / 2**TOPICS)] * rivals)
    assert {verdict.word for verdict in found} == {word}
    assert ("after correction" in found[0].reasons[1]) == (rivals > 1)


def test_the_correction_is_holms() -> None:
    """Sorted by p, the k-th of n is multiplied by n - k + 1, and never falls below the one before."""
    rng = np.random.default_rng(4)
    values = rng.random((6, 10)) * 0.4
    values[0] += 0.25
    scores = ll.Scores(tuple("abcdef"), tuple("0123456789"), ("AP",), values[:, :, None])
    found = sorted(decide(scores, "AP").verdicts, key=lambda verdict: verdict.p)
    largest = 0.0
    for place, verdict in enumerate(found):
        largest = max(largest, min(1.0, verdict.p * (len(found) - place)))
        assert verdict.p_corrected == pytest.approx(largest)
    assert len({verdict.p for verdict in found}) > 2
