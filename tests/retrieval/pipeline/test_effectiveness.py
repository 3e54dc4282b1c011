"""Effectiveness on real text: the figures of docs/effectiveness.md that take a second to make again."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import leadline as ll
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.steps import Search, Survey

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def classic():
    spec = importlib.util.spec_from_file_location("classic", ROOT / "benchmarks" / "classic.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["classic"] = module  # its dataclass looks itself up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["classic"]


@pytest.mark.parametrize(
    ("name", "documents", "topics", "expected"),
    [("Cranfield", 1400, 225, 0.3155), ("CACM", 3204, 52, 0.3378), ("Medline", 1033, 30, 0.5321)],
)
def test_bm25_as_a_peer_has_it(classic, name, documents, topics, expected, shared: Path, tmp_path: Path) -> None:
    known = classic.read_classic(name, shared / "classic")
    assert (len(known.documents), len(known.topics)) == (documents, topics)
    page = (ROOT / "docs" / "effectiveness.md").read_text(encoding="utf-8")
    assert f"| {name} | {documents:,} | {topics} | {expected:.4f} | " in page
    context = SearchContext(Index.build(known.documents, tmp_path, fields=["title", "abstract"], workers=1))
    ours = (Survey() >> Search("bm25")).run(context, known.topics)
    (found,) = ll.evaluate(known.qrels, ours, "AP").mean_values()[0]
    assert found == pytest.approx(expected, abs=5e-5)
    pytest.importorskip("bm25s", reason="the peer is not installed")
    theirs = classic.searched_by_bm25s(known, context.index.analysis)
    (peer,) = ll.evaluate(known.qrels, theirs, "AP").mean_values()[0]
    assert found == pytest.approx(peer, abs=0.01)
    for topic in known.topics.ids:
        scores = dict(theirs.ranking(topic))
        assert all(abs(scores.get(document, score) / score - 1) < 1e-5 for document, score in ours.ranking(topic))
