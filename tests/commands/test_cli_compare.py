"""The compare commands as a user types them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from leadline.show.papers import published

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def compare(tmp_path: Path) -> Command:
    """A small field: three runs of falling quality on twelve topics, as files."""
    rng = np.random.default_rng(4)
    judged, runs = [], {"good": [], "fair": [], "poor": []}
    for topic in range(1, 13):
        relevant = rng.choice(60, 12, replace=False)
        judged += [f"{topic} 0 d{d} {int(d in relevant)}" for d in range(60)]
        for noise, lines in zip((0.4, 0.8, 3.0), runs.values(), strict=True):
            score = np.isin(np.arange(60), relevant) + rng.normal(0, noise, 60)
            lines += [f"{topic} Q0 d{d} 1 {score[d]:.4f} t" for d in np.argsort(-score)[:30]]
    (tmp_path / "qrels").write_text("\n".join(judged))
    for name, lines in runs.items():
        (tmp_path / f"{name}.run").write_text("\n".join(lines))
    (tmp_path / "topics.csv").write_text(
        "topic,office,year\n" + "\n".join(f"{t},{'EP' if t % 2 else 'US'},{2000 + t}" for t in range(1, 13))
    )

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "leadline.cli", "compare", *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


FIELD = ["qrels", "good.run", "fair.run", "poor.run"]

COLUMNS = {
    "pairs": "measure run_a run_b mean_a mean_b difference effect low high wins ties losses p p_corrected",
    "power": "measure test alpha pairs significant power difference_needed",
    "correlation": "measure_a measure_b tau tau_ap",
    "incomplete": "measure keep samples mean lowest low high",
}


@pytest.mark.parametrize("command", COLUMNS)
def test_columns_are_those_promised(compare: Command, command: str) -> None:
    draws = {"incomplete": ["--samples", "5"], "pairs": ["--draws", "500"], "power": ["--draws", "500"]}
    result = compare(command, *FIELD, "-m", "AP R@20", *draws.get(command, []), "--format", "tsv")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].split("\t") == COLUMNS[command].split()
    assert len(lines) == 1 + {"pairs": 6, "power": 2, "correlation": 1, "incomplete": 8}[command]


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "bootstrap", "tukey"])
@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_every_test_finds_the_planted_difference(compare: Command, test: str, correction: str) -> None:
    result = compare(
        "pairs", *FIELD, "-m", "AP", "--test", test, "--correction", correction, "--draws", "2000", "-f", "tsv", "-q"
    )
    assert result.returncode == 0, result.stderr
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    (row,) = [row for row in rows if {row[1], row[2]} == {"good", "poor"}]
    assert float(row[-1]) < 0.05


def test_a_verdict_in_words(compare: Command) -> None:
    result = compare("verdict", *FIELD, "-m", "AP", "--samples", "20")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("good leads with AP ")
    assert "of 20 samples" in result.stdout
    assert "The lead rests on" in result.stdout


def test_slices_by_attribute(compare: Command) -> None:
    result = compare("slices", *FIELD, "-m", "AP", "--topics", "topics.csv", "--by", "office", "-f", "tsv")
    assert result.returncode == 0, result.stderr
    assert {"EP", "US"} <= {cell for line in result.stdout.splitlines() for cell in line.split("\t")}
    wrong = compare("slices", *FIELD, "-m", "AP", "--topics", "topics.csv", "--by", "ofice")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "no column 'ofice'; it has office, year" in wrong.stderr


def test_slices_by_number_of_relevant_documents(compare: Command) -> None:
    result = compare("slices", *FIELD, "-m", "AP", "--by", "relevant", "-f", "tsv")
    assert result.returncode == 0, result.stderr
    assert "12" in result.stdout
    assert "give a file" in compare("slices", *FIELD, "-m", "AP", "--by", "office").stderr


def test_incomplete_says_which_topics_are_left_out(compare: Command) -> None:
    result = compare("incomplete", *FIELD, "-m", "effort@0.7", "--samples", "3", "-f", "tsv")
    assert result.returncode == 0, result.stderr
    assert "effort@0.7: undefined for some runs and left out for all" in result.stderr


def test_agreement_of_three_measures(compare: Command) -> None:
    assert compare("agreement", *FIELD, "-m", "AP R@20 PRES@20").returncode == 0
    assert "takes three measures, not 2" in compare("agreement", *FIELD, "-m", "AP R@20").stderr


def test_scores_in_place_of_runs(compare: Command, tmp_path: Path) -> None:
    lines = ["run,MAP,recall,PRES"]
    lines += [f"{r['run']},{r['MAP']},{r['recall']},{r['PRES']}" for r in published.clef_ip_2009_scores()]
    (tmp_path / "clef.csv").write_text("\n".join(lines))
    result = compare("correlation", "--scores", "clef.csv", "--format", "tsv")
    assert result.returncode == 0, result.stderr
    tau = {tuple(line.split("\t")[:2]): float(line.split("\t")[2]) for line in result.stdout.splitlines()[1:]}
    assert tau["MAP", "recall"] == pytest.approx(0.56, abs=0.005)
    assert tau["recall", "PRES"] == pytest.approx(0.88, abs=0.005)
    assert tau["MAP", "PRES"] == pytest.approx(0.67, abs=0.005)
    assert "takes the place of" in compare("pairs", *FIELD, "--scores", "clef.csv").stderr
    assert "so give scores by topic" in compare("pairs", "--scores", "clef.csv", "-m", "MAP").stderr


def test_scores_written_by_evaluate_can_be_compared(compare: Command, tmp_path: Path) -> None:
    options = ["-m", "AP R@20", "--by-topic", "-f", "tsv", "-o", "s.tsv"]
    command = [sys.executable, "-m", "leadline.cli", "evaluate", *FIELD, *options]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    direct = compare("pairs", *FIELD, "-m", "AP", "--test", "t", "-f", "tsv", "-q")
    saved = compare("pairs", "--scores", "s.tsv", "-m", "AP", "--test", "t", "-f", "tsv", "-q")
    assert saved.returncode == 0, saved.stderr
    assert saved.stdout == direct.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pairs"], "give QRELS and RUN..., or --scores FILE"),
        (["pairs", *FIELD, "-m", "AP", "--test", "tt"], "did you mean t?"),
        (["pairs", "qrels", "good.run", "-m", "AP"], "a comparison needs two or more"),
        (["power", *FIELD, "-m", "AP", "--alpha", "5"], "5 is no level of significance"),
        (["incomplete", *FIELD, "-m", "AP", "--keep", "half"], "is not a list of shares from 0 to 1"),
        (["incomplete", *FIELD, "-m", "AP", "--keep", "20"], "is not a list of shares from 0 to 1"),
        (["verdict", *FIELD, "-m", "AP R@20"], "takes one measure"),
        (["correlation", "--scores", "nosuch.csv"], "nosuch.csv: no such file"),
    ],
)
def test_bad_requests_are_refused(compare: Command, arguments: list[str], message: str) -> None:
    result = compare(*arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_compare_alone_lists_what_can_be_compared(compare: Command) -> None:
    result = compare()
    assert result.returncode == 2
    assert "compare pairs" in result.stderr
