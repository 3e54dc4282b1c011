"""`leadline compare agreement`."""

from __future__ import annotations

from typing import Any

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]


def test_agreement_of_three_measures(compare: Any) -> None:
    assert compare("agreement", *FIELD, "-m", "AP R@20 PRES@20").returncode == 0
    assert "name three measures, got 2" in compare("agreement", *FIELD, "-m", "AP R@20").stderr
