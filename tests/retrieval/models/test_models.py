"""Scores equal those of other programs, wherever these keep the length of a document exactly."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import Searcher

BODY = {"fields": ["title", "body"]}
WEIGHTED = {"fields": {"title": 2, "body": 1}}
EXACT_LENGTH = 40  # Lucene keeps longer ones in one byte
# What another program computed, and how we say it. Those of Lucene hold for short documents only.
ORACLES = [
    *((f"bm25s.{variant}.k{k1}_b{b}", "bm25", {"k1": k1, "b": b, "variant": variant, **BODY})
      for variant in ("lucene", "robertson", "atire") for k1, b in ((0.9, 0.4), (1.2, 0.75))),
    *((f"bm25s.bm25+.k{k1}_b{b}", "bm25+", {"k1": k1, "b": b, "delta": 0, **BODY})
      for k1, b in ((0.9, 0.4), (1.2, 0.75))),
    ("lucene95.bm25_k0.9_b0.4", "bm25", {"k1": 0.9, "b": 0.4, **BODY}),
    ("lucene95.bm25_k2.0_b1.0", "bm25", {"k1": 2.0, "b": 1.0, **BODY}),
    ("lucene95.classic_tfidf", "tfidf", BODY),
    *((f"lucene95.lmdir_mu{mu}", "dirichlet", {"mu": mu, **BODY}) for mu in (10, 1000, 2000)),
    *((f"lucene95.lmjm_l{share}", "jelinek-mercer", {"background": share, **BODY}) for share in (0.1, 0.7)),
    *((f"lucene95.bm25f_title2_body1.bm25_k{k1}_b{b}", "bm25f",
       {"k1": k1, "b": b_, "length": "text", "df": "largest", **WEIGHTED})
      for k1, b, b_ in ((0.9, "0.4", 0.4), (1.2, ".75", 0.75), (2.0, "1.0", 1.0))),
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus(shared: Path) -> dict[str, dict[str, str]]:
    lines = (shared / "oracles/inputs/text/corpus.tsv").read_text().splitlines()[1:]
    return {name: {"title": title, "body": body} for name, title, body in (line.split("\t") for line in lines)}


@pytest.fixture(scope="module")
def searcher(corpus: dict[str, dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    analysis = Analysis(stemming="none", stop_words="none")
    documents = [{"id": name, **texts} for name, texts in corpus.items()]
    folder = tmp_path_factory.mktemp("index")
    return Searcher(Index.build(documents, folder, fields=["title", "body"], analysis=analysis))


@pytest.mark.parametrize(("file", "model", "options"), ORACLES, ids=[file for file, _, _ in ORACLES])
def test_scores_equal_other_programs(file, model, options, searcher: Searcher, corpus, shared: Path) -> None:
    weights = options["fields"] if isinstance(options["fields"], dict) else {"title": 1, "body": 1}
    expected: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (shared / f"oracles/retrieval_models/{file}.tsv").read_text().splitlines()[1:]:
        topic, document, score = line.split("\t")
        expected[topic][document] = float(score)
    compared = 0
    for line in (shared / "oracles/inputs/text/queries.tsv").read_text().splitlines():
        topic, text = line.split("\t")
        found = searcher.search(Counter(text.split()), model, **options)
        everywhere = absent_too(corpus, text) if model == "bm25+" else 0.0
        ours = {searcher.index.id_of(row): score for row, score in zip(found.rows, found.scores, strict=True)}
        for document, score in expected[topic].items():
            length = sum(weights[name] * len(text.split()) for name, text in corpus[document].items())
            if file.startswith("bm25s") or length < EXACT_LENGTH:
                got = ours.get(document, 0.0) + everywhere
                assert got == pytest.approx(score, rel=1e-6, abs=1e-6), (topic, document)
                compared += 1
    assert compared > 10


def absent_too(corpus: dict[str, dict[str, str]], text: str) -> float:
    """What bm25s gives every document for BM25+'s delta, which in the paper only those get that have the term."""
    words = [{*texts["title"].split(), *texts["body"].split()} for texts in corpus.values()]
    frequencies = [sum(term in document for document in words) for term in text.split()]
    return sum(math.log((len(words) + 1) / df) for df in frequencies if df)


def test_every_model_says_what_it_means() -> None:
    assert set(MODELS) == {
        "bm25", "bm25+", "bm25f", "dirichlet", "dph", "indri-dirichlet", "indri-jelinek-mercer", "jelinek-mercer",
        "tfidf", "two-stage",
    }  # fmt: skip
    for model in MODELS.values():
        words = model.function.__doc__ or ""
        assert "Formula:" in words
        assert "Paper:" in words
        assert ">>>" in words


def test_wrong_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"did you mean dirichlet\?"):
        MODELS.named("dirichet")
    with pytest.raises(InputError, match=r"has no option 'k'; did you mean k1\? \(it has: k1, b, variant\)"):
        MODELS.named("bm25").checked_parameters({"k": 2})
    with pytest.raises(InputError, match="bm25: k1 must be a number, got '2'"):
        MODELS.named("bm25").checked_parameters({"k1": "2"})
    with pytest.raises(InputError, match="variant must be lucene, robertson or atire, got 'okapi'"):
        MODELS.named("bm25").checked_parameters({"variant": "okapi"})
