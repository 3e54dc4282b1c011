"""Retrievability: against counting plainly, the Gini coefficient by its definition, and wrong input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline as ll
from leadline.errors import InputError
from leadline.records.runs import Run
from leadline.trust.retrievability import retrievability

lists = st.dictionaries(
    st.integers(1, 9).map(str), st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True), min_size=1, max_size=5
)
Lists = dict[str, list[str]]


def run_of(lists: Lists, name: str = "run") -> Run:
    return Run.of({t: {d: -float(k) for k, d in enumerate(listed)} for t, listed in lists.items()}, name)


@given(lists, st.integers(1, 8), st.sampled_from([1.0, 2.0]), st.integers(8, 20))
def test_plainly(lists: Lists, cutoff: int, beta: float, size: int) -> None:
    for weight in ("cumulative", "gravity"):
        plain: dict[str, float] = {}
        for listed in lists.values():
            for rank, document in enumerate(listed[:cutoff], start=1):
                plain[document] = plain.get(document, 0) + (1 if weight == "cumulative" else rank**-beta)
        found = retrievability([run_of(lists)], cutoff=cutoff, weight=weight, beta=beta, size=size)
        assert dict(zip(found.documents, found.values[0], strict=True)) == pytest.approx(plain)
        # Gini by its definition: the mean difference of all pairs of documents over twice the mean.
        every = np.array([*plain.values(), *[0.0] * (size - len(plain))])
        gini = np.abs(every[:, None] - every).mean() / (2 * every.mean())
        assert found.gini[0] == pytest.approx(gini)
        assert found.found[0] == len(plain) / size
        shares, curve = found.lorenz(size + 1)
        np.testing.assert_allclose(curve[0], np.concatenate([[0], np.sort(every).cumsum()]) / every.sum(), atol=1e-12)
        # G is also twice the area between the curve and the diagonal.
        assert 1 - 2 * np.trapezoid(curve[0], shares) == pytest.approx(gini)


def test_two_runs_share_the_documents() -> None:
    found = ll.retrievability({"a": {"1": {"x": 1.0}}, "b": {"1": {"y": 1.0}, "2": {"y": 1.0}}})
    assert found.documents == ("x", "y")
    assert found.values.tolist() == [[1, 0], [0, 2]]
    assert found.notes == (
        "documents that no run finds are not counted: give the collection or its size",
        "the runs answer different topics, so their values cannot be compared",
    )
    assert "a finds 50 % of 2 documents, most evenly (G = 0.50)" in found.finding()


def test_all_documents_as_easily_found() -> None:
    even = retrievability([run_of({"1": ["a", "b"], "2": ["b", "a"]})], documents=["b", "a"])
    assert even.gini.tolist() == [0]
    assert even.documents == ("b", "a")
    one = retrievability([run_of({"1": ["a"]})], size=1000)
    assert one.gini[0] == pytest.approx(0.999)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 1}, "size: must be at least 2, the documents that the runs find; got 1"),
        ({"documents": ["a", "c"]}, "1 document not in the collection, the first 'b'"),
        ({"cutoff": 0}, "cutoff: must be at least 1, got 0"),
        ({"beta": 0.0}, "beta: must be above 0, got 0.0"),
        ({"weight": "gravitation"}, "did you mean gravity"),
        ({"size": 9, "documents": ["a"]}, "size: cannot be combined with documents"),
    ],
)
def test_wrong_input(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        retrievability([run_of({"1": ["a", "b"]})], **options)  # type: ignore[arg-type]


def test_a_chart_of_it(tmp_path: Path) -> None:
    pytest.importorskip("altair")
    chart = retrievability([run_of({"1": ["a", "b"], "2": ["a"]})], size=10).plot()
    assert "G = 0.83" in chart.to_json()


def test_a_size_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="size: must be a whole number, got str 'pat'"):
        ll.retrievability({"a": {"1": {"d": 1.0}}}, size="pat")  # type: ignore[arg-type]


def test_systems_take_names() -> None:
    with pytest.raises(InputError, match="systems: must be names, each an argument of its own, got list"):
        ll.systems(["bitem"])  # type: ignore[arg-type]
