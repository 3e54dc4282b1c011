"""Scores of pages, best first: PageRank, HITS, and counts of links."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from leadline.collections.choices import DAMPING, IN_LINKS
from leadline.collections.links.graph import (
    ADDING_BYTES,
    Each,
    LinkGraph,
    LinkWorkers,
    add_links,
    plain_sums,
    threads_for,
)
from leadline.collections.links.kernel_arguments import LinkBlocks, Surfers
from leadline.errors import InputError, checked_choice
from leadline.records.result import Result, Table, counted
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.text.engine import Kernel

    Floats = NDArray[np.float64]
    Update = Callable[[Floats], Floats]

# PageRank: the share of time that a surfer spends on each page, who follows links and now and then jumps.


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

    >>> from leadline.collections.links.reading import graph_of_edges
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


@compiled_job("leadline.collections.links.kernels.surf", plain=_surfed_plain)
def surf(kernel: Kernel, into: LinkBlocks, state: Surfers, each: Each) -> None:
    """One round of PageRank for all pages."""
    each(lambda first, step: kernel(into, state, first, step))


# HITS: good authorities are linked from good hubs, and good hubs link to good authorities.


CYCLE = 16  # rounds whose vectors are combined
MOST_CYCLES = 400
ROUNDING = 1e-14  # share of the largest score


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

    >>> from leadline.collections.links.reading import graph_of_edges
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


Form = Literal["sum", "paper"]


@dataclass(frozen=True, repr=False)
class PageScores(Result):
    """Scores of all pages of a graph. The first column orders them, highest first; ties are in the order of pages."""

    graph: LinkGraph
    columns: Mapping[str, NDArray[np.float64] | NDArray[np.int64]]
    notes: tuple[str, ...] = ()

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The places of the pages, best first."""
        names = np.array(self.graph.pages, dtype=object)
        by_name = np.empty(len(names), np.int64)
        by_name[np.argsort(names, kind="stable")] = np.arange(len(names))
        return np.lexsort((by_name, -next(iter(self.columns.values()))))

    def __getitem__(self, page: str) -> float | dict[str, float]:
        """The score of a page; both scores of HITS by name."""
        place = self.graph.place(page)
        values = {name: float(column[place]) for name, column in self.columns.items()}
        return values if len(values) > 1 else next(iter(values.values()))

    def __len__(self) -> int:
        return len(self.graph)

    def table(self, k: int | None = None) -> Table:
        """A row for each page, or for the k best."""
        places = self.order[:k].tolist()
        values = [column.tolist() for column in self.columns.values()]
        rows = [[self.graph.pages[place], *(column[place] for column in values)] for place in places]
        return Table(["page", *self.columns], rows, digits=6)

    def _finding(self) -> str:
        first = f"; first: {self.graph.pages[self.order[0]]}" if len(self) else ""
        return f"{', '.join(self.columns)} of {counted(len(self), 'page')}{first}"

    def _shown_table(self) -> Table:
        return self.table(20)


def pagerank_of(
    graph: LinkGraph,
    *,
    damping: float = DAMPING,
    personal: Mapping[str, float] | str | None = None,
    form: Form = "sum",
    tolerance: float = TOLERANCE,
    rounds: int = MOST_ROUNDS,
    workers: LinkWorkers | None = None,
) -> PageScores:
    """The PageRank of every page of a graph."""
    checked_choice("form", form, ("sum", "paper"))
    named = {personal: 1.0} if isinstance(personal, str) else personal
    jumps = None if named is None else personal_weights(graph, named)
    ranks, done = page_ranks(graph, damping, jumps, tolerance=tolerance, rounds=rounds, workers=workers)
    notes = [
        f"{counted(len(graph), 'page')}, {counted(graph.links, 'link')}; {counted(done, 'round')}, d = {damping:g}"
    ]
    notes[0] += "" if done < rounds else f", stopped at the limit of {rounds:,}"
    without = int((graph.out_weights == 0).sum())
    if without:
        whom = "all pages" if jumps is None else "the personal pages"
        notes.append(f"{counted(without, 'page')} without links: rank shared with {whom}")
    if form == "paper":
        ranks = ranks * len(graph)
        notes.append(
            f"the paper's formula, (1 − d) + d Σ PR/C: ranks sum to the number of pages, {len(graph):,}, and not to 1 "
            "as it says; divided by that number they are those of (1 − d)/N + d Σ PR/C"
        )
    return PageScores(graph, {"value": ranks}, (*graph.notes, *notes))


def hits_of(
    graph: LinkGraph, *, rounds: int | None = None, tolerance: float = TOLERANCE, workers: LinkWorkers | None = None
) -> PageScores:
    """The authority and the hub score of every page of a graph."""
    found = hubs_and_authorities(graph, rounds=rounds, tolerance=tolerance, workers=workers)
    note = f"{counted(len(graph), 'page')}, {counted(graph.links, 'link')}; {counted(found.rounds, 'round')}"
    notes = (*graph.notes, note, *([found.note] if found.note else []))
    return PageScores(graph, {"authority": found.authorities, "hub": found.hubs}, notes)


def in_degrees_of(graph: LinkGraph) -> PageScores:
    """How many pages link to each page of a graph."""
    note = f"{counted(len(graph), 'page')}, {counted(graph.links, 'link')}"
    return PageScores(graph, {"value": graph.in_degrees}, (*graph.notes, note))
