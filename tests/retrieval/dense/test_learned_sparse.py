"""Expanding a query by a learned sparse model that the user has as ONNX: a small model made here."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.dense.learned_sparse import LearnedSparse, WordWeigher
from leadline.retrieval.dense.model import NEEDED
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.query.survey import Survey

INSTALLED = all(importlib.util.find_spec(name) is not None for name in NEEDED)
pytestmark = pytest.mark.skipif(not INSTALLED, reason="the extra dense is not installed")

WORDS = ["[UNK]", "car", "vehicles", "##ing", "acid"]
LOGITS = np.zeros((5, 5), np.float32)
LOGITS[1] = [9.0, 2.0, 5.0, 7.0, -1.0]  # of a text with the word car
LOGITS[4] = [9.0, 0.0, 1.0, 0.0, 3.0]


def sparse_model(folder: Path, width: int = 5) -> str:
    """A model whose logits for a token are a row of a table."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["logits"])], "sparse",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "words"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ascontiguousarray(LOGITS[:, :width]), "table")],
    )  # fmt: skip
    folder.mkdir(parents=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return str(folder)


def test_words_have_their_largest_weight_and_parts_are_left_out(tmp_path: Path) -> None:
    found = WordWeigher(sparse_model(tmp_path / "model")).words("car acid")
    assert found == pytest.approx({"car": math.log(3), "vehicles": math.log(6), "acid": math.log(4)})


def test_documents_without_the_words_of_the_topic_are_found(tmp_path: Path) -> None:
    documents = [
        {"id": "D1", "title": "A vehicle", "abstract": ""}, {"id": "D2", "title": "A car", "abstract": ""},
        {"id": "D3", "title": "An acid", "abstract": ""},
    ]  # fmt: skip
    context = SearchContext(Index.build(documents, tmp_path / "index", fields=["title", "abstract"]))
    request = context.request(Topic("7", title="car"))
    model = sparse_model(tmp_path / "model")
    plain = (Survey() >> Search())(context, request).ranking
    assert context.names(plain.rows) == ["D2"]
    expanded = (Survey() >> LearnedSparse(model) >> Search())(context, request)
    assert context.names(expanded.ranking.rows) == ["D2", "D1"]
    assert [query.weight for query in expanded.queries][-1] == 0.5
    assert sum(expanded.queries[-1].terms.values()) == pytest.approx(1)
    one = (Survey() >> LearnedSparse(model, terms=1))(context, request)
    assert len(one.queries[-1].terms) == 1


def test_what_is_no_such_model_is_refused_in_one_line(tmp_path: Path) -> None:
    weigher = WordWeigher(sparse_model(tmp_path / "model", width=3))
    with pytest.raises(
        InputError, match=r"is not a learned sparse model: it gives 1 × 1 × 3 numbers, expected one"
    ) as no:
        weigher.words("car")
    assert "\n" not in str(no.value)
    with pytest.raises(InputError, match="is not the folder of a learned sparse model: it has none of"):
        WordWeigher(str(tmp_path))
