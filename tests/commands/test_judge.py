"""`leadline judge export`, `status`, `agreement` and `import`, over marks made as tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from leadline.cli import main
from leadline.judge.pools import Pool


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A pool of two runs, judged by two assessors who agree in part, and by an expert on one topic."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    for name, skill in (("good", 1.0), ("poor", 0.2)):
        lines = []
        for t in (1, 2, 3):
            score = {f"d{n}": skill * (n % 6 == 0) + rng.random() for n in range(80)}
            ranked = sorted(score, key=lambda d: -score[d])
            lines += [f"{t} Q0 {d} {r} {100 - r} {name}\n" for r, d in enumerate(ranked, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    main(["pool", "good.run", "poor.run", "-o", "pool.txt", "-q"])
    wanted = Pool.read("pool.txt").to_judge().select("topic", "document").rows()
    for person, error in (("anna", 0.05), ("ben", 0.2)):
        rows = [
            f"{topic} 0 {document} {int((int(document[1:]) % 6 == 0) != (rng.random() < error))}\n"
            for topic, document in wanted
        ]
        (tmp_path / f"{person}.txt").write_text("".join(rows))
    expert = [
        f"{topic} 0 {document} {2 * (int(document[1:]) % 6 == 0)}\n" for topic, document in wanted if topic == "1"
    ]
    (tmp_path / "eve.txt").write_text("".join(expert))
    main(["judge", "import", "pool.txt", "anna.txt", "--person", "anna"])
    main(["judge", "import", "pool.txt", "ben.txt", "--person", "ben"])
    main(["judge", "import", "pool.txt", "eve.txt", "--person", "eve", "--role", "expert"])
    capsys.readouterr()
    return tmp_path


def test_an_import_is_done_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "import", "pool.txt", "anna.txt", "--person", "anna"])
    assert capsys.readouterr().out == "anna.txt: 0 events added\n"
    main(["judge", "import", "pool.txt", "pool.txt.journal"])
    assert "0 events added" in capsys.readouterr().out


def test_a_judged_pool_is_not_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / "pool.txt").read_bytes()
    with pytest.raises(SystemExit):
        main(["pool", "good.run", "-o", "pool.txt"])
    assert "was judged already" in capsys.readouterr().err
    assert (folder / "pool.txt").read_bytes() == before


def test_what_is_exported_is_evaluated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "export", "pool.txt", "-o", "qrels.txt"])
    assert "not judged by an expert: there the merged grade stands" in capsys.readouterr().err
    grades = {line.split()[4] for line in (folder / "qrels.txt").read_text().splitlines()}
    assert grades == {"-1", "0", "1", "2"}
    main(["evaluate", "qrels.txt", "good.run", "poor.run", "-m", "xinfAP infNDCG", "--qrels-format", "strata"])
    assert "First of 2 runs: good" in capsys.readouterr().out
    main(["judge", "export", "pool.txt", "--until", "2000-01-01T00:00:00Z", "-o", "before.txt"])
    assert {line.split()[4] for line in (folder / "before.txt").read_text().splitlines()} == {"-1", "-2"}


def test_a_moment_is_read_in_any_usual_form(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for moment in ("2999-01-01", "2999-01-01 12:30", "2999-01-01T12:30:00+02:00", "2000-01-01T00:00Z"):
        main(["judge", "export", "pool.txt", "--until", moment, "-o", "then.txt"])
        said.append(capsys.readouterr().err.splitlines()[0].split(" judged")[0].strip())
    assert said[0] == said[1] == said[2] != said[3] == "0 documents"
    with pytest.raises(SystemExit):
        main(["judge", "export", "pool.txt", "--until", "yesterday", "-o", "then.txt"])
    assert "'yesterday' is not a moment" in capsys.readouterr().err


def test_the_verdict_by_each_persons_marks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "agreement", "pool.txt", "--runs", "good.run", "poor.run", "--samples", "5"])
    assert capsys.readouterr().out.startswith("The verdict does")
    with pytest.raises(SystemExit):
        main(["judge", "agreement", "pool.txt", "--runs", "good.run", "-m", "AP R"])
    assert "name one measure" in capsys.readouterr().err


def test_progress_and_what_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "status", "pool.txt"])
    said = capsys.readouterr().out
    assert "anna" in said
    assert "How much is still missing" in said
    main(["judge", "status", "pool.txt", "--missing", "-f", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["topic", "pooled", "judged", "found", "relevant", "low", "high", "recall"]
    assert all(float(row[5]) <= float(row[4]) <= float(row[6]) for row in rows[1:])
    main(["judge", "status", "pool.txt", "--drift", "-f", "tsv"])
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3 * 4
    main(["judge", "status", "pool.txt", "--found", "-f", "tsv"])
    found = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert found[0][:2] == ["topic", "read"]
    assert [(row[1], row[5]) for row in found[1:]] == [(row[2], row[3]) for row in rows[1:]]  # judged and found
    for row in found[1:]:
        assert sorted(map(int, row[2:6])) == list(map(int, row[2:6]))
        assert int(row[6]) == int(row[5]) - int(row[4])


def test_agreement_in_all_its_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["judge", "agreement", "pool.txt"])
    said = capsys.readouterr().out
    for word in ("kappa, linear", "alpha, ordinal", "conflict", "Documents by grade", "to the expert's"):
        assert word in said
    for by in ("topic", "grade", "shift", "stage"):
        assert not main(["judge", "agreement", "pool.txt", "--by", by, "-f", "json"])
        assert json.loads(capsys.readouterr().out)
    main(["judge", "agreement", "pool.txt", "--runs", "good.run", "poor.run", "-f", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows[1:]] == ["anna", "ben", "merged", "eve", "final"]
    assert all(row[1] == "good" for row in rows[1:])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["judge", "export", "pool.txt", "--stage", "ana"], "did you mean anna"),
        (["judge", "import", "pool.txt", "anna.txt"], "say who made the marks"),
        (["judge", "import", "pool.txt", "nothing.txt"], "nothing.txt"),
        (["judge", "status", "nothing.txt"], "nothing.txt"),
        (["judge", "status", "good.run"], "good.run"),
    ],
)
def test_wrong_input_is_one_line(
    folder: Path, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    said = capsys.readouterr().err
    assert problem in said
    assert said.count("\n") == 1
