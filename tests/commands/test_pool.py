"""`leadline pool`."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, step in (("a", 1), ("b", -1), ("late", 3)):
        lines = [
            f"{t} Q0 d{(place * step) % 60} {place + 1} {60 - place} {name}\n" for t in (1, 2) for place in range(60)
        ]
        (tmp_path / f"{name}.run").write_text("".join(dict.fromkeys(lines)) if step != 3 else "".join(lines[:20]))
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 d{n} {int(n % 7 == 0)}\n" for t in (1, 2) for n in range(60)))
    return tmp_path


def test_a_pool_is_written_and_described(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["pool", "a.run", "b.run", "-o", "pool.txt"])
    said = capsys.readouterr().out
    assert said.startswith("pool.txt: ")
    assert "ranks 11-30" in said
    assert "found_only_by_it" in said
    first = (folder / "pool.txt").read_text().splitlines()[0].split()
    assert (first[0], first[1], first[4]) == ("1", "0", "-2")
    main(["pool", "late.run", "--extend", "pool.txt", "-o", "more.txt", "-q"])
    assert (folder / "more.txt").read_text().splitlines()


def test_one_table_for_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for by, first in (("topic", "topic"), ("run", "run")):
        main(["pool", "a.run", "b.run", "-o", "pool.txt", "-f", "tsv", "--by", by])
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        assert (rows[0][0], len(rows)) == (first, 3)


def test_a_run_added_later_is_sampled_at_the_rates_of_the_budget(folder: Path) -> None:
    lines = [f"{t} Q0 x{n} {n + 1} {60 - n} new\n" for t in (1, 2) for n in range(60)]
    (folder / "new.run").write_text("".join(lines))
    main(["pool", "a.run", "b.run", "-o", "pool.txt", "--budget", "12", "-q"])
    main(["pool", "new.run", "--extend", "pool.txt", "-o", "more.txt", "-q"])
    before, after = ((folder / name).read_text().splitlines() for name in ("pool.txt", "more.txt"))
    assert set(before) <= set(after)
    new = [line.split() for line in after if line not in set(before)]
    drawn = sum(fields[4] == "-2" for fields in new) / len(new)
    assert drawn == pytest.approx(24 / len(before), abs=0.08)


def test_rules_are_compared_and_say_what_comes_next(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["pool", "a.run", "b.run", "--simulate", "qrels.txt", "--budget", "20", "-f", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {row[0] for row in rows[1:]} == {"depth", "move-to-front", "bandit"}
    (folder / "some.txt").write_text("1 0 d0 1\n")
    main(["pool", "a.run", "b.run", "--judged", "some.txt", "--rule", "bandit", "--budget", "3", "-f", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 7
    assert ["1", "d0"] not in rows


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["pool", "a.run"], "-o: name the file of the pool"),
        (["pool", "a.run", "-o", "x", "--strata", "10:5"], "a rate must be above 0 and at most 1, got 5"),
        (["pool", "a.run", "-o", "x", "--depth", "5", "--strata", "5:1"], "cannot be combined with --strata"),
        (["pool", "a.run", "-o", "x", "--rule", "bandit"], "needs --judged"),
        (["pool", "a.run", "-o", "x", "--extend", "p", "--budget", "9"], "keeps the strata"),
        (["pool", "a.run", "-o", "x", "--budget", "0"], "must be at least 1"),
        (["pool", "a.run", "-o", "-"], "-o: name the file of the pool"),
        (["pool", "a.run", "-o", "x", "-f", "parquet"], "Parquet is not text"),
    ],
)
def test_wrong_usage_is_one_line(
    folder: Path, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert problem in said
    assert said.count("\n") == 1
