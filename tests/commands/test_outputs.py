"""A command never writes over what it reads, and many writers of one folder do not meet."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.text.files import write_whole

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n"
SUBTOPICS = "1 1 a 1\n1 2 b 1\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "runs").mkdir()
    for name, text in {
        "q": QRELS,
        "runs/r.html": RUN,
        "r.html": RUN,
        "s": SUBTOPICS,
        "mine.toml": "steps = []\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "alias").symlink_to("q")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "manifest.json").write_text("{}")
    (tmp_path / "q.why.tsv").write_text("topic\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "arguments",
    [
        "evaluate q r.html -m AP -o q",
        "evaluate q r.html -m AP -o r.html",
        "evaluate q r.html -m AP -o alias",
        "evaluate q runs -m AP -o runs/r.html",
        "evaluate q runs/*.html -m AP -o runs/r.html",
        "evaluate q r.html -m AP --topics s -o s",
        "evaluate q r.html -m AP --like trec_eval -o q",
        "compare pairs q r.html -m AP -o r.html",
        "report q r.html -o r.html",
        "explain AP q r.html 1 -o q",
        "ideal s -o s",
        "run c s -o s",
        "run c q --system mine.toml -o mine.toml",
        "run c q -o c/manifest.json",
        "qrels citations c q -o q",
        "qrels citations --from q.why.tsv -o q",
        "qrels claims c s --qrels q -o q",
        "topics sample c -o c/manifest.json",
        "collection info c --figure c/manifest.json",
        "collection info c -o c/manifest.json",
        "prior-art c s -o s",
    ],
)
def test_an_output_that_is_an_input_is_refused(files: Path, arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = content(files)
    with pytest.raises(SystemExit, match="1"):
        main(arguments.split())
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "input" in err
    assert "name another file for the output" in err
    assert content(files) == before


def test_an_output_that_is_no_input_is_replaced(files: Path) -> None:
    (files / "out").write_text("old")
    main(["evaluate", "q", "r.html", "-m", "AP", "-q", "-o", "out"])
    assert "AP" in (files / "out").read_text()


def test_a_planted_link_at_a_guessable_name_is_not_followed(files: Path) -> None:
    precious = files / "precious"
    precious.write_text("mine")
    for number in (os.getpid(), os.getppid()):
        (files / f".leadline-{number}.part").symlink_to(precious)
    main(["evaluate", "q", "r.html", "-m", "AP", "-q", "-o", "out"])
    assert precious.read_text() == "mine"


def test_eight_threads_write_600_files_and_none_is_wrong(tmp_path: Path) -> None:
    def work(thread: int) -> None:
        for number in range(75):
            write_whole(tmp_path / f"{thread}-{number}", f"{thread} {number} ".encode() * 200)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {f"{thread}-{number}" for thread in range(8) for number in range(75)}
    assert {path.name for path in tmp_path.iterdir()} == names
    wrong = [name for name in names if (tmp_path / name).read_text() != f"{name.replace('-', ' ')} " * 200]
    assert wrong == []
