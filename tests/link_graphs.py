"""Link graphs for tests: drawn at random, as another program has them, and from the oracles."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx
import numpy as np
from hypothesis import strategies as st

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.reading import read_links

Edge = tuple[int, int, float]


@st.composite
def graphs(draw: st.DrawFn, weighted: bool = False) -> tuple[int, list[Edge]]:
    """A few pages and links between them: with links to itself, several components, pages without links."""
    pages = draw(st.integers(1, 12))
    page = st.integers(0, pages - 1)
    weight = st.sampled_from([0.5, 1.0, 2.0, 3.0]) if weighted else st.just(1.0)
    return pages, draw(st.lists(st.tuples(page, page, weight), max_size=40, unique_by=lambda edge: edge[:2]))


def link_graph(pages: int, edges: list[Edge], weighted: bool = False) -> LinkGraph:
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2)
    weights = np.array([edge[2] for edge in edges]) if weighted and edges else None
    return LinkGraph.of_arrays(ends[:, 0], ends[:, 1], [str(page) for page in range(pages)], weights)


def peer_graph(pages: int, edges: list[Edge]) -> networkx.DiGraph:
    peer = networkx.DiGraph()
    peer.add_nodes_from(range(pages))
    peer.add_weighted_edges_from(edges)
    return peer


def oracle(shared: Path, name: str) -> tuple[LinkGraph, dict[str, np.ndarray]]:
    """A graph, and what other programs compute of it, by column."""
    folder = shared / "oracles" / "graph"
    graph = read_links(folder / f"{name}.edges.tsv")
    with (folder / f"{name}.out.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["node"] for row in rows] == list(graph.pages)
    return graph, {column: np.array([float(row[column]) for row in rows]) for column in rows[0]}
