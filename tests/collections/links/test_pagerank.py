"""PageRank: equal to other programs, on graphs of every odd shape, by machine code and by plain Python."""

from __future__ import annotations

import sys
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.collections.links import graph as graph_of_links
from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.page_scores import page_ranks, pagerank_of
from leadline.collections.links.reading import graph_of_edges
from leadline.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[2]))
from link_graphs import Edge, graphs, link_graph, oracle, peer_graph

ORACLES = ("g1", "g2_dangling", "g3_selfloop_weighted", "g4_disconnected")


@pytest.mark.parametrize("name", ORACLES)
def test_other_programs_give_the_same(shared: Path, name: str) -> None:
    graph, expected = oracle(shared, name)
    for damping, column in ((0.85, "nx_pr_.85"), (0.85, "ig_prpack_.85"), (0.5, "nx_pr_.5")):
        assert np.abs(page_ranks(graph, damping)[0] - expected[column]).max() < 1e-9
    personal = pagerank_of(graph, personal="0").columns["value"]
    assert np.abs(personal - expected["nx_pers(node0=1)"]).max() < 1e-9
    unweighted = LinkGraph(graph.pages, graph.offsets, graph.sources)
    assert np.abs(page_ranks(unweighted)[0] - expected["nx_pr_.85_unweighted"]).max() < 1e-9


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("weighted", [False, True])
def test_networkx_gives_the_same(engine: str, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)

    @given(graphs(weighted), st.sampled_from([0.0, 0.5, 0.85, 0.95]), st.integers(0, 11))
    @settings(deadline=None, max_examples=examples(60))
    def check(drawn: tuple[int, list[Edge]], damping: float, page: int) -> None:
        pages, edges = drawn
        graph, peer = link_graph(pages, edges, weighted), peer_graph(pages, edges)
        expected = networkx.pagerank(peer, damping, tol=1e-14 / pages, max_iter=5000)
        assert np.abs(page_ranks(graph, damping)[0] - [expected[p] for p in range(pages)]).max() < 1e-9
        person = {page % pages: 2.0, 0: 1.0}
        expected = networkx.pagerank(peer, damping, person, tol=1e-14 / pages, max_iter=5000)
        ours = pagerank_of(graph, damping=damping, personal={str(p): weight for p, weight in person.items()})
        assert np.abs(ours.columns["value"] - [expected[p] for p in range(pages)]).max() < 1e-9

    check()


@pytest.mark.parametrize("weighted", [False, True])
def test_both_engines_give_the_same_bits(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    monkeypatch.setattr(graph_of_links, "PLAIN_AT_ONCE", 3000)
    for pages, links in ((1, 0), (1, 1), (9, 30), (1000, 7000), (30_000, 200_000)):
        sources, targets = (rng.integers(0, pages, links) for _ in range(2))
        weights = rng.random(links) if weighted and links else None
        found = []
        for engine in ("plain", "compiled"):
            monkeypatch.setenv("LEADLINE_ENGINE", engine)
            graph = LinkGraph.of_arrays(sources, targets, [""] * pages, weights)
            found.append((graph.offsets, graph.sources, graph.weights, graph.out_of.columns, *page_ranks(graph)))
        for plain, compiled in zip(*found, strict=True):
            assert np.array_equal(plain, compiled)


def test_ranks_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    rng = np.random.default_rng(6)
    graph = LinkGraph.of_arrays(rng.integers(0, 20_000, 80_000), rng.integers(0, 20_000, 80_000), [""] * 20_000)
    assert len(graph.into_blocks.starts) > 4
    alone, _ = page_ranks(graph)
    monkeypatch.setattr("leadline.collections.links.graph.THREADED", 1)
    for processors in (2, 3, 8):
        monkeypatch.setattr("os.cpu_count", lambda count=processors: count)
        assert np.array_equal(page_ranks(graph)[0], alone)


def test_by_hand() -> None:
    # Two pages that link to each other, and one that both leave alone: x = 0.15 / 3 + 0.85 (x + z / 3), z = 0.15 / 3 +
    # 0.85 z / 3, where z has no links and shares its rank with all.
    z = 0.05 / (1 - 0.85 / 3)
    ranks, _ = page_ranks(LinkGraph.of_arrays(np.array([0, 1]), np.array([1, 0]), ["x", "y", "z"]))
    assert ranks == pytest.approx([(1 - z) / 2, (1 - z) / 2, z], abs=1e-10)


def test_the_same_link_twice_and_links_to_itself() -> None:
    once = pagerank_of(graph_of_edges([("a", "b"), ("b", "a"), ("b", "c")]))
    twice = pagerank_of(graph_of_edges([("a", "b"), ("a", "b"), ("b", "a"), ("b", "c")]))
    assert once.table().rows == twice.table().rows
    alone = graph_of_edges([("a", "a"), ("a", "b")])
    assert alone.links == 2
    assert graph_of_edges([("a", "a"), ("a", "b")], self_links="drop").links == 1
    summed = graph_of_edges([("a", "b", 1), ("a", "c", 1), ("a", "b", 2)])
    assert summed.weights.tolist() == [3.0, 1.0]


def test_the_papers_form_sums_to_the_number_of_pages() -> None:
    graph = graph_of_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "b")])
    ours, paper = pagerank_of(graph), pagerank_of(graph, form="paper")
    assert paper.columns["value"].sum() == pytest.approx(3)
    assert paper.columns["value"] == pytest.approx(3 * ours.columns["value"])
    assert any("ranks sum to the number of pages, 3, and not to 1" in note for note in paper.notes)
    # PR(A) = (1 − d) + d (PR(T1) / C(T1) + …), as it is printed.
    rank = dict(zip("abc", paper.columns["value"].tolist(), strict=True))
    assert rank["b"] == pytest.approx(0.15 + 0.85 * (rank["a"] + rank["c"] / 2))


def test_accuracy_is_what_is_asked() -> None:
    rng = np.random.default_rng(2)
    graph = LinkGraph.of_arrays(rng.integers(0, 500, 2000), rng.integers(0, 500, 2000), [""] * 500)
    exact, _ = page_ranks(graph, tolerance=1e-15)
    for tolerance in (1e-4, 1e-7, 1e-10):
        ranks, _ = page_ranks(graph, tolerance=tolerance)
        assert 0 < np.abs(ranks - exact).sum() <= tolerance


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"damping": 1.0}, "damping: must be at least 0 and below 1, got 1"),
        ({"damping": -0.1}, "damping: must be at least 0 and below 1, got -0.1"),
        ({"damping": float("nan")}, "damping: must be at least 0 and below 1, got nan"),
        ({"personal": "z"}, "personal: 'z' is not a page of the graph"),
        ({"personal": {"a": -1.0}}, "personal: the weight of 'a' must be a number of 0 or more, got -1"),
        ({"personal": {"a": float("nan")}}, "personal: the weight of 'a' must be a number of 0 or more, got nan"),
        ({"personal": {"a": 0.0}}, "personal: at least one weight must be above 0"),
        ({"form": "papers"}, "form: 'papers' is not one of sum, paper; did you mean paper?"),
    ],
)
def test_wrong_options_get_one_line(options: dict, problem: str) -> None:
    with pytest.raises(InputError) as error:
        pagerank_of(graph_of_edges([("a", "b")]), **options)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_an_empty_graph_is_refused() -> None:
    with pytest.raises(InputError, match="graph: has no pages"):
        pagerank_of(graph_of_edges([]))
