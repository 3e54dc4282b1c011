"""`leadline plan`: from judgements and runs, from scores, and before any data."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def plan(in_process: Callable[..., subprocess.CompletedProcess[bytes]], tmp_path: Path) -> Command:
    """`leadline plan` in a folder with two runs on twelve topics."""
    rng = np.random.default_rng(4)
    judged, runs = [], {"good": [], "fair": []}
    for topic in range(1, 13):
        relevant = rng.choice(60, 12, replace=False)
        judged += [f"{topic} 0 d{d} {int(d in relevant)}" for d in range(60)]
        for noise, lines in zip((0.5, 0.8), runs.values(), strict=True):
            score = np.isin(np.arange(60), relevant) + rng.normal(0, noise, 60)
            lines += [f"{topic} Q0 d{d} 1 {score[d]:.4f} t" for d in np.argsort(-score)[:30]]
    (tmp_path / "qrels").write_text("\n".join(judged))
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("\n".join(lines))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = in_process(tmp_path, "plan", *arguments)
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def test_a_pilot_of_judgements_and_runs(plan: Command) -> None:
    done = plan("qrels", "good.run", "fair.run", "-m", "AP", "--samples", "30")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert text.startswith("good against fair, a difference of ")
    assert "For a firm verdict, significant again with half the judgements: " in text
    assert "(60 a topic, as the pilot has for the pools of its runs)" in text
    assert "Topics by the number of runs: 2 runs " in text
    assert "topics judgements power firm" in text


def test_a_table_for_programs(plan: Command) -> None:
    rows = json.loads(plan("qrels", "good.run", "fair.run", "-m", "AP", "--difference", "0.05", "-f", "json").stdout)
    simulated = [row for row in rows if row["power"] is not None]
    assert [row["difference"] for row in simulated] == pytest.approx([0.05] * len(simulated))
    assert all(row["judgements"] == 60 * row["topics"] for row in rows if row["topics"])
    needed = [row for row in simulated if row["topics"] == row["topics_needed_firm"]]
    assert needed
    assert all(0.75 < row["firm"] < 0.9 for row in needed)
    assert [row["runs"] for row in rows if row["power"] is None] == [2, 5, 10, 20, 50, 100]


def test_scores_have_no_judgements(plan: Command, tmp_path: Path) -> None:
    rows = [f"{run}\t{t}\tAP\t{0.3 + 0.1 * (run == 'x') + 0.01 * (t * 7 % 13)}" for run in "xy" for t in range(10)]
    (tmp_path / "scores.tsv").write_text("\n".join(["run\ttopic\tmeasure\tvalue", *rows]))
    done = plan("--scores", "scores.tsv", "--difference", "0.02")
    assert done.returncode == 0, done.stderr
    assert "judgements" not in done.stdout
    assert "without the judgements, neither their number nor the rule of half of them" in " ".join(done.stderr.split())


def test_before_any_data(plan: Command) -> None:
    done = plan("-m", "AP", "--difference", "0.05", "--runs", "10")
    assert done.returncode == 0, done.stderr
    assert "To find a difference of 0.05 in AP among 45 comparisons with a probability of 80 %" in done.stdout.replace(
        "\n", " "
    )
    assert "TREC-COVID" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("-m", "AP"), 2, "give a pilot's judgements and runs"),
        (("qrels",), 2, "give judgements and runs"),
        (("-m", "AP", "--difference", "0.1", "--runs", "3", "--comparisons", "2"), 2, "give one of the two"),
        (("qrels", "good.run", "fair.run", "-m", "AP R@10"), 2, "name one measure"),
        (("-m", "AP", "--difference", "0"), 2, "must be above 0"),
        (("qrels", "good.run", "fair.run", "-m", "last_rel"), 1, "gives no verdict"),
    ],
)
def test_wrong_input_is_one_line(plan: Command, arguments: tuple[str, ...], status: int, words: str) -> None:
    done = plan(*arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr.strip().splitlines()[-1]
