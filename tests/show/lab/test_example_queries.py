"""Example queries of a search page are made from the index, and each finds something."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.simulate.settings import Settings
from leadline.judge.simulated_office import write_office
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.word_search import search_words
from leadline.show.lab.searches import example_queries


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("office") / "office"
    write_office(Settings(patents=150, topics=0, length=40), folder)
    return Collection.open(folder / "collection")


@pytest.mark.parametrize("positions", [True, False])
def test_each_finds_something(office: Collection, tmp_path: Path, positions: bool) -> None:
    context = SearchContext(Index.build(office, tmp_path / "index", positions=positions), office)
    found = [one.query for one in example_queries(context)]
    assert all(search_words(context, query, 1).found for query in found)
    assert any(query.startswith('"') and query.endswith('"') for query in found)
    assert any(query.endswith("*") for query in found)
    assert any(query.startswith("class:") for query in found)
    assert any(query.startswith("number:") for query in found)


def test_there_are_none_without_texts(office: Collection, tmp_path: Path) -> None:
    index = Index.build(office, tmp_path / "index")
    assert example_queries(SearchContext(index)) == []
    index = Index.build([Document("a", title="a", abstract="of")], tmp_path / "small")
    assert example_queries(SearchContext(index)) == []


def test_examples_are_in_the_language_of_most_titles(tmp_path: Path) -> None:
    german = [Document(f"DE{n}A1", "DE", str(n), "A1", title="Verfahren zur Herstellung der Membran") for n in range(3)]
    english = [Document(f"US{n}A1", "US", str(n), "A1", title="Coating of a porous membrane") for n in range(5)]
    index = Index.build([*german, *english], tmp_path / "index")
    context = SearchContext(index, _collection([*german, *english], tmp_path / "collection"))
    queries = " ".join(one.query for one in example_queries(context))
    assert "porous" in queries
    assert "herstellung" not in queries.lower()


def _collection(documents: list[Document], folder: Path) -> Collection:
    write_collection(documents, folder, {"sources": "by hand"})
    return Collection.open(folder)
