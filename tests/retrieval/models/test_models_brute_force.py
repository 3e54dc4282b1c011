"""The best documents are those a plain computation over all documents finds, in both engines, for every model."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.registry import MODELS, InField, Postings
from leadline.retrieval.models.searcher import Searcher

PLAIN = Analysis(stemming="none", stop_words="none")
WORDS = ["acid", "base", "salt", "film", "metal"]
documents = st.lists(
    st.fixed_dictionaries({
        "title": st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join),
        "body": st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join),
    }),
    min_size=1, max_size=12,
).filter(lambda texts: any(text["title"] or text["body"] for text in texts))  # fmt: skip
queries = st.dictionaries(st.sampled_from([*WORDS, "unknown"]), st.sampled_from([1.0, 2.0, 0.5, -1.0, 0.3]), min_size=1)


def brute_force(texts, names, query, model, k, fields, mask):
    """Every document by itself, from its words: no postings, no lists. Returns the rows and scores of the best."""
    counts = {
        name: np.array([[text[name].split().count(term) for term in query] for text in texts], float) for name in fields
    }
    lengths = {name: np.array([len(text[name].split()) for text in texts], float) for name in fields}
    tf = sum(weight * counts[name] for name, weight in fields.items())
    length = sum(weight * lengths[name] for name, weight in fields.items())
    scores, matched = np.zeros(len(texts)), np.zeros(len(texts), bool)
    for number, weight in enumerate(query.values()):
        has = tf[:, number] > 0
        if not has.any():
            continue
        ones = np.ones(int(has.sum()))
        within = {
            name: InField(
                fields[name], counts[name][has, number], lengths[name][has],
                np.count_nonzero(counts[name][:, number]) * ones,
                lengths[name].sum() / np.count_nonzero(lengths[name]) if lengths[name].any() else 1.0,
            )
            for name in fields
        }  # fmt: skip
        postings = Postings(
            tf[has, number], length[has], has.sum() * ones, tf[:, number].sum() * ones,
            int(np.count_nonzero(length)), float(length.sum()), within,
        )  # fmt: skip
        scores[has] += weight * MODELS[model].function(postings)
        matched |= has
    if (lacking := MODELS[model].lacking) is not None:
        parts = lacking(length, **MODELS[model].parameters)
        lowest, terms = min(0.0, parts.min()), sum(query.values())
        scores = scores + terms * (parts - lowest) + terms * lowest  # in the order of the search, for its ties
    rows = np.flatnonzero(matched & mask)
    order = sorted(rows.tolist(), key=lambda row: (scores[row], names[row].encode()), reverse=True)[:k]
    return order, scores[order]


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@settings(max_examples=examples(75), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=documents, query=queries, seed=st.integers(0, 99), k=st.integers(1, 6), weight=st.sampled_from([1.0, 2.0]))
def test_every_model_finds_what_brute_force_finds(texts, query, seed, k, weight, engine, monkeypatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    rng = np.random.default_rng(seed)
    names = [f"D{number}" for number in rng.permutation(len(texts))]
    mask = rng.random(len(texts)) < 0.8
    fields = {"title": weight, "body": 1.0}
    with tempfile.TemporaryDirectory() as folder:
        given_documents = [{"id": name, **text} for name, text in zip(names, texts, strict=True)]
        half = (len(texts) + 1) // 2
        index = Index.build(given_documents[:half], folder, fields=["title", "body"], analysis=PLAIN, workers=1)
        if len(texts) > half:
            index = index.add(given_documents[half:], workers=1)
        searcher = Searcher(index)
        for model in MODELS:
            found = searcher.search(query, model, k, fields=fields, mask=mask)
            rows, scores = brute_force(texts, names, query, model, k, fields, mask)
            assert found.rows.tolist() == rows, model
            assert found.scores == pytest.approx(scores, rel=1e-12, abs=1e-12), model
            for row, score in zip(rows[:2], found.scores, strict=False):
                whole = sum(each.score for each in searcher.why(query, row, model, fields=fields))
                exact = MODELS[model].lacking is None
                assert whole == (score if exact else pytest.approx(score, rel=1e-12, abs=1e-12)), model


@given(texts=documents, query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), mu=st.floats(0.5, 5000),
       background=st.floats(0, 0.99))  # fmt: skip
@settings(max_examples=examples(60), deadline=None)
def test_query_likelihood_is_that_of_every_word(texts, query, mu, background) -> None:
    """The whole formulas, word by word, with the words that a document lacks."""
    words = [f"{text['title']} {text['body']}".split() for text in texts]
    everything = [word for document in words for word in document]
    share = {word: everything.count(word) / len(everything) for word in WORDS}
    asked = [word for word in query if share[word]]  # words that no document has are the same to all
    if not asked:
        return

    def dirichlet(document: list[str], word: str) -> float:
        return (document.count(word) + mu * share[word]) / (len(document) + mu)

    formulas = {
        "indri-dirichlet": ({"mu": mu}, dirichlet, 1.0),
        "two-stage": (
            {"mu": mu, "background": background},
            lambda document, word: (1 - background) * dirichlet(document, word) + background * share[word], 1.0,
        ),
        "indri-jelinek-mercer": (
            {"background": max(background, 0.01)},
            lambda document, word: (1 - max(background, 0.01)) * document.count(word) / len(document)
            + max(background, 0.01) * share[word], max(background, 0.01),
        ),
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        listed = [{"id": f"D{number}", **text} for number, text in enumerate(texts)]
        searcher = Searcher(Index.build(listed, folder, fields=["title", "body"], analysis=PLAIN, workers=1))
        for model, (parameters, likelihood, factor) in formulas.items():
            found = searcher.search(asked, model, **parameters)
            constant = sum(np.log(factor * share[word]) for word in asked)
            for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
                whole = sum(np.log(likelihood(words[row], word)) for word in asked)
                assert score == pytest.approx(whole - constant, rel=1e-9, abs=1e-9), model


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    """Enough documents for several blocks, with so few different words that many scores are equal."""
    rng = np.random.default_rng(5)
    words = np.array([f"w{number}" for number in range(40)])
    chances = 1 / np.arange(1, 41)
    texts = [" ".join(rng.choice(words, rng.integers(1, 9), p=chances / chances.sum())) for _ in range(20_000)]
    names = rng.permutation(len(texts))
    documents = [{"id": f"D{name}", "body": text} for name, text in zip(names, texts, strict=True)]
    return Searcher(Index.build(documents, tmp_path_factory.mktemp("large"), fields=["body"], analysis=PLAIN))


@pytest.mark.parametrize("k", [1, 10, 1000, 50_000])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("model", ["bm25", "indri-dirichlet", "two-stage"])
def test_both_engines_agree_to_the_last_bit(model, k, masked, large: Searcher, monkeypatch) -> None:
    rng = np.random.default_rng(k)
    mask = rng.random(len(large.index)) < 0.3 if masked else None
    terms, weights = rng.integers(0, 40, (5, 6)), rng.normal(1, 1, (5, 6)).tolist()
    asked = [
        {f"w{term}": weight for term, weight in zip(*both, strict=True)} for both in zip(terms, weights, strict=True)
    ]
    asked += [{"w1": 1.0}, {"w1": -1.0}, {"w1": 0.0}, {"absent": 1.0}]
    found = {}
    for engine in ("plain", "compiled"):
        monkeypatch.setenv("LEADLINE_ENGINE", engine)
        found[engine] = large.search_many(asked, model, k=k, mask=mask, threads=2)
    for plain, compiled in zip(found["plain"], found["compiled"], strict=True):
        assert plain.rows.tolist() == compiled.rows.tolist()
        assert plain.scores.tobytes() == compiled.scores.tobytes()


@settings(max_examples=examples(60))
@given(
    st.sampled_from(list(MODELS)),
    st.lists(
        st.dictionaries(st.integers(0, 41), st.floats(0.01, 9) | st.floats(-2, 2), min_size=1, max_size=12),
        min_size=1, max_size=3,
    ),
    st.integers(1, 400),
)  # fmt: skip
def test_terms_left_out_at_first_change_nothing(large, model: str, asked: list[dict[int, float]], k: int) -> None:
    """The plain engine adds up every term; the same documents, the same bits, ties too."""
    queries = [{f"w{term}": weight for term, weight in each.items()} for each in asked]
    found = []
    for engine in ("plain", "compiled"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LEADLINE_ENGINE", engine)
            found.append(large.search_many(queries, model, k=k))
    for plain, compiled in zip(*found, strict=True):
        assert plain.rows.tolist() == compiled.rows.tolist()
        assert plain.scores.tobytes() == compiled.scores.tobytes()


def test_scores_of_fields_can_be_added(large: Searcher, tmp_path: Path) -> None:
    documents = [{"id": "A", "title": "acid film", "body": "acid"}, {"id": "B", "title": "base", "body": "acid base"}]
    searcher = Searcher(Index.build(documents, tmp_path, fields=["title", "body"], analysis=PLAIN))
    both = searcher.search(["acid"], fields={"title": 2, "body": 1}, combine="scores")
    title, body = (searcher.search(["acid"], fields=name) for name in ("title", "body"))
    assert both.scores[0] == 2 * title.scores[0] + body.scores[body.rows == 0][0]
    assert [each.field for each in searcher.why(["acid"], "A", combine="scores")] == ["title", "body"]


def test_wrong_input_is_one_clear_line(large: Searcher) -> None:
    for query, options, words in [
        ("", {}, "query: has no term to search for"),
        ("...", {}, "query: has no term to search for: '...'"),
        ("w1", {"k": 0}, "k: must be at least 1, got 0"),
        ("w1", {"fields": "title"}, "field: 'title' is not one of body"),
        ("w1", {"fields": {"body": 0}}, "fields: at least one field needs a weight"),
        ("w1", {"combine": "sum"}, "combine: 'sum' is not one of text, scores"),
        ("w1", {"model": "tf-idf"}, "model: 'tf-idf' is not one of .* did you mean tfidf?"),
        ("w1", {"mask": np.ones(3, bool)}, "mask: must be 20000 Boolean values, one per document, got bool"),
    ]:
        with pytest.raises(InputError, match=words):
            large.search(query, **options)
    with pytest.raises(InputError, match="XYZ: is not in the index"):
        large.why("w1", "XYZ")
