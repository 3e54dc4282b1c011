"""Trust: the report's studies, computed once and drawn for every kind of screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.laboratory.boards import copied_lab, until_computed

from leadline.show.lab.lab import Lab
from leadline.trust.incomplete import each_run, left_out
from leadline.trust.study import open_study

QUERY = "qrels=qrels.true&measure=R@20"


def test_the_studies_of_the_report_are_shown_and_stored(
    small_lab: Path, tmp_path: Path, visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab.open(copied_lab(small_lab, tmp_path))
    client = visit(lab)
    first = client.get(f"/trust?{QUERY}")
    assert first.status_code == 200
    found = until_computed(client, f"/api/trust?{QUERY}")
    assert set(found["figures"]) == {"incomplete", "power"}
    assert {row["measure"] for row in found["incomplete"]} >= {"R@20"}
    study = open_study(
        str(lab.get("qrels", "qrels.true").path), [str(each.path) for each in lab.entries("run")], "R@20"
    )
    expected = left_out(study, each_run(study)).table()
    taus = {row[1]: row[3] for row in expected.rows}
    assert {row["without"]: row["tau"] for row in found["left_out"]} == pytest.approx(taus)
    page = client.get(f"/trust?{QUERY}").text
    assert found["figures"]["power"]["title"] in page
    assert "data-reload" not in page
    drawn = {}
    for theme in ("light", "dark"):
        for width in ("wide", "narrow"):
            answer = client.get(f"/figure.svg?{QUERY}&figure=power&theme={theme}&width={width}")
            assert answer.headers["content-type"] == "image/svg+xml"
            drawn[theme, width] = answer.text
    assert len(set(drawn.values())) == 4
    assert "#fbfaf7" not in drawn["dark", "wide"]
    assert client.get(f"/figure.svg?{QUERY}&figure=passwd").status_code == 404

    # Another server of the same lab computes nothing again.
    for name in ("_left_out", "_figure"):
        monkeypatch.setattr(f"leadline.show.lab.stored_results.{name}", lambda *_: pytest.fail("computed again"))
    again = visit(Lab.open(lab.folder)).get(f"/api/trust?{QUERY}").json()
    assert again == found


def test_one_run_is_too_few(tmp_path: Path, visit: Callable[..., Any]) -> None:
    lab = Lab.create(tmp_path / "lab", "One")
    (lab.folder / "qrels" / "q.txt").write_text("1 0 d1 1\n2 0 d2 1\n")
    (lab.folder / "runs" / "a.run").write_text("1 Q0 d1 1 1 a\n2 Q0 d3 1 1 a\n")
    client = visit(lab)
    assert "Two runs that share topics" in client.get("/trust").text
    assert "Two runs that share topics" in client.get("/compare").text
    board = client.get("/api/leaderboard").json()
    assert board["sentence"].endswith("There is only one run: give two or more to compare them.")
    (lab.folder / "runs" / "b.run").write_text("1 Q0 d1 1 1 a\n2 Q0 d2 1 1 a\n")
    assert until_computed(client, "/api/leaderboard")["leader"] == "b"
    assert until_computed(client, "/api/trust")["few"] == ""


def test_another_measure_is_studied_too_and_the_first_sentence_says_what_is_computed(
    small_lab: Path, tmp_path: Path, visit: Callable[..., Any]
) -> None:
    client = visit(copied_lab(small_lab, tmp_path))
    found = until_computed(client, "/api/trust?qrels=qrels.true&measure=nDCG@10")
    for study in ("incomplete", "power"):
        assert {row["measure"] for row in found[study]} == {"nDCG@10", "AP", "PRES@10", "R@10"}
    board = until_computed(client, "/api/leaderboard?qrels=qrels.true&measure=nDCG@10")
    row = next(row for row in found["incomplete"] if (row["measure"], row["keep"]) == ("nDCG@10", 0.4))
    assert 0.8 <= row["mean"] < 0.9
    said = f"by nDCG@10 is similar (τ {row['mean']:.2f} on average, {row['lowest']:.2f} at the lowest)"
    assert said.replace("-", "−") in found["sentence"]
    assert f"the first by nDCG@10 is {board['leader']} with " in found["sentence"]
    words = [each["verdict"] for each in board["runs"][1:]]
    for word in set(words):
        assert f"{word} against {words.count(word)}" in found["sentence"]
    assert found["sentence"] in client.get("/trust?qrels=qrels.true&measure=nDCG@10").text
