"""Samples of pages by random walks: corrected, on a graph whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.collections.choices import WALK_METHODS
from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.reading import graph_of_edges
from leadline.collections.links.statistics import distances, neighbours, sample_bias, sample_pages
from leadline.errors import InputError


def uneven_graph(pages: int = 300) -> LinkGraph:
    """A few pages to which all link, and many links at random."""
    rng = np.random.default_rng(1)
    sources = np.concatenate([np.arange(pages), rng.integers(0, pages, 3 * pages)])
    targets = np.concatenate([np.arange(pages) % 5, rng.integers(0, pages, 3 * pages)])
    return LinkGraph.of_arrays(sources, targets, [str(page) for page in range(pages)])


def test_corrected_walks_are_near_uniform_and_others_are_not() -> None:
    bias = {row[0]: row for row in sample_bias(uneven_graph(), 4000, steps=300, rng=1).rows}
    chance = bias["uniform"][4]
    assert bias["walk"][3] > 5 * chance
    for method in ("metropolis", "reweighted", "uniform"):
        assert bias[method][3] < 3 * chance, method
        assert bias[method][1] == pytest.approx(bias[method][2], rel=0.25)
    assert bias["walk"][1] > 1.5 * bias["walk"][2]


def test_chances_are_exactly_those_of_the_degrees() -> None:
    # A walk on a star: half of the time in the middle, where the uniform share is a fifth.
    star = graph_of_edges([(leaf, "middle") for leaf in "abcd"])
    middle = star.place("middle")
    shares = {m: np.mean(sample_pages(star, 20_000, method=m, steps=60, rng=2).places == middle) for m in WALK_METHODS}
    assert shares["walk"] == pytest.approx(0.5, abs=0.02)
    for method in ("metropolis", "reweighted", "uniform"):
        assert shares[method] == pytest.approx(0.2, abs=0.02), method


def test_the_same_seed_draws_the_same_pages() -> None:
    graph = uneven_graph()
    assert sample_pages(graph, 20, rng=7).pages == sample_pages(graph, 20, rng=7).pages
    assert sample_pages(graph, 20, rng=7).pages != sample_pages(graph, 20, rng=8).pages


def test_pages_that_no_walk_reaches_are_reported() -> None:
    sample = sample_pages([("a", "b"), ("x", "y"), ("x", "z")], 10, start="a")
    assert set(sample.pages) <= {"a", "b"}
    assert sample.notes == ("walks reach 2 of 5 pages: others cannot be drawn",)
    alone = LinkGraph.of_arrays(np.array([], int), np.array([], int), ["only"])
    assert sample_pages(alone, 3).pages == ["only"] * 3


def test_distances() -> None:
    graph = graph_of_edges([("a", "b"), ("b", "c"), ("a", "c"), ("d", "a"), ("c", "e")])
    assert distances(graph.out_of, [0]).tolist() == [0, 1, 1, -1, 2]
    assert distances(neighbours(graph), [graph.place("e")]).tolist() == [2, 2, 1, 3, 0]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"count": 0}, "count: must be at least 1, got 0"),
        ({"count": 1, "steps": 0}, "steps: must be at least 1, got 0"),
        ({"count": 1, "start": "z"}, "start: 'z' is not a page of the graph"),
        ({"count": 1, "method": "walks"}, "did you mean walk?"),
    ],
)
def test_wrong_options_get_one_line(options: dict, problem: str) -> None:
    with pytest.raises(InputError) as error:
        sample_pages([("a", "b")], **options)
    assert problem in str(error.value)
