"""Joined words, phrases, truncated words and filters find in one call what lists find, in both engines, to the bit."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.collections.documents.collection import Collection
from leadline.errors import InputError
from leadline.retrieval.index import writing
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.joined import asking
from leadline.retrieval.language import language as reading
from leadline.retrieval.language.language import Answer, Language

sys.path.insert(0, str(Path(__file__).parents[2]))
from living_collection import WORDS as LIVING_WORDS
from living_collection import change, started

WORDS = [f"w{letter}{other}" for letter in "abcdef" for other in "abcdef"]
FILTERS = ["ipc:A01", "class:A02B1/00", "published:2003..2009", "before:2015", "after:2004-03", "class:xx", "office:EP"]
PLAIN = Analysis(stemming="none", stop_words="none")


def documents(first: int, count: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(first)
    share = 1 / (np.arange(len(WORDS)) + 1.0)
    found = []
    for number in range(first, first + count):
        words = rng.choice(WORDS, int(rng.integers(0, 60)), p=share / share.sum()).tolist()
        words += rng.choice(["1000", "1", "000", "s1", "near5", "covid-19", "and"], 2).tolist()
        found.append(
            {"id": f"d{number * 7919 % 99991:05}", "body": " ".join(words), "publication": f"{2000 + number % 20}-07",
             "ipc": (f"A{1 + number % 7:02}B{1 + number % 3}/00",)}
        )  # fmt: skip
    return found


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Three segments."""
    folder = tmp_path_factory.mktemp("index")
    made = Index.build(documents(0, 1500), folder, fields=["body"], analysis=PLAIN, positions=True)
    return made.add(documents(1500, 300)).add(documents(1800, 5))


def drawn(draw: random.Random, words: list[str]) -> str:
    """A query of any of the kinds that are read quickly, and of some that look so."""
    units = []
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        kind = draw.random()
        if kind < 0.6:
            units.append(draw.choice([*words[:8], *words, "1000", "s1", "near5", "and", "unknown", "covid"]))
        elif kind < 0.8:
            units.append(f'"{" ".join(draw.choice(words[:6]) for _ in range(draw.choice([1, 2, 2, 3])))}"')
        else:
            units.append(f"{draw.choice(words)[:2]}*")
    filters = [
        "ipc:A01",
        "class:A02B1/00",
        "published:2003..2009",
        "before:2015",
        "after:2004-03",
        "class:xx",
        "office:EP",
    ]
    units += [draw.choice(filters) for _ in range(draw.choice([0, 0, 0, 1, 2]))]
    return draw.choice([" ", " AND ", " AND ", " OR "]).join(units)


def shown(answer: Answer) -> Any:
    """All that an answer says, scores by their bits."""
    ranking = [answer.ranking.rows.tolist(), answer.ranking.scores.view(np.int64).tolist()]
    said = [answer.found, answer.query, answer.order, answer.words, answer.notes, answer.missing, answer.is_empty]
    named = [list(answer.terms.items()), list(answer.written.items()), dict(answer._how)]
    return [ranking, said, named, answer.matching.tolist()]


def asked(language: Language, query: str, k: int) -> Any:
    try:
        return shown(language.search(query, k=k))
    except InputError as error:
        return str(error)


def compare(index: Index, draw: random.Random, words: list[str], count: int) -> int:
    """Ask queries in every way; returns how many were read quickly."""
    quick = 0
    with pytest.MonkeyPatch.context() as patch:
        ways = [Language(index) for _ in range(4)]
        for _ in range(count):
            query, k = drawn(draw, words), draw.choice([3, 40])
            found = []
            for way, language in enumerate(ways):
                patch.setenv("LEADLINE_ENGINE", "plain" if way % 2 else "compiled")
                with patch.context() as slow:
                    if way > 1:
                        slow.setattr(reading, "plain_query", lambda text, in_session: None)
                    found.append(asked(language, query, k))
            quick += reading.plain_query(query, in_session=False) is not None
            assert all(each == found[0] for each in found), query
    return quick


def test_every_way_gives_the_same_answer(index: Index, soak: bool) -> None:
    assert compare(index, random.Random(5), WORDS, 10_000 if soak else 60) > 25


def test_changed_indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, soak: bool) -> None:
    """Documents that are changed or deleted are dead in their segments; then segments are merged."""
    monkeypatch.setattr(writing, "WIDTH", 4)
    monkeypatch.setattr(writing, "MOST_DEAD", 0.9)
    draw = random.Random(8)
    collection, folder = started(tmp_path, draw, 60)
    seen_dead = False
    for turn in range(10 if soak else 3):
        for _ in range(3):
            change(collection, draw)
        index = Index.open(folder).update(Collection.open(collection))
        index = index.merge() if turn == 2 else index
        seen_dead |= index.has_dead
        compare(
            index,
            draw,
            [word.lower() for word in LIVING_WORDS if word.isascii() and word.isalnum()],
            300 if soak else 25,
        )
    assert seen_dead


