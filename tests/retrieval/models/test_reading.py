"""Lists as the search reads them: the same in both engines, and with the results of a plain sum whatever is stored."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.retrieval.index import index as intersecting
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index, rows_with_all
from leadline.retrieval.index.packing import ascending, packed
from leadline.retrieval.models import weights
from leadline.retrieval.models.catalogue.bm25 import bm25
from leadline.retrieval.models.registry import Postings
from leadline.retrieval.models.searcher import Searcher

WORDS = [f"w{number}" for number in range(60)]
DOCUMENTS = 9000  # three blocks of documents
ENGINES = ["plain", "compiled"]


def texts(first: int, count: int) -> list[dict[str, str]]:
    rng = np.random.default_rng(first)
    share = 1 / (np.arange(len(WORDS)) + 1.0) ** 1.3
    lengths = rng.integers(1, 30, count)
    words = rng.choice(WORDS, int(lengths.sum()), p=share / share.sum())
    cuts = np.cumsum(lengths)[:-1]
    return [
        {"id": f"d{first + number:05}", "body": " ".join(each)} for number, each in enumerate(np.split(words, cuts))
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index of two segments."""
    folder = tmp_path_factory.mktemp("index")
    plain = Analysis(stemming="none", stop_words="none")
    made = Index.build(texts(0, 5000), folder, fields=["body"], analysis=plain)
    return made.add(texts(5000, DOCUMENTS - 5000))


@pytest.fixture(scope="module")
def counts(index: Index) -> dict[str, Any]:
    """How often each word is in each document, counted from the texts."""
    listed = [each["body"].split() for each in (*texts(0, 5000), *texts(5000, DOCUMENTS - 5000))]
    found = {word: np.zeros(DOCUMENTS) for word in WORDS}
    for row, words in enumerate(listed):
        for word in words:
            found[word][row] += 1
    return {**found, "length": np.array([len(words) for words in listed], float)}


def by_lists(index: Index) -> Searcher:
    """A searcher that reads lists, also where one call would do."""
    searcher = Searcher(index)
    searcher.one_call = None
    return searcher


