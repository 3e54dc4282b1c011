"""`leadline compare incomplete`."""

from __future__ import annotations

from typing import Any

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]


def test_incomplete_says_which_topics_are_left_out(compare: Any) -> None:
    result = compare("incomplete", *FIELD, "-m", "effort@0.7", "--samples", "3", "-f", "tsv")
    assert result.returncode == 0, result.stderr
    assert "effort@0.7: undefined for some runs and left out for all" in result.stderr
