"""`leadline strategy run`, `translate` and `measure`; `leadline run` of a folder of strategies."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.retrieval.strategy.conftest import DOCUMENTS, searched

from leadline.cli import main

TEXT = '1. exp Heart Attack/\n2. film$.ti.\n3. or/1-2\n4. limit 3 to yr="2011-2014"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("strategy")
    searched(DOCUMENTS, path)
    (path / "hearts.txt").write_text(TEXT)
    return path


def test_a_strategy_is_printed_line_by_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["strategy", "run", str(folder / "index"), str(folder / "hearts.txt"), "--format", "tsv"])
    printed = capsys.readouterr()
    lines = [line.split("\t") for line in printed.out.splitlines()]
    assert lines[0] == ["line", "query", "understood", "documents", "notes"]
    assert [line[3] for line in lines[1:]] == ["2", "3", "5", "3"]
    assert "4 lines (Ovid): 3 understood as asked, 1 with a change that its notes name" in printed.err


def test_the_result_is_written(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("found.run", "found.ris", "found.csv", "found.txt"):
        main(["strategy", "run", str(folder / "index"), str(folder / "hearts.txt"), "-o", str(tmp_path / name)])
    assert (tmp_path / "found.txt").read_text() == "D4\nD5\nD7\n"
    assert (tmp_path / "found.run").read_text().startswith("hearts Q0 D7 1 ")
    assert (tmp_path / "found.ris").read_text().count("TY  - ") == 3
    capsys.readouterr()


def test_a_strategy_is_translated(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "embase.txt"
    main(["strategy", "translate", str(folder / "hearts.txt"), "--to", "embase", "-o", str(output)])
    capsys.readouterr()
    assert output.read_text() == (
        "1. 'Heart Attack'/exp\n2. (film*):ti\n3. #1 OR #2\n4. #3 AND [2011-2014]/py\n"
    )  # fmt: skip


def test_a_strategy_is_measured(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("hearts 0 D7 1\nhearts 0 D8 1\nhearts 0 D5 0\n")
    main(["strategy", "measure", str(folder / "index"), str(folder / "hearts.txt"), str(qrels)])
    printed = capsys.readouterr()
    assert "lines that lose relevant documents: 4" in printed.err
    assert "loses 1 relevant document" in printed.out.replace("\n", " ")


def test_a_folder_of_strategies_is_a_run(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strategies, output = tmp_path / "strategies", tmp_path / "found.run"
    strategies.mkdir()
    (strategies / "7.txt").write_text(TEXT)
    (strategies / "8.txt").write_text("#1 film[ti]\n#2 metal[ti]\n#3 #1 AND #2")
    main(["run", str(folder / "index"), str(strategies), "-o", str(output)])
    assert {tuple(line.split()[0:3:2]) for line in output.read_text().splitlines()} == {
        ("7", "D4"), ("7", "D5"), ("7", "D7"), ("8", "D3"), ("8", "D5"),
    }  # fmt: skip
    with pytest.raises(SystemExit):
        main(["run", str(folder / "index"), str(strategies), "--system", "bm25"])
    assert "cannot be combined with a folder of strategies" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["strategy", "run", "INDEX", "none.txt"], "none.txt"),
        (["strategy", "run", "INDEX", "STRATEGY", "--line", "9"], "the strategy has no line 9; it has 1 to 4"),
        (["strategy", "run", "INDEX", "STRATEGY", "--order", "bm26"], "bm26"),
        (["strategy", "translate", "STRATEGY", "--to", "ovvid"], "did you mean ovid"),
    ],
)
def test_a_mistake_is_one_line(
    folder: Path, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"INDEX": str(folder / "index"), "STRATEGY": str(folder / "hearts.txt")}
    with pytest.raises(SystemExit):
        main([given.get(each, each) for each in arguments])
    error = capsys.readouterr().err
    assert problem in error
    assert "Traceback" not in error
