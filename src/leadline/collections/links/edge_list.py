"""Edge lists: a source, a target and perhaps a weight or an anchor text in each line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.links.graph import LinkGraph, SelfLinks
from leadline.errors import InputError
from leadline.text.source import SourceText, read_text

if TYPE_CHECKING:
    import polars as pl

SOURCE = ("source", "src", "from", "start", "citing")
TARGET = ("target", "dst", "to", "end", "cited")
WEIGHT = ("weight",)
ANCHOR = ("anchor", "text", "anchor_text")
MOST_DECLARED = 100_000_000
FIELDS = "source target, and perhaps a weight or an anchor text"
_JSON = re.compile(rb'\s*\[?\s*\{\s*"')
_COUNT = re.compile(rb"^#[^\n]*\bn\s*=\s*(\d+)", re.MULTILINE)


def read_edges(path: str, *, self_links: SelfLinks = "count") -> LinkGraph:
    """Read an edge list, compressed or not; `-` is standard input.

    Fields are separated by tabs, or by blanks where there is no tab. A line that begins with # is a comment; `# n=14`
    before the first edge says that pages are the numbers below 14, whether they have links or not. The first line may
    name the columns. Without names, a third column of numbers is a weight, any other an anchor text.
    """
    text = read_text(path)
    content = text.bytes()
    if _JSON.match(content):
        raise InputError(text.name, "is JSON, not an edge list: write lines of source and target, separated by a tab")
    frame, named = _frame(text, content)
    weights = _weights(text.name, content, frame["weight"], named) if "weight" in frame.columns else None
    anchors = frame["anchor"].to_list() if "anchor" in frame.columns else None
    sources, targets = frame["source"].to_list(), frame["target"].to_list()
    known = _declared_pages(text.name, content, chain(sources, targets))
    return graph_of_columns(text.name, sources, targets, weights, anchors, known, self_links)


def _declared_pages(name: str, content: bytes, used: Iterable[str]) -> list[str]:
    """The pages that a comment such as `# n=14` declares; none without one."""
    declared = _COUNT.search(content[: _first_edge(content)])
    if declared is None:
        return []
    count = int(declared[1])
    if count > MOST_DECLARED:
        raise InputError(name, f"n={count} declares more than {MOST_DECLARED:,} pages", line=1)
    known = [str(number) for number in range(count)]
    strange = next(iter(set(used) - set(known)), None)
    if strange is not None:
        raise InputError(name, f"page {strange!r} is not a number below {count}, though a comment says n={count}")
    return known


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
    sources: Sequence[str],
    targets: Sequence[str],
    weights: Sequence[Any] | None = None,
    anchors: Sequence[str] | None = None,
    known: Sequence[str] = (),
    self_links: SelfLinks = "count",
) -> LinkGraph:
    """A graph of columns of names; `known` are pages that come first, whether they have links or not."""
    import polars as pl

    given = None if weights is None else _checked_weights(where, weights)
    ends = pl.Series([*sources, *targets], dtype=pl.String)
    pages = pl.concat([pl.Series(known, dtype=pl.String), ends]).unique(maintain_order=True)
    if not known:
        pages = pages.sort()
    places = ends.cast(pl.Enum(pages)).to_physical().to_numpy() if len(ends) else np.empty(0, np.int32)
    here, there = places[: len(sources)], places[len(sources) :]
    texts = [] if anchors is None else list(zip(there.tolist(), anchors, strict=True))
    return LinkGraph.of_arrays(here, there, pages.to_list(), given, self_links=self_links, anchors=texts)


def _checked_weights(where: str, weights: Sequence[Any]) -> np.ndarray:
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


def _weights(name: str, content: bytes, column: pl.Series, named: bool) -> list[float]:
    """A column of weights; the error names the line."""
    weights = []
    for place, cell in enumerate(column.to_list()):
        try:
            weight = float(cell)
        except ValueError:
            weight = math.nan
        if not 0 <= weight < math.inf:
            problem = f"the weight must be a number of 0 or more, got {cell!r}"
            raise InputError(name, problem, line=_line_of(content, place + named))
        weights.append(weight)
    return weights


# Lines


def _frame(text: SourceText, content: bytes) -> tuple[pl.DataFrame, bool]:
    """The columns source, target and weight or anchor, and whether the first line names them."""

    first = content[_first_edge(content) :].split(b"\n", 1)[0].decode("utf-8", "replace").strip("\r\n")
    if not first.strip():
        raise InputError(text.name, "has no edges")
    tabs = "\t" in first
    cells = first.split("\t") if tabs else first.split()
    if len(cells) < 2:
        raise InputError(text.name, f"1 field, expected {FIELDS}", line=_line_of(content, 0))
    frame = _tabbed(content, len(cells)) if tabs else None
    if frame is None:
        frame = _any_frame(text.name, content, len(cells), tabs)
    meanings = _column_names(cells)
    named = bool(meanings)
    if named:
        frame = frame.slice(1)
    else:
        meanings = ["source", "target", *([_third_column(frame)] if len(cells) > 2 else [])]
    kept = {meaning: place for place, meaning in enumerate(meanings) if meaning}
    frame = frame.select(frame.to_series(place).alias(meaning) for meaning, place in kept.items())
    if not len(frame):
        raise InputError(text.name, "has a line of column names and no edges")
    nameless = ((frame["source"] == "") | (frame["target"] == "")).to_numpy()
    if nameless.any():
        raise InputError(text.name, "a page has no name", line=_line_of(content, int(nameless.argmax()) + named))
    return frame, named


def _third_column(frame: pl.DataFrame) -> str:
    """Weights where most are numbers: a number among texts is an anchor, a word among numbers a mistake."""
    import polars as pl

    numbers = frame.to_series(2).cast(pl.Float64, strict=False).is_not_null().sum()
    return "weight" if 2 * numbers > len(frame) else "anchor"


def _column_names(cells: Sequence[str]) -> list[str]:
    """The meaning of each column that a first line names, "" for another column; an empty list where it is an edge."""
    lower = [cell.strip().strip('"').lower() for cell in cells]
    meanings = {"source": SOURCE, "target": TARGET, "weight": WEIGHT, "anchor": ANCHOR}
    named = [next((meaning for meaning, words in meanings.items() if word in words), "") for word in lower]
    return named if named.count("source") == 1 and named.count("target") == 1 else []


def _first_edge(content: bytes) -> int:
    """Where the first line begins that is neither empty nor a comment."""
    match = re.search(rb"^(?!#)[^\n]*\S", content, re.MULTILINE)
    return match.start() if match else len(content)


def _tabbed(content: bytes, width: int) -> pl.DataFrame | None:
    """Lines with as many tabs each, read by Polars; None where something needs care."""
    import polars as pl

    if b"\r" in content or not content.isascii():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            return None
        content = content.replace(b"\r\n", b"\n")
    try:
        frame = pl.read_csv(
            content, separator="\t", has_header=False, quote_char=None, infer_schema=False, comment_prefix="#"
        )
    except pl.exceptions.PolarsError:
        return None
    if frame.width != width or content.count(b"\t") != (width - 1) * len(frame):
        return None
    return frame.select(pl.all().fill_null("").str.strip_chars())


def _any_frame(name: str, content: bytes, width: int, tabs: bool) -> pl.DataFrame:
    """Lines of fields one by one, which names the line with another number of fields."""
    import polars as pl

    rows = []
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")] if tabs else line.split(None, width - 1)
        if len(cells) != width:
            problem = f"{len(cells)} field{'s' * (len(cells) != 1)}, the first edge has {width} ({FIELDS})"
            raise InputError(name, problem, line=number)
        if "\ufffd" in cells[0] + cells[1]:  # different names would become the same one
            raise InputError(name, "a page's name is not UTF-8 text: save the file as UTF-8", line=number)
        rows.append(cells)
    return pl.DataFrame(rows, schema=[str(place) for place in range(width)], orient="row")


def _line_of(content: bytes, place: int) -> int:
    """The number of the line of an edge, counting lines that are neither empty nor comments from 0."""
    lines = (number for number, line in enumerate(content.split(b"\n"), 1) if line.strip() and line[:1] != b"#")
    return next((number for count, number in enumerate(lines) if count == place), 1)


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
