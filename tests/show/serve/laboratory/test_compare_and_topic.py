"""Compare and Topic: who wins where, and the document that one system missed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.laboratory.boards import HOSTILE, copied_lab, until_computed

from leadline.measures.evaluate import evaluate
from leadline.records.qrels import read_qrels
from leadline.records.runs import read_run
from leadline.show.lab.lab import Lab
from leadline.trust.randomisation import flip_test

QUERY = "qrels=qrels.true&measure=R@50"


@pytest.fixture(scope="module")
def lab(small_lab: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab.open(copied_lab(small_lab, tmp_path_factory.mktemp("compare")))


def test_topics_won_and_lost_with_their_verdict(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    found = until_computed(client, f"/api/compare?a=system0&b=system2&{QUERY}")
    runs = [str(lab.get("run", name).path) for name in ("system0", "system2")]
    values = evaluate(str(lab.get("qrels", "qrels.true").path), runs, "R@50").values[:, :, 0]
    lead = values[0] - values[1]
    assert (found["won"], found["lost"]) == (int((lead > 0).sum()), int((lead < 0).sum()))
    assert found["won"] + found["lost"] + found["tied"] == len(lead)
    assert found["numbers"]["difference"] == pytest.approx(lead.mean())
    assert found["numbers"]["low"] < lead.mean() < found["numbers"]["high"]
    p = float(flip_test(lead[None]).p[0])
    assert found["numbers"]["p"] == pytest.approx(p, rel=0.2, abs=1e-4)
    sizes = [abs(row["difference"]) for row in found["topics"]]
    assert sizes == sorted(sizes, reverse=True)
    assert found["topic"] == found["topics"][0]["topic"]
    turned = until_computed(client, f"/api/compare?a=system2&b=system0&{QUERY}")
    assert turned["numbers"]["difference"] == pytest.approx(-lead.mean())
    assert turned["sentence"] == found["sentence"]
    assert turned["won"] == found["lost"]


def test_rankings_have_marks_and_titles(lab: Lab, visit: Callable[..., Any]) -> None:
    found = visit(lab).get(f"/api/compare?a=system0&b=system2&{QUERY}&depth=50").json()
    topic = found["topic"]
    grades = read_qrels(lab.get("qrels", "qrels.true").path).judgements(topic)
    for side, name in (("ranking_a", "system0"), ("ranking_b", "system2")):
        ranked = [document for document, _ in read_run(lab.get("run", name).path).ranking(topic)]
        assert [row["document"] for row in found[side]] == ranked[:50]
        for row in found[side]:
            assert (row["mark"] == "relevant") == (grades.get(row["document"], 0) > 0)
            assert row["title"]
            assert row["collection"] == "office"
    marks = {row["mark"] for row in found["ranking_a"]}
    assert marks <= {"relevant", "not relevant", "unjudged", "own family", "family of a relevant one"}
    only_b = {row["document"] for row in found["relevant"] if row["rank_a"] is None and row["rank_b"] is not None}
    listed = {row["document"] for row in found["ranking_a"]}
    assert not only_b & listed
    first = found["relevant"][0]
    assert (first["rank_a"] is None) != (first["rank_b"] is None)  # what one misses comes first


def test_the_page_draws_a_bar_for_each_topic(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    found = client.get(f"/api/compare?{QUERY}").json()
    page = client.get(f"/compare?{QUERY}").text
    assert page.count('class="reach"') == 2 * len(found["topics"])  # wide and narrow
    assert client.get(f"/compare.csv?{QUERY}&table=ranking_a").text.startswith("rank,document,title,mark")


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ("a=sistem0", 404, "did you mean system0?"),
        ("a=system0&b=system0", 400, "choose two different runs"),
        ("topic=nothing", 404, "is not a topic"),
        ("depth=1000000", 400, "depth must be a whole number from 1 to 200"),
    ],
)
def test_wrong_choices(lab: Lab, visit: Callable[..., Any], asked: str, status: int, said: str) -> None:
    answer = visit(lab).get(f"/api/compare?{asked}")
    assert answer.status_code == status
    assert said in answer.json()["error"]


def test_a_topic_shows_need_reasons_and_every_rank(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    qrels = read_qrels(lab.get("qrels", "qrels.citations").path)
    topic = qrels.topics[0]
    found = client.get(f"/api/topic/{topic}?qrels=qrels.citations").json()
    assert found["need"]["title"]
    assert found["patent"]["abstract"]
    relevant = {document for document, grade in qrels.judgements(topic).items() if grade > 0}
    assert {row["document"] for row in found["ranks"]} == relevant
    assert all("cited" in row["reason"] or "family" in row["reason"] for row in found["judgements"])
    for name in ("system0", "system1", "system2"):
        ranked = [document for document, _ in read_run(lab.get("run", name).path).ranking(topic)]
        for row in found["ranks"]:
            there = row["document"] in ranked
            assert row[name] == (ranked.index(row["document"]) + 1 if there else None)
    page = client.get(f"/topic/{topic}?qrels=qrels.citations").text
    assert "missed" in page
    assert f"/document/office/{next(iter(relevant))}" in page
    assert client.get(f"/topic/{topic}/table.tsv?qrels=qrels.citations&table=judgements").text.startswith("document\t")


def test_the_document_that_one_system_missed_is_said(visit: Callable[..., Any], tmp_path: Path) -> None:
    lab = Lab.create(tmp_path / "lab", "Missed")
    (tmp_path / "qrels.txt").write_text("1 0 d1 1\n1 0 d2 1\n1 0 d3 0\n2 0 d4 1\n3/4 0 d5 1\n")
    lab.add(tmp_path / "qrels.txt")
    lists = {"a": ["d1", "d2"], "b": ["d2", "d1"], "c": ["d3", "d1"]}
    for name, listed in lists.items():
        lines = [f"1 Q0 {d} {r} {9 - r} {name}\n" for r, d in enumerate(listed, 1)]
        (tmp_path / f"{name}.run").write_text("".join([*lines, f"2 Q0 d4 1 1 {name}\n"]))
        lab.add(tmp_path / f"{name}.run")
    client = visit(lab)
    found = client.get("/api/topic/1").json()
    assert found["findings"] == ["d2 is missed by c alone; the best rank of the others is 1."]
    assert found["ranks"][0] == {
        "document": "d2",
        "title": "",
        "found_by": 2,
        "collection": "",
        "a": 2,
        "b": 1,
        "c": None,
    }
    assert client.get("/api/topic/3/4").json()["topic"] == "3/4"
    assert client.get("/topic/3%2F4/table.csv?table=scores").status_code == 200
    assert "did you mean" not in client.get("/api/topic/zzz").json()["error"]
    miss = client.get("/api/leaderboard").json()["miss"]
    assert miss == {"topic": "1", "document": "d2", "finder": "a", "rank": 2, "misser": "c"}


def test_hostile_ids_are_escaped(visit: Callable[..., Any], tmp_path: Path) -> None:
    lab = Lab.create(tmp_path / "lab", HOSTILE)
    (lab.folder / "qrels" / "q.txt").write_text(f"1 0 {HOSTILE} 1\n1 0 \x1b[31m 1\n2 0 d 1\n")
    for name in ("a", "b"):
        (lab.folder / "runs" / f"{name}.run").write_text(f"1 Q0 {HOSTILE} 1 1 {HOSTILE}\n2 Q0 d{name} 1 1 t\n")
    client = visit(lab)
    for path in ("/leaderboard", "/compare", "/topic/1", "/run/a", "/"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert HOSTILE not in answer.text


def test_what_is_beyond_the_documents_read_is_not_found(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    qrels = read_qrels(lab.get("qrels", "qrels.true").path)
    found = client.get(f"/api/topic/{qrels.topics[0]}?qrels=qrels.true&measure=R@3").json()
    late = [rank for row in found["ranks"] for name in found["systems"] if (rank := row[name]) and rank > 3]
    assert late  # the ranks themselves are shown
    for row in found["ranks"]:
        assert row["found_by"] == sum(bool(row[name]) and row[name] <= 3 for name in found["systems"])
    for row in found["scores"]:
        assert row["found"] == sum(bool(each[row["run"]]) and each[row["run"]] <= 3 for each in found["ranks"])
    first = found["ranks"][-1]["document"]
    page = client.get(f"/topic/{qrels.topics[0]}?qrels=qrels.true&measure=R@3&document={first}").text
    assert f">({late[0]})</td>" in page
    assert "within the first 3" in page
