"""How long PageRank takes, compared with other programs on the same links.

    python benchmarks/links.py [--repeat 5] [--links 1000000] [--large 10000000] [--write]

The target: 1 million links, 50 rounds, in under 0.1 seconds, faster than SciPy's sparse product, rustworkx and
networkx; and a time that grows with the number of links. Every program begins with the graph as it keeps it: SciPy with
the matrix of its product, Leadline with links laid out by the first call, which has a column of its own. Programs take
turns, so that a busy machine slows all of them alike; the median of wall and of processor time is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

os.environ["LEADLINE_ENGINE"] = "compiled"

import networkx
import numpy as np
import rustworkx
from scipy.sparse import csr_array

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.page_scores import DAMPING, hubs_and_authorities, page_ranks
from leadline.records.result import Table

PAGE = Path(__file__).parents[1] / "docs/links.md"
ROUNDS, PROMISE = 50, 0.1
LINKS_A_PAGE = 10  # as the web has, about


def random_graph(links: int, pages: int | None = None, seed: int = 1, *, popular: bool = False) -> LinkGraph:
    """A graph of random links, by default ten a page; with `popular`, page k gets a share of them of about 1 / k."""
    rng = np.random.default_rng(seed)
    pages = pages or max(links // LINKS_A_PAGE, 1)
    sources = rng.integers(0, pages, links)
    if popular:
        targets = rng.permutation(pages)[(pages ** rng.random(links)).astype(np.int64) - 1]
    else:
        targets = rng.integers(0, pages, links)
    return LinkGraph.of_arrays(sources, targets, range(pages))  # type: ignore[arg-type]


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


MAKERS = {"leadline": by_leadline, "scipy": by_scipy, "rustworkx": by_rustworkx, "networkx": by_networkx}


class Times(NamedTuple):
    """Seconds of one program."""

    wall: float  # medians
    processor: float
    fastest: float  # wall time


def timed(programs: dict[str, Callable[[], object]], repeat: int) -> dict[str, Times]:
    """The times of each program, which take turns."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for turn in range(repeat + 1):
        for name, work in programs.items():
            wall, processor = time.perf_counter(), time.process_time()
            work()
            if turn:  # the first warms up
                taken[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return {
        name: Times(
            statistics.median(wall for wall, _ in each),
            statistics.median(processor for _, processor in each),
            min(wall for wall, _ in each),
        )
        for name, each in taken.items()
    }


def measured(links: int, large: int, repeat: int) -> tuple[Table, bool]:
    """The times of all programs, and whether those of the first graph are what is promised."""
    shapes = [("at random", links, links // LINKS_A_PAGE)]
    if large:
        few, many = links // LINKS_A_PAGE, large // LINKS_A_PAGE
        shapes += [("at random", large, few), ("at random", large, many), ("to popular pages", large, many)]
    rows: list[list[object]] = []
    first: dict[str, Times] = {}
    for shape, count, pages in shapes:
        graph = random_graph(count, pages, popular=shape != "at random")
        makers = MAKERS if not first else {name: MAKERS[name] for name in ("leadline", "scipy")}
        programs = {name: make(graph) for name, make in makers.items()}
        start = time.process_time()
        ours = programs["leadline"]()
        layout = time.process_time() - start
        assert np.abs(ours - programs["scipy"]()).max() < 1e-12  # type: ignore[operator]
        found = timed(programs, repeat)
        layout = max(layout - found["leadline"].processor, 0.0)
        first = first or found
        for name, times in found.items():
            growth = times.processor / first[name].processor if found is not first else None
            rows.append(
                [f"{graph.links:,} links {shape}, {pages:,} pages", name, *times, times.wall / found["leadline"].wall,
                 growth, layout if name == "leadline" else None]
            )  # fmt: skip
        print(f"{graph.links:,} links, {pages:,} pages: done", flush=True)
    columns = [
        "graph", "program", "wall", "processor", "fastest wall", "wall / Leadline's", "processor / first graph's",
        "layout",
    ]  # fmt: skip
    others = [times.wall for name, times in first.items() if name != "leadline"]
    return Table(columns, rows, digits=3), first["leadline"].wall < min(PROMISE, *others)


def write_table(content: str) -> None:
    """Put the table between its marks in the document."""
    text = PAGE.read_text(encoding="utf-8")
    block = f"<!-- speed -->\n{content}\n<!-- end -->"
    text, count = re.subn(r"<!-- speed -->.*?<!-- end -->", lambda _: block, text, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{PAGE} has {count} places for the table")
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000, help="0 leaves the large graphs out")
    parser.add_argument("--write", action="store_true", help="put the table into docs/links.md")
    options = parser.parse_args()
    table, kept = measured(options.links, options.large, options.repeat)
    graph = random_graph(options.links)
    hits = timed({"leadline": lambda: hubs_and_authorities(graph)}, options.repeat)
    about = (
        f"PageRank, {ROUNDS} rounds, seconds, medians of {options.repeat} in turn, {os.cpu_count()} processors. "
        f"HITS of the first graph to 1e-10: {hits['leadline'].wall:.2f} s, "
        f"{hits['leadline'].processor:.2f} s of the processor."
    )
    print(f"\n{about}\n{table}\ntarget {PROMISE} s and faster than all others: {'reached' if kept else 'missed'}")
    if options.write:
        write_table(f"{about}\n\n{table.render('markdown')}")
    sys.exit(not kept)


if __name__ == "__main__":
    main()
