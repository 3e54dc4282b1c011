"""Near-duplicates by vectors: the pairs are those of all cosines, in the groups and the table of shingles."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.retrieval.dense import near_duplicates
from leadline.retrieval.dense.making import build_vectors
from leadline.retrieval.dense.model import NEEDED, PACKAGE
from leadline.retrieval.dense.near_duplicates import vector_duplicates
from leadline.retrieval.dense.vectors import Vectors
from leadline.retrieval.index import arrays
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import VECTOR_ARRAY

INSTALLED = all(importlib.util.find_spec(name) is not None for name in (*NEEDED, PACKAGE))
CAR = "A car is driven by an electric motor that a battery feeds."


@given(st.integers(0, 20), st.integers(1, 7), st.floats(0.3, 1.0), st.integers(0, 9))
def test_the_pairs_are_those_of_all_cosines(rows: int, block: int, cosine: float, seed: int) -> None:
    import tempfile

    rng = np.random.default_rng(seed)
    stored = rng.integers(-2, 3, (rows, 3)).astype(np.float16)  # many of the same direction, some of zeros
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_duplicates, "BLOCK", block)
        path = Path(folder) / "v"
        arrays.write(path, {VECTOR_ARRAY: stored.ravel()})
        found = [
            pair
            for first, second in near_duplicates._alike(Vectors(path, stored.shape), cosine)
            for pair in zip(first.tolist(), second.tolist(), strict=True)
        ]
    long = stored.astype(float) / np.maximum(np.linalg.norm(stored.astype(float), axis=1, keepdims=True), 1e-9)
    margin = np.abs(long @ long.T - (cosine - near_duplicates.ROUNDING)) < 1e-6  # either way
    wanted = {(a, b) for a in range(rows) for b in range(a + 1, rows) if long[a] @ long[b] >= cosine}
    assert len(found) == len(set(found)), "each pair once"
    assert all(margin[pair] or long[pair[0]] @ long[pair[1]] >= cosine - 2e-5 for pair in found)
    assert wanted <= set(found)


@pytest.mark.skipif(not INSTALLED, reason="the extra dense and its model are not installed")
def test_documents_that_say_the_same_are_one_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [
        "A bath of acid for etching metal.",
        CAR,
        CAR.upper(),
        "",
        "A car that an electric motor drives, fed by a battery.",
    ]
    documents = [
        Document(f"EP000000{n}B1", office="EP", serial=f"000000{n}", kind="B1", abstract=text,
                 publication=f"{2000 - n}-01-01")
        for n, text in enumerate(texts)
    ]  # fmt: skip
    write_collection(documents, tmp_path / "collection", {})
    collection = Collection.open(tmp_path / "collection")
    index = Index.build(collection, tmp_path / "index", fields=["abstract"], origin=str(tmp_path / "collection"))
    with pytest.raises(InputError, match="has no vectors to compare: `leadline index COLLECTION -o INDEX --dense`"):
        vector_duplicates(index)
    with pytest.warns(match="1 of 5 documents have no text"):
        build_vectors(near_context := _context(index))
    found = vector_duplicates(near_context, cosine=0.85)
    assert [entry[1][8:9] for entry in found.entries] == ["4", "1", "2"], "the earliest is kept"
    assert found.entries[0][2:] == (1.0, True)
    assert 0.85 <= found.entries[1][2] == found.entries[2][2] < 1
    assert "1 document without a vector: never a duplicate" in found.notes
    assert [entry[1][8:9] for entry in vector_duplicates(index, cosine=1).entries] == ["2", "1"]
    assert vector_duplicates(index, keep="longest").entries
    assert vector_duplicates(index, keep="best-linked").entries
    out = tmp_path / "copies.tsv"
    main(["duplicates", str(tmp_path / "index"), "--by", "vectors", "--cosine", "0.85", "-f", "tsv", "-o", str(out)])
    assert out.read_text().splitlines()[1].startswith("1\tEP0000004B1\t1")
    capsys.readouterr()
    for wrong, said in (
        (["--by", "vectors", "--exact"], "--exact: is of shingles, and --by vectors compares vectors"),
        (["--cosine", "0.9"], "--cosine: is of vectors: say --by vectors"),
    ):
        with pytest.raises(SystemExit):
            main(["duplicates", str(tmp_path / "index"), *wrong])
        assert said in capsys.readouterr().err


def _context(index: Index):
    from leadline.retrieval.public import open_context

    return open_context(index)
