"""Simple families: documents of one invention, among more rows than memory holds; what a topic may not see.

A family named by the source is used. Otherwise documents are one family when they claim the same set of earlier
applications; a document that claims none counts as claiming its own application, so that a first filing joins those
that claim only it. Members that a source lists always belong together, and so do publications under one number (the
A1 and the B1).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import normalise
from leadline.text.days import UNKNOWN_DAY
from leadline.text.files import readable_size, reported
from leadline.text.memory import NEW_ARRAYS, MappedArrays
from leadline.text.spread import MemoryBudget

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Days = NDArray[np.int32]
    Mask = NDArray[np.bool_]


class Families:
    """The families of documents: the connected components of a graph whose nodes are documents and families.

    Documents are joined by the names of groups: numbers, families that a source names, and sets of priorities. `given`
    is a side table with family and number, whose families are nodes behind those of the documents.
    """

    def __init__(self, documents: int, room: Room, given: pl.DataFrame | None = None) -> None:
        import polars as pl

        self._documents, self._room = documents, room
        self._groups, self._numbers = NamedRows(room), NamedRows(room)
        self._asked = 0
        self._nodes = documents
        if given is not None:
            names = given["family"].unique().sort()
            code = pl.DataFrame(
                {"family": names, "node": np.arange(documents, documents + len(names), dtype=np.uint32)}
            )
            beside = given.join(code, on="family", how="left", maintain_order="left")
            self._nodes += len(names)
            self._add_groups(beside.select("node", name=_group_of(pl.col("number"))))
            self._add_numbers(beside.select("node", name="number"), own=False)

    def add(self, rows: pl.DataFrame) -> None:
        """Some documents: their rows and numbers, what they claim, and what they are said to be related to."""
        import polars as pl

        documents = rows.rename({"row": "node"})
        named = documents.filter(pl.col("family") != "").select("node", name=pl.lit("named ") + pl.col("family"))
        listed = documents.select("node", name="relatives").explode("name", empty_as_null=True).drop_nulls()
        claimed = (
            documents.filter(pl.col("family") == "")
            .select("node", each=pl.col("priority_number").list.filter(pl.element() != ""), own="application_number")
            .with_columns(each=pl.col("each").list.unique().list.sort().list.join(" + "))
            .select("node", name=pl.when(pl.col("each") != "").then("each").otherwise("own"))
            .filter(pl.col("name") != "")
            .with_columns(name=pl.lit("claims ") + pl.col("name"))
        )
        own = documents.select("node", name=pl.lit("number ") + pl.col("key"))
        outside = listed.with_columns(name=_group_of(pl.col("name")))
        self._add_groups(pl.concat([own, named, outside, claimed]))
        whole = pl.concat_str("office", "serial", "kind")
        self._add_numbers(documents.filter(pl.col("serial") != "").select("node", name=whole), own=True)
        self._add_numbers(listed, own=False)

    def ask(self, numbers: pl.Series) -> None:
        """Numbers of which no document is there, whose families are asked for; `found` answers in their order."""
        import polars as pl

        slots = np.arange(self._asked, self._asked + len(numbers), dtype=np.uint32)
        frame = pl.DataFrame({"node": slots, "number": numbers}, schema={"node": pl.UInt32, "number": pl.String})
        self._groups.add(frame.select("node", name=_group_of(pl.col("number")), asks=pl.lit(True)))
        self._asked += len(numbers)

    def _add_groups(self, rows: pl.DataFrame) -> None:
        import polars as pl

        self._groups.add(rows.select("node", "name", asks=pl.lit(False)))

    def _add_numbers(self, rows: pl.DataFrame, *, own: bool) -> None:
        import polars as pl

        self._numbers.add(rows.select("node", "name", listed=pl.lit(not own)))

    def found(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The family of each node, and of each number that was asked for; -1 where it is not known.

        Families are numbered by their first document, so that the same collection always gets the same numbers.
        """
        import polars as pl

        above = self._room.numbers(self._nodes, np.uint32)  # a node of the same family, or the node itself
        above[:] = np.arange(self._nodes, dtype=np.uint32)
        answers = np.full(self._asked, -1, np.int64)
        for rows in self._groups.ranges():
            edges = rows.filter(~pl.col("asks")).sort("name", "node")
            if not len(edges):
                continue
            begins = (edges["name"] != edges["name"].shift(1)).fill_null(True).to_numpy()
            nodes = edges["node"].to_numpy()
            first = nodes[begins][np.cumsum(begins) - 1]  # the first of each group
            unite(above, nodes, first)
            asked = rows.filter("asks").rename({"node": "slot"})
            if len(asked):
                known = asked.join(edges.filter(pl.Series(begins)), on="name")
                answers[known["slot"].to_numpy()] = known["node"].to_numpy()
        family = _numbered(above, self._room)
        there = answers >= 0
        answers[there] = family[answers[there]]
        return family, answers

    def numbers(self, family: NDArray[np.uint32]) -> Iterator[pl.DataFrame]:
        """All numbers with a known family, of documents in the collection or not, in their order."""
        import polars as pl

        yield pl.DataFrame(schema={"number": pl.String, "family": pl.UInt32})
        for rows in self._numbers.ranges():
            each = rows.sort("name", "listed", "node").unique("name", keep="first", maintain_order=True)
            yield pl.DataFrame({"number": each["name"], "family": family[each["node"].to_numpy()]})


