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


def test_effort_alone_decides_nothing(compare: Any) -> None:
    """One line that says why, and what to ask for instead."""
    for measure in ("last_rel", "loss_e@50", "total_cost"):
        result = compare("verdict", *FIELD, "-m", measure)
        assert (result.returncode, result.stdout) == (1, "")
        (line,) = result.stderr.strip().splitlines()
        assert line.startswith(f"leadline: {measure} gives no verdict: ")
        assert line.endswith("(leadline compare recall, leadline.effort_to_recall)")
