"""Passages beside a plain count of their words, snippets that fit and show what they should."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.passages import LONGEST, PIECE, Marker, Passages, passages_of
from leadline.retrieval.prior_art import patent_of_text, read_patent

PLAIN = Analysis(stemming="none", stop_words="none")
WORDS = ("acid", "film", "metal", "nail", "tin")
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
documents = st.lists(
    st.builds(
        lambda abstract, paragraphs, claims: Document(
            "X", abstract=abstract, description="\n".join(paragraphs),
            claims=tuple(Claim(number, text) for number, text in enumerate(claims, start=1)),
        ),
        texts, st.lists(texts, max_size=3), st.lists(texts, max_size=2),
    ),
    max_size=4,
)  # fmt: skip
sought = st.lists(st.dictionaries(st.sampled_from((*WORDS, "gold")), st.sampled_from([0.0, 0.5, 1.0, 3.0])), max_size=3)


@settings(deadline=None)
@given(documents, sought)
def test_shares_are_those_of_plain_sets(found: list[Document], claims: list[dict[str, float]]) -> None:
    passages = Passages(found, PLAIN)
    shares = passages.shares(claims)
    assert shares.shape == (len(passages.items), len(claims))
    for column, claim in enumerate(claims):
        for passage, share in zip(passages.items, shares[:, column], strict=True):
            held = sum(weight for term, weight in claim.items() if term in passage.text.split())
            assert share == pytest.approx(held / (sum(claim.values()) or 1))
    parts = [{term: weight for term, weight in claim.items() if term in ("tin", "gold")} for claim in claims]
    for claim, part, bearing in zip(claims, parts, passages.bearing(claims, parts, 0.25), strict=True):
        everyone = {}
        shares_of = passages.shares([claim, part])
        for passage, (share, new) in zip(passages.items, shares_of, strict=True):
            if share >= 0.25 - 1e-9 and new > 0:
                everyone[passage.document] = max(share + new, everyone.get(passage.document, 0))
        values = {best.passage.document: best.share + best.distinguishing for best in bearing}
        assert values == {document: pytest.approx(value) for document, value in everyone.items()}
        assert list(values.values()) == sorted(values.values(), reverse=True)
        assert all(best.distinguishing > 0 for best in bearing)


def test_a_block_without_paragraphs_is_cut() -> None:
    long = " ".join(["word"] * (LONGEST + 1))
    found = list(passages_of(Document("X", description=f"short\n{long}")))
    assert [passage.where for passage in found] == ["¶ 1", "¶ 2", "¶ 2", "¶ 2", "¶ 2"]
    assert [passage.text.split().count("word") for passage in found[1:]] == [PIECE, PIECE, PIECE, 1]
    assert [passage.text[0] + passage.text[-1] for passage in found[1:]] == ["w…", "……", "……", "…d"]


@settings(deadline=None)
@given(st.text(st.sampled_from(list("acid film½ ü水. ﬁ-12,\n\t")), max_size=200), st.integers(8, 60))
def test_a_snippet_fits_and_its_marks_are_words_sought(text: str, width: int) -> None:
    marker = Marker(PLAIN, {"acid": 1.0, "film": 2.0, "水": 1.0, "12": 1.0})
    snippet = marker.snippet(text, width)
    assert len(snippet.text) <= max(width, 5)
    whole = " ".join(text.split())
    assert snippet.text.removeprefix("… ").removesuffix(" …") in whole
    at = 0
    for start, end in snippet.marks:
        assert at <= start < end <= len(snippet.text)
        assert set(PLAIN.terms(snippet.text[start:end])) & set(marker.weights)
        at = end


def test_a_snippet_is_where_the_heavy_words_are() -> None:
    text = "film " * 30 + "and acid with film" + " metal" * 30
    snippet = Marker(PLAIN, {"film": 1.0, "acid": 5.0}).snippet(text, 40)
    assert "film and acid" in snippet.text
    assert snippet.text.startswith("… ")
    assert snippet.text.endswith(" …")
    assert Marker(PLAIN, {"1,2-dichloroethane": 1.0}).marks("in 1,2-Dichloroethane/water")[0][:2] == (3, 21)


def test_plain_text_as_a_patent() -> None:
    found = patent_of_text("A nail\nIt bends.\nWhat is claimed is: 1. A nail. 2. The nail of claim 1, bent.", "my nail")
    assert (found.id, found.title, found.description) == ("my-nail", "A nail", "It bends.")
    assert [(claim.number, claim.parents) for claim in found.claims] == [(1, ()), (2, (1,))]
    short = patent_of_text("Title: Yard rake\nClaims\n1. A rake.", "idea")
    assert (short.title, short.description, len(short.claims)) == ("Yard rake", "", 1)
    alone = patent_of_text("only a sentence about claims in it", "x")
    assert (alone.title, alone.claims) == ("", ())
    with pytest.raises(InputError, match="has no words"):
        patent_of_text(" … ", "x")


@pytest.mark.parametrize("content", [b"%PDF-1.7\n1 0 obj", b"PK\x03\x04\x14\0word/document.xml", b"a nail\0"])
def test_what_is_no_text_is_not_searched_for(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "idea.txt").write_bytes(content)
    with pytest.raises(InputError, match=r"idea\.txt: is not text: give XML, SGML, JSON or plain text"):
        read_patent(tmp_path / "idea.txt")


def test_nothing_is_something_too() -> None:
    empty = Passages([], PLAIN)
    assert empty.items == []
    assert empty.best({"acid": 1.0}) == {}
    assert np.array_equal(empty.shares([{"acid": 1.0}]), np.zeros((0, 1)))
    assert re.sub(r"\s", "", Marker(PLAIN, {}).snippet("", 20).text) == ""
