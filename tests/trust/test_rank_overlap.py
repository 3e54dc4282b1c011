"""Rank-biased overlap against the package rbo, against every order of the ties, and at its edges."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import LeadlineError
from leadline.records.runs import Run
from leadline.trust.rank_overlap import overlap, rbo

Groups = list[tuple[int, ...]]


def test_overlap_is_that_of_the_package_rbo(shared: Path) -> None:
    lines = (shared / "oracles/rbo/rbo_pkg_0.1.3.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(lines) == 21
    for line in lines:
        _, p, first, second, whole, ten, extrapolated = line.split("\t")
        lists = first.split(","), second.split(",")
        for ties in ("a", "b", "w"):  # there are none: all three are the same
            assert rbo(*lists, float(p), ties=ties, extrapolate=False) == pytest.approx(float(whole), abs=6e-13)
            assert rbo(*lists, float(p), ties=ties, depth=10, extrapolate=False) == pytest.approx(float(ten), abs=6e-13)
            assert rbo(*lists, float(p), ties=ties) == pytest.approx(float(extrapolated), abs=6e-13)


@st.composite
def tied_rankings(draw: st.DrawFn) -> tuple[Groups, Groups]:
    """Two rankings of the same length, of up to six documents each, in groups."""
    length = draw(st.integers(1, 6))
    found = []
    for _ in range(2):
        documents = draw(st.permutations(range(8)))[:length]
        cuts = sorted(draw(st.sets(st.integers(1, length - 1)))) if length > 1 else []
        ends = [0, *cuts, length]
        found.append([tuple(documents[a:b]) for a, b in itertools.pairwise(ends)])
    return found[0], found[1]


def orders(groups: Groups) -> list[list[int]]:
    """Every order of a ranking's ties."""
    return [list(itertools.chain(*order)) for order in itertools.product(*map(itertools.permutations, groups))]


@settings(max_examples=60, deadline=None)
@given(tied_rankings(), st.floats(0.05, 0.98), st.booleans())
def test_a_is_the_mean_over_every_order_of_the_ties(two: tuple[Groups, Groups], p: float, extrapolate: bool) -> None:
    first, second = (orders(each)[:720] for each in two)
    if len(first) * len(second) > 5000:
        return
    every = [rbo(a, b, p, extrapolate=extrapolate) for a in first for b in second]
    assert rbo(*two, p, extrapolate=extrapolate) == pytest.approx(np.mean(every), abs=1e-10)


@settings(max_examples=100, deadline=None)
@given(tied_rankings(), st.floats(0.05, 0.98))
def test_ties_in_the_other_two_ways(two: tuple[Groups, Groups], p: float) -> None:
    first, second = two
    for ties in ("b", "w"):
        assert rbo(first, first, p, ties=ties) == pytest.approx(1)
        assert rbo(first, second, p, ties=ties) == pytest.approx(rbo(second, first, p, ties=ties))
        assert -1e-12 <= rbo(first, second, p, ties=ties) <= 1 + 1e-12
    # "w" by its definition: 2 · what both have met / what each has met
    rank = [{d: 1 + sum(map(len, each[:k])) for k, group in enumerate(each) for d in group} for each in two]
    total = 0.0
    length = sum(map(len, first))
    for depth in range(1, length + 1):
        met = [{document for document, place in each.items() if place <= depth} for each in rank]
        agreement = 2 * len(met[0] & met[1]) / (len(met[0]) + len(met[1]))
        total += (1 - p) * p ** (depth - 1) * agreement
    assert rbo(first, second, p, ties="w", extrapolate=False) == pytest.approx(total, abs=1e-12)


def test_runs_with_equal_scores_and_without() -> None:
    one = Run.of({"1": {"a": 3, "b": 2, "c": 2}, "2": {"x": 1}}, "one")
    two = Run.of({"1": {"a": 3, "b": 2, "c": 1}, "3": {"x": 1}}, "two")
    found = overlap([one, two])
    assert found.table().rows[0][:3] == ["one", "two", 1]
    assert found.table().rows[0][3] == pytest.approx(rbo(["a", ("b", "c")], ["a", "b", "c"]))
    assert [row[2] for row in found.topic_table().rows] == ["1"]
    assert any("lack topics" in note for note in found.notes)
    assert any("equal scores in one" in note for note in found.notes)
    ranked = Run.from_columns(["1"] * 3, list("abc"), [-1, -2, -3], "three", order="rank")
    assert overlap([two, ranked]).means.tolist() == [1.0]
    # a group of ties that a depth cuts through is met in part
    assert overlap([one, two], depth=2).table().rows[0][3] == pytest.approx(
        rbo(["a", ("b", "c")], ["a", "b", "c"], depth=2)
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((["a", "a"], ["b"]), "names a document twice"),
        ((["a"], ["b"], 1.0), "p: must be between 0 and 1"),
    ],
)
def test_wrong_input(arguments: tuple[list[str], ...], problem: str) -> None:
    with pytest.raises(LeadlineError, match=problem):
        rbo(*arguments)  # type: ignore[arg-type]


def test_runs_without_a_common_topic() -> None:
    runs = [Run.of({"1": {"a": 1}}, "x"), Run.of({"2": {"a": 1}}, "y")]
    with pytest.raises(LeadlineError, match="x and y have no topic in common"):
        overlap(runs)
    with pytest.raises(LeadlineError, match="1 run; a comparison needs two or more"):
        overlap(runs[:1])
    assert rbo([], []) == 1
    assert rbo([], ["a"]) == 0
