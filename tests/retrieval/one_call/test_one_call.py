"""A query in one foreign call finds what lists find, in both engines, to the last bit, in any index."""

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

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.update import update as update_collection
from leadline.errors import InputError
from leadline.retrieval.index import writing
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.mapped import kernel_arguments, plans
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.models.searcher import How, Searcher
from leadline.retrieval.one_call import ranking
from leadline.retrieval.one_call.kernel_arguments import IS_PRUNED
from leadline.retrieval.one_call.workspace import workspace

sys.path.insert(0, str(Path(__file__).parents[2]))
from living_collection import WORDS as LIVING_WORDS
from living_collection import change, started, written

WORDS = [f"w{number}" for number in range(60)]
FIRST, SECOND, THIRD = 3000, 700, 9  # documents of three segments


def texts(first: int, count: int) -> list[dict[str, str]]:
    rng = np.random.default_rng(first)
    share = 1 / (np.arange(len(WORDS)) + 1.0) ** 1.3
    found = []
    for number in range(count):
        title, body = (
            rng.choice(WORDS, int(rng.integers(0, most)), p=share / share.sum()).tolist() for most in (4, 40)
        )
        found.append({"id": f"d{(first + number) * 7919 % 99991:05}", "title": " ".join(title), "body": " ".join(body)})
    return found


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Three segments of two fields, with ids in another order than rows, so that ties are seen."""
    plain = Analysis(stemming="none", stop_words="none")
    folder = tmp_path_factory.mktemp("index")
    made = Index.build(texts(0, FIRST), folder, fields=["title", "body"], analysis=plain)
    return made.add(texts(FIRST, SECOND)).add(texts(FIRST + SECOND, THIRD))


def by_lists(index: Index) -> Searcher:
    searcher = Searcher(index)
    searcher.one_call = None
    return searcher


def bits(found: Ranking) -> tuple[list[int], list[int]]:
    return found.rows.tolist(), found.scores.view(np.int64).tolist()


WEIGHTS = st.sampled_from([1.0, 1.0, 1.0, 2.0, 0.5, 0.3, 0.0, -1.0])
FIELDS = st.sampled_from([
    None, "body", "title", ["title", "body"], {"title": 2.0, "body": 1.0}, {"title": 0.5, "body": 1.0},
    {"title": 0.3, "body": 1.0}, {"body": 3.0},
])  # fmt: skip
MODELS = st.sampled_from([
    ("bm25", {}), ("bm25", {"k1": 0.0}), ("bm25", {"b": 0.0, "k1": 3.0}), ("bm25", {"variant": "robertson"}),
    ("bm25", {"variant": "atire"}), ("dph", {}), ("bm25f", {}), ("indri-dirichlet", {}),
])  # fmt: skip
DEPTHS = st.sampled_from([1, 10, 32, 33, 100, 1000, 100_000])


@settings(max_examples=examples(250), deadline=None)
@given(
    st.dictionaries(st.sampled_from([*WORDS, "unknown", "W1", ""]), WEIGHTS, min_size=1, max_size=70),
    FIELDS, MODELS, DEPTHS, st.sampled_from(["text", "scores"]), st.sampled_from([0.0, 0.01, 0.5, 1.0]),
)  # fmt: skip
def test_random_queries_have_the_same_bits_in_every_way(
    index: Index, query: dict[str, float], fields: Any, model: Any, k: int, combine: Any, share: float
) -> None:
    mask = None if share == 1.0 else np.random.default_rng(len(query)).random(len(index)) < share
    how: dict[str, Any] = {"model": model[0], "fields": fields, "combine": combine, "mask": mask, "k": k} | model[1]
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for engine in ("plain", "compiled"):
            patch.setenv("LEADLINE_ENGINE", engine)
            found.append(bits(by_lists(index).search(query, **how)))
        searcher = Searcher(index)
        found += [bits(searcher.search(query, **how)) for _ in range(3)]  # from the third on, lists are kept
        found += [bits(each) for each in searcher.search_many([query, query], **how)]
    assert found[1:] == found[:1] * (len(found) - 1), (query, fields, model, k, combine, share, found)


@settings(max_examples=examples(250), deadline=None)
@given(
    st.dictionaries(st.sampled_from([*WORDS[:20], *WORDS, "unknown"]), WEIGHTS, min_size=1, max_size=6),
    FIELDS, st.sampled_from([{}, {"k1": 0.0}, {"variant": "atire"}]), DEPTHS, st.sampled_from([0.0, 0.3, 1.0]),
)  # fmt: skip
def test_documents_that_have_all_words_have_the_same_bits_in_every_way(
    index: Index, query: dict[str, float], fields: Any, parameters: Any, k: int, share: float
) -> None:
    mask = None if share == 1.0 else np.random.default_rng(len(query)).random(len(index)) < share
    how: dict[str, Any] = {"fields": fields, "mask": mask, "k": k} | parameters
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        for engine in ("plain", "compiled"):
            patch.setenv("LEADLINE_ENGINE", engine)
            found.append(by_lists(index).search_having_all(query, **how))
        found.append(Searcher(index).search_having_all(query, **how))
    first, *others = [(bits(best), count) for best, count in found]
    assert others == [first] * 2, (query, fields, parameters, k, share)


def test_usual_queries_are_ranked_in_one_call(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    searcher = Searcher(index)
    mask = np.arange(len(index)) % 3 == 0
    for fields in (None, "body", {"title": 2.0, "body": 1.0}):
        for combine in ("text", "scores"):
            for k in (10, 1000):
                searcher.search("w0 w7 w30", fields=fields, combine=combine, k=k, mask=mask)
                searcher.search("w0 w7 w30", fields=fields, combine=combine, k=k, k1=0.9)
    assert not searcher.weights.lists
    searcher.search("w0", model="dph")
    assert searcher.weights.lists


def test_changed_indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, soak: bool) -> None:
    """Documents that are changed or deleted are dead in their segments; then segments are merged."""
    monkeypatch.setattr(writing, "WIDTH", 4)
    monkeypatch.setattr(writing, "MOST_DEAD", 0.9)
    draw = random.Random(8)
    collection, folder = started(tmp_path, draw, 60)
    seen_dead = False
    for turn in range(12 if soak else 5):
        for _ in range(3):
            change(collection, draw)
        index = Index.open(folder).update(Collection.open(collection))
        index = index.merge() if turn == 4 else index
        seen_dead |= index.has_dead
        compiled, plain, lists = Searcher(index), by_lists(index), by_lists(index)
        for _ in range(400 if soak else 40):
            query = {word: draw.choice([1.0, 2.0, 0.5]) for word in draw.sample(LIVING_WORDS, draw.randint(1, 12))}
            terms = {term: weight for word, weight in query.items() for term in index.analysis.terms(word)}
            how: dict[str, Any] = {
                "k": draw.choice([3, 50]),
                "fields": draw.choice([None, "claims", {"title": 2.0, "description": 1.0}]),
                "combine": draw.choice(["text", "scores"]),
            }
            if not terms:
                continue
            found = bits(compiled.search(terms, **how))
            monkeypatch.setenv("LEADLINE_ENGINE", "plain")
            assert bits(plain.search(terms, **how)) == found
            monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
            assert bits(lists.search(terms, **how)) == found
            few = dict(list(terms.items())[: draw.randint(1, 3)])
            one, other = (each.search_having_all(few, fields="claims", k=20) for each in (compiled, lists))
            assert one is not None
            assert other is not None
            assert (bits(one[0]), one[1]) == (bits(other[0]), other[1])
    assert seen_dead


def patent(number: int, rng: np.random.Generator) -> dict[str, Any]:
    share = 1 / (np.arange(len(WORDS)) + 1.0) ** 1.3
    words = rng.choice(WORDS, int(rng.integers(1, 30)), p=share / share.sum()).tolist()
    return {"id": f"EP{1000000 + number}B1", "title": "patent", "description": " ".join(words)}


def test_pruning_among_documents_of_which_some_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, soak: bool
) -> None:
    """Documents are looked up in packed lists, in lists read before, and in lists that are kept, some of them dense."""
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    monkeypatch.setattr(writing, "MOST_DEAD", 0.9)
    rng, count = np.random.default_rng(11), 3000
    collection, folder = tmp_path / "collection", tmp_path / "index"
    build([written(tmp_path / "first.jsonl", [patent(number, rng) for number in range(count)])], collection)
    opened = Collection.open(collection)
    Index.build(opened, folder, fields=["description"], origin=str(collection), workers=1)
    pruned = asked = seen_dead = 0
    for _ in range(8 if soak else 2):
        changed = [patent(number, rng) for number in rng.choice(count, 200, replace=False).tolist()]
        there = Collection.open(collection).records["id"]
        gone = [
            name for name in rng.choice(there, 300, replace=False).tolist() if name not in {d["id"] for d in changed}
        ]
        update_collection(collection, [written(tmp_path / "next.jsonl", changed)], delete=gone)
        index = Index.open(folder).update(Collection.open(collection))
        seen_dead += index.has_dead
        searcher, lists = Searcher(index), by_lists(index)
        for number in range(1250 if soak else 150):
            words = rng.choice([*WORDS[:30], *WORDS], int(rng.integers(2, 7)), replace=True).tolist()
            terms = {word: float(rng.choice([1.0, 2.0, 0.5])) for word in words}
            mask = None if number % 3 else rng.random(len(index)) < rng.choice([0.2, 0.9])
            k = int(rng.choice([1, 2, 3, 10]))
            best, found, _ = searcher.search_and_count(terms, k=k, mask=mask)
            assert bits(best) == bits(lists.search(terms, k=k, mask=mask)), (terms, k)
            assert bits(best) == bits(searcher.search(terms, k=k, mask=mask)), (terms, k)
            pruned += workspace(0, 0, 0).told[IS_PRUNED]
            having = np.zeros(len(index), np.bool_)
            for term in terms:
                having[index.lists("description", [term.encode()]).documents] = True
            assert found in (None, np.count_nonzero(having if mask is None else having & mask)), (terms, k)
            asked += 1
    assert seen_dead > 1
    assert pruned > asked // 20, (pruned, asked)


def test_terms_that_are_frequent_in_other_numbers_than_the_usual(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Factors are computed as they are needed, also where a query lacks more of them than are asked for at a time."""
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    monkeypatch.setattr(plans, "USUAL", 1)
    expected = by_lists(index).search(WORDS, k=20)
    searcher = Searcher(index)
    for fields in (None, "body"):
        found, right = (each.search(WORDS, k=20, fields=fields) for each in (searcher, by_lists(index)))
        assert bits(found) == bits(right)
    monkeypatch.setattr(ranking, "TRIES", 1)
    assert bits(Searcher(index).search(WORDS, k=20)) == bits(expected)


