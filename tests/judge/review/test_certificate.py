"""The certificate of recall: its error, exactly, on small urns; and its words."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.judge.review.audit import AUDIT_PRIOR, KEPT_PRIOR
from leadline.judge.review.stopping import READING_PRIOR, Certificate, Prior, missing_limits, with_sensitivity


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
@pytest.mark.parametrize(("unread", "found"), [(1, 0), (9, 3), (16, 19), (30, 40)])
@pytest.mark.parametrize("prior", [READING_PRIOR, AUDIT_PRIOR, KEPT_PRIOR])
def test_a_true_number_is_rejected_at_any_look_with_probability_alpha_at_most(
    unread: int, found: int, alpha: float, prior: Prior
) -> None:
    """Every path of draws, with exact probabilities."""
    drawn, hits = np.divmod(np.arange((unread + 1) ** 2), unread + 1)
    possible = hits <= drawn
    limits = dict(
        zip(
            zip(drawn[possible].tolist(), hits[possible].tolist(), strict=True),
            missing_limits(
                found, unread, drawn[possible], hits[possible], target=0.95, alpha=alpha, prior=prior
            ).tolist(),
            strict=True,
        )
    )
    for true in range(unread + 1):

        @cache
        def wrong(drawn: int, hits: int, true: int = true) -> Fraction:
            """The probability that the true number is rejected here or later."""
            if limits[drawn, hits] < true:
                return Fraction(1)
            left, relevant = unread - drawn, true - hits
            if not left:
                return Fraction(0)
            total = Fraction(0)
            if relevant:
                total += Fraction(relevant, left) * wrong(drawn + 1, hits + 1)
            if left > relevant:
                total += Fraction(left - relevant, left) * wrong(drawn + 1, hits)
            return total

        assert float(wrong(0, 0)) <= alpha, true


def by_trying_all(certificate: Certificate) -> int:
    """The largest number that is not rejected, from the definition with whole numbers."""
    from math import comb

    from scipy.special import betaln

    c = certificate
    mean = min(max(0.5, (int(c.found / c.target + 1e-9) - c.found) / 2) / c.unread, 0.9)
    a, b = 0.25, 0.25 * (1 - mean) / mean
    prior = np.exp(betaln(a + c.hits, b + c.drawn - c.hits) - betaln(a, b))
    largest = c.hits
    for missing in range(c.hits, c.unread - c.drawn + c.hits + 1):
        # The probability of these draws in their order.
        ways = Fraction(comb(c.unread - c.drawn, missing - c.hits), comb(c.unread, missing))
        if ways and prior / float(ways) < 1 / c.alpha:
            largest = max(largest, missing)
    return largest


@given(st.data())
def test_the_limit_is_that_of_the_definition(data: st.DataObject) -> None:
    unread = data.draw(st.integers(1, 60))
    drawn = data.draw(st.integers(0, unread))
    hits = data.draw(st.integers(0, drawn))
    found, target = data.draw(st.integers(0, 200)), data.draw(st.sampled_from([0.8, 0.9, 0.95]))
    certificate = Certificate(found, unread, target, 0.05, drawn, hits)
    assert certificate.missed_at_most == by_trying_all(certificate)


@given(st.integers(0, 100), st.lists(st.booleans(), max_size=40), st.integers(0, 40))
def test_what_was_certified_stays_true(found: int, draws: list[bool], more: int) -> None:
    certificate = Certificate(found, len(draws) + more, 0.9)
    missed = certificate.missed_at_most
    for relevant in draws:
        certificate = certificate.add(relevant)
        assert certificate.hits <= certificate.missed_at_most
        assert certificate.missed_at_most <= missed or certificate.is_refuted
        missed = certificate.missed_at_most
        assert 0 <= certificate.recall <= 1
    if not more:
        assert certificate.recall == 1
        assert certificate.draws_needed == 0


def test_a_limit_that_was_refuted_is_dropped() -> None:
    certificate = Certificate(0, 40, 0.9).draw(36)
    assert certificate.missed_at_most == 1
    certificate = certificate.add(True).add(True)
    assert certificate.is_refuted
    assert certificate.missed_at_most == 4  # not 2: two are still unread


@pytest.mark.parametrize(("found", "target", "share"), [
    (40, 0.95, 0.63), (40, 0.90, 0.45), (40, 0.80, 0.24), (1000, 0.95, 0.06), (1000, 0.90, 0.03), (1000, 0.80, 0.01),
])  # fmt: skip
def test_the_price_is_near_that_of_a_single_look(found: int, target: float, share: float) -> None:
    certificate = Certificate(found, 20_000, target)
    assert share - 0.005 <= certificate.draws_needed / 20_000 <= share + 0.045
    enough = certificate.draw(certificate.draws_needed)
    assert enough.is_reached
    assert not certificate.draw(certificate.draws_needed - 1).is_reached


def test_words() -> None:
    certificate = Certificate(980, 1830, 0.9).draw(412, hits=2)
    assert certificate.words == (
        "Of the documents this assessor would call relevant in this collection, at least 96 % have been found "
        "(95 % confidence, valid whenever you stop). Basis: 412 documents drawn at random from 1,830 unread; 2 "
        "relevant. Assessor error and documents outside the collection are not covered."
    )
    assert 0.96 < certificate.recall < certificate.estimate < 1
    assert with_sensitivity(certificate, kept=0, overlooked=5) == 0


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"found": -1, "unread": 4}, "below 0"),
        ({"found": 1, "unread": 4, "drawn": 5}, "not possible"),
        ({"found": 1, "unread": 4, "drawn": 2, "hits": 3}, "not possible"),
        ({"found": 1, "unread": 4, "target": 1.0}, "target: must be between 0 and 1, got 1.0"),
        ({"found": 1, "unread": 4, "alpha": 0.0}, "alpha: must be between 0 and 1, got 0.0"),
    ],
)
def test_impossible_numbers(given: dict[str, float], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Certificate(**given)  # type: ignore[arg-type]
