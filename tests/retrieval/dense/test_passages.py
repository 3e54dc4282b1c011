"""Vectors of passages: a long document is found by any part of it, a short one costs what it did."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.dense import making, passages
from leadline.retrieval.dense.dense_steps import Dense
from leadline.retrieval.dense.encoder import Encoder
from leadline.retrieval.dense.making import build_vectors, learn_vectors
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.dense.passages import FIELDS, MOST, cut, document_passages
from leadline.retrieval.dense.vectors import StoredVectors, Vectors, stored_vectors, vectors_path
from leadline.retrieval.index import arrays
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import (
    FURTHER_ARRAY,
    FURTHER_COUNTS,
    FURTHER_TEXTS,
    TEXT_ARRAY,
    VECTOR_ARRAY,
)
from leadline.retrieval.pipeline.context import SearchContext
from leadline.show.check import check
from leadline.text.files import write_stored

INSTALLED = all(importlib.util.find_spec(name) is not None for name in (*NEEDED, PACKAGE))
needs_model = pytest.mark.skipif(not INSTALLED, reason="the extra dense and its model are not installed")
FILLER = "The bolt is fastened to the frame by a nut. " * 4  # about one passage
CAT = "A cat sleeps on the sofa beside a kitten. " * 4
WINDOW = 200


def documents() -> list[Document]:
    return [
        Document("short", title="A lamp", abstract="A lamp with a shade."),
        Document("long", title="A bolt", abstract=FILLER, description=FILLER * 2 + CAT, claims=(Claim(1, "A bolt."),)),
        Document("longest", title="A nut", abstract=FILLER, description=FILLER * 30),
        Document("empty", title="", abstract="", publication="1999"),
    ]


@pytest.fixture(autouse=True)
def short_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model has less to read."""
    monkeypatch.setattr(passages, "WINDOW", WINDOW)


@pytest.fixture
def context(tmp_path: Path) -> SearchContext:
    write_collection(documents(), tmp_path / "collection", {"made": "by a test"}, part=3)
    source = Collection.open(tmp_path / "collection")
    Index.build(source, tmp_path / "index", origin=str(tmp_path / "collection"))
    return SearchContext.open(tmp_path / "index")


def test_passages_end_where_sentences_do_and_hold_every_text() -> None:
    found = document_passages(["A bolt", FILLER], [FILLER + CAT, "A bolt."])
    assert all(len(each) <= WINDOW and each.endswith(".") for each in found)
    assert "".join("".join(found).split()) == "".join(f"A bolt{FILLER}{FILLER}{CAT}A bolt.".split())
    assert len(document_passages(["A nut", FILLER], [FILLER * 30, ""])) == MOST
    assert document_passages(["", ""], ["", ""]) == [""]
    assert document_passages(["A lamp", "A shade."], ["", ""]) == ["A lamp\nA shade."]
    assert document_passages(["A lamp", ""], [" ", "1. A lamp."]) == ["A lamp\n1. A lamp."]
    assert document_passages(["A lamp"]) == ["A lamp"]  # fields of one's own
    # What a model cuts into single characters fills its window sooner; a word without end is cut all the same.
    assert {len(each) for each in cut("二次電池用の正極活物質。" * 60)} <= set(range(24, 51))
    assert [len(each) for each in cut("x" * 500)] == [200, 200, 100]


