"""HITS: equal to other programs wherever scores are defined, and to the rounds of the paper."""

from __future__ import annotations

import sys
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from tests.conftest import examples

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.page_scores import hubs_and_authorities, query_pages
from leadline.collections.links.reading import graph_of_edges
from leadline.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[2]))
from link_graphs import Edge, graphs, link_graph, oracle, peer_graph


def by_rounds(graph: LinkGraph, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """The paper's algorithm as it is written: authority update, hub update, normalisation."""
    dense = np.zeros((len(graph), len(graph)))
    dense[graph.sources, graph.targets] = graph.weights if graph.is_weighted else 1.0
    hub = np.ones(len(graph))
    authority = hub
    for _ in range(rounds):
        authority = dense.T @ hub
        hub = dense @ authority
        authority, hub = authority / authority.sum(), hub / hub.sum()
    return authority, hub


@pytest.mark.parametrize("name", ["g1", "g2_dangling", "g3_selfloop_weighted"])
def test_other_programs_give_the_same(shared: Path, name: str) -> None:
    graph, expected = oracle(shared, name)
    found = hubs_and_authorities(graph)
    for ours, networkx_column, igraph_column in (
        (found.authorities, "nx_hits_auth", "ig_auth(scaled max=1)"),
        (found.hubs, "nx_hits_hub", "ig_hub(scaled max=1)"),
    ):
        assert np.abs(ours - expected[networkx_column]).max() < 1e-9
        assert np.abs(ours / ours.max() - expected[igraph_column]).max() < 1e-9


def test_where_scores_are_not_unique_the_rounds_decide(shared: Path) -> None:
    graph, _ = oracle(shared, "g4_disconnected")
    found = hubs_and_authorities(graph)
    authority, hub = by_rounds(graph, 50)
    assert found.authorities == pytest.approx(authority, abs=1e-12)
    assert found.hubs == pytest.approx(hub, abs=1e-12)


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("weighted", [False, True])
def test_networkx_gives_the_same(engine: str, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)

    @given(graphs(weighted))
    @settings(deadline=None, max_examples=examples(80))
    def check(drawn: tuple[int, list[Edge]]) -> None:
        pages, edges = drawn
        graph = link_graph(pages, edges, weighted)
        found = hubs_and_authorities(graph)
        if not edges:
            assert not found.authorities.any()
            assert not found.hubs.any()
            assert found.note == "the graph has no links: all scores are 0"
            return
        assert found.authorities.sum() == pytest.approx(1)
        assert found.hubs.sum() == pytest.approx(1)
        assert found.authorities.min() >= 0
        assert found.hubs.min() >= 0
        dense = networkx.to_numpy_array(peer_graph(pages, edges))
        strengths = np.linalg.svd(dense, compute_uv=False)
        if pages > 1 and strengths[0] - strengths[1] <= 1e-3 * strengths[0]:
            # Not unique, or nearly so: what does not depend on that is that it is a fixed point.
            authority = dense.T @ (dense @ found.authorities)
            assert authority / authority.sum() == pytest.approx(found.authorities, abs=1e-8)
            return
        assume(pages > 2)  # networkx asks for fewer singular vectors than pages
        hubs, authorities = networkx.hits(peer_graph(pages, edges), tol=0)
        assert np.abs(found.authorities - [authorities[page] for page in range(pages)]).max() < 1e-9
        assert np.abs(found.hubs - [hubs[page] for page in range(pages)]).max() < 1e-9

    check()


def test_both_engines_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    graph = LinkGraph.of_arrays(rng.integers(0, 900, 9000), rng.integers(0, 900, 9000), [""] * 900, rng.random(9000))
    found = []
    for engine in ("plain", "compiled"):
        monkeypatch.setenv("LEADLINE_ENGINE", engine)
        found.append(hubs_and_authorities(graph))
    assert np.array_equal(found[0].authorities, found[1].authorities)
    assert np.array_equal(found[0].hubs, found[1].hubs)


def test_a_number_of_rounds_is_the_papers_algorithm() -> None:
    rng = np.random.default_rng(4)
    graph = LinkGraph.of_arrays(rng.integers(0, 40, 150), rng.integers(0, 40, 150), [str(n) for n in range(40)])
    for rounds in (1, 2, 7):
        authority, hub = by_rounds(graph, rounds)
        found = hubs_and_authorities(graph, rounds=rounds)
        assert found.authorities == pytest.approx(authority, abs=1e-13)
        assert found.hubs == pytest.approx(hub, abs=1e-13)


def test_two_communities_that_are_nearly_equal_converge() -> None:
    # Rounds alone would need thousands: the squares of the two strengths differ by a thousandth.
    one = [(f"a{n}", f"b{m}", 1.0) for n in range(4) for m in range(4)]
    other = [(f"c{n}", f"d{m}", 0.9995) for n in range(4) for m in range(4)]
    found = hubs_and_authorities(graph_of_edges(one + other))
    assert found.rounds < 100
    assert found.authorities.max() == pytest.approx(0.25, abs=1e-10)


def test_the_querys_own_pages() -> None:
    graph = graph_of_edges([("a", "b"), ("b", "c"), ("c", "d"), ("e", "a"), ("f", "a"), ("g", "a"), ("x", "y")])
    kept = query_pages(graph, np.array([graph.place("a")]), in_links=2)
    assert [page for page, inside in zip(graph.pages, kept, strict=True) if inside] == ["a", "b", "e", "f"]


def test_an_empty_graph_is_refused() -> None:
    with pytest.raises(InputError, match="graph: has no pages"):
        hubs_and_authorities(graph_of_edges([]))
