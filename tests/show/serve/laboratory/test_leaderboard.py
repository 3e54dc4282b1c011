"""The leaderboard: the report's verdict, every run with its numbers, and what is wrong said in a sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.laboratory.boards import HOSTILE, copied_lab, until_computed

from leadline.measures.evaluate import evaluate
from leadline.show.demo import KIND as DEMO
from leadline.show.demo import VERSION as DEMO_VERSION
from leadline.show.lab.lab import Lab
from leadline.show.report.evidence import Evidence
from leadline.text.owned_folder import OwnedFolder


@pytest.fixture
def lab(small_lab: Path, tmp_path: Path) -> Lab:
    return Lab.open(copied_lab(small_lab, tmp_path))


def paths(lab: Lab) -> list[str]:
    return [str(entry.path) for entry in lab.entries("run")]


def test_it_says_what_the_report_says(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    found = until_computed(client, "/api/leaderboard?qrels=qrels.true")
    qrels = str(lab.get("qrels", "qrels.true").path)
    report = Evidence.of(qrels, paths(lab), "PRES@20")
    assert report.standing is not None
    assert found["outcome"] == report.standing.outcome()
    assert found["sentence"] == report.standing.headline()
    assert [row["run"] for row in found["runs"]] == list(report.order)
    scores = evaluate(qrels, paths(lab), "PRES@20 judged@20")
    for row in found["runs"]:
        assert row["score"] == pytest.approx(scores["PRES@20"][row["run"]])
        assert row["judged@20"] == pytest.approx(scores["judged@20"][row["run"]])
        assert row["low"] < row["score"] < row["high"]
    words = {each.other: each.word for each in report.standing.verdicts}
    assert {row["run"]: row["verdict"] for row in found["runs"][1:]} == words
    assert found["runs"][0]["against"] == report.standing.verdicts[0].other
    assert all(row["letters"] for row in found["runs"])

    page = client.get("/leaderboard?qrels=qrels.true").text
    assert all(f"/run/{row['run']}" in page for row in found["runs"])
    assert f"{found['outcome']}</strong>" in page
    table = client.get("/leaderboard.csv?qrels=qrels.true").text
    assert table.startswith("place,run,score,low,high,judged@20,letters,verdict")
    assert found["measure"] == "PRES@20"  # of 300 documents a tenth is at most read
    assert found["samples"] == 100
    assert "100 such samples were drawn" in page
    why = "PRES@20 (recall weighted by how early it comes): at most a tenth of the 300 documents of the collection."
    assert why in page
    first = until_computed(client, "/api/leaderboard")
    home = client.get("/").text
    assert "measure=PRES%4020" in home
    assert why in home
    assert first["qrels"] == "qrels.citations"
    assert first["outcome"] in home
    assert first["miss"]["document"] in home


def test_effort_alone_puts_nobody_first(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    board = client.get("/api/leaderboard?qrels=qrels.true&measure=last_rel").json()
    assert not board["working"]
    assert (board["outcome"], board["reasons"]) == ("", [])
    assert board["sentence"].startswith("last_rel gives no verdict: it counts effort")
    assert {(row["letters"], row["verdict"]) for row in board["runs"]} == {("", "")}
    assert all(row["score"] > 0 for row in board["runs"])
    pair = client.get("/api/compare?a=system0&b=system2&qrels=qrels.true&measure=last_rel").json()
    assert (pair["verdict"], pair["sentence"]) == ("", board["sentence"])
    assert "gives no verdict" in client.get("/compare?a=system0&b=system2&qrels=qrels.true&measure=last_rel").text


def test_measure_and_effort_are_chosen_in_place(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    found = client.get("/api/leaderboard?qrels=qrels.true&measure=nDCG&effort=10").json()
    assert found["measure"] == "nDCG@10"
    assert "judged@10" in found["runs"][0]
    scores = evaluate(str(lab.get("qrels", "qrels.true").path), paths(lab), "nDCG@10")["nDCG@10"]
    assert found["runs"][0]["score"] == pytest.approx(max(scores.values()))


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ("qrels=qrels.tru", 404, "did you mean qrels.true?"),
        ("measure=PRESS@10", 400, "did you mean PRES"),
        ("effort=many", 400, "effort must be a whole number"),
        ("effort=0", 400, "effort must be a whole number"),
        ("measure=judged@10", 400, "does not say which of two runs is better"),
        ("measure=TBG", 400, "needs more from each run"),
        ("measure=PRES(rel=9)@10", 400, "no document has grade 9"),
        ("measure=alpha_nDCG@10", 400, "subtopic"),
        ("table=nothing", 200, ""),
    ],
)
def test_wrong_parameters_are_one_sentence(
    small_lab: Path, visit: Callable[..., Any], asked: str, status: int, said: str
) -> None:
    client = visit(small_lab)
    for path in (f"/api/leaderboard?{asked}", f"/leaderboard?{asked}"):
        answer = client.get(path)
        assert answer.status_code == status
        if said:
            assert said in (answer.json()["error"] if path.startswith("/api") else answer.text)


def test_runs_that_do_not_fit_are_listed_with_the_reason(lab: Lab, tmp_path: Path, visit: Callable[..., Any]) -> None:
    (tmp_path / "strange.run").write_text("other Q0 d1 1 1.0 strange\n")
    lab.add(tmp_path / "strange.run")
    (lab.folder / "runs" / "damaged.run").write_text("1 Q0 d1 1 1.0 tag\n1 Q0 d2\n")
    client = visit(lab)
    found = client.get("/api/leaderboard?qrels=qrels.true").json()
    why = {row["run"]: row["why"] for row in found["others"]}
    assert why.keys() == {"strange", "damaged"}
    assert "no topic in common" in why["strange"]
    assert why["damaged"].startswith("line 2: ")
    assert len(found["runs"]) == 3
    page = client.get("/leaderboard?qrels=qrels.true").text
    assert "Not for these judgements: 2 runs" in page
    assert str(lab.folder) not in page


def test_time_is_shown_where_a_manifest_has_it(lab: Lab, visit: Callable[..., Any]) -> None:
    run = lab.get("run", "system1").path
    Path(f"{run}.manifest.json").write_text(json.dumps({"timing": {"median": 0.25, "p99": 0.5, "queries": 20}}))
    run = lab.get("run", "system0").path
    costly = {"median": 0.125, "queries a second": 1234.5, "cost a query": 0.0025, "at_once": 4}
    Path(f"{run}.manifest.json").write_text(json.dumps({"timing": costly}))
    client = visit(lab)
    rows = {row["run"]: row for row in client.get("/api/leaderboard").json()["runs"]}
    assert (rows["system1"]["median_seconds"], rows["system2"]["median_seconds"]) == (0.25, None)
    assert [rows["system0"][name] for name in ("p99_seconds", "per_second", "cost", "at_once")] == [
        None, 1234.5, 0.0025, 4,
    ]  # fmt: skip
    page = client.get("/leaderboard").text
    assert all(head in page for head in ("Seconds a query", "Queries a second", "Cost of a query"))
    assert re.search(r">1234<.*>0\.0025<", page, re.DOTALL)
    assert "Times are not comparable: system0 with 4 queries at the same time" in page
    page = client.get("/run/system1").text
    assert "a query took 0.25 s" in page
    assert "SHA-256" in page


def test_a_run_page_has_the_scores_of_every_topic(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    found = client.get("/api/run/system2?qrels=qrels.true&measure=R@20").json()
    scores = evaluate(str(lab.get("qrels", "qrels.true").path), paths(lab), "R@20").by_topic("R@20")["system2"]
    assert {row["topic"]: row["score"] for row in found["topics"]} == pytest.approx(scores)
    assert client.get("/run/system2/table.csv").text.startswith("topic,title,score")
    assert client.get("/run/sistem2").status_code == 404
    assert "did you mean system2?" in client.get("/api/run/sistem2").json()["error"]


def test_names_and_reasons_are_escaped(lab: Lab, tmp_path: Path, visit: Callable[..., Any]) -> None:
    (lab.folder / "runs" / "hostile.run").write_text(f"{HOSTILE} Q0 {HOSTILE} 1 1 {HOSTILE}\n")
    client = visit(lab)
    page = client.get("/leaderboard").text
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


def test_an_empty_lab_says_what_to_do(tmp_path: Path, visit: Callable[..., Any]) -> None:
    client = visit(Lab.create(tmp_path / "empty", "Empty"))
    for path in ("/leaderboard", "/compare", "/trust", "/"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "leadline lab add" in answer.text
    assert client.get("/topic/1").status_code == 404
    assert client.get("/api/leaderboard").json()["qrels"] == ""


@pytest.mark.parametrize(
    "path", ["/leaderboard", "/compare", "/trust", "/topic/1", "/run/a", "/figure.svg?figure=power"]
)
def test_nobody_sees_it_without_a_link(small_lab: Path, visit: Callable[..., Any], path: str) -> None:
    client = visit(small_lab, None)
    assert client.get(path).status_code == 401
    assert client.get(f"/api{path.partition('?')[0].removeprefix('/figure.svg') or '/trust'}").status_code == 401


def test_the_lab_of_a_demo_begins_with_the_measure_of_the_demo(tmp_path: Path, visit: Callable[..., Any]) -> None:
    with OwnedFolder.locked(tmp_path / "demo", DEMO, DEMO_VERSION) as owned:
        owned.reserve("lab")
        lab = Lab.create(tmp_path / "demo" / "lab", "Demo")
    (lab.folder / "qrels" / "q.txt").write_text("1 0 d1 1\n2 0 d2 1\n")
    (lab.folder / "runs" / "a.run").write_text("1 Q0 d1 1 1 a\n2 Q0 d3 1 1 a\n")
    assert visit(lab).get("/api/leaderboard").json()["measure"] == "PRES@100"
    assert "PRES@100 (recall weighted by how early it comes): the measure of the demo" in visit(lab).get("/").text


def test_titles_begin_with_the_page(small_lab: Path, visit: Callable[..., Any]) -> None:
    client = visit(small_lab)
    for path, name in (("/jobs", "Jobs"), ("/reports", "Reports"), ("/people", "People"), ("/judge", "Judge")):
        assert f"<title>{name} – A small lab</title>" in client.get(path).text
