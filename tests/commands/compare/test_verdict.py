"""`leadline compare verdict`."""

from __future__ import annotations

from typing import Any

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]


def test_a_verdict_in_words(compare: Any) -> None:
    result = compare("verdict", *FIELD, "-m", "AP", "--samples", "20")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("No firm winner: ")
    assert "of 20 samples" in result.stdout
    assert "The lead rests on" in result.stdout
