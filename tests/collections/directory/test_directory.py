"""The tree of classes: counts against a count of their own, titles, clusters, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.directory import directory, read_class_titles
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError

CLASSES = [("C07D401/04", "A61K31/44"), ("C07D401/14",), ("C07C2/00", "C07D213/00"), ("A61K",), ("H",), ()]


@pytest.fixture
def patents(tmp_path: Path) -> Path:
    documents = [
        Document(
            f"US200000{place}",
            title=f"Title <{place}> of\nnails",
            ipc=symbols[:1],
            cpc=symbols[1:],
            publication=f"200{place}",
        )
        for place, symbols in enumerate(CLASSES)
    ]
    write_collection(documents, tmp_path / "patents", {"made": "by a test"})
    return tmp_path / "patents"


def test_counts_are_those_of_documents_under_each_class(patents: Path) -> None:
    made = directory(ll.Collection.open(patents))
    found = {branch.code: len(branch.rows) for _, branch in made.root.walk()}
    for code in ("A", "C", "H", "A61", "C07", "A61K", "C07C", "C07D", "A61K31", "C07D401", "C07D213", "C07C2"):
        own = sum(any(symbol.startswith(code) for symbol in symbols) for symbols in CLASSES)
        assert found[code] == own, code
    assert found["none"] == 1
    assert [branch.code for branch in made.root.branches] == ["A", "C", "H", "none"]
    assert [branch.code for branch in made.root.branches[1].branches[0].branches] == ["C07C", "C07D"]
    assert made.notes == ("only sections have titles: --titles FILE gives those of classes",)


def test_one_branch(patents: Path) -> None:
    made = directory(ll.Collection.open(patents), under="C07D", titles={"C07D": "Rings"})
    assert (made.root.code, made.root.title, len(made.root.rows)) == ("C07D", "Rings", 3)
    assert [row[:1] + row[2:] for row in made.table().rows] == [
        ["C07D401", "group", 2, "C07D"],
        ["C07D213", "group", 1, "C07D"],
    ]
    with pytest.raises(InputError, match="no document has the class C07F; did you mean C07"):
        directory(ll.Collection.open(patents), under="C07F")


def test_clusters_have_the_names_of_their_words(tmp_path: Path) -> None:
    kinds = {"battery electrode lithium": 40, "polymer film coating": 30, "antenna signal radio": 30}
    words = [kind for kind, count in kinds.items() for _ in range(count)]
    documents = [Document(f"D{place}", title=f"{each} number{place}") for place, each in enumerate(words)]
    write_collection(documents, tmp_path / "texts", {"made": "by a test"})
    made = directory(ll.Collection.open(tmp_path / "texts"))
    assert made.notes == ("no document has a class: these are clusters, named by their words",)
    assert sum(len(branch.rows) for branch in made.root.branches) == 100
    for branch in made.root.branches:
        assert branch.level == "cluster"
        assert any(word in branch.title for kind in kinds for word in kind.split())


def test_titles_of_classes(tmp_path: Path, shared: Path) -> None:
    path = tmp_path / "titles"
    path.write_text('code,title\nC07,"ORGANIC CHEMISTRY "\nC07D\tRings; hetero, all\n,\nC07D 401/00;Two rings\n')
    assert read_class_titles(path) == {"C07": "Organic chemistry", "C07D": "Rings; hetero, all", "C07D401": "Two rings"}
    path.write_text("C07,Organic\nno class at all\n")
    with pytest.raises(InputError, match="titles:2: 'no class at all' is not a class and its title"):
        read_class_titles(path)
    assert len(read_class_titles(shared / "patents/ipc/ipc_codes.csv")) == 746


def test_command(patents: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["directory", str(patents), "--depth", "3", "--format", "json"])
    shown = capsys.readouterr()
    rows = json.loads(shown.out)
    assert {"code": "C07D", "title": "", "level": "subclass", "documents": 3, "under": "C07"} in rows
    assert 'search in a branch: leadline search INDEX "words" --class A' in shown.err
    main(["directory", str(patents), "--class", "C07D401"])
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "C07D401  2",
        "  US2000000  Title <0> of nails",
        "  US2000001  Title <1> of nails",
    ]


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        (["--class", "XX"], "'XX' is not a valid class"),
        (["--class", "A,C"], "--class: takes one class, got 2"),
        (["--class", "B"], "no document has the class B"),
        (["--format", "json", "-o", "page.html"], "json is no page"),
        (["--titles", "nowhere"], "nowhere: no such file"),
        (["--depth", "9"], "must be at most 4"),
    ],
)
def test_wrong_input(patents: Path, typed: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["directory", str(patents), *typed])
    assert stop.value.code in (1, 2)
    told = capsys.readouterr().err
    assert problem in told
    assert len(told.strip().splitlines()) == 1


def test_as_many_clusters_as_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three topics without a word in common are three clusters, also where their number suggests fewer."""
    topics = (("battery", "electrode", "lithium"), ("polymer", "film", "coating"), ("antenna", "signal", "radio"))
    documents = [
        Document(f"D{t}{n}", title=" ".join((*words[n % 3 :], *words[: n % 3], words[n % 2])))
        for t, words in enumerate(topics)
        for n in range(10)
    ]
    write_collection(documents, tmp_path / "c", {"made": "by a test"})
    main(["directory", str(tmp_path / "c"), "--clusters", "3", "-f", "json"])
    rows = json.loads(capsys.readouterr().out)
    assert [row["documents"] for row in rows] == [10, 10, 10]
    assert {frozenset(row["title"].split(", ")) for row in rows} == {frozenset(words) for words in topics}
    main(["directory", str(tmp_path / "c"), "--clusters", "12"])
    assert " and not 12: the words tell no more apart" in capsys.readouterr().err