def without_kind(number: pl.Expr) -> pl.Expr:
    """A normalised number without its kind code: US7412705B2 is US7412705."""
    return number.str.replace(r"^([A-Z]{2}.*\d)[A-Z]\d?$", "$1")


def _group_of(number: pl.Expr) -> pl.Expr:
    """The group of all publications under a number."""
    import polars as pl

    return pl.lit("number ") + without_kind(number)


def _numbered(above: NDArray[np.uint32], room: Room) -> NDArray[np.uint32]:
    """The number of each node's family, counted by the first nodes of families."""
    number, count = room.numbers(len(above), np.uint32), 0
    step = 1 << 20  # nodes at a time: what is computed of them takes more memory than the numbers
    for start in range(0, len(above), step):
        nodes = np.arange(start, min(start + step, len(above)), dtype=np.uint32)
        is_first = above[nodes] == nodes
        number[nodes] = count + np.cumsum(is_first, dtype=np.uint32) - is_first
        count += int(np.count_nonzero(is_first))
    for start in range(0, len(above), step):
        nodes = np.arange(start, min(start + step, len(above)), dtype=np.uint32)
        number[nodes] = number[first_of(above, nodes)]
    return number


# The documents that are hidden from a topic: its own family, and documents that are too late for it.
#
# The search hides these documents, and the judgements leave them out. "Too late" has several definitions; the overview
# of TREC-CHEM 2009 reports that groups tried several of them and that `publication` worked best:
#
# | rule | documents that are too late |
# |---|---|
# | publication | published after the topic's latest priority |
# | priority | with a later priority |
# | number | as publication; where a day is unknown, with a higher number in the same series of the same office |
# | numbers alone | with a higher number in the same series, whatever the date |
# | none | none |
#
# The same day is not too late. A document without a date is never too late, and for a topic without a date nothing is.
# Where the priority is unknown, the filing date replaces it, then the publication date; where the publication date is
# unknown, the priority date replaces it.


DateRule = Literal["publication", "priority", "number", "numbers alone", "none"]  # of a search


def public_days(publication: Days, known: Days) -> Days:
    """The day of publication of each document; where it is unknown, the priority or filing date as a lower bound."""
    return np.where(publication == UNKNOWN_DAY, known, publication)


def is_later(days: Days, topic_day: int | Days) -> Mask:
    """Whether each day is after the topic's day; False where either is unknown.

    >>> is_later(np.array([3, 4, 5, UNKNOWN_DAY]), 4).tolist(), is_later(np.array([3]), UNKNOWN_DAY).tolist()
    ([False, False, True, False], [False])
    """
    later: Mask = (days > topic_day) & (topic_day != UNKNOWN_DAY)
    return later


def days_of(column: pl.Series) -> Days:
    """A column of dates as days since 1970."""
    import polars as pl

    return column.cast(pl.Int32).fill_null(UNKNOWN_DAY).to_numpy()


class DatedTopic(Protocol):
    """The facts about a topic that decide which documents are hidden."""

    @property
    def families(self) -> tuple[int, ...]: ...
    @property
    def day(self) -> int: ...  # of its latest priority
    @property
    def row(self) -> int | None: ...  # of the patent that is the topic
    @property
    def outside(self) -> Document | None: ...  # the patent, where it is not one of the documents


