"""`leadline report`: writes the page, finds it there the second time, and refuses in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("altair", reason="a report needs the package altair")
pytest.importorskip("vl_convert", reason="a report needs the package vl-convert-python")

from leadline.cli import main
from leadline.show.report import html_page
from leadline.show.report.html_page import key_of, key_written_in


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_page, "_vega", lambda: "/* Vega stands here */")  # packing it takes seconds


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"{t} 0 d{t}{n} {int(n < 2)}\n" for t in range(1, 7) for n in range(4)]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    for name, order in (("good", (0, 1, 2)), ("poor", (3, 2, 0))):
        ranked = [f"{t} Q0 d{t}{n} {r} {9 - r} {name}\n" for t in range(1, 7) for r, n in enumerate(order, 1)]
        (tmp_path / f"{name}.run").write_text("".join(ranked))
    return tmp_path


ARGUMENTS = ["report", "qrels.txt", "good.run", "poor.run", "-m", "PRES@10", "--samples", "3"]


def test_the_page_is_written_and_then_found(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*ARGUMENTS, "-o", "out.html"])
    said = capsys.readouterr().out
    assert said.startswith("good is firmly better than poor; by PRES@10 good has 1.000")
    assert said.endswith("out.html\n")
    text = (files / "out.html").read_text(encoding="utf-8")
    assert re.match(r"<!doctype html>\n<!-- leadline \S+ key [0-9a-f]{64} -->", text)
    for figure in ("recall_effort", "bump", "spectrogram"):
        assert f'<figure id="{figure}"' in text
    before = (files / "out.html").stat().st_mtime_ns
    main([*ARGUMENTS, "-o", "out.html"])
    assert "already made from the same files" in capsys.readouterr().out
    assert (files / "out.html").stat().st_mtime_ns == before


def test_another_input_option_or_name_is_another_page(files: Path) -> None:
    paths = ["qrels.txt", "good.run"]
    key = key_of(paths, [], ("PRES@10",))
    assert key == key_of(paths, [], ("PRES@10",))
    assert key != key_of(paths, [], ("AP",))
    (files / "copy.run").write_bytes((files / "good.run").read_bytes())
    assert key != key_of(["qrels.txt", "copy.run"], [], ("PRES@10",))
    with open("good.run", "a") as run:
        run.write("1 Q0 late 9 0 good\n")
    assert key != key_of(paths, [], ("PRES@10",))


def test_a_stream_has_no_key(files: Path) -> None:
    assert key_of(["qrels.txt", "-"], [], ()) == ""
    assert key_written_in("nowhere.html") == ""
    (files / "other.html").write_text("<html>")
    assert key_written_in("other.html") == ""


def test_tables_beside_the_runs_are_shown(files: Path) -> None:
    (files / "topics.csv").write_text("topic,title\n1,brakes & <b>gears</b>\n2,pumps\n")
    (files / "runs.csv").write_text("run,team\ngood,Éire\n")
    main([*ARGUMENTS, "-q", "--topics", "topics.csv", "--runs-info", "runs.csv"])
    text = (files / "report.html").read_text(encoding="utf-8")
    assert "Éire" in text
    assert "brakes & \\u003cb>gears" in text


@pytest.mark.parametrize(
    ("arguments", "words", "status"),
    [
        (["report", "qrels.txt"], "give judgements and runs", 2),
        (["report", "qrels.txt", "good.run", "-m", "AP PRES@10"], "name one measure", 2),
        (["report", "qrels.txt", "good.run", "-m", "PRSE@10"], "did you mean PRES", 2),
        (["report", "qrels.txt", "good.run", "-o", "report.pdf"], "must end in .html", 2),
        (["report", "qrels.txt", "good.run", "--samples", "0"], "--samples: must be at least 1, got 0", 2),
        (["report", "qrels.txt", "good.run", "--seed", "-1"], "--seed: must be at least 0, got -1", 2),
        (["report", "qrels.txt", "good.run", "-o", "nosuch/report.html"], "nosuch: no such folder", 1),
        (["report", "qrels.txt", "lost.run"], "lost.run", 1),
        (["report", "nowhere.txt", "good.run"], "nowhere.txt", 1),
    ],
)
def test_errors_are_one_line(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str, status: int
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == status
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (files / "report.html").exists()
