"""The files of a collection: the manifest, parts in Parquet, and checksums of the columns that are read."""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
import re
import struct
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from io import FileIO
from itertools import accumulate, chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.errors import InputError, is_panic, shortage_in, system_reason
from leadline.text.checksums import check_seal, file_sha256, open_stored, parsed_object, stored_bytes
from leadline.text.files import reported
from leadline.text.owned_folder import wrong_folder

if TYPE_CHECKING:
    import polars as pl

MANIFEST, KIND_NAME = "manifest.json", "a leadline collection"
VERSION = 2  # of the format of collections. 1: without the sums of columns, and the manifest without its own checksum
TABLES = ("records.parquet", "citations.parquet", "families.parquet", "lookup.parquet")
BROKEN = "broken.tsv"
FOLDER = re.compile("collection-[0-9a-f]{12}")
_PART = re.compile(r"part-\d{5,9}\.parquet")
_SHA256 = re.compile("[0-9a-f]{64}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder, with everything that is used of it checked."""
    path = folder / MANIFEST
    try:
        content = stored_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        raise wrong_folder(folder, "collection", _hint(folder)) from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    return checked_manifest(content, folder)


def checked_manifest(content: bytes, folder: Path) -> dict[str, Any]:
    """A manifest from its bytes; InputError where it is damaged, of another format or not a collection's."""
    where = str(folder / MANIFEST)
    manifest = parsed_object(content, where, REPAIR)
    if manifest.get("what") != KIND_NAME:
        raise wrong_folder(folder, "collection", _hint(folder))
    version = manifest.get("version")
    if type(version) is int and version > VERSION:
        raise InputError(where, f"has format {version}, this version reads up to {VERSION}: update leadline")
    if version != 1 or "checksum" in manifest:
        check_seal(manifest, where, REPAIR)
    problem = _problem(manifest)
    if problem:
        raise InputError(where, f"is damaged, {problem}: {REPAIR}")
    return manifest


def files_of(manifest: dict[str, Any]) -> dict[str, str]:
    """The SHA-256 of every file in the folder of the collection, by its name."""
    parts = {part["file"]: part["sha256"] for part in manifest["parts"]}
    return {**parts, **manifest["tables"], **manifest.get("checksums", {})}


def _problem(manifest: dict[str, Any]) -> str:
    """What is wrong with the shape of a manifest; empty if nothing is."""
    version, folder, parts = manifest.get("version"), manifest.get("folder"), manifest.get("parts")
    if type(version) is not int or version < 1:
        return "`version` is not a number"
    if not isinstance(folder, str) or not FOLDER.fullmatch(folder):
        return "`folder` does not name a folder of the collection"
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        return "`parts` is not a list of objects"
    for part in parts:
        if not isinstance(part.get("file"), str) or not _PART.fullmatch(part["file"]):
            return "`parts` has a name that is not a part's"
        if not _is_count(part.get("documents")) or not _is_sha256(part.get("sha256")):
            return "`parts` lacks the documents or the checksum of one"
    tables, counts = manifest.get("tables"), manifest.get("counts")
    if not isinstance(tables, dict) or set(tables) != set(TABLES) or not all(map(_is_sha256, tables.values())):
        return "`tables` does not list the tables with their checksums"
    wanted = {"documents", "families", "citations", "citations inside", "dated by filing", "dated by publication"}
    wanted |= {"not dated"}
    if not isinstance(counts, dict) or not wanted <= set(counts) or not all(map(_is_count, counts.values())):
        return "`counts` lacks a number"
    if counts["documents"] > sum(part["documents"] for part in parts):
        return "`counts` has more documents than the parts"
    dropped, sums = manifest.get("dropped"), manifest.get("checksums", {})
    if not isinstance(dropped, dict) or not all(map(_is_count, dropped.values())):
        return "`dropped` is not an object of numbers"
    if not _is_count(manifest.get("broken")) or not _is_sha256(manifest.get("hash")):
        return "`broken` or `hash` is missing"
    slips, broken = manifest.get("slips"), manifest.get("first_broken")
    if not isinstance(slips, list) or not all(isinstance(slip, str) for slip in slips):
        return "`slips` is not a list of names"
    if not isinstance(broken, list) or not all(isinstance(each, list) and len(each) == 3 for each in broken):
        return "`first_broken` is not a list of sources, bytes and reasons"
    if version > 1:
        names = {sums_name(name) for name in (*tables, *(part["file"] for part in parts))}
        if not isinstance(sums, dict) or set(sums) != names | {BROKEN} or not all(map(_is_sha256, sums.values())):
            return "`checksums` does not list the sums of every table"
    return ""


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 40


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _hint(folder: Path) -> str:
    inside = folder / "collection"  # where a simulated office keeps its own
    return f"did you mean {inside}?" if (inside / MANIFEST).exists() else "`leadline collection build` makes one"


# The parts of a collection: Parquet files of some thousand documents, with a column for each field.


ROW_GROUP_BYTES = 1 << 20  # of text: the amount that is unpacked to show one document
_PLAIN = (
    "id",
    "office",
    "serial",
    "kind",
    "language",
    "title",
    "abstract",
    "description",
    "application",
    "publication",
    "application_number",
    "family",
)
_LISTS = ("ipc", "cpc", "national", "relatives", "citers", "applicants", "inventors", "reference")


def write_part(documents: Sequence[Document], path: Path) -> Written:
    """Write documents as one file with its sums, completely or not at all."""
    frame = frame_of(documents)
    weight = sum(len(document.description) + len(document.abstract) + 2000 for document in documents)
    rows = max(1, ROW_GROUP_BYTES * len(documents) // max(weight, 1))
    # Levels above 3 save 5 % of the size for twice the time. No filter would use statistics of texts.
    return write_table(frame, path, compression="zstd", compression_level=3, row_group_size=rows, statistics=False)


def frame_of(documents: Sequence[Document]) -> pl.DataFrame:
    """Documents as a table, one per row. Claims, citations and priorities are parallel lists."""
    import polars as pl

    text, texts = pl.String, pl.List(pl.String)
    columns: dict[str, pl.Series] = {
        name: pl.Series(name, [getattr(document, name) for document in documents], text) for name in _PLAIN
    }
    columns |= {name: pl.Series(name, [list(getattr(d, name)) for d in documents], texts) for name in _LISTS}
    columns["claims"] = pl.Series("claims", [[claim.text for claim in d.claims] for d in documents], texts)
    numbers = [[claim.number for claim in d.claims] for d in documents]
    columns["claim_numbers"] = pl.Series("claim_numbers", numbers, pl.List(pl.Int32))
    parents = [[list(claim.parents) for claim in d.claims] for d in documents]
    columns["claim_parents"] = pl.Series("claim_parents", parents, pl.List(pl.List(pl.Int32)))
    for field in ("number", "date"):
        name = f"priority_{field}"
        columns[name] = pl.Series(name, [[getattr(p, field) for p in d.priorities] for d in documents], texts)
    for field in ("number", "origin", "category", "date", "text"):
        name = f"cited_{field}"
        columns[name] = pl.Series(name, [[getattr(c, field) for c in d.citations] for d in documents], texts)
    words = [count_words(document) for document in documents]
    columns["words"] = pl.Series("words", words, pl.UInt32)
    return pl.DataFrame(columns)


def count_words(document: Document) -> int:
    """The number of words in all texts, as TBG and the Cube Test count them.

    >>> count_words(Document("X", title="A nail", claims=(Claim(1, "A bent nail."),)))
    5
    """
    texts = (document.title, document.abstract, document.description, *(claim.text for claim in document.claims))
    letters = np.frombuffer("\n".join(("", *texts)).encode("utf-8", "replace"), np.uint8) > ord(" ")
    return int(np.count_nonzero(letters[1:] > letters[:-1]))  # where a word begins


def document_of(row: dict[str, Any]) -> Document:
    """The document in one row of the table."""
    claims = zip(row["claim_numbers"], row["claims"], row["claim_parents"], strict=True)
    fields = ("number", "origin", "category", "date", "text")
    citations = zip(*(row[f"cited_{field}"] for field in fields), strict=True)
    fields_of_row: dict[str, Any] = {name: row[name] for name in _PLAIN}
    fields_of_row |= {name: tuple(row[name]) for name in _LISTS if name != "reference"}
    fields_of_row["reference"] = tuple(row.get("reference") or ())  # earlier collections have no such column
    return Document(
        **fields_of_row,
        claims=tuple(Claim(number, text, tuple(parents)) for number, text, parents in claims),
        priorities=tuple(map(Priority, row["priority_number"], row["priority_date"])),
        citations=tuple(Citation(**dict(zip(fields, values, strict=True))) for values in citations),
    )


# Where the columns of a Parquet file begin, from its footer.
#
# The footer is a Thrift structure in the compact protocol. Only files that were written a moment ago are read.


_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
# The numbers of the fields in Parquet's definition.
_ROW_GROUPS, _COLUMNS, _ROWS, _ABOUT_COLUMN, _DATA, _DICTIONARY = 4, 1, 3, 3, 9, 11


def chunk_starts(content: bytes | mmap.mmap) -> tuple[list[int], list[int]]:
    """The first byte of each column of each row group, in their order, and the number of rows of each row group."""
    length = struct.unpack_from("<I", content, len(content) - 8)[0]
    footer = _Reader(content[-8 - length : -8]).structure()
    starts, rows = [], []
    for group in footer.get(_ROW_GROUPS, []):
        rows.append(group[_ROWS])
        for column in group[_COLUMNS]:
            about = column[_ABOUT_COLUMN]
            starts.append(min(about[_DATA], about.get(_DICTIONARY) or about[_DATA]))
    if starts != sorted(starts):
        raise ValueError("the columns of a Parquet file must be in order")
    return starts, rows


class _Reader:
    """Values of the compact protocol, one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def structure(self) -> dict[int, Any]:
        """A structure as its fields by number."""
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            fields[number] = kind & 15 == _TRUE if kind & 15 in (_TRUE, _FALSE) else self._element(kind & 15)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):  # in a list, a truth value is a byte
            return self._byte()
        if kind == _DOUBLE:
            self.place += 8
            return None
        if kind == _BINARY:
            length = self._unsigned()
            self.place += length
            return self.content[self.place - length : self.place]
        if kind in (_LIST, _SET):
            head = self._byte()
            count = self._unsigned() if head >> 4 == 15 else head >> 4
            return [self._element(head & 15) for _ in range(count)]
        if kind == _MAP:
            count = self._unsigned()
            kinds = self._byte() if count else 0
            return [(self._element(kinds >> 4), self._element(kinds & 15)) for _ in range(count)]
        return self._integer()

    def _element(self, kind: int) -> Any:
        return self.structure() if kind == _STRUCT else self._value(kind)

    def _byte(self) -> int:
        self.place += 1
        return self.content[self.place - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


# Checksums of the columns of a Parquet file, so that exactly the columns and row groups that are read are checked.
#
# Polars does not verify Parquet's page checksums. So `NAME.sums` beside `NAME.parquet` has the CRC-32 of every column
# in every row group: showing one document checks one row group, reading the titles checks the titles.
#
#     NAME.sums    a line of JSON: the size of the file, its columns, the rows of each row group, its first names
#                  then pairs of 32-bit numbers, the length and CRC-32 of each column of each row group,
#                  and of the rest: the first four bytes together with all that follows the last column
#
# The manifest of the collection has the SHA-256 of both files.


REPAIR = "build the collection again"
MAGIC = 4  # bytes before the first column


@dataclass(frozen=True)
class ColumnSums:
    """The lengths and checksums of the columns of one Parquet file."""

    size: int  # bytes of the file
    columns: list[str]
    rows: list[int]  # of each row group
    first: list[str]  # the first name in each row group, where the file is sorted by name
    lengths: list[int]
    sums: list[int]

    @classmethod
    def of(cls, content: bytes | mmap.mmap, columns: Sequence[str], names: pl.Series | None) -> ColumnSums:
        """The sums of a file that Polars wrote; `names` is the column that it is sorted by, if any."""
        starts, rows = chunk_starts(content)
        ends = [*starts[1:], len(content) - 8 - struct.unpack_from("<I", content, len(content) - 8)[0]]
        view = memoryview(content)
        pieces = [view[start:end] for start, end in zip(starts, ends, strict=True)] if starts else []
        rest = ends[-1] if starts else MAGIC
        sums = [*map(zlib.crc32, pieces), zlib.crc32(view[rest:], zlib.crc32(view[:MAGIC]))]
        lengths = [*map(len, pieces), len(content) - rest]
        begins = list(accumulate(rows, initial=0))[:-1]
        first = [] if names is None else [str(names[begin]) for begin in begins]
        return cls(len(content), list(columns), rows, first, lengths, sums)

    def encoded(self) -> bytes:
        head = {"bytes": self.size, "columns": self.columns, "rows": self.rows, "first": self.first}
        pairs = [number for pair in zip(self.lengths, self.sums, strict=True) for number in pair]
        return json.dumps(head).encode() + b"\n" + struct.pack(f"<{len(pairs)}I", *pairs)

    @classmethod
    def decoded(cls, content: bytes) -> ColumnSums:
        """What `encoded` wrote; ValueError where it is anything else."""
        line, _, packed = content.partition(b"\n")
        head = json.loads(line)
        found = cls(head["bytes"], head["columns"], head["rows"], head["first"], [], [])
        numbers = struct.unpack(f"<{len(packed) // 4}I", packed)
        found.lengths.extend(numbers[::2])
        found.sums.extend(numbers[1::2])
        listed = (found.columns, str), (found.rows, int), (found.first, str)
        if not all(isinstance(values, list) and all(type(each) is kind for each in values) for values, kind in listed):
            raise ValueError("columns, rows and names must be lists")
        if len(numbers) != 2 * (len(found.rows) * len(found.columns) + 1) or min(found.rows, default=1) < 0:
            raise ValueError("has more or fewer sums than columns")
        if found.first and len(found.first) != len(found.rows):
            raise ValueError("has more or fewer names than row groups")
        if type(found.size) is not int or MAGIC + sum(found.lengths) != found.size:
            raise ValueError("has sums of another file")
        return found


@dataclass(frozen=True)
class Written:
    """The SHA-256 of a table that was written, and that of its sums."""

    sha256: str
    sums: str


def sums_name(name: str) -> str:
    """The name of the sums of a Parquet file."""
    return name.removesuffix(".parquet") + ".sums"


def sums_path(path: Path) -> Path:
    """Where the sums of a Parquet file are."""
    return path.with_name(sums_name(path.name))


def write_table(frame: pl.DataFrame, path: Path, *, sorted_by: str | None = None, **options: Any) -> Written:
    """Write a table and its sums into a new folder; the caller flushes them to disk.

    Each file is written as `NAME.unfinished`, then renamed.
    """
    buffer = io.BytesIO()
    frame.write_parquet(buffer, **options)
    content = buffer.getvalue()
    sums = ColumnSums.of(content, frame.columns, None if sorted_by is None else frame[sorted_by]).encoded()
    for target, written in ((sums_path(path), sums), (path, content)):
        unfinished = path.with_suffix(".unfinished")
        with reported(path, len(written)):
            unfinished.unlink(missing_ok=True)  # of a build that was killed
            try:
                with unfinished.open("xb") as file:
                    file.write(written)
                os.replace(unfinished, target)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
    return Written(hashlib.sha256(content).hexdigest(), hashlib.sha256(sums).hexdigest())


def write_pieces(pieces: Iterator[pl.DataFrame], path: Path, *, rows: int, sorted_by: str | None = None) -> Written:
    """Write a table that comes in pieces, as `write_table` would write it whole, with so many rows in a row group.

    The first piece may be empty: it says which columns there are.
    """
    from polars.io.plugins import register_io_source

    head, count = next(pieces), 0
    failed: list[BaseException] = []
    first: list[str] = []  # names, of each row group

    def all_pieces(_columns: Any, _filter: Any, _rows: Any, _size: Any) -> Iterator[pl.DataFrame]:
        nonlocal count
        try:
            for piece in chain([head], pieces):
                if sorted_by is not None:
                    names = piece[sorted_by]
                    first.extend(str(names[at]) for at in range(-count % rows, len(piece), rows))
                count += len(piece)
                yield piece
        except BaseException as error:  # Polars would hide it in one of its own
            failed.append(error)
            raise

    unfinished = path.with_suffix(".unfinished")
    with reported(path):
        for left in (unfinished, sums_path(path)):  # of a build that was killed
            left.unlink(missing_ok=True)
        try:
            with unfinished.open("xb", buffering=0) as target:
                sink = cast("IO[bytes]", _Sink(target, failed))
                register_io_source(all_pieces, schema=head.schema).sink_parquet(sink, row_group_size=rows)
            with unfinished.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                sums = replace(ColumnSums.of(content, head.columns, None), first=first).encoded()
            with sums_path(path).open("xb") as beside:
                beside.write(sums)
            os.replace(unfinished, path)
        except BaseException:
            for left in (unfinished, sums_path(path)):
                left.unlink(missing_ok=True)
            if failed:
                raise failed[0] from None
            raise
    return Written(file_sha256(path), hashlib.sha256(sums).hexdigest())


class _Sink:
    """A file that keeps the errors of writing: Polars says of a full disk that the Parquet is not to specification."""

    def __init__(self, file: FileIO, failed: list[BaseException]) -> None:
        self._file, self._failed = file, failed

    def write(self, content: bytes) -> int:
        try:
            rest = memoryview(content)
            while rest:  # a disk that is nearly full takes a part
                rest = rest[self._file.write(rest) :]
        except BaseException as error:
            self._failed.append(error)
            raise
        return len(content)

    def flush(self) -> None:
        """Nothing waits in the process."""


class CheckedTable:
    """A Parquet file whose columns and row groups are checked against their checksums when they are first read."""

    def __init__(self, path: Path, sha256: str, sums: str | None) -> None:
        self.path, self._sha256, self._sums_sha256 = path, sha256, sums
        self._checked: set[int] = set()  # places in the list of sums
        self._whole = False
        self._held: tuple[int, int, tuple[str, ...], pl.DataFrame] | None = None  # what `rows` read last

    @cached_property
    def _sums(self) -> ColumnSums:
        path = sums_path(self.path)
        with damage_reported(path):
            content = stored_bytes(path)
            if hashlib.sha256(content).hexdigest() != self._sums_sha256:
                raise InputError(str(path), f"is damaged, its checksum does not fit: {REPAIR}")
            return ColumnSums.decoded(content)

    @cached_property
    def _offsets(self) -> list[int]:
        """The offset of each column of each row group, and of the rest."""
        return list(accumulate(self._sums.lengths[:-1], initial=MAGIC))

    @cached_property
    def _starts(self) -> list[int]:
        """The first row of each row group, and the number of rows."""
        return list(accumulate(self._sums.rows, initial=0))

    def read(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The table, or some of its columns."""
        import polars as pl

        self._check(columns)
        with damage_reported(self.path):
            return pl.read_parquet(self.path, columns=None if columns is None else list(columns))

    def rows(self, first: int, last: int, columns: Sequence[str]) -> pl.DataFrame:
        """Some columns of consecutive rows. The row groups that have them are held until others are read."""
        import polars as pl

        if self._sums_sha256 is None:  # of an older format, which is checked as a whole
            return self.read(columns)[first:last]
        held = self._held
        if held is None or not (held[0] <= first and last <= held[1] and held[2] == tuple(columns)):
            self._held = None
            if not 0 <= first < last <= self._starts[-1]:
                raise InputError(str(self.path), f"is damaged, it has no rows {first} to {last}: {REPAIR}")
            groups = range(bisect_right(self._starts, first) - 1, bisect_left(self._starts, last))
            self._check(columns, groups)
            begin, end = self._starts[groups.start], self._starts[groups.stop]
            with damage_reported(self.path):
                frame = pl.scan_parquet(self.path).select(columns).slice(begin, end - begin).collect()
            held = self._held = (begin, end, tuple(columns), frame)
        return held[3][first - held[0] : last - held[0]]

    def row(self, place: int) -> dict[str, Any]:
        """One row, by its place."""
        import polars as pl

        groups = None
        if self._sums_sha256 is not None:
            if not 0 <= place < self._starts[-1]:
                raise InputError(str(self.path), f"is damaged, it has no row {place}: {REPAIR}")
            group = bisect_right(self._starts, place) - 1
            groups = range(group, group + 1)
        self._check(None, groups)
        with damage_reported(self.path):
            return pl.scan_parquet(self.path).slice(place, 1).collect().row(0, named=True)

    def named(self, names: Sequence[str]) -> pl.DataFrame:
        """The rows of some names, in a table that is sorted by its column `name`."""
        import polars as pl

        table, groups = pl.scan_parquet(self.path), None
        if self._sums_sha256 is not None and self._sums.rows:
            groups = sorted({max(0, bisect_right(self._sums.first, name) - 1) for name in names})
            table = pl.concat([table.slice(self._starts[group], self._sums.rows[group]) for group in groups])
        self._check(None, groups)
        with damage_reported(self.path):
            return table.filter(pl.col("name").is_in(list(names))).collect()

    def check_all(self) -> None:
        """Check all of the file."""
        self._check_whole()
        if self._sums_sha256 is not None:
            self._check(None)

    def _check(self, columns: Sequence[str] | None, groups: Iterable[int] | None = None) -> None:
        """Check some columns of some row groups that were not checked before."""
        if self._sums_sha256 is None:
            self._check_whole()  # of an older format
            return
        sums = self._sums
        width = len(sums.columns)
        numbers = range(len(sums.rows)) if groups is None else groups
        if columns is None:
            pieces = [piece for group in numbers for piece in range(group * width, (group + 1) * width)]
        else:
            missing = [name for name in columns if name not in sums.columns]
            if missing:
                raise InputError(str(self.path), f"has no column {missing[0]}: {REPAIR}")
            places = [sums.columns.index(name) for name in columns]
            pieces = [group * width + place for group in numbers for place in places]
        rest = len(sums.sums) - 1
        wanted = [piece for piece in (*pieces, rest) if piece not in self._checked]
        if not wanted:
            return
        with damage_reported(self.path), open(self.path, "rb", buffering=0, opener=open_stored) as file:
            if os.fstat(file.fileno()).st_size != sums.size:
                raise InputError(str(self.path), f"is damaged, its size is not that of the file written: {REPAIR}")
            begin = zlib.crc32(file.read(MAGIC)) if wanted[-1] == rest else 0
            for run in _consecutive(wanted):
                self._check_run(file, run, rest, begin)
        self._checked.update(wanted)

    def _check_run(self, file: io.FileIO, run: range, rest: int, begin: int) -> None:
        """Check consecutive pieces, which are read at once."""
        lengths, sums, offset = self._sums.lengths, self._sums.sums, self._offsets[run[0]]
        file.seek(offset)
        view = memoryview(file.read(sum(lengths[run[0] : run[-1] + 1])))
        place = 0
        for piece in run:
            part = view[place : place + lengths[piece]]
            if zlib.crc32(part, begin if piece == rest else 0) != sums[piece]:
                where = f"at byte {offset + place:,}"
                raise InputError(str(self.path), f"is damaged {where}, its checksum does not fit: {REPAIR}")
            place += lengths[piece]

    def _check_whole(self) -> None:
        if self._whole:
            return
        with damage_reported(self.path):
            if file_sha256(self.path) != self._sha256:
                raise InputError(str(self.path), f"is damaged, its checksum does not fit: {REPAIR}")
        self._whole = True


def _consecutive(numbers: list[int]) -> Iterator[range]:
    """Ascending numbers as runs without gaps.

    >>> list(_consecutive([1, 2, 3, 7]))
    [range(1, 4), range(7, 8)]
    """
    begin = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield range(numbers[begin], numbers[place - 1] + 1)
            begin = place


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Turn the errors of reading a table, and the panics of Polars (not Exceptions), into one line."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(str(path), f"is missing: {REPAIR}") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    except BaseException as error:
        if isinstance(error, InputError) or not _is_of_reading(error):
            raise
        if short := shortage_in(error):
            raise InputError(str(path), f"cannot be read: {system_reason(short)}") from None
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(str(path), f"is damaged, {reason}: {REPAIR}") from None


def _is_of_reading(error: BaseException) -> bool:
    import polars as pl

    known = (pl.exceptions.PolarsError, ValueError, TypeError, KeyError, IndexError, RecursionError, struct.error)
    return isinstance(error, known) or is_panic(error)
