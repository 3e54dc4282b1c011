"""Shards of an index rank as the whole index does, to the last bit, by every model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leadline.cluster.parts import IndexOnCluster
from leadline.cluster.work import Caller, call_in_worker
from leadline.errors import InputError
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import Searcher
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.shared_topics import Opened

WORDS = [f"word{n}" for n in range(40)]
FIELDS: list[Any] = [None, "title", {"title": 2, "abstract": 1}, {"title": 0.3, "abstract": 0.7}]


def texts(first: int, last: int) -> list[dict[str, Any]]:
    """Documents of random words; some lack a field, and two that are alike have equal scores."""
    documents = []
    for number in range(first, last):
        rng = np.random.default_rng(number // 2)
        chosen = [WORDS[int(each)] for each in rng.zipf(1.4, int(rng.integers(5, 60))) % len(WORDS)]
        documents.append({"id": f"EP{number}", "title": " ".join(chosen[:4]), "abstract": " ".join(chosen[4:])})
    return documents


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of three segments; the bounds of shards are not theirs."""
    made = tmp_path_factory.mktemp("shards") / "index"
    index = Index.build(texts(0, 101), made, fields=["title", "abstract"], positions=True)
    index.add(texts(101, 140)).add(texts(140, 200))
    return made


@pytest.fixture
def both(folder: Path, pickled: Any) -> tuple[Searcher, Searcher]:
    context = SearchContext.open(folder)
    shards = IndexOnCluster(pickled, Opened.of(context), len(context.index), shards=4)
    return context.searcher, shards.searcher(context.index)


@pytest.mark.parametrize("model", list(MODELS))
def test_every_model_ranks_the_same(model: str, both: tuple[Searcher, Searcher]) -> None:
    whole, shards = both
    queries = ["word1 word2 word39", "word7", {"word3": 0.5, "word11": 2.0, "absent": 1.0}]
    mask = np.arange(200) % 3 > 0
    for fields in FIELDS:
        for combine in ("text", "scores"):
            how: dict[str, Any] = {"fields": fields, "combine": combine, "mask": mask}
            here, there = (each.search_many(queries, model, 30, **how) for each in (whole, shards))
            for one, other in zip(here, there, strict=True):
                assert one.rows.tolist() == other.rows.tolist()
                assert one.scores.tobytes() == other.scores.tobytes()


def test_why_is_the_same(both: tuple[Searcher, Searcher]) -> None:
    for model in ("bm25", "dirichlet"):
        here, there = (
            [each.why("word1 word2 word5", row, model, fields={"title": 2, "abstract": 1}) for row in range(0, 200, 37)]
            for each in both
        )
        assert here == there


def test_wrong_input_is_refused_as_without_shards(both: tuple[Searcher, Searcher]) -> None:
    wrong: list[dict[str, Any]] = [{"model": "bm52"}, {"k": 0}, {"fields": "claims"}, {"mask": np.ones(3, np.bool_)}]
    for query in ("word1", ""):
        for options in (*wrong, {"model": "bm52", "k": 0}):
            said = []
            for each in both:
                with pytest.raises(InputError) as error:
                    each.search(query, **options)
                said.append(str(error.value))
            assert said[0] == said[1]


def test_an_index_that_has_changed_is_refused(folder: Path) -> None:
    opened = Opened.of(SearchContext.open(folder))
    other = Opened(opened.index, opened.collection, ("something else",))
    with pytest.raises(InputError, match="has changed since the command began"):
        other.open()


def test_what_a_worker_does_not_see_is_said_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = call_in_worker(Caller.here(), Index.open, ("patents.index",), ())
    with pytest.raises(InputError, match=r"patents\.index.*: no such|is not an index"):
        there.result()  # nor is it here
    (tmp_path / "patents.index").mkdir()
    with pytest.raises(InputError, match=rf"--cluster: {there.host} does not see patents\.index: all machines must"):
        there.result()