def test_one_call_is_enough(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    language = Language(index)
    for query in ('"waa wab"', "waa AND wb*", "waa AND wab", "waa wab ipc:A01",
                  '"waa waa" AND wac', "waa AND wab AND ipc:A01"):  # fmt: skip
        assert language.search(query, k=5).found
    assert not language.searcher.weights.lists


def test_repeated_words_and_gaps(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    for query in ('"waa waa"', '"waa wab waa"', '"waa waa waa waa"'):
        monkeypatch.setenv("LEADLINE_ENGINE", "plain")
        expected = shown(Language(index).search(query))
        monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
        assert shown(Language(index).search(query)) == expected


@pytest.mark.parametrize("part", ["documents", "frequencies", "positions"])
def test_a_damaged_file_is_an_error_and_leaves_no_trace(
    tmp_path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    Index.build(documents(0, 1500), tmp_path / "bad", fields=["body"], analysis=PLAIN, positions=True)
    bad = Index.open(tmp_path / "bad")
    (segment,) = bad.segments
    start = segment.file._place(f"body/{part}").start
    words = getattr(segment.field("body"), part).mapped()[0]
    content = bytearray(segment.path.read_bytes())
    for at in range(start + 4 * int(words.offsets[0]) + 8, start + 4 * int(words.offsets[-1]), 3000):
        content[at] ^= 16
    segment.path.write_bytes(content)
    language = Language(Index.open(tmp_path / "bad"))
    queries = ['"wac wab"', '"waa wab"', '"waa wab wac"', "waa AND wab", "wa* AND waa"]
    for query in queries[: 3 if part == "positions" else 5]:
        with pytest.raises(InputError, match="is damaged at byte"):
            language.search(query)


def test_damage_with_right_checksums_does_not_crash(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other bits where every checksum is taken for right: an answer or an error, and no crash."""
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    draw = random.Random(3)
    Index.build(documents(0, 600), tmp_path / "bad", fields=["body"], analysis=PLAIN, positions=True)
    for _ in range(15):
        language = Language(Index.open(tmp_path / "bad"))
        field = language.index.segments[0].field("body")
        for values in (field.documents, field.frequencies, field.positions):
            blocks, sums, good = values.mapped()
            good[:] = 1
            words = np.concatenate([blocks.words, np.zeros(64, np.int32)])[: len(blocks.words)]
            for at in draw.sample(range(int(blocks.offsets[0]), len(words)), 20):
                words[at] ^= np.int32(draw.getrandbits(31))
            wrong = blocks._replace(words=words), sums, good
            monkeypatch.setattr(values, "mapped", lambda wrong=wrong: wrong)
        for query in ('"waa wab"', "wa* AND waa", "waa AND wab", '"waa waa wab"', "waa wab ipc:A01"):
            asked(language, query, 10)
        monkeypatch.undo()
        monkeypatch.setenv("LEADLINE_ENGINE", "compiled")


def test_threads_search_at_once(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    draw = random.Random(2)
    queries = [drawn(draw, WORDS) for _ in range(150)]
    language = Language(index)
    expected = [asked(language, query, 20) for query in queries]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda query: asked(Language(index), query, 20), queries)) == expected


def test_long_lists_of_terms_are_left_to_the_lists(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    query = " AND ".join([*WORDS, *(f'"{word} {word}"' for word in WORDS)])
    assert Language(index).search(query).found == 0
    assert 2 * len(WORDS) > asking.at.MOST_TERMS


def test_no_search_waits_for_another(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """No lock is needed by searches in one call, once the addresses of the index are known."""
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    language = Language(index)
    queries = ["waa wab", "waa AND wac", '"waa wab"', "waa AND wb*", "waa wab ipc:A01"]
    expected = [asked(language, query, 20)[0] for query in queries]
    with language.searcher._lock, asking._lock, ThreadPoolExecutor(1) as pool:
        others = [pool.submit(language.search, query, k=20) for query in ["wad wae", *queries]]
        found = [each.result(timeout=100).ranking for each in others[1:]]
    assert [[each.rows.tolist(), each.scores.view(np.int64).tolist()] for each in found] == expected


@settings(max_examples=examples(200), deadline=None)
@given(
    st.from_regex(reading._PLAIN_CLASS, fullmatch=True) | st.from_regex(reading._PLAIN_YEARS, fullmatch=True),
)  # fmt: skip
def test_usual_filters_are_read_as_all_are(written: str) -> None:
    assert reading._filter_of(written) == reading._read_filter(written)
