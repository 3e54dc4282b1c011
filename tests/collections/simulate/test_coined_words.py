"""Invented words are unique and look like their kind."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.simulate.words import LONG, SHORT, check_digit, registry_number, stem


@given(st.integers(0, 10_000_000), st.integers(0, 2**40))
def test_registry_numbers_are_valid(number: int, seed: int) -> None:
    written = registry_number(number, seed)
    assert re.fullmatch(r"[1-9][0-9]{1,6}-[0-9]{2}-[0-9]", written)
    digits = written.replace("-", "")
    assert check_digit(digits[:-1]) == int(digits[-1])


def test_known_registry_numbers() -> None:
    for written in ("7732-18-5", "64-17-5", "58-08-2", "50-78-2"):  # water, ethanol, caffeine, aspirin
        digits = written.replace("-", "")
        assert check_digit(digits[:-1]) == int(digits[-1])


def test_no_two_numbers_share_a_stem() -> None:
    for first in (0, SHORT, LONG):
        numbers = range(first, first + 30_000)
        assert len({stem(number, seed=9) for number in numbers}) == len(numbers)
    assert len({stem(number) for number in range(SHORT)}) == SHORT


@given(st.integers(0, 20_000_000), st.integers(0, 1000))
def test_stems_can_be_said(number: int, seed: int) -> None:
    assert re.fullmatch(r"(?:[bcdfglmnprstv][rlt]?r?[aeiou]){2,4}[lnrdmstx]", stem(number, seed))
