"""Reranking by a cross-encoder that the user has as ONNX: small models made here, and what is refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.dense.cross_encoder import CrossEncoder, PairScorer
from leadline.retrieval.dense.model import NEEDED
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import pipeline_text, read_pipeline, settings
from leadline.retrieval.pipeline.pipeline import pipeline_of
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.query.survey import Survey

INSTALLED = all(importlib.util.find_spec(name) is not None for name in NEEDED)
pytestmark = pytest.mark.skipif(not INSTALLED, reason="the extra dense is not installed")

WORDS = ["[UNK]", "acid", "film", "metal"]
WEIGHTS = [0.0, 1.0, 10.0, -3.0]  # of each word of a document
TEXTS = ["acid metal metal", "acid", "acid film", "acid acid acid metal", "film"]


def pair_model(folder: Path, output: str = "one") -> str:
    """A model whose score is the sum of the weights of the document's words; the topic's words do not count."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    table = np.array(WEIGHTS, np.float32)[:, None]
    if output == "two":
        table = np.hstack([np.zeros_like(table), table])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["states"]),
        helper.make_node("Mul", ["token_type_ids", "attention_mask"], ["second"]),
        helper.make_node("Cast", ["second"], ["counted"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["counted", "last"], ["factor"]),
        helper.make_node("Mul", ["states", "factor"], ["parts"]),
    ]
    if output != "states":
        nodes.append(helper.make_node("ReduceSum", ["parts", "tokens"], ["logits"], keepdims=0))
    names = ("input_ids", "attention_mask", "token_type_ids") if output != "other" else ("input_ids", "pixels")
    graph = helper.make_graph(
        nodes if output != "other" else nodes[:1], "pairs",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "words"]) for name in names],
        [helper.make_tensor_value_info({"states": "parts", "other": "states"}.get(output, "logits"),
                                       TensorProto.FLOAT, None)],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([2]), "last"),
         numpy_helper.from_array(np.array([1]), "tokens")],
    )  # fmt: skip
    folder.mkdir(parents=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return str(folder)


@pytest.fixture
def context(tmp_path: Path) -> SearchContext:
    documents = [Document(f"D{number}", abstract=text) for number, text in enumerate(TEXTS)]
    write_collection(documents, tmp_path / "collection", {"made": "by a test"})
    collection = Collection.open(tmp_path / "collection")
    Index.build(collection, tmp_path / "index", fields=["abstract"], origin=str(tmp_path / "collection"))
    return SearchContext.open(tmp_path / "index")


@pytest.mark.parametrize("output", ["one", "two"])
def test_scores_are_those_of_the_model(output: str, tmp_path: Path) -> None:
    found = PairScorer(pair_model(tmp_path / "model", output)).scores("metal film", [*TEXTS, ""])
    assert found.tolist() == [-5.0, 1.0, 11.0, 0.0, 10.0, 0.0]


def test_the_first_results_are_reranked_and_the_others_stay_behind(context: SearchContext, tmp_path: Path) -> None:
    model = pair_model(tmp_path / "model")
    request = context.request(Topic("7", title="acid"))
    plain = (Survey() >> Search())(context, request).ranking
    whole = (Survey() >> Search() >> CrossEncoder(model))(context, request).ranking
    assert context.names(whole.rows) == ["D2", "D1", "D3", "D0"]
    assert whole.scores.tolist() == [11.0, 1.0, 0.0, -5.0]
    two = (Survey() >> Search() >> CrossEncoder(model, documents=2))(context, request).ranking
    assert set(two.rows[:2].tolist()) == set(plain.rows[:2].tolist())
    assert two.rows[2:].tolist() == plain.rows[2:].tolist()
    assert (np.diff(two.scores) <= 0).all()


def test_it_is_written_in_a_file(tmp_path: Path) -> None:
    made = pipeline_of(["survey", "search", {"step": "cross_encoder", "model": "mine", "documents": 20}])
    (tmp_path / "mine.toml").write_text(pipeline_text(made, "reranked"))
    assert settings(read_pipeline(str(tmp_path / "mine.toml"))) == settings(made)
    assert made.steps[2] == CrossEncoder("mine", 20)


@pytest.mark.parametrize(("output", "problem"), [
    ("states", r"model\.onnx: is not a cross-encoder: it gives 1 × 2 × 1 numbers for 1 pairs, expected 1 or 2"),
    ("other", r"model\.onnx: takes pixels; only models that take input_ids, attention_mask, token_type_ids"),
])  # fmt: skip
def test_another_model_is_refused_in_one_line(output: str, problem: str, tmp_path: Path) -> None:
    scorer = PairScorer(pair_model(tmp_path / "model", output))
    with pytest.raises(InputError, match=problem) as raised:
        scorer.scores("acid", ["film"])
    assert "\n" not in str(raised.value)


def test_what_is_missing_is_named(context: SearchContext, tmp_path: Path) -> None:
    request = (Survey() >> Search())(context, context.request(Topic("7", title="acid")))
    with pytest.raises(InputError, match="cross_encoder: model: name the folder of a cross-encoder"):
        CrossEncoder()(context, request)
    with pytest.raises(InputError, match=r"is not the folder of a cross-encoder: it has none of model\.onnx"):
        CrossEncoder(str(tmp_path / "nowhere"))(context, request)
    model = pair_model(tmp_path / "model")
    with pytest.raises(InputError, match="has no results to rerank: put it after a search"):
        CrossEncoder(model)(context, context.request(Topic("7", title="acid")))
    (tmp_path / "model" / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"tokenizer\.json: is missing"):
        PairScorer(model)
