"""Our systems as transformers of PyTerrier; docs/compare/from-pyterrier.md has an experiment with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import leadline as ll

TEXTS = {"d0": "rock salt", "d1": "rock salt and water", "d2": "halite", "d3": "iron nail"}


@pytest.fixture
def index(tmp_path: Path) -> ll.Index:
    documents = [{"id": name, "title": text} for name, text in TEXTS.items()]
    return ll.build_index(documents, tmp_path / "index", fields=["title"])


@pytest.fixture
def queries() -> Any:
    pytest.importorskip("pyterrier", reason="pyterrier is not installed")
    import pandas as pd

    return pd.DataFrame({"qid": ["1", "2"], "query": ["salt water", "iron"], "office": ["EP", "US"]})


def test_queries_become_documents_as_make_run_ranks_them(index: ll.Index, queries: Any) -> None:
    found = ll.pyterrier_retriever(index, "baseline", k=10).transform(queries)
    run = ll.make_run(index, ll.Topics([ll.Topic("1", title="salt water"), ll.Topic("2", title="iron")]), "baseline")
    assert ll.Run.of(found).to_dict() == run.to_dict()
    first = found[found["rank"] == 0]
    assert first[["qid", "docno", "office"]].to_numpy().tolist() == [["1", "d1", "EP"], ["2", "d3", "US"]]


def test_it_combines_with_operators(index: ll.Index, queries: Any) -> None:
    baseline = ll.pyterrier_retriever(index, "baseline")
    assert len((baseline % 1).transform(queries)) == 2
    assert list((baseline + baseline).transform(queries)["qid"].unique()) == ["1", "2"]


def test_no_queries_give_no_documents(index: ll.Index, queries: Any) -> None:
    found = ll.pyterrier_retriever(index).transform(queries[:0])
    assert list(found.columns) == ["qid", "query", "office", "docno", "score", "rank"]
    assert found.empty


def test_documents_in_place_of_queries_are_refused(index: ll.Index, queries: Any) -> None:
    with pytest.raises(ll.InputError, match=r"takes queries \(qid, query\), got documents"):
        ll.pyterrier_retriever(index).transform(queries.assign(docno="d1"))


def test_without_pyterrier_an_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyterrier", None)
    with pytest.raises(ll.InputError, match="pip install python-terrier"):
        ll.pyterrier_retriever(tmp_path)
