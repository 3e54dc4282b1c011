"""`leadline review simulate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

WORDS = {True: "migraine triptan headache pain relief", False: "asthma inhaler lung steroid children"}


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 120 records with labels, as ASReview exports it, and its collection."""
    from leadline.cli import main

    folder = tmp_path_factory.mktemp("review")
    lines = ["record_id,title,abstract,label_included"]
    for n in range(120):
        relevant = n % 6 == 0
        words = WORDS[relevant].split()
        lines.append(f"{n},{words[n % 5]} study {n},{words[n % 4]} {words[(n + 1) % 5]} trial,{int(relevant)}")
    (folder / "review.csv").write_text("\n".join(lines) + "\n")
    main(["collection", "build", str(folder / "review.csv"), "-o", str(folder / "articles"), "--keep", "all", "-q"])
    return folder


def test_the_table(review: Path, office: Any) -> None:
    arguments = "review", "simulate", str(review / "articles"), str(review / "review.csv"), "--seeds", "3"
    rows = office.rows(*arguments)
    thumb = {"autostop", "buscar", "chao"}  # the others are tried only when they are named
    assert {row["rule"] for row in rows} == {"ppr", "ranked", "qbcb", *thumb}
    by_rule = {row["rule"]: row for row in rows}
    assert by_rule["ppr"]["reached"] == 1
    assert by_rule["ppr"]["kind"] == "guarantee"
    assert all(row["best possible"] < 0.3 for row in rows)
    _, err = office.run(*arguments)
    assert "work saved over sampling (WSS) at 95 % recall, mean of the reviews, with 0.95 R rounded: svm 0." in err
    assert all(f" {rounding}" in err for rounding in ("up,", "to nearest,", "down"))


def test_runs_are_read_by_evaluate(review: Path, office: Any, tmp_path: Path) -> None:
    labels = tmp_path / "labels.qrels"
    office.run("qrels", "labels", str(review / "review.csv"), "-o", str(labels))
    runs = tmp_path / "runs"
    for seeds in ("3", "2"):  # a second time into the same folder: what is no longer made is removed
        office.run(
            "review", "simulate", str(review / "articles"), str(labels), "--seeds", seeds, "--rule", "ppr",
            "--learner", "svm,naive-bayes", "--runs", str(runs), "--by-review", "-f", "tsv",
        )  # fmt: skip
    names = sorted(path.name for path in runs.glob("*.run"))
    assert names == ["naive-bayes-1.run", "naive-bayes-2.run", "svm-1.run", "svm-2.run"]
    out, err = office.run("evaluate", str(labels), str(runs), "-m", "R@60", "-f", "json")
    assert {each["value"] for each in json.loads(out)} == {1.0}
    assert "leadline.jsonl" not in err


@pytest.mark.parametrize(
    ("more", "status", "problem"),
    [
        (["--rule", "prp"], 2, "did you mean ppr"),
        (["--learner", "smv"], 2, "did you mean svm"),
        (["--target", "1.5"], 2, "--target"),
        (["--column", "nothing"], 1, "nothing"),
    ],
)
def test_wrong_options(review: Path, office: Any, more: list[str], status: int, problem: str) -> None:
    files = str(review / "articles"), str(review / "review.csv")
    said = office.error("review", "simulate", *files, *more, status=status)
    assert problem in said


def test_what_both_certificates_are_worth_if_readers_overlook(review: Path, office: Any) -> None:
    files = "review", "simulate", str(review / "articles"), str(review / "review.csv"), "--seeds", "2"
    rows = office.rows(*files, "--overlook", "0,0.2", "--target", "0.8", "--hard")
    assert [(row["overlooked"], row["certificate"]) for row in rows] == [
        *((0.0, "reading"), (0.0, "audit")),
        *((0.2, "reading"), (0.2, "audit")),
    ]
    assert all(row["reached"] == 1 for row in rows if row["certificate"] == "audit")
    rows = office.rows(*files, "--overlook", "0.2", "--readers", "2", "--by-review")
    assert [row["certificate"] for row in rows] == ["reading", "two readers", "audit"]
    _, err = office.run(*files, "--overlook", "0.2")
    assert "that the expert reads beside what was kept" in " ".join(err.split())
    for more, problem in (
        (["--hard"], "--hard: needs --overlook"),
        (["--readers", "2"], "--readers: needs --overlook"),
        (["--overlook", "1"], "--overlook"),
        (["--overlook", "0.1", "--rule", "ppr"], "--rule: a simulation of what readers overlook has no rule"),
        (["--overlook", "0.1", "--learner", "svm,naive-bayes"], "takes one learner"),
    ):
        assert problem in office.error(*files, *more, status=2)


def test_labels_that_do_not_fit(review: Path, office: Any, tmp_path: Path) -> None:
    labels = tmp_path / "labels.qrels"
    labels.write_text("T 0 elsewhere 1\nT 0 0 0\n")
    simulate = "review", "simulate", str(review / "articles")
    assert "topic T: elsewhere is not in the collection" in office.error(*simulate, str(labels))
    labels.write_text("T 0 elsewhere 1\nT 0 0 0\nT 0 nowhere 0\n")
    assert office.error(*simulate, str(labels)).strip().endswith(", as 1 of the other labelled documents")
    table = tmp_path / "one.csv"
    table.write_text("record_id,title,abstract,label_included\n3,a,b,0\n")
    said = office.error(*simulate, str(table))
    assert said.strip() == f"{table}: topic one: all documents are not relevant, a learner needs both"


def test_a_rule_gives_the_same_with_and_without_others(review: Path, office: Any) -> None:
    arguments = "review", "simulate", str(review / "articles"), str(review / "review.csv"), "--seeds", "5"
    together = {row["rule"]: row for row in office.rows(*arguments)}
    for rule in ("qbcb", "ppr"):
        assert office.rows(*arguments, "--rule", rule) == [together[rule]]


def test_a_finished_review_is_copied_brought_back_and_tried_again(review: Path, office: Any, tmp_path: Path) -> None:
    from leadline.judge.review.exchange import begin_review
    from leadline.judge.review.project import ReviewSettings

    made = begin_review(tmp_path / "r", [review / "review.csv"], ReviewSettings("Migraine"), labels=True)
    _, err = office.run("review", "backup", str(made.folder), "-o", str(tmp_path / "monday.zip"))
    assert "121 events and" in err
    _, err = office.run("review", "import", str(tmp_path / "again"), str(tmp_path / "monday.zip"))
    assert "brought back" in err
    _, err = office.run("review", "import", str(made.folder), str(tmp_path / "monday.zip"))
    assert "0 events added" in err
    said = office.error("review", "backup", str(made.folder), "-o", str(tmp_path / "monday.zip"))
    assert "exists already" in said
    out, err = office.run("review", "simulate", str(tmp_path / "again"), "--seeds", "2", "--rule", "ppr,budget")
    assert "budget" in out
    assert "the review itself: 120 of 120 documents read (1.000), 20 documents relevant" in err
    assert "cheapest that always reached 95 %: svm with budget" in err
