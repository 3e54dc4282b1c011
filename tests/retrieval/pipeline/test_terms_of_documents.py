"""The terms of the first results, for feedback: read from their texts they are what the whole index says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline import context_data
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.context_data import DocumentTerms

TEXTS = [
    ("en", "Polymer films", "A film of acids and acid; café, 1,4-butanediol, COVID-19.", "A film,\nbent."),
    ("de", "Fahrradrahmen", "Der Rahmen eines Fahrrads wird geschweißt. Die Rahmen.", "Rahmen nach Anspruch."),
    ("ja", "二次電池", "二次電池用の正極活物質。電池。", "電池。"),
    ("en", "", "", ""),
    ("en", "Films", "Polymer, polymers and films of it.", "A film. A film."),
]
FIELDS = {"title": 2.0, "abstract": 1.0, "claims": 0.5}


def documents() -> list[Document]:
    return [
        Document(f"D{n}", kind="record", language=language, title=title, abstract=abstract, claims=(Claim(1, claim),))
        for n, (language, title, abstract, claim) in enumerate(TEXTS)
    ]


@pytest.fixture
def context(tmp_path: Path) -> SearchContext:
    write_collection(documents(), tmp_path / "collection", {"made": "by a test"}, part=2)
    source = Collection.open(tmp_path / "collection")
    Index.build(source, tmp_path / "index", fields=list(FIELDS), origin=str(tmp_path / "collection"))
    return SearchContext.open(tmp_path / "index")


@pytest.mark.parametrize("rows", [[0], [4, 1, 2], [3], [2, 3, 0, 1, 4]])
def test_texts_read_again_have_the_terms_of_the_index(
    context: SearchContext, rows: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    chances = np.random.default_rng(1).random(len(rows))
    expected = DocumentTerms(context.index).mixture(np.array(rows), chances, FIELDS)
    monkeypatch.setattr(context_data, "SMALL", 0)
    terms = context.document_terms
    assert terms.mixture(np.array(rows), chances, FIELDS) == expected  # to the last bit
    assert not terms._matrices  # and nothing was read of the index but a sum of each text


def test_many_documents_and_changed_texts_are_told_by_the_index(
    context: SearchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, chances = np.array([0, 4]), np.array([0.25, 0.75])
    expected = DocumentTerms(context.index).mixture(rows, chances, FIELDS)
    monkeypatch.setattr(context_data, "SMALL", 0)
    terms = DocumentTerms(context.index, lambda rows: [Document("D0", title="Other")] * len(rows))
    assert terms.mixture(rows, chances, FIELDS) == expected
    assert DocumentTerms(context.index, lambda rows: [None] * len(rows)).mixture(rows, chances, FIELDS) == expected
    monkeypatch.setattr(context_data, "READ_AGAIN", 3)
    terms = DocumentTerms(context.index, context.documents)
    for again in range(3):
        assert terms.mixture(rows, chances, FIELDS) == expected
        assert bool(terms._matrices) == (again > 0)