@dataclass(frozen=True)
class DocumentDates:
    """The family, the dates and the number of every document, which decide whether it is hidden from a topic."""

    family: NDArray[np.int64]  # -1 where unknown
    known: Days  # latest priority, else filing, else publication
    publication: Days
    find_serials: Callable[[], Serials]  # called only by the rules that compare numbers

    @cached_property
    def public(self) -> Days:
        return public_days(self.publication, self.known)

    def own_family(self, topic: DatedTopic) -> Mask:
        """The topic's patent and the members of its family."""
        own: Mask = np.zeros(len(self.family), np.bool_)
        for family in topic.families:
            own |= self.family == family
        if topic.row is not None:
            own[topic.row] = True
        return own

    def too_late(self, topic: DatedTopic, rule: DateRule = "publication") -> Mask:
        return TOO_LATE[rule](self, topic)

    def hidden(self, topic: DatedTopic, rule: DateRule = "publication") -> Mask:
        """The documents that are hidden from a topic."""
        return self.own_family(topic) | self.too_late(topic, rule)

    def _higher_number(self, topic: DatedTopic) -> Mask:
        serials = self.find_serials()
        code, number = -1, -1
        if topic.outside is not None:
            document = topic.outside if topic.outside.serial else normalise(topic.outside.id)
            series, number = series_of(document.office, document.serial)
            code = serials.codes.get(series, -1)
        elif topic.row is not None:
            code, number = int(serials.series[topic.row]), int(serials.numbers[topic.row])
        return (serials.series == code) & (serials.numbers > number) & (code >= 0)

    def _later_or_higher_number(self, topic: DatedTopic) -> Mask:
        if topic.day == UNKNOWN_DAY:
            return self._higher_number(topic)
        return np.where(self.public == UNKNOWN_DAY, self._higher_number(topic), is_later(self.public, topic.day))


TOO_LATE: dict[DateRule, Callable[[DocumentDates, Any], Mask]] = {
    "publication": lambda dates, topic: is_later(dates.public, topic.day),
    "priority": lambda dates, topic: is_later(dates.known, topic.day),
    "number": DocumentDates._later_or_higher_number,
    "numbers alone": DocumentDates._higher_number,
    "none": lambda dates, topic: np.zeros(len(dates.family), np.bool_),
}


@dataclass(frozen=True)
class Serials:
    """The series in which each document is numbered, as a code, and its number there; -1 where it has none."""

    series: NDArray[np.int64]
    numbers: NDArray[np.int64]
    codes: dict[str, int]

    @classmethod
    def of(cls, records: pl.DataFrame, rows: NDArray[np.int64], size: int) -> Serials:
        """The numbers of a collection's records; `rows` gives the place of each record among `size` documents."""
        codes: dict[str, int] = {}
        series, numbers = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
        for row, (office, serial) in zip(rows.tolist(), records.select("office", "serial").iter_rows(), strict=True):
            name, number = series_of(office, serial)
            if row >= 0 and number >= 0:
                series[row], numbers[row] = codes.setdefault(name, len(codes)), number
        return cls(series, numbers, codes)


def series_of(office: str, serial: str) -> tuple[str, int]:
    """The series of a publication's number, and the number; numbers that begin with a year are a separate series.

    >>> series_of("US", "7412705"), series_of("US", "20050004437"), series_of("JP", "S58123456"), series_of("", "x")
    (('US', 7412705), ('US year', 20050004437), ('JPS', 58123456), ('', -1))
    """
    letters = serial.rstrip("0123456789")
    digits = serial[len(letters) :]
    if not digits or len(digits) > 18:
        return "", -1
    return office + letters + " year" * (len(digits) >= 10), int(digits)


# Connected components of a graph whose edges come some at a time, with four bytes a node.
#
# An array leads from each node to a lower one of its component, and from the lowest to itself.


def unite(above: NDArray[np.uint32], some: NDArray[np.uint32], others: NDArray[np.uint32]) -> None:
    """Put pairs of nodes into one component each.

    >>> above = np.arange(6, dtype=np.uint32)
    >>> unite(above, np.array([5, 3], np.uint32), np.array([3, 1], np.uint32))
    >>> first_of(above, np.arange(6, dtype=np.uint32)).tolist()
    [0, 1, 2, 1, 4, 1]
    """
    ends = []
    for nodes in (some, others):
        ends.append(first_of(above, nodes))
        above[nodes] = ends[-1]  # the way is short next time
    apart = ends[0] != ends[1]
    if not apart.any():
        return
    from scipy.sparse import coo_array  # half a second to import, which most updates do without
    from scipy.sparse.csgraph import connected_components

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


