"""PageRank: the share of time that a surfer spends on each page, who follows links and now and then jumps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.kernels.arguments import LinkBlocks, Surfers
from leadline.collections.links.summing import ADDING_BYTES, Each, LinkWorkers, plain_sums, threads_for
from leadline.errors import InputError
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.text.compiled import Kernel

    Floats = NDArray[np.float64]

DAMPING = 0.85
TOLERANCE = 1e-10
MOST_ROUNDS = 10_000


def page_ranks(
    graph: LinkGraph,
    damping: float = DAMPING,
    personal: Floats | None = None,
    *,
    tolerance: float = TOLERANCE,
    rounds: int = MOST_ROUNDS,
    workers: LinkWorkers | None = None,
) -> tuple[Floats, int]:
    """The PageRank of every page, and the number of rounds that were computed.

    Formula: rank(p) = (1 − d) · jump(p) + d · (Σ rank(q) · w(q, p) / w(q) over the pages q that link to p, and jump(p)
    times the ranks of all pages without links). jump(p) is 1 / N, or the personal share of p. Ranks sum to 1.

    A round brings ranks nearer to their limit by the factor d at least, so what is still missing is at most
    d / (1 − d) of what the last round moved: rounds end when that is `tolerance` or less, over all pages together.

    >>> from leadline.collections.links.edge_list import graph_of_edges
    >>> graph = graph_of_edges([("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")])
    >>> page_ranks(graph)[0].round(4).tolist()
    [0.3878, 0.2148, 0.3974]
    """
    if not 0 <= damping < 1:
        raise InputError("damping", f"must be at least 0 and below 1, got {damping:g}")
    if not len(graph):
        raise InputError("graph", "has no pages")
    jumps = np.full(len(graph), 1 / len(graph)) if personal is None else checked_personal(personal, len(graph))
    into = graph.into_blocks
    state, lost = _start(graph, jumps, damping)
    limit = tolerance * (1 - damping) / damping if damping else math.inf
    size = ADDING_BYTES * (graph.links + len(graph)) * min(rounds, 100)
    surf_round = surf.choose(size) if workers is None else workers.surfing(into, state)
    done, moved = 0, math.inf
    with threads_for(graph.links) as each:
        while done < rounds and moved > limit:
            done += 1
            state.settings[1] = (1 - damping) + damping * lost
            surf_round(into, state, each)
            state = state._replace(passed_on=state.passing, passing=state.passed_on)
            moved, lost = (float(state.sums[part::2].sum()) for part in (0, 1))
    return state.ranks, done


def _start(graph: LinkGraph, jumps: Floats, damping: float) -> tuple[Surfers, float]:
    """Every surfer where he would jump to, and the share of them on pages without links."""
    out = graph.out_weights
    shares = np.divide(1.0, out, out=np.zeros(len(out)), where=out > 0)
    lost = float(jumps[shares == 0].sum())
    settings, sums = np.array([damping, 0.0]), np.zeros(2 * (len(graph.into_blocks.starts) - 1))
    return Surfers(jumps.copy(), jumps * shares, np.zeros(len(jumps)), shares, jumps, settings, sums), lost


def checked_personal(personal: Floats, pages: int) -> Floats:
    """Personal weights of pages, divided by their sum."""
    if len(personal) != pages:
        raise InputError("personal", f"has {len(personal)} weights for {pages} pages")
    if not np.isfinite(personal).all() or (personal < 0).any():
        raise InputError("personal", "weights must be numbers of 0 or more")
    total = float(personal.sum())
    if total <= 0:
        raise InputError("personal", "at least one weight must be above 0")
    return personal / total


def personal_weights(graph: LinkGraph, weights: Mapping[str, float], where: str = "personal") -> Floats:
    """Weights by page as an array; a page that the graph lacks is an error."""
    found = np.zeros(len(graph))
    for page, weight in weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise InputError(where, f"the weight of {page!r} must be a number of 0 or more, got {weight:g}")
        found[graph.place(page, where)] = weight
    if not found.sum() > 0:
        raise InputError(where, "at least one weight must be above 0")
    return found


def _surfed_plain(into: LinkBlocks, state: Surfers, each: Each) -> None:
    ranks = state.jumps * state.settings[1] + state.settings[0] * plain_sums(into, state.passed_on)
    block, blocks = np.arange(into.pages) // into.size, len(into.starts) - 1
    state.sums[0::2] = np.bincount(block, np.abs(ranks - state.ranks), blocks)
    without_links = state.shares == 0
    state.sums[1::2] = np.bincount(block[without_links], ranks[without_links], blocks)
    state.ranks[:] = ranks
    state.passing[:] = ranks * state.shares


@compiled_job("leadline.collections.links.kernels.summing.surf", plain=_surfed_plain)
def surf(kernel: Kernel, into: LinkBlocks, state: Surfers, each: Each) -> None:
    """One round of PageRank for all pages."""
    each(lambda first, step: kernel(into, state, first, step))