def test_terms_that_no_dictionary_can_have(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    searcher, lists = Searcher(index), by_lists(index)
    for query in (["w1\0w2"], ["w1", "\0"], ["\n", "w3"], ["", "w1"], ["w" * 5000, "w2"], ["é", "w2"], ["w1 w2"]):
        assert bits(searcher.search(query, k=9)) == bits(lists.search(query, k=9))


def test_threads_search_at_once(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    queries = [f"{one} {other} {one}" for one in WORDS[:20] for other in WORDS[:20]]
    expected = [bits(each) for each in by_lists(index).search_many(queries, k=40)]
    searcher = Searcher(index)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda query: bits(searcher.search(query, k=40)), queries))
    assert found == expected
    assert [bits(each) for each in searcher.search_many(queries, k=40, threads=3)] == expected


@pytest.mark.parametrize("part", ["documents", "frequencies"])
@pytest.mark.parametrize("fields", [["body"], ["title", "body"]])
def test_a_damaged_list_is_an_error_and_leaves_no_trace(
    tmp_path: Path, part: str, fields: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    plain = Analysis(stemming="none", stop_words="none")
    good = Index.build(texts(0, FIRST), tmp_path / "good", fields=["title", "body"], analysis=plain)
    expected = bits(Searcher(good).search("w0 w5", k=50, fields=fields))
    bad = Index.build(texts(0, FIRST), tmp_path / "bad", fields=["title", "body"], analysis=plain)
    (segment,) = bad.segments
    place = segment.file._place(f"body/{part}")
    content = bytearray(segment.path.read_bytes())
    content[place.start + place.size * 4 - 40] ^= 16
    segment.path.write_bytes(content)
    searcher = Searcher(Index.open(tmp_path / "bad"))
    for query in ("w9 w5 w30", "w9"):
        with pytest.raises(InputError, match="is damaged at byte"):
            searcher.search(query, k=50, fields=fields)
    assert bits(Searcher(good).search("w0 w5", k=50, fields=fields)) == expected


def test_lists_that_are_kept(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long lists are kept when they are asked for again, within bounds, and give the same bits."""
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    queries = [" ".join(WORDS[start : start + 4]) for start in range(6)]
    for fields in (None, "body"):
        expected = [bits(by_lists(index).search(query, k=30, fields=fields)) for query in queries]
        for most in (20_000_000, 3000, 0):
            monkeypatch.setattr(ranking, "POSTINGS_KEPT", most)
            monkeypatch.setattr(ranking, "TIMES_COLD", 1)
            searcher = Searcher(index)
            for _ in range(3):
                assert [bits(searcher.search(query, k=30, fields=fields)) for query in queries] == expected
            assert searcher.one_call is not None
            kept = sum(int(np.count_nonzero(each)) for plan in searcher.one_call._plans.values() if plan
                       for each in plan.kept_lists)  # fmt: skip
            assert bool(kept) == (most > 3000)


def test_lists_are_kept_as_their_twin_makes_them(index: Index) -> None:
    for fields in ({"body": 1.0}, {"title": 2.0, "body": 1.0}):
        searcher = Searcher(index)
        ((recipe, _, _),) = searcher._recipes(How("bm25", fields, "text", {}))
        plan = plans.plan_of(searcher.weights, recipe)
        assert plan is not None
        for term in ("w0", "w20", "w59"):
            plain, fast = (ranking._weighed.version(kernels)(searcher.weights, plan, term) for kernels in (False, True))
            assert [each.tolist() for each in plain] == [each.tolist() for each in fast]


def test_names_of_places_are_all_different() -> None:
    of_record = [kernel_arguments.NAMES, kernel_arguments.OF_DOCUMENTS, kernel_arguments.OF_FREQUENCIES]
    assert of_record == [0, 10, 10 + kernel_arguments.GOOD + 1]
    assert kernel_arguments.KEPT_LISTS == kernel_arguments.OF_FREQUENCIES + kernel_arguments.GOOD + 1
