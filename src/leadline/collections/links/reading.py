"""The one door to link graphs: a crawl, any other collection with its citations, or an edge list."""

from __future__ import annotations

import hashlib
import io
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.documents.collection_files import ColumnSums, damage_reported, sums_path
from leadline.collections.links.graph import LinkGraph, SelfLinks
from leadline.errors import InputError, checked_choice
from leadline.records.result import counted
from leadline.text.checksums import parsed_object, stored_bytes
from leadline.text.files import readable_size
from leadline.text.memory import MappedArrays
from leadline.text.source import open_without_waiting, pieces_of, read_text, size_of, within_ratio
from leadline.text.spread import MemoryBudget, MemoryLike

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

LINKS, PAGES, CRAWL = "links.parquet", "pages.parquet", "crawl.json"  # of a crawl
Nofollow = Literal["drop", "count"]
Kept = Literal["fetched", "all"]
LinkSource: TypeAlias = "str | os.PathLike[str] | Collection | LinkGraph | Sequence[Sequence[Any]]"


def read_links(
    source: LinkSource,
    *,
    self_links: SelfLinks = "count",
    nofollow: Nofollow = "drop",
    pages: Kept = "fetched",
    memory: MemoryLike = None,
) -> LinkGraph:
    """The link graph of a crawl, of a collection's citations, of an edge list, or of (source, target) pairs.

    source: folder of a crawl or of a collection with citations, or an edge list: source, target, perhaps weight or
        anchor
    self_links: links from a page to itself
    nofollow: links of a crawl that are marked nofollow
    pages: pages of a crawl: those fetched, or all that are linked to

    With `memory`, such as "2GB", the links of an edge list are kept in temporary files; those of collections are held
    in memory.

    >>> read_links([("a", "b"), ("b", "a"), ("b", "c")])
    <LinkGraph 3 pages, 3 links>
    """
    checked_choice("self_links", self_links, ("count", "drop"))
    checked_choice("nofollow", nofollow, ("drop", "count"))
    checked_choice("pages", pages, ("fetched", "all"))
    source = opened(source)
    if isinstance(source, LinkGraph):
        return source
    if memory is not None and not isinstance(source, (str, os.PathLike)):
        raise InputError("--memory", "the links of a collection are held in memory: write them as an edge list first")
    if isinstance(source, (str, os.PathLike)):
        return read_edges(os.fspath(source), self_links=self_links, memory=memory)
    if not isinstance(source, Collection):
        return graph_of_edges(source, self_links=self_links)
    links = crawl_table(source, LINKS)
    if links is None:
        return _of_citations(source, self_links)
    return _of_crawl(source, links, self_links, nofollow, pages)


def opened(source: LinkSource) -> LinkSource:
    """The collection in a folder; any other source as it is."""
    return Collection.open(source) if isinstance(source, (str, os.PathLike)) and os.path.isdir(source) else source


def crawl_table(collection: Collection, name: str) -> pl.DataFrame | None:
    """A table of a crawl by the name of its file, compared with its sums; None where the collection is not a crawl."""
    import polars as pl

    # The collection of a crawl is a folder in that of the crawl, where the tables are.
    path = next(
        (place / name for place in (collection.folder, collection.folder.parent) if (place / name).exists()), None
    )
    if path is None or (path.parent != collection.folder and not (path.parent / CRAWL).exists()):
        return None
    with damage_reported(path):
        content, sums = stored_bytes(path), sums_path(path)
        if _recorded_checksum(path) not in (None, hashlib.sha256(content).hexdigest()):
            raise InputError(str(path), "is damaged, its checksum does not fit: crawl again")
        frame = pl.read_parquet(io.BytesIO(content))
        if (
            sums.exists()
            and ColumnSums.of(content, frame.columns, None).sums != ColumnSums.decoded(stored_bytes(sums)).sums
        ):
            raise InputError(str(path), "is damaged, its checksum does not fit: crawl again")
        return frame


def _recorded_checksum(path: Path) -> object:
    """The SHA-256 of a table that the last run of a crawl noted; None where there is no such note."""
    settings = path.parent / CRAWL
    if not settings.exists():
        return None
    files = parsed_object(stored_bytes(settings), str(settings), "crawl into a new folder").get("files")
    return files.get(path.name) if isinstance(files, dict) else None


