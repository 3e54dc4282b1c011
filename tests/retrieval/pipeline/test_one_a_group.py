"""Only the best of each group of near-duplicates is found: in a search, in a run, and as a step."""

from __future__ import annotations

from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.steps import OneAGroup


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ll.Index:
    monkeypatch.chdir(tmp_path)
    same = "a pump with a piston that moves water through a valve"
    texts = [same, f"{same}", "a pump with a screw", f"{same} again"]
    write_collection(
        [Document(f"D{place}", abstract=text) for place, text in enumerate(texts)], "docs", {"made": "here"}
    )
    Path("topics.tsv").write_text("1\tpump piston\n")
    return ll.build_index("docs", "docs.index")


def test_search_and_run_without_copies(index: ll.Index, capsys: pytest.CaptureFixture[str]) -> None:
    found = ll.duplicates("docs", resemblance=0.6)
    assert {document for _, document, _, _ in found.entries} == {"D0", "D1", "D3"}
    every = [hit.name for hit in ll.search(index, "pump piston").hits]
    kept = [hit.name for hit in ll.search(index, "pump piston", duplicates=found).hits]
    first = next(name for name in every if name in {"D0", "D1", "D3"})
    assert sorted(every) == ["D0", "D1", "D2", "D3"]
    assert kept == [name for name in every if name in (first, "D2")]
    main(["duplicates", "docs", "--resemblance", "0.6", "--format", "csv", "-o", "groups.csv", "-q"])
    main(["search", "docs.index", "pump piston", "--duplicates", "groups.csv", "--format", "tsv", "-q"])
    shown = capsys.readouterr().out
    assert [name for name in every if name in shown] == kept
    for options in ([], ["--duplicates", "groups.csv"]):
        main(["run", "docs.index", "topics.tsv", "-o", "a.run", "-q", *options])
        listed = [line.split()[2] for line in Path("a.run").read_text().splitlines()]
        assert len(listed) == (2 if options else 4)


def test_the_step_needs_a_file(index: ll.Index, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="name the file that `leadline duplicates -o FILE` wrote"):
        OneAGroup()
    with pytest.raises(SystemExit):
        main(["run", "docs.index", "topics.tsv", "--duplicates", "nowhere", "-q"])
    assert "nowhere: no such file" in capsys.readouterr().err
