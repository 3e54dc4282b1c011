"""Corrections against statsmodels, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.trust.paired_tests import CORRECTIONS, corrected

THEIRS = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "none": "raw"}
some_p = st.lists(st.floats(0, 1), min_size=1, max_size=40).map(np.array)


@pytest.mark.parametrize("ours", sorted(CORRECTIONS))
def test_corrections_are_those_of_statsmodels(oracle, ours: str) -> None:
    rows = oracle("statsmodels_corrections_of_t.tsv")
    raw = np.array([float(row["raw"]) for row in rows])
    theirs = np.array([float(row[THEIRS[ours]]) for row in rows])
    np.testing.assert_allclose(corrected(raw, ours), theirs, rtol=1e-10)


@given(some_p)
def test_corrections_keep_the_order_and_never_make_p_smaller(p: np.ndarray) -> None:
    order = np.argsort(p, kind="stable")
    for name in CORRECTIONS:
        q = corrected(p, name)
        assert (q >= p).all()
        assert (q <= 1).all()
        assert (np.diff(q[order]) >= 0).all()
    assert (corrected(p, "bh") <= corrected(p, "holm") + 1e-15).all()
    assert (corrected(p, "holm") <= corrected(p, "bonferroni")).all()


def test_a_name_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean holm"):
        corrected(np.array([0.5]), "hollm")
