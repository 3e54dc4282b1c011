"""Measures estimated from judgements drawn with known probabilities: the file, the values, intervals and words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.cli import main
from leadline.errors import InputError, MeasureError
from leadline.measures.evaluate import evaluate
from leadline.records.qrels import Qrels, read_qrels
from leadline.trust.study import at_random, open_study

LINES = """\
1 0 a 2 1.0 0.9
1 0 b -1 0.25 0.5
1 0 c 0 0.5 0.25
1 0 d 1 0.5 0.125
1 0 e -2 0.5 0.5
2 0 a -1 0.5 0.5
2 0 f 1 1.0 0.5
"""
RUNS = {
    "x": {"1": {"b": 5, "a": 4, "d": 3, "z": 2}, "2": {"f": 2, "a": 1}},
    "y": {"1": {"c": 5, "d": 4, "e": 3}, "2": {"a": 2, "f": 1}},
}


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    (tmp_path / "drawn.txt").write_text(LINES)
    return tmp_path / "drawn.txt"


def test_a_file_of_drawn_judgements_is_recognised_and_written_again(drawn: Path, tmp_path: Path) -> None:
    qrels = read_qrels(drawn)
    assert (qrels.kind, len(qrels)) == ("drawn", 7)
    assert "(drawn)" in str(qrels)
    assert qrels.probabilities is not None
    assert qrels.expected is not None
    qrels.write(tmp_path / "again.txt")
    again = read_qrels(tmp_path / "again.txt", format="drawn")
    for name in ("grades", "probabilities", "expected"):
        np.testing.assert_array_equal(getattr(again, name), getattr(qrels, name))
    few = qrels.restricted_to(["2"])
    assert few.expected is not None
    assert few.expected.tolist() == [0.5, 0.5]
    frame = qrels.to_polars()
    assert frame.columns == ["topic", "document", "grade", "probability", "expected"]
    assert Qrels.of(frame).kind == "drawn"
    np.testing.assert_array_equal(evaluate(frame, RUNS, "AP").values, evaluate(drawn, RUNS, "AP").values)
    with pytest.raises(InputError, match="a probability is not between 0 and 1"):
        Qrels.from_columns(["1"], ["a"], [1], probabilities=[0.0], expected=[0.5])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1 0 a 1 0 0.5", "1: probability of being drawn 0 is not between 0 and 1"),
        ("1 0 a 1 0.5 1.5", "1: expected probability of relevance 1.5 is not between 0 and 1"),
        ("1 0 a 1 0.5", r"5 fields, expected 6 \(topic 0 document grade probability expected\)"),
        ("1 0 a 1 0.5 0.5 7", "7 fields, expected 6"),
        ("1 0 a 1 half 0.5", "probability 'half' is not a number"),
        ("1 0 a 1 0.5 0.5\n1 0 a 0 0.5 0.5", "document 'a' is judged twice"),
    ],
)
def test_wrong_lines_are_named(line: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(line + "\n")
    with pytest.raises(InputError, match=problem):
        read_qrels(tmp_path / "q.txt", format="drawn")


def test_a_run_in_the_place_of_judgements_is_still_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 1 0.9 0.5\n1 Q0 b 2 0.8 0.5\n1 Q0 c 3 7.8 0.5\n")
    with pytest.raises(InputError, match="looks like a run"):
        read_qrels(tmp_path / "a.run")


def test_values_worked_by_hand(drawn: Path) -> None:
    # Topic 1: what the documents count is a .9 + .1 = 1, b .5, c .25 - .25/.5 = -.25, d .125 + .875/.5 = 1.875, e .5:
    # 3.625 relevant. Precision of x at 4 is (.5 + 1 + 1.875) / 4, known without a divisor.
    found = evaluate(drawn, RUNS, "P@4 R")
    assert found.of("P@4")[0].tolist() == pytest.approx([3.375 / 4, 1.5 / 4])
    # Recall of x: 3.375 / 3.625, and Beale's correction: k e² is 2 · .25² for c and 2 · .875² for d.
    c, d, n = 2 * 0.25**2, 2 * 0.875**2, 3.625
    plain = 3.375 / n
    corrected = plain + ((1 - plain) * d - plain * c) / n**2 / (1 + (c + d) / n**2)
    assert found.of("R")[0, 0] == pytest.approx(corrected)
    assert found.sampling is not None
    # The variance: each document's as if it were left out of the divisor, by at most 70 %.
    left_c, left_d = 1 + 0.5 / n, 1 - 1.75 / n
    wanted = ((1 - plain) ** 2 * d / left_d**2 + plain**2 * c / left_c**2) / n**2
    assert found.sampling[0, 0, 1] == pytest.approx(wanted)
    assert found.sampling[0, 1].tolist() == [0, 0]  # all of topic 2 that is judged was certain to be


def test_a_thousand_samples_are_right_on_average_and_vary_as_the_variance_says() -> None:
    rng = np.random.default_rng(1)
    count = 60
    expected = np.clip(1 / (1 + np.arange(count) / 8), 0.02, 0.9)
    relevant = rng.random(count) < expected
    chance = np.clip(0.2 + expected, 0, 1)
    names = [f"d{n:02}" for n in range(count)]
    runs = {str(r): {"1": {d: float(-n + 12 * rng.random()) for n, d in enumerate(names)}} for r in range(3)}
    measures = "AP P@10 PRES@40 R@30 nDCG@20"
    real = evaluate({"1": dict(zip(names, relevant.astype(int).tolist(), strict=True))}, runs, measures).values[:, 0]
    values, variances = [], []
    for _ in range(400):
        grades = np.where(rng.random(count) < chance, relevant, -1)
        qrels = Qrels.from_columns(
            ["1"] * count, names, grades, probabilities=chance.tolist(), expected=expected.tolist()
        )
        found = evaluate(qrels, runs, measures)
        assert found.sampling is not None
        values.append(found.values[:, 0])
        variances.append(found.sampling[:, 0])
    np.testing.assert_allclose(np.mean(values, axis=0), real, atol=0.02)
    ratio = np.mean(variances, axis=0) / np.var(values, axis=0)
    assert (ratio > 0.75).all()
    assert (ratio < 1.6).all()


def test_what_cannot_be_estimated_is_refused(drawn: Path) -> None:
    with pytest.raises(MeasureError, match=r"bpref cannot be estimated .* AP, nDCG, P, PRES and R can be"):
        evaluate(drawn, RUNS, "bpref")
    with pytest.raises(MeasureError, match="has none"):
        evaluate({"1": {"a": 1}}, RUNS, "statAP")
    for how in ({"ties": True}, {"unjudged": "right"}):
        with pytest.raises(InputError, match="drawn with known probabilities"):
            evaluate(drawn, RUNS, "AP", **how)  # type: ignore[arg-type]
    assert evaluate(drawn, RUNS, "judged@2").values[0, 0, 0] == 0.5


def test_intervals_and_words(drawn: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        f"{t} 0 d{n} {(n + t) % 3 - 1} {0.3 + 0.05 * (n % 9):g} {1 / (n + 2):.3g}"
        for t in range(1, 9)
        for n in range(20)
    ]
    drawn.write_text("\n".join(lines) + "\n")
    for name, step in (("good", 7), ("poor", 3)):
        run = [f"{t} Q0 d{(n * step + t) % 20} {n + 1} {20 - n} {name}\n" for t in range(1, 9) for n in range(20)]
        (tmp_path / f"{name}.run").write_text("".join(run))
    runs = [str(tmp_path / f"{name}.run") for name in ("good", "poor")]
    main(["evaluate", str(drawn), *runs, "-m", "AP"])
    said = capsys.readouterr()
    assert said.out.splitlines()[-1].count("±") == 2
    assert "estimated from 13 to 14 judged a topic, drawn with known probabilities" in said.err.replace("\n", " ")
    main(["evaluate", str(drawn), *runs, "-m", "AP", "-f", "tsv", "-q"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["run", "topic", "measure", "value", "low", "high"]
    assert float(rows[1][4]) < float(rows[1][3]) < float(rows[1][5])
    found = ll.verdict(str(drawn), runs, "AP")
    assert "AP is estimated from 13 to 14 judged a topic" in str(found)
    assert "never judged" not in str(found)


def test_half_of_drawn_judgements_is_a_draw_too() -> None:
    rng = np.random.default_rng(3)
    names = [f"d{n:02}" for n in range(40)]
    grades = rng.integers(-1, 2, 40)
    chance = rng.uniform(0.3, 1, 40)
    qrels = Qrels.from_columns(["1"] * 40, names, grades, probabilities=chance.tolist(), expected=[0.3] * 40)
    runs = {"x": {"1": {d: float(-n) for n, d in enumerate(names)}}}
    study = open_study(qrels, runs, "R@10 AP")
    np.testing.assert_array_equal(study.values(), evaluate(qrels, runs, "R@10 AP").values)
    values = []
    for seed in range(300):
        kept = at_random(study.qrels, 0.5, np.random.default_rng(seed))
        assert kept[study.qrels.grades < 0].all()
        half = study.only(kept).qrels
        made = study.qrels.grades >= 0
        assert abs((half.grades >= 0).sum() - made.sum() / 2) <= 1
        values.append(study.sampled(kept).values[0, 0])
    np.testing.assert_allclose(np.mean(values, axis=0), study.values()[0, 0], atol=0.06)
