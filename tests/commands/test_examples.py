"""Every example in the help of every command runs."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.commands import command_files

DOCUMENTS = Path(__file__).parents[1] / "golden" / "documents"
SLOW = {"leadline demo", "leadline demo -o small --patents 500 --no-open"}  # tests/show/demo runs one like them
GRID = """
[choices.query]
whole = "text"
[choices.model]
bm25 = {step = "search", model = "bm25"}
dph = {step = "search", model = "dph"}
"""


def examples(path: Path) -> list[str]:
    docstring = path.read_text(encoding="utf-8").split('"""')[1]
    return [line.strip() for line in docstring.partition("Examples:")[2].splitlines() if line.strip()]


@pytest.fixture(scope="session")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples name, made from a small simulated office."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("examples")
        patch.chdir(folder)
        main(shlex.split("simulate office -o office --patents 300 -q"))
        shutil.move("office/collection", "patents")
        shutil.copy("office/topics.tsv", "topics.tsv")
        for name in ("qrels.citations.txt", "qrels.citations.txt.why.tsv"):
            shutil.copy(f"office/{name}", name.replace(".citations", ""))
        shutil.copy("office/qrels.true.claims.txt", "claims.qrels")
        main(shlex.split("index patents -o patents.index --positions -q"))
        Path("runs").mkdir()
        Path("mine.toml").write_text('steps = ["text", {step = "search", model = "dph"}]')
        Path("short.toml").write_text('steps = [{step = "text", fields = ["title"]}, "search"]')
        Path("grid.toml").write_text(GRID)
        for name, system in (("bm25", "baseline"), ("dph", "mine.toml"), ("title", "short.toml")):
            main(shlex.split(f"run patents.index topics.tsv --system {system} -k 50 -o runs/{name}.run -q"))
        Path("runs.csv").write_text("run,team\nbm25,one\ndph,one\ntitle,two\n")
        Path("topics.csv").write_text(Path("topics.tsv").read_text().replace(",", ";").replace("\t", ","))
        Path("idea.txt").write_text("Coating\n\nA coating.\n\nClaims\n1. A coating comprising a glaze.\n")
        main(shlex.split("evaluate qrels.txt runs/*.run -m 'AP R@100' --by-topic --format tsv -o scores.tsv -q"))
        shutil.copytree(DOCUMENTS, "xml", ignore=lambda _, names: [name for name in names if not name.endswith(".xml")])
        Path("documents.jsonl").write_text('{"id": "US7000000B2", "title": "Nail"}\n')
        Path("lab").mkdir()
        shutil.copytree("runs", "lab/runs")
        shutil.copy("qrels.txt", "lab/qrels.txt")
    return folder


@pytest.mark.parametrize("name", command_files())
def test_a_command_has_examples_of_itself(name: str) -> None:
    assert any(f"{line} ".startswith(f"leadline {name} ") for line in examples(command_files()[name]))


@pytest.mark.parametrize(
    "line", [line for path in command_files().values() for line in examples(path) if line not in SLOW]
)
def test_examples_run(line: str, example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if line.startswith(("leadline report", "leadline reproduce")) or "--figure" in line:
        pytest.importorskip("altair", reason="a page needs the package altair")
        pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")
    folder = tmp_path / "copy"
    shutil.copytree(example_files, folder)
    monkeypatch.chdir(folder)
    if "grid/runs" in line:
        main(shlex.split("grid patents.index topics.tsv grid.toml -o grid -q"))
    words = shlex.split(line)
    if "--add" in words:
        main(shlex.split("index patents -o patents.index -q"))
    assert words[0] == "leadline"
    main(words[1:])
    if "-o" in words:
        assert Path(words[words.index("-o") + 1]).exists()
