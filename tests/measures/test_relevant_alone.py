"""Measures that say they look at the relevant documents alone give the same bits when only these are left."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.definition import MEASURES, parse_measure
from leadline.measures.hits import Hits

ALONE = sorted({entry.name for entry in MEASURES.values() if entry.relevant_alone})


@st.composite
def hits(draw: st.DrawFn) -> Hits:
    ranks = sorted(draw(st.lists(st.integers(1, 60), min_size=1, max_size=20, unique=True)))
    grades = draw(st.lists(st.integers(-1, 3), min_size=len(ranks), max_size=len(ranks)))
    missed = draw(st.lists(st.integers(-1, 3), min_size=1, max_size=10))
    return Hits.of(ranks, grades=grades, missed=missed, retrieved=60)


def test_the_usual_measures_say_it() -> None:
    assert {"AP", "PRES", "R", "P"} <= set(ALONE)


@pytest.mark.parametrize("name", ALONE)
@given(every=hits(), level=st.integers(1, 3))
def test_other_documents_change_no_bit(name: str, every: Hits, level: int) -> None:
    at = "@10" if has_effort(name) else ""
    measure = parse_measure(f"{name}(rel={level}){at}")
    assert np.array_equal(measure(every), measure(every.only_relevant(1)), equal_nan=True)
    assert np.array_equal(measure(every), measure(every.only_relevant(level)), equal_nan=True)


def has_effort(name: str) -> bool:
    return "effort" in MEASURES[name].parameters