@needs_model
def test_a_long_document_is_found_by_its_best_passage(
    context: SearchContext, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(making, "CHUNK", 1)
    made = build_vectors(context)
    count = {name: len(document_passages([d.title, d.abstract], [d.description, "".join(c.text for c in d.claims)]))
             for d in documents() for name in [d.id]}  # fmt: skip
    assert made.passages == sum(count.values())
    assert count["short"] == count["empty"] == 1
    request = context.request(Topic("T1", title="a kitten on a couch"))
    assert context.names(Dense()(context, request).ranking.rows[:1]) == ["long"]
    # The score of each document is the largest of its passages', computed here one by one.
    encoder = Encoder()
    (asked,) = encoder.encode(["a kitten on a couch"])
    scores = dict(zip(context.index.ids, made.scores(asked), strict=True))
    for d in documents():
        texts = document_passages([d.title, d.abstract], [d.description, "".join(c.text for c in d.claims)])
        assert scores[d.id] == pytest.approx((encoder.encode(texts) @ asked).max(), abs=0.05)
    assert check(context.index.folder) == []
    # A build that is stopped goes on where it was.
    whole = made.path.read_bytes()
    made.path.unlink()
    read: list[str] = []
    encode = Encoder.encode

    def stopping(self: Encoder, texts: list[str]) -> np.ndarray:
        if len(read) > count["short"]:
            raise KeyboardInterrupt
        read.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(Encoder, "encode", stopping)
    with pytest.raises(KeyboardInterrupt):
        build_vectors(context)
    done = len(read)
    read.clear()
    monkeypatch.setattr(Encoder, "encode", lambda self, texts: (read.extend(texts), encode(self, texts))[1])
    assert build_vectors(context).path.read_bytes() == whole
    assert len(read) == made.passages - done


@needs_model
def test_learned_vectors_are_of_passages_too(context: SearchContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "SAMPLE_TEXTS", 3)
    made = learn_vectors(context)
    assert made is not None
    assert made.passages > len(context.index)
    assert stored_vectors(context) == StoredVectors("", "int8", 3)
    assert check(context.index.folder) == []
    # The model read the first passages, which are no worse than if there were no others.
    first = {making._digests(["\n".join([d.title, d.abstract])])[0].tobytes() for d in documents()[:1]}
    sampled = arrays.read(made.path).whole(making.SAMPLED, np.int64).reshape(-1, 2)
    assert first <= {digest.tobytes() for digest in sampled}


@needs_model
def test_vectors_of_an_earlier_version_are_read_until_they_are_made_again(
    context: SearchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = vectors_path(context, FIELDS, Encoder(), passages=False)
    texts = ["\n".join([d.title, d.abstract]) if d.title else "" for d in documents()]
    texts = [texts[[d.id for d in documents()].index(name)] for name in context.index.ids]
    old = Encoder().encode(texts).astype(np.float16)
    arrays.write(before, {VECTOR_ARRAY: old.ravel(), TEXT_ARRAY: making._digests(texts).ravel()})
    said = {"model": "", "precision": "int8", "fields": list(FIELDS), "width": old.shape[1]}
    write_stored(before.with_suffix(".json"), making._description(said, before))
    with making.OwnedFolder.locked(before.parent, making.KIND, making.VERSION) as owned:
        owned.add(before.name, before.with_suffix(".json").name)
    opened = SearchContext.open(context.index.folder)
    assert stored_vectors(opened) == StoredVectors("", "int8")
    assert check(opened.index.folder) == []
    request = opened.request(Topic("T1", title="a kitten on a couch"))
    assert opened.names(Dense()(opened, request).ranking.rows[:1]) == ["short"]  # the cat is not in what was read
    encoded: list[str] = []
    encode = Encoder.encode
    monkeypatch.setattr(Encoder, "encode", lambda self, given: encoded.extend(given) or encode(self, given))
    build_vectors(opened)
    assert "A lamp\nA lamp with a shade." not in encoded  # whose vector is copied
    assert not before.exists()
    opened = SearchContext.open(context.index.folder)
    assert opened.names(Dense()(opened, request).ranking.rows[:1]) == ["long"]


@needs_model
def test_a_check_tells_further_passages_that_do_not_fit(context: SearchContext) -> None:
    made = build_vectors(context)
    file = arrays.read(made.path)
    content = {name: np.array(file.whole(name)) for name in file.names()}
    width = made.shape[1]
    about = made.path.with_suffix(".json")
    damages = [
        {FURTHER_ARRAY: content[FURTHER_ARRAY][:-width]},
        {FURTHER_TEXTS: content[FURTHER_TEXTS][:-2]},
        {FURTHER_COUNTS: content[FURTHER_COUNTS][:-1]},
        {FURTHER_COUNTS: content[FURTHER_COUNTS] + np.int32(1)},
        {FURTHER_COUNTS: -content[FURTHER_COUNTS]},
    ]
    for damage in damages:
        made.path.unlink()
        arrays.write(made.path, content | damage)
        (finding,) = check(context.index.folder)
        assert finding.path == str(made.path)
        assert "further passages do not fit the 4 rows" in finding.problem
    made.path.unlink()
    arrays.write(made.path, {name: content[name] for name in (VECTOR_ARRAY, TEXT_ARRAY)})
    (finding,) = check(context.index.folder)  # those of another index, or half of them
    assert "has not the vectors that were made for it" in finding.problem
    about.write_text(about.read_text().replace('"format": 2', '"format": 3'))
    with pytest.raises(InputError, match="has format 3, this version reads up to 2: update leadline"):
        stored_vectors(SearchContext.open(context.index.folder))


@needs_model
def test_whoever_makes_an_index_gets_the_same_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from leadline.cli import main

    write_collection(documents(), tmp_path / "collection", {"made": "by a test"})
    collection = tmp_path / "collection"

    def made(name: str) -> list[str]:
        return sorted(path.name for path in (tmp_path / name).glob("vectors-*"))

    ll.build_index(collection, tmp_path / "none")
    main(["index", str(collection), "-o", str(tmp_path / "none too")])
    assert made("none") == made("none too") == []  # as the tests set LEADLINE_VECTORS
    monkeypatch.setenv("LEADLINE_VECTORS", "learned")
    monkeypatch.setattr(making, "SAMPLE_TEXTS", 3)
    ll.build_index(collection, tmp_path / "learned")
    main(["index", str(collection), "-o", str(tmp_path / "learned too")])
    (first, _), (second, _) = made("learned"), made("learned too")
    assert (tmp_path / "learned" / first).read_bytes() == (tmp_path / "learned too" / second).read_bytes()
    assert ll.search(tmp_path / "learned", "a kitten on a couch").hits[0].name == "long"
    ll.build_index(collection, tmp_path / "left out", vectors=False)
    ll.build_index([{"id": "D1", "title": "A film"}], tmp_path / "without collection")
    monkeypatch.setattr(making, "LEARNED_MOST", 3)
    ll.build_index(collection, tmp_path / "large")
    assert made("left out") == made("without collection") == made("large") == []
    monkeypatch.setenv("LEADLINE_VECTORS", "none")
    ll.build_index(collection, tmp_path / "all", vectors=True)
    assert made("all")
    assert made("all") != made("learned")
    monkeypatch.setenv("LEADLINE_VECTORS", "some")
    with pytest.raises(InputError, match="LEADLINE_VECTORS"):
        ll.build_index(collection, tmp_path / "wrong")


def test_scores_of_passages_are_those_of_each_compared_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    counts = np.array([0, 3, 1, 0, 2, 1], np.int32)
    first, further = (rng.normal(size=(n, 8)).astype(np.float16) for n in (6, int(counts.sum())))
    further[1] = further[0]  # the same passage twice
    content = {VECTOR_ARRAY: first.ravel(), FURTHER_ARRAY: further.ravel(), FURTHER_COUNTS: counts}
    arrays.write(tmp_path / "file", content)
    vectors, ends = Vectors(tmp_path / "file", (6, 8)), np.cumsum(counts)
    each = [np.vstack([first[row : row + 1], further[ends[row] - counts[row] : ends[row]]]) for row in range(6)]
    for _ in range(20):
        asked = rng.normal(size=8).astype(np.float32)
        products = [np.sort(own.astype(np.float64) @ asked)[::-1] for own in each]
        np.testing.assert_allclose(vectors.scores(asked), [own[0] for own in products], rtol=1e-4, atol=1e-5)
        two = [own[:2].mean() for own in products]
        np.testing.assert_allclose(vectors.scores(asked, two=True), two, rtol=1e-4, atol=1e-5)
    for row, own in enumerate(each):
        mean = own.astype(np.float64).mean(axis=0)
        np.testing.assert_allclose(vectors.of_row(row), mean / np.linalg.norm(mean), atol=1e-4)
    some = [4, 1, 0, 1]
    np.testing.assert_array_equal(vectors.of_rows(np.array(some)), [vectors.of_row(row) for row in some])


@needs_model
def test_a_patent_is_compared_by_all_of_its_passages(context: SearchContext) -> None:
    made = build_vectors(context)
    request = context.request("long")
    found = Dense()(context, request).ranking
    scores = made.scores(made.of_row(request.row), two=True)
    assert found.scores.tolist() == [scores[row] for row in found.rows.tolist()]
    outside = Document(
        "other", title="A bolt", abstract=FILLER, description=FILLER * 2 + CAT, claims=(Claim(1, "A bolt."),)
    )
    same = Dense()(context, replace(request, row=None, outside=outside)).ranking
    np.testing.assert_allclose(same.scores[: len(found)], found.scores, atol=0.05)