# Rows with names, more of them than memory holds: kept in a file, and read back in ranges of names.
#
# Rows of one name are in one range, and ranges are in the order of names. So rows are found by name, told apart, or
# sorted by name with one range in memory at a time.


RANGE_BYTES = 64 << 20  # of rows that are read at once, without a limit
BYTES_A_BYTE = 8  # of memory for each byte of a range, while it is sorted and joined
MOST_RANGES = 64  # into which a file is split at once
SAMPLED = 1 << 16  # names by which ranges are chosen


@dataclass(frozen=True)
class Room:
    """Where rows are kept, and how many bytes of them are in memory at once."""

    folder: Path
    range_bytes: int = RANGE_BYTES
    budget: MemoryBudget | None = None

    def numbers(self, size: int, dtype: Any) -> NDArray[Any]:
        """An array of zeros, in a file if it is large."""
        large = size * np.dtype(dtype).itemsize > self.range_bytes // 16
        array = (MappedArrays(str(self.folder)) if large else NEW_ARRAYS).take("", size, dtype)
        array[:] = 0
        return array


class NamedRows:
    """Tables of the same columns, of which `name` is one."""

    def __init__(self, room: Room) -> None:
        self._room, self._size = room, 0
        self._blocks: list[int] = []  # the bytes of each table
        self._file = SpooledTemporaryFile(room.range_bytes // 8, dir=str(room.folder))  # noqa: SIM115 - closed with the object
        self._least, self._most = "", ""
        self._ranges: list[NamedRows] = []  # in place of the file, once it was split

    def __del__(self) -> None:
        self._file.close()

    def add(self, rows: pl.DataFrame) -> None:
        if not len(rows):
            return
        least, most = str(rows["name"].min()), str(rows["name"].max())
        if self._blocks:
            least, most = min(least, self._least), max(most, self._most)
        self._least, self._most = least, most
        content = io.BytesIO()
        rows.write_ipc_stream(content)
        with reported(self._room.folder, content.tell()):
            self._file.write(content.getbuffer())
        self._blocks.append(content.tell())
        self._size += content.tell()

    def ranges(self) -> Iterator[pl.DataFrame]:
        """All rows, some names at a time, in the order of names; those of one name as they were added."""
        import polars as pl

        if not self._ranges and self._size > self._room.range_bytes:
            if self._least == self._most:
                self._require_room()
            else:
                self._split()
        if self._ranges:
            for part in self._ranges:
                yield from part.ranges()
        elif self._blocks:
            yield pl.concat(list(self._frames()))

    def _frames(self) -> Iterator[pl.DataFrame]:
        import polars as pl

        self._file.seek(0)
        for size in self._blocks:
            yield pl.read_ipc_stream(io.BytesIO(self._file.read(size)))

    def _split(self) -> None:
        """Make a file for each of several ranges of names, in place of the one file."""
        bounds = self._bounds()
        self._ranges = [NamedRows(self._room) for _ in range(len(bounds) + 1)]
        for frame in self._frames():
            rows = frame.sort("name", maintain_order=True)
            cuts = [0, *rows["name"].search_sorted(bounds, side="left").to_list(), len(rows)]
            for part, first, last in zip(self._ranges, cuts[:-1], cuts[1:], strict=True):
                part.add(rows[first:last])
        self._file.close()
        self._blocks = []

    def _bounds(self) -> pl.Series:
        """The least name of each range but the first, from a sample of the names."""
        import polars as pl

        count = min(MOST_RANGES, 1 + 2 * self._size // self._room.range_bytes)
        each = max(1, SAMPLED // len(self._blocks))
        names = pl.concat([rows["name"].gather_every(max(1, len(rows) // each)) for rows in self._frames()]).sort()
        quantiles = names.gather([len(names) * number // count for number in range(1, count)])
        bounds = pl.concat([quantiles, pl.Series([self._most])]).unique().sort()
        return bounds.filter(bounds > self._least)

    def _require_room(self) -> None:
        if self._room.budget is not None:
            over = (self._size - self._room.range_bytes) * BYTES_A_BYTE
            what = f"{readable_size(self._size)} of rows named {self._least!r}"
            self._room.budget.require(self._room.budget.size + over, what)
