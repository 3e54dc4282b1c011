"""What is typed reaches the work: every option changes the answer as the same option of the Python function does."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.cli import main

Rows = list[dict[str, str]]
Command = Callable[..., Rows]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Three runs on nine topics with grades from -1 to 2; scores, ranks and the order of lines disagree."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    judged = [f"{t} 0 d{d} {int(rng.integers(-1, 3))}" for t in range(1, 10) for d in range(20)]
    Path("qrels").write_text("\n".join(judged), encoding="utf-8")
    for run in "abc":
        lines = [
            f"{t} Q0 d{d} {place} {float(rng.integers(0, 6))} {run}"
            for t in range(1, 10)
            for place, d in enumerate(rng.permutation(30)[:15].tolist(), start=1)
        ]
        Path(f"{run}.run").write_text("\n".join(lines), encoding="utf-8")
    Path("some").write_text("2\n3\n5\n7\n9\n", encoding="utf-8")

    def run_command(*arguments: str) -> Rows:
        main([*arguments, "-q", "--format", "tsv", "-o", "out.tsv"])
        return list(csv.DictReader(io.StringIO(Path("out.tsv").read_text(encoding="utf-8")), delimiter="\t"))

    return run_command


RUNS = ["a.run", "b.run", "c.run"]
TOPICS = ["2", "3", "5", "7", "9"]


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        (["--rel", "2"], {"rel": 2}),
        (["--order", "rank"], {"order": "rank"}),
        (["--order", "file"], {"order": "file"}),
        (["--unjudged", "condensed"], {"unjudged": "condensed"}),
        (["--topics", "some"], {"topics": TOPICS}),
    ],
)
def test_evaluate(command: Command, typed: list[str], given: dict[str, object]) -> None:
    plain = command("evaluate", "qrels", *RUNS, "-m", "AP P@5")
    found = command("evaluate", "qrels", *RUNS, "-m", "AP P@5", *typed)
    expected = ll.evaluate("qrels", RUNS, ["AP", "P@5"], **given).mean_values()  # type: ignore[arg-type]
    assert [float(row["value"]) for row in found] == expected.ravel().tolist()
    assert found != plain


def test_evaluate_ties_best_and_topics(command: Command) -> None:
    ties = command("evaluate", "qrels", *RUNS, "-m", "AP", "--ties")
    assert all(float(row["lowest"]) < float(row["value"]) < float(row["highest"]) for row in ties)
    ranked = sorted(ties, key=lambda row: -float(row["value"]))
    assert [row["run"] for row in command("evaluate", "qrels", *RUNS, "-m", "AP", "--best", "2")] == [
        row["run"] for row in ranked[:2]
    ]
    by_topic = command("evaluate", "qrels", "a.run", "-m", "AP", "--by-topic")
    assert [row["topic"] for row in by_topic] == [*map(str, range(1, 10)), "all"]


PAIRS = ["compare", "pairs", "qrels", *RUNS, "-m", "AP", "--draws", "300"]


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ([], {}),
        (["--seed", "7"], {"seed": 7}),
        (["--correction", "none"], {"correction": "none"}),
        (["--correction", "bonferroni"], {"correction": "bonferroni"}),
        (["--test", "t"], {"test": "t"}),
        (["--test", "wilcoxon", "--correction", "bh"], {"test": "wilcoxon", "correction": "bh"}),
        (["--draws", "150"], {"draws": 150}),
        (["--rel", "2"], {"rel": 2}),
        (["--order", "file"], {"order": "file"}),
        (["--only", "some"], {"topics": TOPICS}),
    ],
)
def test_compare_pairs(command: Command, typed: list[str], given: dict[str, object]) -> None:
    reading = {name: given[name] for name in ("rel", "order", "topics") if name in given}
    how = {name: given[name] for name in given if name not in reading}
    scores = ll.evaluate("qrels", RUNS, ["AP"], **reading)  # type: ignore[arg-type]
    expected = ll.compare(scores, "AP", **{"draws": 300, "seed": 1, **how}).table()
    found = command(*PAIRS, *typed)
    for column in ("p", "p_corrected", "difference"):
        place = list(expected.columns).index(column)
        assert [float(row[column]) for row in found] == [row[place] for row in expected.rows]
    assert not typed or found != command(*PAIRS)


@pytest.fixture
def close_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lead on each of five topics: p is 2/32, between 5 and 10 %."""
    monkeypatch.chdir(tmp_path)
    judged = [f"{t} 0 r{n} 1\n" for t in range(1, 6) for n in range(6)]
    Path("qrels").write_text("".join(judged), encoding="utf-8")
    good = [f"{t} Q0 r{n} 1 {9 - n} good\n" for t in range(1, 6) for n in range(6)]
    fair = [f"{t} Q0 r{n} 1 {9 - n} fair\n" for t in range(1, 6) for n in range(t)]
    Path("good.run").write_text("".join(good), encoding="utf-8")
    Path("fair.run").write_text("".join(fair), encoding="utf-8")


@pytest.mark.parametrize("inputs", ["runs", "scores"])
def test_the_level_of_a_verdict(close_call: None, inputs: str) -> None:
    main(
        ["evaluate", "qrels", "good.run", "fair.run", "-m", "AP", "--by-topic", "--format", "tsv", "-q", "-o", "s.tsv"]
    )
    given = ["qrels", "good.run", "fair.run", "--samples", "4"] if inputs == "runs" else ["--scores", "s.tsv"]
    words = {}
    for alpha in ("0.05", "0.1"):
        arguments = ["compare", "verdict", *given, "-m", "AP", "--alpha", alpha, "--format", "tsv", "-q", "-o", "v.tsv"]
        main(arguments)
        (row,) = csv.DictReader(io.StringIO(Path("v.tsv").read_text(encoding="utf-8")), delimiter="\t")
        assert float(row["p"]) == 0.0625
        words[alpha] = row["verdict"]
    assert words["0.05"] == "undecided"
    assert words["0.1"] != "undecided"


@pytest.mark.parametrize(("option", "value"), [("--samples", "3"), ("--seed", "5"), ("--keep", "0.5")])
def test_incomplete(command: Command, option: str, value: str) -> None:
    plain = ["compare", "incomplete", "qrels", *RUNS, "-m", "AP", "--samples", "4", "--keep", "0.3"]
    assert command(*plain) == command(*plain)
    assert command(*plain, option, value) != command(*plain)


def test_seeds_below_0_are_refused(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command(*PAIRS, "--seed", "-1")
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("leadline compare pairs: --seed")
