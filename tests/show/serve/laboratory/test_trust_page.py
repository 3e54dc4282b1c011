"""Trust: the report's studies, computed once and drawn for every kind of screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.laboratory.boards import copied_lab, until_computed

from leadline.show.lab.lab import Lab
from leadline.trust.left_out import each_run, left_out
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
            answer = client.get(f"/trust/figure.svg?{QUERY}&figure=power&theme={theme}&width={width}")
            assert answer.headers["content-type"] == "image/svg+xml"
            drawn[theme, width] = answer.text
    assert len(set(drawn.values())) == 4
    assert "#fbfaf7" not in drawn["dark", "wide"]
    assert client.get(f"/trust/figure.svg?{QUERY}&figure=passwd").status_code == 404

    # Another server of the same lab computes nothing again.
    time.sleep(0.5)
    for name in ("_left_out", "_figure"):
        monkeypatch.setattr(f"leadline.show.lab.trust_studies.{name}", lambda *_: pytest.fail("computed again"))
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
    assert board["sentence"].endswith("There is only one run: nothing can be compared.")
    (lab.folder / "runs" / "b.run").write_text("1 Q0 d1 1 1 a\n2 Q0 d2 1 1 a\n")
    assert until_computed(client, "/api/leaderboard")["leader"] == "b"
    assert until_computed(client, "/api/trust")["few"] == ""
