"""Runs of passages, judgements of passages, and the measures of their characters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import examples

from leadline.cli import main
from leadline.measures.characters import example
from leadline.measures.definition import parse_measure
from leadline.measures.evaluate import evaluate
from leadline.records.qrels import read_qrels
from leadline.trust.study import open_study

INEX = "7 0 d1 400 900 200 200:400\n7 0 d2 0 500 0\n7 0 d3 150 300 0 0:100 100:50\n8 0 d9 10 10 0 0:10\n"
GENOMICS = "7 d1 200 400 A|B\n7 d3 0 150\n8 d9 0 10\n"
RUN = (
    "7 Q0 d1 1 9.0 ours 100 400\n7 Q0 d2 2 8.0 ours 0 300\n7 Q0 d1 3 7.0 ours 400 300\n7 Q0 d3 4 6.0 ours 50 200\n"
    "8 Q0 d9 1 1.0 ours 0 20\n"
)
MEASURES = ("char_P", "char_R", "char_F", "char_AP", "passage_AP", "char_iP@0.01", "AiP", "char_P@250", "char_R@250")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inex.qrels").write_text(INEX)
    (tmp_path / "genomics.qrels").write_text(GENOMICS)
    (tmp_path / "ours.run").write_text(RUN)
    lines = [line.split() for line in RUN.splitlines()]
    (tmp_path / "seven.run").write_text("".join(f"{a} {d} {r} {s} {o} {n} {t}\n" for a, _, d, r, s, t, o, n in lines))
    return tmp_path


def one_by_one(passages: list[tuple[str, int, int]], relevant: dict[str, list[tuple[int, int]]]) -> dict[str, float]:
    """The measures from a list of characters, as their papers define them."""
    wanted = {(d, c) for d, spans in relevant.items() for start, end in spans for c in range(start, end)}
    seen: set[tuple[str, int]] = set()
    read, ends, hit_passages, gains = list[bool](), list[int](), 0, list[bool]()
    for document, start, length in passages:
        before = sum(read)
        for character in range(start, start + length):
            read.append((document, character) in wanted and (document, character) not in seen)
            seen.add((document, character))
        ends.append(len(read))
        gains.append(sum(read) > before)
    hit_passages = sum(gains)
    found = np.cumsum(read)
    precision, recall = found[-1] / len(read), found[-1] / len(wanted)
    at = [(found[end - 1] / end, found[end - 1]) for end in ends]
    interpolated = [max([p for p, n in at if n >= round(x * len(wanted) / 100, 9)], default=0.0) for x in range(101)]
    first = read[:250]
    judged = sum(len(spans) for spans in relevant.values())
    return {
        "char_P": precision,
        "char_R": recall,
        "char_F": 2 * precision * recall / (precision + recall) if found[-1] else 0.0,
        "char_AP": sum(found[i] / (i + 1) for i, hit in enumerate(read) if hit) / len(wanted),
        "passage_AP": sum(p for (p, _), new in zip(at, gains, strict=True) if new) / max(judged, hit_passages),
        "char_iP@0.01": interpolated[1],
        "AiP": sum(interpolated) / 101,
        "char_P@250": sum(first) / 250,
        "char_R@250": sum(first) / len(wanted),
    }


@pytest.mark.parametrize("seed", range(examples(30)))
def test_measures_of_characters_are_those_counted_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"d{n}" for n in range(5)]
    relevant = {
        name: [(100 * k, 100 * k + int(rng.integers(1, 90))) for k in range(rng.integers(1, 4))] for name in names
    }
    passages = [
        (names[rng.integers(5)], int(rng.integers(0, 300)), int(rng.integers(1, 120)))
        for _ in range(rng.integers(1, 12))
    ]
    passages = list(dict.fromkeys(passages))
    hits = example(passages, relevant)
    for name, value in one_by_one(passages, relevant).items():
        assert parse_measure(name)(hits)[0] == pytest.approx(value, abs=1e-12), name


def test_both_forms_of_files_give_the_same(folder: Path) -> None:
    tables = [
        evaluate(qrels, run, " ".join(MEASURES), qrels_format=form).values.tolist()  # type: ignore[arg-type]
        for qrels, form in (("inex.qrels", None), ("genomics.qrels", "characters"))
        for run in ("ours.run", "seven.run")
    ]
    assert all(table == tables[0] for table in tables)
    passages = [("d1", 100, 400), ("d2", 0, 300), ("d1", 400, 300), ("d3", 50, 200)]
    known = one_by_one(passages, {"d1": [(200, 600)], "d3": [(0, 150)]})
    assert tables[0][0][0] == pytest.approx([known[name] for name in MEASURES])
    read_qrels("inex.qrels").write("again.qrels")
    assert evaluate("again.qrels", "ours.run", " ".join(MEASURES)).values.tolist() == tables[0]


def test_a_verdict_and_fewer_judgements(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = open_study("inex.qrels", ["ours.run"], "char_R")
    kept = np.array([document != "d3" for document in study.qrels.documents.names()])
    assert study.only(kept).values().ravel().tolist() == [1.0, 1.0]
    assert study.values().ravel().tolist() == pytest.approx([500 / 550, 1.0])
    assert not main(["evaluate", "inex.qrels", "ours.run", "-m", "char_F AP", "-f", "json"])
    captured = capsys.readouterr()
    assert {row["measure"] for row in json.loads(captured.out)} == {"char_F", "AP"}
    assert "a document where its first passage stands" in captured.err
    assert not main(["explain", "AiP"])
    assert "INEX 2007" in capsys.readouterr().out
    assert not main(["explain", "char_R", "inex.qrels", "ours.run", "7"])
    assert "d3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("qrels", "run", "measure", "problem"),
    [
        (INEX, "7 Q0 d1 1 1 t 5 0\n", "char_P", "run.txt:1: a passage of 0 characters"),
        (
            INEX,
            "7 Q0 d1 1 1 t 5 9\n7 Q0 d1 2 0 t 5 9\n",
            "char_P",
            "same passage of 'd1' again (first on line 1)",
        ),
        (INEX, "7 Q0 d1 1 1 t 5 9\n7 Q0 d1 2 0 t\n", "char_P", "run.txt:2: not a passage: 6 fields"),
        (INEX, "7 Q0 d1 1 1 t\n", "char_P", "is a run of documents"),
        (INEX, "7 Q0 d1 1 x t 5 9\n", "char_P", "score 'x' is not a number"),
        ("7 0 d1 1\n", "7 Q0 d1 1 1 t 5 9\n", "char_P", "judges whole documents"),
        ("7 0 d1 1\n", "7 Q0 d1 1 1 t 5 9\n7 Q0 d1 2 0 t 50 9\n", "AP", "needs judgements of passages"),
        ("7 0 d1 0 5:0\n", "7 Q0 d1 1 1 t 5 9\n", "char_P", "a passage of 0 characters from 5 on"),
    ],
)
def test_wrong_passages_are_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qrels: str,
    run: str,
    measure: str,
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text(qrels)
    (tmp_path / "run.txt").write_text(run)
    with pytest.raises(SystemExit):
        main(["evaluate", "q.txt", "run.txt", "-m", measure])
    said = capsys.readouterr().err
    assert problem in said
    assert said.count("\n") == 1
