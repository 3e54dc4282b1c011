"""Connected components of a graph whose edges come some at a time, with four bytes a node.

An array leads from each node to a lower one of its component, and from the lowest to itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def unite(above: NDArray[np.uint32], some: NDArray[np.uint32], others: NDArray[np.uint32]) -> None:
    """Put pairs of nodes into one component each.

    >>> above = np.arange(6, dtype=np.uint32)
    >>> unite(above, np.array([5, 3], np.uint32), np.array([3, 1], np.uint32))
    >>> first_of(above, np.arange(6, dtype=np.uint32)).tolist()
    [0, 1, 2, 1, 4, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = []
    for nodes in (some, others):
        ends.append(first_of(above, nodes))
        above[nodes] = ends[-1]  # the way is short next time
    apart = ends[0] != ends[1]
    if not apart.any():
        return
    nodes, places = np.unique(np.concatenate([end[apart] for end in ends]), return_inverse=True)
    here, there = np.split(places.reshape(-1), 2)
    graph = coo_array((np.ones(len(here), np.int8), (here, there)), shape=(len(nodes), len(nodes)))
    _, component = connected_components(graph, directed=False)
    _, first = np.unique(component, return_index=True)  # nodes ascend, so this is the lowest of each
    above[nodes] = nodes[first[component]]


def first_of(above: NDArray[np.uint32], nodes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The lowest node of the component of each node."""
    while True:
        higher = above[nodes]
        if np.array_equal(higher, nodes):
            return nodes
        nodes = higher
