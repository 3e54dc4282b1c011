"""`leadline review stop`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.judge.review.audit import AuditCertificate
from leadline.judge.review.stopping import Certificate


def table(path: Path, rows: list[tuple[str, object, object]]) -> str:
    path.write_text("document,relevant,drawn\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    return str(path)


def test_what_is_found_and_what_more_costs(office: Any, tmp_path: Path) -> None:
    read = [(f"a{n}", int(n < 40), 0) for n in range(60)] + [(f"b{n}", int(n == 5), 1) for n in range(50)]
    reading = table(tmp_path / "reading.csv", read)
    rows = office.rows("review", "stop", reading, "--documents", "160", "--target", "0.9")
    expected = Certificate(40, 100, 0.9)
    for n in range(50):
        expected = expected.add(n == 5)
    row = next(row for row in rows if row["target"] == 0.9)
    assert [row["target"] for row in rows] == [0.8, 0.9, 0.95]
    assert row["recall at least"] == pytest.approx(expected.recall)
    assert row["more to draw"] == expected.draws_needed
    _, err = office.run("review", "stop", reading, "--documents", "160", "--target", "0.9")
    assert expected.words in " ".join(err.split())
    looks = office.rows("review", "stop", reading, "--documents", "160", "--target", "0.9", "--looks")
    assert len(looks) == 51
    limits = [look["recall at least"] for look in looks]
    assert limits == sorted(limits)


def test_unsure_counts_as_relevant_and_is_said(office: Any, tmp_path: Path) -> None:
    reading = table(tmp_path / "reading.csv", [("a", "yes", "no"), ("b", "?", "yes"), ("c", "excluded", "yes")])
    _, err = office.run("review", "stop", reading, "--documents", "10")
    assert "1 document unsure or skipped, counted as relevant" in err
    assert "2 documents drawn at random from 9 unread; 1 relevant" in " ".join(err.split())


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([("a", 1, 0), ("a", 0, 0)], ":3: a is given twice, first in line 2"),
        ([("a", 1, 1), ("b", 0, 0)], ":3: b was not drawn at random, but comes after random draws"),
        ([("a", "perhaps", 1)], ":2: relevant 'perhaps' is not yes, no or unsure"),
        ([("a", 1, 0), ("b", 0, 1), ("c", 0, 1), ("d", 0, 1)], "documents: 3 documents are fewer than the 4"),
    ],
)
def test_tables_that_cannot_be(
    office: Any, tmp_path: Path, rows: list[tuple[str, object, object]], problem: str
) -> None:
    assert problem in office.error("review", "stop", table(tmp_path / "reading.csv", rows), "--documents", "3")


def test_columns_that_are_missing(office: Any, tmp_path: Path) -> None:
    path = tmp_path / "reading.csv"
    path.write_text("document,seconds\na,1\n")
    assert "no column relevant" in office.error("review", "stop", str(path), "--documents", "3")


def test_an_audit_has_words_and_prices_of_its_own(office: Any, tmp_path: Path) -> None:
    read = [(f"a{n}", int(n < 40), 0) for n in range(44)] + [(f"b{n}", int(n == 5), 1) for n in range(50)]
    audit = table(tmp_path / "audit.csv", read)
    arguments = "review", "stop", audit, "--documents", "1000", "--target", "0.9"
    _, err = office.run(*arguments, "--audit")
    said = " ".join(err.split())
    assert "Of the documents the expert would call relevant" in said
    assert "decided on 50 drawn at random from 956 documents that readers had rejected or not read" in said
    assert "Assessor error" not in said
    _, err = office.run(*arguments)
    said = " ".join(err.split())
    assert "Assessor error" in said
    assert "whatever readers overlooked" not in said
    assert "To certify 90 % against an expert it would draw about" in said  # quoted before it begins
    rows = {row["target"]: row for row in office.rows(*arguments, "--audit")}
    expected = AuditCertificate(40, 956, 0.9)
    for n in range(50):
        expected = expected.add(n == 5)
    assert rows[0.9]["recall at least"] == pytest.approx(expected.recall)
