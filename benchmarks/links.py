"""How long PageRank takes, compared with other programs on the same links.

    python benchmarks/links.py [--repeat 5] [--links 1000000] [--large 10000000]

The target: 1 million links, 50 rounds, in under 0.1 seconds, faster than SciPy's sparse product, rustworkx and
networkx; and a time that grows with the number of links. Every program begins with the graph as it keeps it: SciPy with
the matrix of its product, Leadline with links laid out by the first call, which is not counted. Programs take turns, so
that a busy machine slows all of them alike; the median of wall and of processor time is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import time
from collections.abc import Callable

os.environ["LEADLINE_ENGINE"] = "compiled"

import networkx
import numpy as np
import rustworkx
from scipy.sparse import csr_array

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.hits import hubs_and_authorities
from leadline.collections.links.pagerank import DAMPING, page_ranks

ROUNDS, PROMISE = 50, 0.1
LINKS_A_PAGE = 10  # as the web has, about


def random_graph(links: int, pages: int | None = None, seed: int = 1) -> LinkGraph:
    """A graph of random links, by default ten a page."""
    rng = np.random.default_rng(seed)
    pages = pages or max(links // LINKS_A_PAGE, 1)
    return LinkGraph.of_arrays(rng.integers(0, pages, links), rng.integers(0, pages, links), range(pages))  # type: ignore[arg-type]


def by_scipy(graph: LinkGraph) -> Callable[[], np.ndarray]:
    """The textbook way: a sparse product a round, with everything that does not change made before."""
    pages = len(graph)
    out = np.maximum(graph.out_weights, 1)
    matrix = csr_array((DAMPING / out[graph.sources], graph.sources, graph.offsets), shape=(pages, pages))
    without_links = np.flatnonzero(graph.out_degrees == 0)

    def work() -> np.ndarray:
        ranks = np.full(pages, 1 / pages)
        for _ in range(ROUNDS):
            ranks = matrix @ ranks + ((1 - DAMPING) + DAMPING * ranks[without_links].sum()) / pages
        return ranks

    return work


def by_rustworkx(graph: LinkGraph) -> Callable[[], object]:
    peer = rustworkx.PyDiGraph()
    peer.add_nodes_from(range(len(graph)))
    peer.add_edges_from_no_data(list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)))

    def work() -> object:
        with contextlib.suppress(rustworkx.FailedToConverge):  # it stops after the last round without an answer
            return rustworkx.pagerank(peer, alpha=DAMPING, max_iter=ROUNDS, tol=1e-300)
        return None

    return work


def by_networkx(graph: LinkGraph) -> Callable[[], object]:
    peer = networkx.DiGraph()
    peer.add_nodes_from(range(len(graph)))
    peer.add_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))

    def work() -> object:
        with contextlib.suppress(networkx.PowerIterationFailedConvergence):
            return networkx.pagerank(peer, DAMPING, max_iter=ROUNDS, tol=0)
        return None

    return work


def by_leadline(graph: LinkGraph) -> Callable[[], np.ndarray]:
    return lambda: page_ranks(graph, tolerance=0, rounds=ROUNDS)[0]


def timed(programs: dict[str, Callable[[], object]], repeat: int) -> dict[str, tuple[float, float]]:
    """The median wall and processor time of each program, which take turns."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for turn in range(repeat + 1):
        for name, work in programs.items():
            wall, processor = time.perf_counter(), time.process_time()
            work()
            if turn:  # the first warms up
                taken[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return {
        name: (statistics.median(wall for wall, _ in each), statistics.median(processor for _, processor in each))
        for name, each in taken.items()
    }


def show(title: str, found: dict[str, tuple[float, float]]) -> None:
    ours = found["leadline"]
    print(f"\n{title}\n{'':<12}{'wall':>9}{'processor':>11}{'times ours (wall)':>20}")
    for name, (wall, processor) in found.items():
        print(f"{name:<12}{wall:>9.3f}{processor:>11.3f}{wall / ours[0]:>20.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000, help="0 leaves the large graph out")
    options = parser.parse_args()
    graph = random_graph(options.links)
    makers = {"leadline": by_leadline, "scipy": by_scipy, "rustworkx": by_rustworkx, "networkx": by_networkx}
    programs = {name: make(graph) for name, make in makers.items()}
    assert np.abs(programs["leadline"]() - programs["scipy"]()).max() < 1e-12  # type: ignore[operator]
    found = timed(programs, options.repeat)
    show(
        f"PageRank, {graph.links:,} links, {len(graph):,} pages, {ROUNDS} rounds: seconds, median of {options.repeat}",
        found,
    )
    print(f"target {PROMISE} s: {'reached' if found['leadline'][0] < PROMISE else 'missed'}")
    rows = {"leadline": lambda: hubs_and_authorities(graph)}
    wall, processor = timed(rows, options.repeat)["leadline"]
    print(f"HITS of the same to 1e-10: {wall:.3f} s, {processor:.3f} s of the processor")
    for pages in (len(graph), None) if options.large else ():
        large = random_graph(options.large, pages)
        more = timed({"leadline": by_leadline(large), "scipy": by_scipy(large)}, options.repeat)
        show(f"PageRank, {large.links:,} links, {len(large):,} pages", more)
        for name in more:
            print(f"{name}: {more[name][1] / found[name][1]:.1f} times the processor time of {options.links:,} links")


if __name__ == "__main__":
    main()