def collection_links(collection: Collection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The links of a crawl that count, or the citations, between documents: the rows of both ends."""
    links = crawl_table(collection, LINKS)
    if links is None:
        inside = collection.citations.select("citing", "cited").drop_nulls()
        return inside["citing"].to_numpy().astype(np.int64), inside["cited"].to_numpy().astype(np.int64)
    followed = links.filter(~links["nofollow"])
    row_of = {name: row for row, name in enumerate(collection.records["id"].to_list())}
    ends = [
        np.array([row_of.get(name, -1) for name in followed[end].to_list()], np.int64) for end in ("source", "target")
    ]
    inside_both = (ends[0] >= 0) & (ends[1] >= 0)
    return ends[0][inside_both], ends[1][inside_both]


def _of_citations(collection: Collection, self_links: SelfLinks) -> LinkGraph:
    sources, targets = collection_links(collection)
    names = collection.records["id"].to_list()
    outside = len(collection.citations) - len(sources)
    notes = (f"{counted(outside, 'citation')} of documents outside the collection left out",) if outside else ()
    if not len(sources):
        raise InputError(str(collection.folder), "has no citations between its documents, and it is not a crawl")
    return LinkGraph.of_arrays(sources, targets, names, self_links=self_links, notes=notes)


def _of_crawl(
    collection: Collection, links: pl.DataFrame, self_links: SelfLinks, nofollow: Nofollow, pages: Kept
) -> LinkGraph:
    import polars as pl

    fetched = collection.records["id"].to_list()
    notes = []
    unfollowed = int(links["nofollow"].sum())
    if nofollow == "drop" and unfollowed:
        links = links.filter(~pl.col("nofollow"))
        notes.append(f"{counted(unfollowed, 'link')} marked nofollow left out")
    if pages == "fetched":
        inside = links.filter(pl.col("source").is_in(fetched), pl.col("target").is_in(fetched))
        if len(inside) < len(links):
            notes.append(f"{counted(len(links) - len(inside), 'link')} to pages that were not fetched left out")
        links = inside
    columns = [links[name].to_list() for name in ("source", "target", "anchor")]
    return graph_of_columns(LINKS, columns[0], columns[1], None, columns[2], fetched, self_links).with_notes(*notes)


# Edge lists: a source, a target and perhaps a weight or an anchor text in each line.


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


# The lines of an edge list as columns, the whole file at once or in parts.


SOURCE = ("source", "src", "from", "start", "citing")
TARGET = ("target", "dst", "to", "end", "cited")
WEIGHT = ("weight",)
ANCHOR = ("anchor", "text", "anchor_text")
MOST_DECLARED = 100_000_000
FIELDS = "source target, and perhaps a weight or an anchor text"
_JSON = re.compile(rb'\s*\[?\s*\{\s*"')
_COUNT = re.compile(rb"^#[^\n]*\bn\s*=\s*(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class _Columns:
    """What the first line says of all: the number of fields, whether tabs are between them, and what they mean."""

    width: int
    tabs: bool
    meanings: Sequence[str]  # empty where the first line does not name the columns


class EdgeFile:
    """An edge list, read at once, or in parts of about `part` bytes."""

    def __init__(self, path: str, part: int | None = None) -> None:
        self.path, self.part = path, part if path != "-" else None
        self._declared: int | None = None

    def frames(self) -> Iterator[pl.DataFrame]:
        """The columns source, target and weight or anchor of each part."""
        columns, third, line = None, "", 0
        for content in self._parts():
            text = _Part(self.path, content, line)
            if columns is None:
                if _JSON.match(content):
                    problem = "is JSON, not an edge list: write lines of source and target, separated by a tab"
                    raise InputError(self.path, problem)
                columns = text.columns()
                declared = _COUNT.search(content[: _first_edge(content)])
                self._declared = None if declared is None else int(declared[1])
                frame = text.frame(columns, first=True)
                if not columns.meanings and columns.width > 2:
                    third = _third_column(frame)
            elif _first_edge(content) == len(content):
                continue
            else:
                frame = text.frame(columns, first=False)
            yield text.named(frame, columns, third, first=line == 0)
            line += content.count(b"\n")
        if columns is None:
            raise InputError(self.path, "has no edges")

    def declared_pages(self, used: Sequence[pl.Series]) -> list[str]:
        """The pages that a comment such as `# n=14` declares, once a frame was read; none without one."""
        import polars as pl

        count = self._declared
        if count is None:
            return []
        if count > MOST_DECLARED:
            raise InputError(self.path, f"n={count} declares more than {MOST_DECLARED:,} pages", line=1)
        known = [str(number) for number in range(count)]
        strange = next(iter(set(pl.concat(used).unique().to_list()) - set(known)), None)
        if strange is not None:
            problem = f"page {strange!r} is not a number below {count}, though a comment says n={count}"
            raise InputError(self.path, problem)
        return known

    def _parts(self) -> Iterator[bytes]:
        """The text in parts of whole lines."""
        if self.part is None:
            text = read_text(self.path)
            self.path = text.name
            yield text.bytes()
            return
        waiting: list[bytes] = []
        size = 0
        with open(self.path, "rb", opener=open_without_waiting) as file:
            for read in within_ratio(pieces_of(file, self.path), self.path, size_of(self.path)):
                # Lines may end as on old Macintoshes, as in what `read_text` reads.
                piece = read if b"\n" in read else read.replace(b"\r", b"\n")
                waiting.append(piece)
                size += len(piece)
                if size >= self.part and b"\n" in piece:
                    whole, _, rest = b"".join(waiting).rpartition(b"\n")
                    yield whole + b"\n"
                    waiting, size = [rest], len(rest)
        if size:
            yield b"".join(waiting)


@dataclass(frozen=True)
class _Part:
    """Some lines of an edge list, with the number of lines before them."""

    path: str
    content: bytes
    before: int

    def columns(self) -> _Columns:
        first = self.content[_first_edge(self.content) :].split(b"\n", 1)[0].decode("utf-8", "replace").strip("\r\n")
        if not first.strip():
            raise InputError(self.path, "has no edges")
        tabs = "\t" in first
        cells = first.split("\t") if tabs else first.split()
        if len(cells) < 2:
            raise InputError(self.path, f"1 field, expected {FIELDS}", line=self.line_of(0))
        return _Columns(len(cells), tabs, _column_names(cells))

    def frame(self, columns: _Columns, *, first: bool) -> pl.DataFrame:
        """The fields of the lines, without the line that names the columns."""
        frame = _read_tabs(self.content, columns.width) if columns.tabs else None
        if frame is None:
            frame = self._line_by_line(columns)
        if first and columns.meanings:
            frame = frame.slice(1)
            if not len(frame):
                raise InputError(self.path, "has a line of column names and no edges")
        return frame

    def named(self, frame: pl.DataFrame, columns: _Columns, third: str, *, first: bool) -> pl.DataFrame:
        """The fields that mean something, by what they mean; weights are numbers."""
        import polars as pl

        meanings = columns.meanings or ["source", "target", *([third] if third else [])]
        places = {meaning: place for place, meaning in enumerate(meanings) if meaning}
        frame = frame.select(frame.to_series(place).alias(meaning) for meaning, place in places.items())
        skipped = int(first and bool(columns.meanings))
        nameless = ((frame["source"] == "") | (frame["target"] == "")).to_numpy()
        if nameless.any():
            raise InputError(self.path, "a page has no name", line=self.line_of(int(nameless.argmax()) + skipped))
        if "weight" in frame.columns:
            weights = pl.Series("weight", self._weights(frame["weight"], skipped), dtype=pl.Float64)
            frame = frame.with_columns(weights)
        return frame

    def _weights(self, column: pl.Series, skipped: int) -> list[float]:
        """A column of weights; the error names the line."""
        weights = []
        for place, cell in enumerate(column.to_list()):
            try:
                weight = float(cell)
            except ValueError:
                weight = math.nan
            if not 0 <= weight < math.inf:
                problem = f"the weight must be a number of 0 or more, got {cell!r}"
                raise InputError(self.path, problem, line=self.line_of(place + skipped))
            weights.append(weight)
        return weights

    def _line_by_line(self, columns: _Columns) -> pl.DataFrame:
        """Lines of fields one by one, which names the line with another number of fields."""
        import polars as pl

        rows, width = [], columns.width
        for number, line in enumerate(self.content.decode("utf-8", "replace").split("\n"), start=1 + self.before):
            if not line.strip() or line.startswith("#"):
                continue
            cells = [cell.strip() for cell in line.split("\t")] if columns.tabs else line.strip().split(None, width - 1)
            if len(cells) != width:
                problem = f"{len(cells)} field{'s' * (len(cells) != 1)}, the first edge has {width} ({FIELDS})"
                raise InputError(self.path, problem, line=number)
            if "\ufffd" in cells[0] + cells[1]:  # different names would become the same one
                raise InputError(self.path, "a page's name is not UTF-8 text: save the file as UTF-8", line=number)
            rows.append(cells)
        return pl.DataFrame(rows, schema=[str(place) for place in range(width)], orient="row")

    def line_of(self, place: int) -> int:
        """The number of the line of an edge, counting lines that are neither empty nor comments from 0."""
        lines = enumerate(self.content.split(b"\n"), 1 + self.before)
        edges = (number for number, line in lines if line.strip() and line[:1] != b"#")
        return next((number for count, number in enumerate(edges) if count == place), 1)


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


def _read_tabs(content: bytes, width: int) -> pl.DataFrame | None:
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
