"""HITS: good authorities are linked from good hubs, and good hubs link to good authorities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.summing import ADDING_BYTES, LinkWorkers, add_links, threads_for
from leadline.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Update = Callable[[Floats], Floats]

TOLERANCE = 1e-10
CYCLE = 16  # rounds whose vectors are combined
MOST_CYCLES = 400
ROUNDING = 1e-14  # share of the largest score
IN_LINKS = 50  # of a root page that enter the query's own graph, as Kleinberg chose
ROOTS = 200  # pages of the root set, as Kleinberg chose


class HubsAndAuthorities(NamedTuple):
    """Both scores of every page, each summing to 1, and the number of rounds."""

    authorities: Floats
    hubs: Floats
    rounds: int
    note: str = ""


def hubs_and_authorities(
    graph: LinkGraph,
    *,
    rounds: int | None = None,
    tolerance: float = TOLERANCE,
    workers: LinkWorkers | None = None,
) -> HubsAndAuthorities:
    """HITS over all links of a graph, until scores are within `tolerance` of their limit, or for a number of rounds.

    Formula: authority(p) = Σ hub(q) · w(q, p) over the pages q that link to p; then hub(p) = Σ authority(q) · w(p, q)
    over the pages q that p links to; all start as 1, and each is divided by its norm every round. Kleinberg,
    Authoritative sources in a hyperlinked environment, SODA 1998.

    Rounds alone converge slowly where the two best communities of pages are about equally strong. So the vectors of
    each sixteen rounds are combined into the one nearest to the limit (Lanczos), which has the same limit.

    >>> from leadline.collections.links.edge_list import graph_of_edges
    >>> graph = graph_of_edges([("a", "c"), ("b", "c"), ("b", "d")])
    >>> found = hubs_and_authorities(graph)
    >>> found.authorities.round(3).tolist(), found.hubs.round(3).tolist()
    ([0.0, 0.0, 0.618, 0.382], [0.382, 0.618, 0.0, 0.0])
    """
    if not len(graph):
        raise InputError("graph", "has no pages")
    pages = len(graph)
    if not graph.links or not graph.out_weights.any():
        return HubsAndAuthorities(np.zeros(pages), np.zeros(pages), 0, "the graph has no links: all scores are 0")
    with _updates(graph, workers) as (authorities_of, hubs_of):
        ones = np.ones(pages)
        if rounds is not None:
            authority, hub = ones, ones
            for _ in range(rounds):
                authority = _unit(authorities_of(hub))
                hub = _unit(hubs_of(authority))
            done, note = rounds, ""
        else:
            authority, done, note = _limit(authorities_of, hubs_of, authorities_of(ones), tolerance)
            hub = hubs_of(authority)
    return HubsAndAuthorities(_shares(authority), _shares(hub), done, note)


@contextmanager
def _updates(graph: LinkGraph, workers: LinkWorkers | None) -> Iterator[tuple[Update, Update]]:
    """The rule for authorities, and that for hubs."""
    into, out_of = graph.into_blocks, graph.out_of_blocks
    size = ADDING_BYTES * 2 * graph.links * CYCLE
    add = add_links.choose(size) if workers is None else workers.adding(into, out_of)
    with threads_for(graph.links) as each:

        def authorities_of(hubs: Floats) -> Floats:
            totals = np.empty(len(graph))
            add(into, hubs, totals, each)
            return totals

        def hubs_of(authorities: Floats) -> Floats:
            totals = np.empty(len(graph))
            add(out_of, authorities, totals, each)
            return totals

        yield authorities_of, hubs_of


def _shares(scores: Floats) -> Floats:
    """Scores that sum to 1. What is lost in rounding is 0: the rounds leave no score below 0."""
    clear = np.where(scores > ROUNDING * scores.max(), scores, 0.0)
    return clear / clear.sum()


def _unit(vector: Floats) -> Floats:
    norm = float(np.linalg.norm(vector))
    return vector / norm if norm > 0 else vector


def _limit(authorities_of: Update, hubs_of: Update, start: Floats, tolerance: float) -> tuple[Floats, int, str]:
    """The limit of rounds that begin with these authorities, by restarted Lanczos."""
    authority = _unit(start)
    done, error = 1, np.inf
    for _ in range(MOST_CYCLES):
        basis, diagonal, beside = [authority], list[float](), list[float]()
        for _ in range(CYCLE):
            following = authorities_of(hubs_of(basis[-1]))
            done += 1
            diagonal.append(float(basis[-1] @ following))
            for _ in range(2):  # twice is enough to make it orthogonal to the last bit
                for vector in basis:
                    following = following - (vector @ following) * vector
            beside.append(float(np.linalg.norm(following)))
            if beside[-1] <= 1e-14 * diagonal[0]:
                break
            basis.append(following / beside[-1])
        steps = len(diagonal)
        tridiagonal = np.diag(diagonal) + np.diag(beside[: steps - 1], 1) + np.diag(beside[: steps - 1], -1)
        values, vectors = np.linalg.eigh(tridiagonal)
        best = vectors[:, -1] * np.sign(vectors[:, -1].sum() or 1.0)
        combined = _unit(
            sum((share * vector for share, vector in zip(best, basis, strict=False)), np.zeros_like(start))
        )
        authority = combined if combined.sum() >= 0 else -combined
        residual = beside[-1] * abs(float(best[-1]))
        gap = float(values[-1] - values[-2]) if steps > 1 else float(values[-1])
        error = residual / gap if gap > 0 else 0.0
        if error <= tolerance / 10 or residual <= 1e-15 * values[-1]:
            break
    near = f"two communities are nearly equally strong: scores are within about {error:.0e} of their limit"
    return authority, done, near if error > tolerance else ""


def query_pages(graph: LinkGraph, roots: NDArray[np.integer], in_links: int = IN_LINKS) -> NDArray[np.bool_]:
    """The pages that belong to a query: root pages, the pages they link to, and pages that link to them.

    Of a root page with more than `in_links` pages that link to it, the first so many belong.
    """
    kept = np.zeros(len(graph), np.bool_)
    kept[roots] = True
    for root in roots.tolist():
        for rows, most in ((graph.out_of, None), (graph.into, in_links)):
            start, end = rows.offsets[root], rows.offsets[root + 1]
            kept[rows.columns[start:end][:most]] = True
    return kept
