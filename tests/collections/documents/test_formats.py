"""docs/formats.md: each example is written to a file, and each command is run."""

from __future__ import annotations

import re
import shlex
import shutil
import warnings
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.collections.documents.collection import Collection
from leadline.records.topics import Topics

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
BLOCK, ALL = r"\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL
FILES = dict(re.findall(rf"^`([\w/.-]+)`[^\n]*{BLOCK}", PAGE, ALL))
COMMANDS = "".join(re.findall(r"^```console\n(.*?)^```", PAGE, ALL)).splitlines()
BUILDS = [command for command in COMMANDS if " collection build " in command]

# The ids, titles and texts that each command keeps.
KEPT = {
    "beir": [
        ("MED-10", "Statins", "Statins and breast cancer survival."),
        ("MED-14", "Blood", "Cholesterol in blood."),
    ],
    "trec": [("FT911-1", "Nails & screws", "AT&T buys nails."), ("FT911-2", "Wood", "Wood is bent.")],
    "anserini": [("doc1", "", "A nail is bent."), ("doc2", "", "A screw is turned.")],
    "passages": [
        ("0", "", "The presence of communication amid scientific minds."),
        ("1", "", "The Manhattan Project."),
    ],
    "pages": [("D1", "Nails", "A nail is bent."), ("D2", "Wood", "Wood is sawn.")],
    "titles": [("n1", "Nails", "A nail is bent."), ("n2", "Wood", "Wood is sawn.")],
    "table": [("n1", "Nails", "A nail, bent."), ("n2", "Wood", "Wood is sawn.")],
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")


def test_every_format_has_a_file_and_a_command() -> None:
    assert [command.split()[-1] for command in BUILDS] == list(KEPT)
    assert {command.split()[3].split("/")[0] for command in BUILDS} <= {name.split("/")[0] for name in FILES}


@pytest.mark.parametrize("command", BUILDS)
def test_each_format_in_one_command(command: str) -> None:
    main([*shlex.split(command)[1:], "-q"])
    folder = command.rsplit(maxsplit=1)[-1]
    found = Collection.open(folder)
    assert [(each.id, each.title, each.description) for each in found.documents()] == KEPT[folder]
    assert {each.kind for each in found.documents()} == {"text"}
    assert (found.manifest["broken"], found.manifest["dropped"]) == (0, {})


def test_topics_and_judgements(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        if "anserini" in command or "evaluate" in command:
            main([*shlex.split(command)[1:], "-q"])
    assert re.findall(r"^(\w+) +1.000", capsys.readouterr().out, re.MULTILINE) == ["beir", "trec", "tsv"]
    (topic,) = Topics.read("topics.trec")
    assert (topic.title, topic.description) == ("bent nails", "Which nails are bent?")
    assert topic.narrative == "Nails in wood are relevant."
    assert Topics.read("queries.jsonl")[0].attributes == {}


def test_a_beir_folder_and_its_zip(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("queries.jsonl", "nfcorpus/queries.jsonl")
    Path("nfcorpus/qrels").mkdir()
    shutil.copy("qrels.tsv", "nfcorpus/qrels/test.tsv")
    shutil.make_archive("nfcorpus", "zip", ".", "nfcorpus")
    shutil.make_archive("nfcorpus", "gztar", ".", "nfcorpus")
    for number, source in enumerate(("nfcorpus", "nfcorpus.zip", "nfcorpus.tar.gz")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            main(["collection", "build", source, "-o", f"c{number}", "-q"])
        (said,) = [str(each.message) for each in caught] or capsys.readouterr().err.splitlines()
        assert "topics and judgements left out, by their names: " in said
        assert "queries.jsonl" in said
        assert "qrels/test.tsv" in said
        assert len(Collection.open(f"c{number}")) == 2


@pytest.mark.parametrize(
    ("name", "what"),
    [("topics.trec", "topics"), ("qrels.tsv", "judgements"), ("r.run", "a run"), ("q.txt", "judgements")],
)
def test_what_is_not_documents_is_refused_as_what_it_is(
    name: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("r.run").write_text("401 Q0 doc1 1 9.5 bm25\n")
    Path("q.txt").write_text("401 0 doc1 1\n401 0 doc2 0\n")
    with pytest.raises(SystemExit):
        main(["collection", "build", name, "-o", "c"])
    said = capsys.readouterr().err
    assert f"holds {what}, not documents" in said
    assert said.count("\n") == 1
