"""`leadline explain`: one score, term by term."""

from __future__ import annotations

from typing import Any


def test_explain_one_score(leadline: Any) -> None:
    result = leadline("explain", "PRES@10", "qrels.txt", "a.run", "1", "--format", "tsv")
    assert result.stdout.decode().splitlines() == [
        "document\tgrade\trank\tadds", "d1\t1\t1\t0.5", "d3\t2\tnot found\t0", "score\t\t\t0.5",
    ]  # fmt: skip
    assert "no topic '99'" in leadline.error("explain", "PRES@10", "qrels.txt", "a.run", "99")
    assert "did you mean PRES" in leadline.error("explain", "PRSE@10", status=2)
    assert "give all three, or the measure alone" in leadline.error("explain", "AP", "qrels.txt", status=2)
