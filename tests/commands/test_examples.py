"""Every example in the help of every command runs."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.judge.review.chat_service import ChatService

from leadline.cli import main
from leadline.commands import command_files
from leadline.retrieval.dense.model import NEEDED, PACKAGE

# tests/show/demo runs one like the first two, tests/show/papers the last.
SLOW = {"leadline demo", "leadline demo -o small --patents 500 --no-open", "leadline reproduce -o papers.html"}
# These run until they are stopped: tests/show/serve runs them.
MODEL = "https://models.example.org/v1/chat/completions"
SERVED = "https://track.example.org/in/"
SERVERS = ("leadline judge serve", "leadline judge demo", "leadline review serve", "leadline serve")


@pytest.fixture
def chat_service() -> Iterator[ChatService]:
    made = ChatService()
    yield made
    made.close()


def examples(path: Path) -> list[str]:
    docstring = path.read_text(encoding="utf-8").split('"""')[1]
    return [line.strip() for line in docstring.partition("Examples:")[2].splitlines() if line.strip()]


@pytest.mark.parametrize("name", command_files())
def test_a_command_has_examples_of_itself(name: str) -> None:
    assert any(f"{line} ".startswith(f"leadline {name} ") for line in examples(command_files()[name]))


@pytest.mark.parametrize(
    "line",
    [
        line
        for path in command_files().values()
        for line in examples(path)
        if line not in SLOW and not line.startswith(SERVERS) and SERVED not in line
    ],
)
def test_examples_run(
    line: str, example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if line.startswith(("leadline report", "leadline reproduce")) or "--figure" in line:
        pytest.importorskip("altair", reason="a page needs the package altair")
        pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")
    if line.startswith("leadline report") and "--topics" not in line:  # the other example draws all figures
        request.getfixturevalue("one_figure")
    folder = tmp_path / "copy"
    shutil.copytree(example_files, folder)
    monkeypatch.chdir(folder)
    if "grid/runs" in line:
        main(shlex.split("grid patents.index topics.tsv grid.toml -o grid -q"))
    if "#1 AND #2" in line:  # of a session that has them
        for query in ("coating", "film"):
            main(["search", "patents.index", query, "--history", "session.json", "-q"])
    if line.startswith("leadline crawl"):
        line = request.getfixturevalue("crawled_site").example(line)
    if line.startswith(("leadline lab add", "leadline lab people", "leadline lab status")):
        main(shlex.split("lab init brakes -q"))
        main(shlex.split("lab people brakes add anna --role runner -q"))
    if line.startswith("leadline case"):
        request.getfixturevalue("begin_case")(has_case=not line.startswith("leadline case begin"))
    if "--by vectors" in line:
        if not all(importlib.util.find_spec(name) for name in (*NEEDED, PACKAGE)):
            pytest.skip("the extra dense and its model are not installed")
        main(shlex.split("index records -o records.index --dense -q"))
        line = line.replace("patents.index", "records.index")
    if line.startswith(("leadline campaign assign", "leadline campaign release")):
        main(shlex.split("campaign pool chem2027 ts -q"))
    if line in ("leadline judge agreement asthma -f json", "leadline review machine asthma gpt --role second"):
        for name in ("forest", "gpt"):
            main(shlex.split(f"review machine asthma {name} --labels forest.csv -q"))
    if MODEL in line:
        service = request.getfixturevalue("chat_service")
        monkeypatch.setenv("MODEL_KEY", "secret")
        line = f"{line.replace(MODEL, service.url)} --allow-texts 127.0.0.1"
    words = shlex.split(line)
    if "monday.zip" in words and "backup" not in words:
        main(shlex.split("review backup asthma -o monday.zip -q"))
    if "audit.csv" in words:
        shutil.copy("reading.csv", "audit.csv")
    if line == "leadline review check asthma asthma.pdf":
        main(shlex.split("review report asthma -o asthma.pdf -q"))
    if "--update" in words:
        main(shlex.split("index patents -o patents.index -q"))
    assert words[0] == "leadline"
    main(words[1:])
    if "-o" in words:
        assert Path(words[words.index("-o") + 1]).exists()
