"""Example queries of a search page are made from the index, and each finds something."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.simulate.settings import Settings
from leadline.judge.simulated_office import write_office
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.word_search import search_words
from leadline.show.lab.example_queries import example_queries


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
    assert any(query.startswith('"') and query.endswith("*") for query in found)
    assert any(query.startswith("class:") for query in found)
    assert any(query.startswith("number:") for query in found)


def test_there_are_none_without_texts(office: Collection, tmp_path: Path) -> None:
    index = Index.build(office, tmp_path / "index")
    assert example_queries(SearchContext(index)) == []
    index = Index.build([Document("a", title="a", abstract="of")], tmp_path / "small")
    assert example_queries(SearchContext(index)) == []
