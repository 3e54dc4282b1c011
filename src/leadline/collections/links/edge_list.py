"""Edge lists: a source, a target and perhaps a weight or an anchor text in each line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.links.edge_file import EdgeFile
from leadline.collections.links.graph import LinkGraph, SelfLinks
from leadline.errors import InputError
from leadline.records.scores.result import counted
from leadline.text.files import readable_size
from leadline.text.memory import MappedArrays
from leadline.text.memory_budget import MemoryBudget, MemoryLike
from leadline.text.source import read_text, size_of

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

# Measured with benchmarks/memory.py: the memory of the libraries, and for each byte of a part and each page.
BASE_BYTES, BYTES_A_BYTE, BYTES_A_PAGE = 160_000_000, 10, 400
SMALLEST_PART, LARGEST_PART = 1 << 20, 64 << 20


def read_edges(path: str, *, self_links: SelfLinks = "count", memory: MemoryLike = None) -> LinkGraph:
    """Read an edge list, compressed or not; `-` is standard input.

    Fields are separated by tabs, or by blanks where there is no tab. A line that begins with # is a comment; `# n=14`
    before the first edge says that pages are the numbers below 14, whether they have links or not. The first line may
    name the columns. Without names, a third column of numbers is a weight, any other an anchor text. With `memory` the
    file is read in parts, twice, the links are kept in temporary files, and anchor texts are not kept.
    """
    budget = MemoryBudget.of(memory)
    if budget is None:
        return _whole_graph(EdgeFile(path), self_links)
    least, a_page = BASE_BYTES + SMALLEST_PART * BYTES_A_BYTE, f"{BYTES_A_PAGE} bytes for each page"
    budget.require(least, "a link graph", a_page)
    part = min((budget.size - BASE_BYTES) // 2 // BYTES_A_BYTE, LARGEST_PART)
    parts = max(1, -(-size_of(path) // part))
    budget.state(f"links in temporary files, the edge list in {counted(parts, 'part')} of {readable_size(part)}")
    return _mapped_graph(EdgeFile(path, part), self_links, budget)


def _whole_graph(edges: EdgeFile, self_links: SelfLinks) -> LinkGraph:
    """The graph of an edge list that is read at once."""
    (frame,) = edges.frames()
    weights = frame["weight"].to_numpy() if "weight" in frame.columns else None
    anchors = frame["anchor"].to_list() if "anchor" in frame.columns else None
    known = edges.declared_pages([frame["source"], frame["target"]])
    return graph_of_columns(edges.path, frame["source"], frame["target"], weights, anchors, known, self_links)


def _mapped_graph(edges: EdgeFile, self_links: SelfLinks, budget: MemoryBudget) -> LinkGraph:
    """The graph of an edge list that is read in parts: first the names of pages, then the links between them."""
    import polars as pl

    pages, count, weighted = pl.Series([], dtype=pl.String), 0, False
    for frame in edges.frames():
        pages = pl.concat([pages, frame["source"], frame["target"]]).unique()
        count, weighted = count + len(frame), "weight" in frame.columns
    known = edges.declared_pages([pages])
    named = pl.Series(known, dtype=pl.String) if known else pages.sort()
    needed = BASE_BYTES + SMALLEST_PART * BYTES_A_BYTE + BYTES_A_PAGE * len(named)
    budget.require(needed, f"{counted(len(named), 'page')}, whose names and ranks are held in memory")
    arrays, places = MappedArrays(budget.folder), pl.Enum(named)
    sources, targets = (arrays.take(end, count, np.int32) for end in ("sources", "targets"))
    weights = arrays.take("weights", count, np.float64) if weighted else None
    filled = 0
    for frame in edges.frames():
        coded = [frame[end].cast(places).to_physical() for end in ("source", "target")]
        here, there = (ends.to_numpy().astype(np.int32) for ends in coded)
        kept = slice(None) if self_links == "count" else here != there
        end = filled + len(here[kept])
        sources[filled:end], targets[filled:end] = here[kept], there[kept]
        if weights is not None:
            weights[filled:end] = frame["weight"].to_numpy()[kept]
        filled = end
    given = None if weights is None else weights[:filled]
    return LinkGraph.of_arrays(sources[:filled], targets[:filled], named.to_list(), given, arrays=arrays)


def graph_of_edges(edges: Sequence[Sequence[Any]], *, self_links: SelfLinks = "count") -> LinkGraph:
    """A graph of (source, target) or (source, target, weight), each page named by a text or a number.

    >>> graph_of_edges([("a", "b"), ("a", "c"), ("c", "b"), ("c", "b")]).in_degrees.tolist()
    [0, 2, 1]
    """
    rows = [tuple(edge) for edge in edges]
    wrong = next((row for row in rows if len(row) not in (2, 3) or len(row) != len(rows[0])), None)
    if wrong is not None:
        raise InputError("edges", f"{wrong!r}: expected (source, target) or (source, target, weight) in every edge")
    sources, targets = [str(row[0]) for row in rows], [str(row[1]) for row in rows]
    weights = [row[2] for row in rows] if rows and len(rows[0]) == 3 else None
    return graph_of_columns("edges", sources, targets, weights, self_links=self_links)


def graph_of_columns(
    where: str,
    sources: Sequence[str] | pl.Series,
    targets: Sequence[str] | pl.Series,
    weights: Sequence[Any] | NDArray[np.float64] | None = None,
    anchors: Sequence[str] | None = None,
    known: Sequence[str] = (),
    self_links: SelfLinks = "count",
) -> LinkGraph:
    """A graph of columns of names; `known` are pages that come first, whether they have links or not."""
    import polars as pl

    given = None if weights is None else _checked_weights(where, weights)
    ends = pl.concat([pl.Series(end, dtype=pl.String) for end in (sources, targets)])
    pages = pl.concat([pl.Series(known, dtype=pl.String), ends]).unique(maintain_order=True)
    if not known:
        pages = pages.sort()
    places = ends.cast(pl.Enum(pages)).to_physical().to_numpy() if len(ends) else np.empty(0, np.int32)
    here, there = places[: len(sources)], places[len(sources) :]
    texts = [] if anchors is None else list(zip(there.tolist(), anchors, strict=True))
    return LinkGraph.of_arrays(here, there, pages.to_list(), given, self_links=self_links, anchors=texts)


def _checked_weights(where: str, weights: Sequence[Any] | NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        found = np.array(weights, np.float64)
    except (TypeError, ValueError):
        wrong = next(weight for weight in weights if not isinstance(weight, (int, float)))
        raise InputError(where, f"the weight {wrong!r} is not a number") from None
    bad = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if len(bad):
        raise InputError(
            where, f"edge {int(bad[0]) + 1}: the weight must be a number of 0 or more, got {found[bad[0]]:g}"
        )
    return found


def read_page_weights(path: str) -> dict[str, float]:
    """Pages, one per line, each perhaps with a weight; the weight of others is 1."""
    text = read_text(path)
    weights: dict[str, float] = {}
    for number, line in enumerate(text.bytes().decode("utf-8", "replace").split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        page, _, written = line.strip().partition("\t") if "\t" in line else line.strip().partition(" ")
        try:
            weight = float(written) if written.strip() else 1.0
        except ValueError:
            weight = math.nan
        if not 0 <= weight < math.inf:
            problem = f"the weight must be a number of 0 or more, got {written.strip()!r}"
            raise InputError(text.name, problem, line=number)
        weights[page.strip()] = weight
    if not weights:
        raise InputError(text.name, "names no page")
    return weights
