"""`leadline compare slices`."""

from __future__ import annotations

from typing import Any

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]


def test_slices_by_attribute(compare: Any) -> None:
    result = compare("slices", *FIELD, "-m", "AP", "--topics", "topics.csv", "--by", "office", "-f", "tsv")
    assert result.returncode == 0, result.stderr
    assert {"EP", "US"} <= {cell for line in result.stdout.splitlines() for cell in line.split("\t")}
    wrong = compare("slices", *FIELD, "-m", "AP", "--topics", "topics.csv", "--by", "ofice")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no column 'ofice'; it has office, year" in wrong.stderr


def test_slices_by_number_of_relevant_documents(compare: Any) -> None:
    result = compare("slices", *FIELD, "-m", "AP", "--by", "relevant", "-f", "tsv")
    assert result.returncode == 0, result.stderr
    assert "12" in result.stdout
    assert "needs --topics FILE" in compare("slices", *FIELD, "-m", "AP", "--by", "office").stderr
