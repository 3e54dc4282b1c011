"""The lines of an edge list as columns, the whole file at once or in parts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.text.source import open_without_waiting, pieces_of, read_text, size_of, within_ratio

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
            for piece in within_ratio(pieces_of(file, self.path), self.path, size_of(self.path)):
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
        frame = _tabbed(self.content, columns.width) if columns.tabs else None
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
            cells = [cell.strip() for cell in line.split("\t")] if columns.tabs else line.split(None, width - 1)
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
