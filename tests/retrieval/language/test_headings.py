"""Queries for headings of a thesaurus, with their names and all narrower headings."""

from __future__ import annotations

from pathlib import Path

import pytest

import leadline as ll
from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.trees import Entry, Tree
from leadline.retrieval.language.kinds_of_text import reading_of
from leadline.retrieval.pipeline.context import SearchContext

MESH = Tree.of(
    [
        Entry("D014652", "Vascular Diseases", ["Disease, Vascular"], ["C14.907"]),
        Entry("D006973", "Hypertension", ["Blood Pressure, High", "High Blood Pressure"], ["C14.907.489"]),
        Entry("D006975", "Hypertension, Portal", ["Cruveilhier-Baumgarten Disease"], ["C06.552.494"]),
        Entry("D058437", "Retinal Vasculopathy", (), ["C11.768.400", "C14.907.489.815"]),
    ],
    "mesh.bin",
)
TEXTS = {
    "a": "Patients with high blood pressure, and nails",
    "b": "Hypertension in the young",
    "c": "A vascular disease of the leg",
    "d": "The blood was under pressure, high above",
    "e": "Retinal vasculopathy",
    "f": "Of nails",
}


@pytest.fixture(scope="module", params=[True, False], ids=["positions", "no positions"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    texts = [{"id": name, "title": text} for name, text in TEXTS.items()]
    made = Index.build(texts, tmp_path_factory.mktemp("made") / "index", fields=["title"], positions=request.param)
    return made.keep({"thesaurus": MESH})


def found(index: Index, query: str) -> str:
    return "".join(sorted(hit.name for hit in ll.search(index, query).hits))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("mesh:Hypertension", "abe"),
        ('mesh:"high blood pressure"', "abe"),
        ("mesh:D006973", "abe"),
        ('mesh:"C14.907"', "abce"),
        ("mesh-noexp:hypertension", "ab"),
        ('mesh:"Vascular Diseases"', "abce"),
        ('mesh-noexp:("Vascular Diseases" OR "Retinal Vasculopathy")', "ce"),
        ("mesh:(vascular diseases)", "abce"),
        ("mesh:Hypertension AND nails", "a"),
        ("nails -mesh:Hypertension", "f"),
        ("nails NEAR/3 mesh:Hypertension", "a"),
        ('mesh:"Hypertension, Portal"', ""),
        ("mesh:Hypertension^2 nails", "abef"),
        ('mesh:"Hypertension/drug therapy"', "abe"),
        ("title:mesh:Hypertension", "abe"),
    ],
)
def test_headings_find_their_names_in_texts(index: Index, query: str, expected: str) -> None:
    if not index.manifest["positions"]:  # names are taken as all of their words, and a note says so
        expected = "".join(sorted({*expected} | ({"d"} if "b" in expected and "a" in expected else set())))
        if query.startswith("nails NEAR"):
            expected = "a"
    assert found(index, query) == expected
    assert found(index, ll.search(index, query).understood) == expected


def test_what_was_searched_for_is_said(index: Index) -> None:
    notes = ll.search(index, "mesh:D006973").notes
    said = "mesh:D006973 is Hypertension with 1 narrower heading: 4 names searched for in the texts"
    assert said in notes
    assert any("positions" in note for note in notes) != index.manifest["positions"]
    assert "the subheading drug therapy is ignored" in str(ll.search(index, 'mesh:"Hypertension/drug therapy"').notes)
    unknown = ll.search(index, "mesh:hypertention")
    assert "not in mesh.bin; did you mean hypertension?" in str(unknown.notes)
    assert unknown.found == 0
    empty = ll.search(index, 'mesh:"Hypertension, Portal"')
    assert "is Hypertension, Portal with 0 narrower headings: 2 names searched for" in str(empty.notes)


def test_without_a_thesaurus_headings_are_words(tmp_path: Path) -> None:
    index = Index.build([{"id": name, "title": text} for name, text in TEXTS.items()], tmp_path / "i", fields=["title"])
    result = ll.search(index, "mesh:Hypertension")
    assert [hit.name for hit in result.hits] == ["b"]
    assert "no thesaurus is loaded; `leadline index COLLECTION -o" in str(result.notes)
    with pytest.raises(InputError, match="keeps no thesaurus"):
        _ = ll.make_run(index, ll.Topics([Topic("1", title="hypertension")]), EXPANDED)


EXPANDED = ll.steps.Survey() >> ll.steps.Expand(("headings",)) >> ll.steps.Search()


def test_a_heading_is_scored_as_one_word(tmp_path: Path) -> None:
    """As a word that is written where a text has any of its names."""
    texts = [{"id": name, "title": text} for name, text in TEXTS.items()]
    index = Index.build(texts, tmp_path / "i", fields=["title"], positions=True).keep({"thesaurus": MESH})
    written = [{**each, "title": each["title"].replace("high blood pressure", "Hypertension x y")} for each in texts]
    written = [{**each, "title": each["title"].replace("Retinal vasculopathy", "Hypertension x")} for each in written]
    other = Index.build(written, tmp_path / "o", fields=["title"], positions=True)
    by_heading = {hit.name: hit.score for hit in ll.search(index, "mesh:Hypertension", model="bm25").hits}
    assert by_heading == {hit.name: hit.score for hit in ll.search(other, "Hypertension", model="bm25").hits}


@pytest.mark.filterwarnings("ignore:1 topic:leadline.errors.LeadlineWarning")
def test_runs_know_the_thesaurus_too(index: Index) -> None:
    assert reading_of("mesh:Hypertension", ["title"]) == "query"
    run = ll.make_run(SearchContext(index), ll.Topics([Topic("1", title="mesh:Hypertension AND nails")]), "bm25")
    assert [name for name, _ in run.ranking("1")] == ["a"]
    run = ll.make_run(SearchContext(index), ll.Topics([Topic("1", title="hypertension")]), EXPANDED)
    assert {name for name, _ in run.ranking("1")} == {"a", "b", "d"}