def plainly(counts: dict[str, Any], query: Sequence[str], k: int, mask: Any) -> tuple[list[int], list[float]]:
    """The best documents by adding up the model's weights of one word after the other."""
    totals, lengths = np.zeros(DOCUMENTS), counts["length"]
    has_any = np.zeros(DOCUMENTS, bool)
    for word in query:
        has = counts[word] > 0 if word in counts else np.zeros(DOCUMENTS, bool)
        if has.any():
            ones = np.ones(int(has.sum()))
            postings = Postings(counts[word][has], lengths[has], has.sum() * ones, ones, DOCUMENTS, lengths.sum())
            totals[has] += bm25(postings)
            has_any |= has
    rows = np.flatnonzero(has_any & mask)
    best = sorted(rows.tolist(), key=lambda row: (totals[row], row), reverse=True)[:k]
    return best, totals[best].tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_searches_find_what_a_plain_sum_finds(
    index: Index, counts: dict[str, Any], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cold and warm, short and long queries, with few and with many documents allowed."""
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    rng = np.random.default_rng(5)
    masks = [None, rng.random(DOCUMENTS) < 0.5, np.arange(DOCUMENTS) % 1500 == 7]
    queries = [["w0", "w59", "w3"], ["w1", "unknown"], WORDS[:20], [*WORDS[30:], *WORDS[:5]]]
    for query, mask, k in itertools.product(queries, masks, (3, 150, 1000)):
        rows, scores = plainly(counts, query, k, np.ones(DOCUMENTS, bool) if mask is None else mask)
        searcher = by_lists(index)
        for _ in range(4):  # at the third, weights are stored
            found = searcher.search(query, k=k, mask=mask)
            assert found.rows.tolist() == rows
            assert found.scores.tolist() == scores
        assert searcher.weights.weighed or mask is not None
        (first, *_) = searcher.why(query, rows[0])
        assert first.score == Searcher(index).why(query, rows[0])[0].score


@pytest.mark.parametrize("engine", ENGINES)
def test_documents_that_have_every_word(
    index: Index, counts: dict[str, Any], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cold and warm: the documents, their order and their number are those of a plain sum."""
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    masks = [None, np.random.default_rng(5).random(DOCUMENTS) < 0.5, np.zeros(DOCUMENTS, bool)]
    queries = [["w0"], ["w0", "w3", "w1"], ["w59", "w0"], ["w1", "unknown"], WORDS[:4], WORDS[40:50]]
    for query, mask, k in itertools.product(queries, masks, (3, 1000)):
        having = np.logical_and.reduce([counts[word] > 0 if word in counts else np.zeros(DOCUMENTS) for word in query])
        having = having.astype(bool) if mask is None else having.astype(bool) & mask
        rows, scores = plainly(counts, query, k, having)
        searcher = Searcher(index)
        for _ in range(4):
            found = searcher.search_having_all(dict.fromkeys(query, 1.0), k=k, mask=mask)
            assert found is not None
            assert found[1] == int(having.sum())
            assert found[0].rows.tolist() == rows
            assert found[0].scores.tolist() == scores


def test_scores_that_are_more_than_lists_are_left_to_a_search_with_a_mask(index: Index) -> None:
    assert Searcher(index).search_having_all({"w1": 1.0}, model="indri-dirichlet") is None
    with pytest.raises(InputError, match="k: must be at least 1, got 0"):
        Searcher(index).search_having_all({"w1": 1.0}, k=0)


def test_both_engines_read_and_weigh_the_same_lists(index: Index) -> None:
    terms = ["w3", "unknown", "w0", "w59"]
    segments = weights.stored_postings(index, "body", terms)
    assert segments is not None
    assert len(segments) == 2
    sizes = np.sum([each.stops - each.starts for each in segments], axis=0)
    offsets = 5 + np.concatenate([[0], np.cumsum(sizes)])
    found = []
    for compiled in (False, True):
        places, numbers = np.zeros(offsets[-1], np.uint16), np.zeros(offsets[-1], np.uint16)
        directory = np.zeros((len(terms), 4), np.int64)
        most = weights._read.version(compiled)(segments, offsets, places, numbers, directory)
        found.append([each.tolist() for each in (places, numbers, directory, most)])
    assert found[0] == found[1]
    searcher = by_lists(index)
    searcher.search(terms, k=1)
    lists = np.array([0, 2, 3])
    plain, fast = (weights._weighed.version(compiled)(searcher.weights, lists) for compiled in (False, True))
    assert [each.tolist() for each in plain] == [each.tolist() for each in fast]


def test_documents_with_all_terms(index: Index, counts: dict[str, Any]) -> None:
    for terms in (["w0"], ["w0", "w1"], ["w40", "w0", "w2"], WORDS[:12], ["w59", "w58"], ["w0", "unknown"]):
        having = [counts.get(term, np.zeros(DOCUMENTS)) > 0 for term in terms]
        expected = np.flatnonzero(np.logical_and.reduce(having))
        assert rows_with_all(index, "body", [term.encode() for term in terms]).tolist() == expected.tolist()
        part = index.segments[0].field("body")
        numbers = part.terms.find([term.encode() for term in terms])
        if (numbers >= 0).all():
            ranges = part.documents, part.starts[numbers], part.starts[numbers + 1]
            plain, fast = (intersecting._intersected.version(compiled)(*ranges) for compiled in (False, True))
            assert plain.tolist() == fast.tolist()


class Unchecked:
    """Words of a packed array in memory, without checksums."""

    is_checked = False

    def __init__(self, values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    def damaged(self, where: str) -> InputError:
        return InputError("file", f"is damaged{where}")

    def check_by(self, _kernel: Any) -> int:
        return 0

    def check_ranges(self, _starts: Any, _stops: Any) -> None:
        pass


@pytest.mark.parametrize("engine", ENGINES)
def test_a_list_that_does_not_ascend_is_damaged(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are stored modulo their number, so a file can hold such a list; its checksums may be right."""
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    stored = packed(np.array([1, 5, 9, 3, 4, 8]), ascending(10))
    documents = weights.PackedArray(Unchecked(stored), ascending(10))  # type: ignore[arg-type]
    whole, right = (np.array([0]), np.array([6])), (np.array([0]), np.array([3]))
    assert intersecting.intersected(documents, *right).tolist() == [1, 5, 9]
    with pytest.raises(InputError, match="not in order"):
        intersecting.intersected(documents, *whole)
    frequencies = weights.PackedArray(Unchecked(packed(np.zeros(6))), add=1)  # type: ignore[arg-type]
    into = np.zeros(6, np.uint16), np.zeros(6, np.uint16), np.zeros((1, 2), np.int64)
    asked = [weights.SegmentPostings(documents, frequencies, 0, *whole, np.array([6]))]
    with pytest.raises(InputError, match="not in order"):
        weights.read_lists(asked, np.array([0, 6]), *into)
