"""The tie rule: higher score first, equal scores by document id, higher first, byte by byte. The same everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline as ll

ENGINES = ("plain", "compiled")
name = st.one_of(
    st.sampled_from(["a", "A", "aa", "ab", "b", "é", "z" * 8, "z" * 9, "EP-0999999-A1", "EP-1000000-A1", "10", "9"]),
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zs", "Zl", "Zp", "Cs")), min_size=1, max_size=10),
)
lists = st.dictionaries(name, st.sampled_from([1.0, 2.0, -1.0, 0.0, -0.0]), min_size=1, max_size=40)


def expected(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda document: (scores[document], document.encode()), reverse=True)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60, deadline=None)
@given(scores=lists)
def test_runs_of_python_objects(engine: str, scores: dict[str, float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_ENGINE", engine)
        run = ll.Run.of({"7": scores})
    assert [document for document, _ in run.ranking("7")] == expected(scores)


@pytest.mark.parametrize("engine", ENGINES)
def test_runs_of_files(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    rng = np.random.default_rng(1)
    for number in range(20):
        names = [f"d{value}" for value in rng.permutation(300)[: int(rng.integers(1, 200))].tolist()]
        scores = {document: float(rng.integers(0, 1 + number)) for document in names}
        if number % 2:  # already falling, so that only the ties are to be sorted
            scores = dict(sorted(scores.items(), key=lambda item: -item[1]))
        path = tmp_path / "a.run"
        path.write_text("".join(f"7 Q0 {d} 1 {s} t\n" for d, s in scores.items()), encoding="utf-8")
        assert [document for document, _ in ll.read_run(path).ranking("7")] == expected(scores)


@pytest.mark.parametrize("engine", ENGINES)
def test_scores_follow_it(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four documents with one score the highest id is first, whichever way the run comes."""
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    scores = {"d10": 1.0, "d9": 1.0, "d2": 1.0, "e": 0.5, "d1": 1.0}
    path = tmp_path / "a.run"
    path.write_text("".join(f"7 Q0 {d} 1 {s} t\n" for d, s in scores.items()), encoding="utf-8")
    for place, document in enumerate(["d9", "d2", "d10", "d1", "e"], start=1):
        for run in (path, ll.read_run(path), ll.Run.of({"7": scores}), {"7": scores}):
            assert ll.evaluate({"7": {document: 1}}, run, ["RR"]).mean_values() == [[1 / place]]


@pytest.mark.parametrize("engine", ENGINES)
def test_by_rank_equal_ranks_stay_in_the_order_of_the_file(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    path = tmp_path / "a.run"
    path.write_text("7 Q0 b 2 9 t\n7 Q0 c 1 1 t\n7 Q0 a 1 5 t\n7 Q0 d 2 9 t\n", encoding="utf-8")
    assert [document for document, _ in ll.read_run(path, order="rank").ranking("7")] == ["c", "a", "b", "d"]


def test_a_written_run_holds_the_order(tmp_path: Path) -> None:
    scores = {"a": 1.0, "b": 2.0, "c": 1.0, "d": 2.0}
    ll.Run.of({"7": scores}).write(tmp_path / "a.run")
    written = [line.split()[2] for line in (tmp_path / "a.run").read_text(encoding="utf-8").splitlines()]
    assert written == ["d", "b", "c", "a"]
    assert ll.read_run(tmp_path / "a.run", order="file").ranking("7") == ll.Run.of({"7": scores}).ranking("7")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_search_follows_it(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of the same words, in an order that is neither that of their ids nor its reverse."""
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    names = ["d5", "d10", "d1", "d9", "d2"]
    texts = [{"id": document, "title": "ink on paper"} for document in names]
    searcher = ll.Searcher(ll.Index.build([*texts, {"id": "x", "title": "ink ink"}], tmp_path / "i", fields=["title"]))
    found = searcher.search("ink", k=4)
    best_first = ["x", *sorted(names, reverse=True)]
    assert [searcher.index.id_of(row) for row in found.rows] == best_first[:4]
    mask = np.array([document not in ("x", "d9") for document in [*names, "x"]])
    allowed = searcher.search("ink", k=10, mask=mask)
    assert [searcher.index.id_of(row) for row in allowed.rows] == ["d5", "d2", "d10", "d1"]
