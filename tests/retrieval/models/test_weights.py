"""What a search was given stays as it was, whatever other searches make or forget meanwhile."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pytest

import leadline as ll

WORDS = ["ink", "pigment", "paper", "cobalt", "glass", "steel", "water", "oil", "film", "metal"]
HOME = importlib.import_module(ll.Searcher.__module__)  # where a searcher hands its weights to the ranking


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> ll.Index:
    rng = np.random.default_rng(3)
    texts = [{"id": f"d{number:03}", "title": " ".join(rng.choice(WORDS, 12))} for number in range(300)]
    return ll.Index.build(texts, tmp_path_factory.mktemp("index"), fields=["title"])


def by_lists(index: ll.Index) -> ll.Searcher:
    """A searcher that makes lists of weights, also where one call would do."""
    searcher = ll.Searcher(index)
    searcher.one_call = None
    return searcher


def same(found: Any, expected: Any) -> bool:
    return found.rows.tolist() == expected.rows.tolist() and found.scores.tolist() == expected.scores.tolist()


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_weights_forgotten_between_asking_and_ranking(
    index: ll.Index, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread may search, and have all lists forgotten, while this one is about to rank."""
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    expected = ll.Searcher(index).search("ink cobalt", k=50)
    searcher = by_lists(index)
    rank, interrupted = HOME.rank, []

    def rank_late(*arguments: Any) -> Any:
        if not interrupted:
            interrupted.append(True)
            searcher.weights.clear()
            searcher.search("steel water oil film", k=50)
        return rank(*arguments)

    monkeypatch.setattr(HOME, "rank", rank_late)
    assert same(searcher.search("ink cobalt", k=50), expected)
    assert interrupted


def test_weights_that_grow_between_asking_and_ranking(index: ll.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ll.Searcher(index).search("ink cobalt", k=50)
    searcher = by_lists(index)
    rank, interrupted = HOME.rank, []

    def rank_late(*arguments: Any) -> Any:
        if not interrupted:
            interrupted.append(True)
            for step in range(80):  # more lists than there was room for: the arrays are replaced
                searcher.search(" ".join(WORDS), k=1, k1=1 + step / 100)
        return rank(*arguments)

    monkeypatch.setattr(HOME, "rank", rank_late)
    assert same(searcher.search("ink cobalt", k=50), expected)


def test_threads_that_forget_each_others_weights(index: ll.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [f"{first} {second}" for first in WORDS for second in WORDS]
    expected = ll.Searcher(index).search_many(queries, k=20)
    home = importlib.import_module(type(ll.Searcher(index).weights).__module__)
    monkeypatch.setattr(home, "POSTINGS_KEPT", 100)  # so that nearly every query forgets what the last one made
    searcher = by_lists(index)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda query: searcher.search(query, k=20), queries))
    assert all(map(same, found, expected))


def test_one_thread_at_a_time_makes_weights(index: ll.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = ["ink cobalt", "paper glass"]
    expected = [ll.Searcher(index).search(query, k=20) for query in queries]
    searcher = by_lists(index)
    numbers, entered, second_entered, overlaps = searcher.weights.numbers, [], Event(), []

    def slow_numbers(*arguments: Any) -> Any:
        entered.append(True)
        if len(entered) == 1:
            overlaps.append(second_entered.wait(0.5))
        else:
            second_entered.set()
        return numbers(*arguments)

    monkeypatch.setattr(searcher.weights, "numbers", slow_numbers)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda query: searcher.search(query, k=20), queries))
    assert (len(entered), overlaps) == (2, [False])
    assert all(map(same, found, expected))
