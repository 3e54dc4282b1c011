"""`leadline simulate office`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.cli import main


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--patents", "300", "--topics", "5", "--years", "1990-2010", "--set", "asides=0.2", "-f", "tsv"]
    main(["simulate", "office", "-o", str(tmp_path / "x"), *options])
    printed = capsys.readouterr()
    assert "documents\t300" in printed.out
    assert "300 documents in" in printed.err
    assert json.loads((tmp_path / "x" / "manifest.json").read_text())["settings"]["asides"] == 0.2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--patents", "7"], "patents: 7 is not between 100 and 5,000,000"),
        (["--years", "1990"], "--years: must be two years, such as 1980-2009, got '1990'"),
        (["--years", "1990-1992"], "last-year: 1992 is not between 1995 and 2101"),
        (["--set", "synonym=1"], "setting: 'synonym' is not one of "),
        (["--set", "synonym=1"], "did you mean synonymy?"),
        (["--set", "synonymy"], "--set: must be NAME=VALUE"),
        (["--set", "length=many"], "length: 'many' is not a whole number"),
        (["--format", "parquet"], "'parquet' is not one of table"),
    ],
)
def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["simulate", "office", "-o", str(tmp_path / "x"), *arguments])
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_the_forms_of_the_offices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--patents", "120", "--topics", "2", "--articles", "4", "--forms", str(tmp_path / "files")]
    main(["simulate", "office", "-o", str(tmp_path / "x"), *options])
    printed = capsys.readouterr().err
    assert f"{tmp_path / 'files'}/exchange: 120 documents; left out: claims (120), description (120)" in printed
    main(["check", str(tmp_path / "files")])
    own = [str(tmp_path / "files" / name) for name in ("uspto", "epo", "st36", "jats")]
    main(["collection", "build", *own, "-o", str(tmp_path / "read")])
    assert "124 documents in" in capsys.readouterr().out


def test_forms_are_not_written_among_other_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "thesis.tex").write_text("years of work")
    with pytest.raises(SystemExit):
        main(["simulate", "office", "-o", str(tmp_path / "x"), "--patents", "100", "--forms", str(tmp_path / "files")])
    assert "files: has other things in it" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()  # refused before any work
