"""A collection on disk: documents by id, tables without texts, counts, surroundings, and a full check."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from leadline.collections.documents.build_folder import BUILDING, JOURNAL
from leadline.collections.documents.collection_files import (
    BROKEN,
    MANIFEST,
    REPAIR,
    VERSION,
    CheckedTable,
    document_of,
    files_of,
    read_manifest,
    sums_name,
)
from leadline.collections.documents.document import Claim, Document, covering, is_main_group
from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError, nearest
from leadline.records.result import Result, counted
from leadline.text.checksums import Finding, check_file, file_sha256, finding_of, findings
from leadline.text.days import parse_date
from leadline.text.owned_folder import check_identity, check_listed, identity_of

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from leadline.records.topics import Topic

CRAWL_KIND, INSIDE_CRAWL = "crawl", "collection"  # the folder of a crawl has its collection in this one


@dataclass(frozen=True, repr=False)
class Collection(Result):
    """Documents to search, with their bibliographic data.

    `records` has a row for each document, `citations` one for each patent cited, `families` one for each number with a
    known family. Rows are counted from 0 in the order in which the documents were read.
    """

    folder: Path  # the folder of the manifest
    manifest: dict[str, Any]

    def _finding(self) -> str:
        counts = self.manifest["counts"]
        return f"{self.folder}: {counted(len(self), 'document')}, {counts['families']:,} families"

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Collection:
        """Open a collection that `build`, `write_collection` or a crawl made."""
        place = _collection_of_crawl(Path(folder))
        collection = cls(place, read_manifest(place))
        if collection.inside.is_symlink():
            raise InputError(str(collection.inside), f"is a link, expected a folder of the collection: {REPAIR}")
        found: set[str] = set()
        with contextlib.suppress(OSError), os.scandir(collection.inside) as entries:
            found.update(entry.name for entry in entries)
        for name in files_of(collection.manifest):
            if name not in found:
                raise InputError(str(collection.inside / name), f"is missing: {REPAIR}")
        return collection

    @classmethod
    def build(
        cls, sources: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str], **options: Any
    ) -> Collection:
        """Make a collection from files, folders and archives, and open it. `options` are those of `build.build`."""
        from leadline.collections.documents.build import build

        build(sources, folder, **options)
        return cls.open(folder)

    @property
    def inside(self) -> Path:
        """The folder of the parts and tables."""
        return self.folder / self.manifest["folder"]

    @cached_property
    def _files(self) -> dict[str, CheckedTable]:
        """The parts and tables, by the names of their files."""
        tables = {part["file"]: part["sha256"] for part in self.manifest["parts"]} | self.manifest["tables"]
        sums = self.manifest.get("checksums", {})
        return {
            name: CheckedTable(self.inside / name, sha256, sums.get(sums_name(name))) for name, sha256 in tables.items()
        }

    def tables(self) -> list[CheckedTable]:
        """The parts and tables as files, for a check of them."""
        return list(self._files.values())

    def parts(self) -> list[CheckedTable]:
        """The parts as files, with the documents that were replaced or deleted since."""
        return [self._files[part["file"]] for part in self.manifest["parts"]]

    def check_bounds(self) -> None:
        """Raise InputError where the tables do not fit the parts or each other."""
        for part in self.manifest["parts"]:
            if len(self._files[part["file"]].read(["id"])) != part["documents"]:
                raise InputError(str(self.inside / part["file"]), f"is damaged, it has other documents: {REPAIR}")
        for name in ("records", "lookup"):
            self._table(name)
        _ = self.citations, self.families

    def _part(self, number: int) -> CheckedTable:
        parts = self.manifest["parts"]
        if not 0 <= number < len(parts):
            raise InputError(str(self.inside), f"is damaged, a table names part {number} of {len(parts)}: {REPAIR}")
        return self._files[parts[number]["file"]]

    def __len__(self) -> int:
        return self.manifest["counts"]["documents"]

    @cached_property
    def records(self) -> pl.DataFrame:
        return self._table("records")

    @cached_property
    def citations(self) -> pl.DataFrame:
        citations = self._table("citations")
        for column in ("citing", "cited"):
            self._check_numbers("citations", citations[column], len(self))
        return citations

    @cached_property
    def families(self) -> pl.DataFrame:
        return self._table("families")

    def records_at(self, rows: NDArray[np.integer[Any]], columns: Sequence[str]) -> pl.DataFrame:
        """Some columns of the records in some rows, for which only the row groups around them are read."""
        if not len(rows):
            return self._files["records.parquet"].rows(0, 1, columns)[:0]
        first = int(rows.min())
        frame = self._files["records.parquet"].rows(first, int(rows.max()) + 1, columns)
        return self._within_bounds("records", frame[(rows - first).astype(np.int64)])

    def _table(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """A table, or some of its columns."""
        table = self._files[f"{name}.parquet"]
        frame = table.read(columns)
        if name == "records" and len(frame) != len(self):
            raise InputError(
                str(table.path), f"is damaged, it has {len(frame)} rows for {len(self)} documents: {REPAIR}"
            )
        return self._within_bounds(name, frame)

    def _within_bounds(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        """What was read of a table; InputError where a number of a document or part is not one of the collection."""
        if "row" in frame.columns:
            self._check_numbers(name, frame["row"], len(self))
        if "part" in frame.columns:
            self._check_numbers(name, frame["part"], len(self.manifest["parts"]))
            sizes = np.array([part["documents"] for part in self.manifest["parts"]], np.int64)
            place, size = frame["place"].to_numpy(), sizes[frame["part"].to_numpy()]
            if len(place) and not (place < size).all():
                path = self._files[f"{name}.parquet"].path
                raise InputError(str(path), f"is damaged, it names a document that no part has: {REPAIR}")
        return frame

    def _check_numbers(self, name: str, numbers: pl.Series, count: int) -> None:
        """Raise InputError unless all numbers of a column are below a count, or null."""
        highest = numbers.max()
        if not numbers.dtype.is_unsigned_integer() or (isinstance(highest, int) and highest >= count):
            path = self._files[f"{name}.parquet"].path
            raise InputError(str(path), f"is damaged, `{numbers.name}` has numbers outside the collection: {REPAIR}")

    def document(self, name: str) -> Document:
        """One document by its id, or by its number in any spelling.

        A number without a kind finds the first publication under it.
        """
        return self.documents_named([name])[0]

    def documents_named(self, names: Sequence[str]) -> list[Document]:
        """Some documents, each named as `document` takes it."""
        documents = []
        for name, document in zip(names, self.documents_there(names), strict=True):
            if document is None:
                raise InputError(name, f"is not in the collection {self.folder}")
            documents.append(document)
        return documents

    def documents_there(self, names: Sequence[str]) -> list[Document | None]:
        """Some documents, each named as `document` takes it; None for one that is not there."""
        spellings = []
        for name in names:
            number = normalise(name)
            spellings.append(dict.fromkeys((name, number.id, number.key)))  # the most exact first
        asked = sorted({spelling for each in spellings for spelling in each})
        found = self._files["lookup.parquet"].named(asked) if asked else None
        places: dict[str, tuple[int, int]] = {}
        for name, part, place in found.select("name", "part", "place").iter_rows() if found is not None else ():
            places.setdefault(name, (part, place))
        documents: list[Document | None] = []
        for each in spellings:
            at = next((places[spelling] for spelling in each if spelling in places), None)
            table = self._part(at[0]) if at else None
            documents.append(_document(table.row(at[1]), table.path) if at and table else None)
        return documents

    def documents_at(self, rows: Sequence[int]) -> list[Document]:
        """The documents in some rows; quicker than by name once `records` are read."""
        places = self.records.select("part", "place")[list(rows)].iter_rows()
        tables = ((self._part(part), place) for part, place in places)
        return [_document(table.row(place), table.path) for table, place in tables]

    def rows(self, names: Iterable[str]) -> NDArray[np.int64]:
        """The row of each name, in any spelling; -1 for one that is not there."""
        import polars as pl

        lookup = self._table("lookup", ["name", "row"])

        def found(asked: Sequence[str]) -> NDArray[np.int64]:
            frame = pl.DataFrame({"name": asked}, schema={"name": pl.String})
            joined = frame.join(lookup, on="name", how="left", maintain_order="left")
            return joined["row"].cast(pl.Int64).fill_null(-1).to_numpy()

        asked = [name.encode("utf-8", "replace").decode() for name in names]  # a file need not be UTF-8
        rows = found(asked).copy()
        for spelling in ("id", "key"):
            missing = np.flatnonzero(rows < 0)
            rows[missing] = found([getattr(normalise(asked[at]), spelling) for at in missing.tolist()])
        return rows

    def texts(self, fields: Sequence[str], rows: NDArray[np.integer[Any]] | None = None) -> Iterator[pl.DataFrame]:
        """The texts of documents, one table for each part: the column `row`, and one for each field."""
        import polars as pl

        live = self._table("records", ["part", "place"]).with_row_index("row")
        if rows is not None:
            live = live.filter(pl.col("row").is_in(pl.Series(np.asarray(rows, np.uint32)).implode()))
        for part, wanted in _by_part(live):
            texts = self._part(part).read(fields).with_row_index("place")
            yield texts.join(wanted, on="place", maintain_order="left").select("row", *fields)

    def documents(self) -> Iterator[Document]:
        """Every document, with one part at a time in memory."""
        live = self._table("records", ["part", "place"])
        for part, wanted in _by_part(live):
            table = self._part(part)
            for row in table.read()[wanted["place"]].iter_rows(named=True):
                yield _document(row, table.path)

    def select(
        self,
        *,
        before: str = "",
        after: str = "",
        classes: Sequence[str] = (),
        offices: Sequence[str] = (),
    ) -> NDArray[np.bool_]:
        """Which documents were published before or after a day, have one of these classes, are of these offices.

        Of a month or a year, before its first day or after its last. A class is a section, class, subclass or group and
        includes everything below it: C07 includes C07D401/04, and so does the main group, C07D401/00.
        """
        import polars as pl

        columns = ["publication"] * bool(before or after) + ["ipc", "cpc"] * bool(classes) + ["office"] * bool(offices)
        chosen = np.ones(len(self), np.bool_)
        if not columns:
            return chosen
        records = self._table("records", columns)
        if before:
            chosen &= (records["publication"] < parse_date(before)).fill_null(False).to_numpy()
        if after:
            chosen &= (records["publication"] > parse_date(after, late=True)).fill_null(False).to_numpy()
        if classes:
            pattern = "|".join(f"^{_escaped(symbol)}" for symbol in classes)
            under = pl.element().str.contains(pattern)
            both = records.select(pl.concat_list("ipc", "cpc").list.eval(under).list.any())
            chosen &= both.to_series().fill_null(False).to_numpy()
        if offices:
            chosen &= records["office"].is_in([office.upper() for office in offices]).to_numpy()
        return chosen


def _by_part(live: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    """Documents with their parts and places, a part at a time: records are in the order of their parts."""
    parts = live["part"].to_numpy()
    bounds = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(parts)] if len(parts) else []
    for first, last in pairwise(bounds):
        yield int(parts[first]), live[first:last]


def _collection_of_crawl(folder: Path) -> Path:
    """The collection in the folder of a crawl; any other folder as it is."""
    owned = identity_of(folder)
    if owned is None or owned.kind != CRAWL_KIND:
        return folder
    if not (folder / INSIDE_CRAWL).is_dir():
        raise InputError(str(folder), f"is a crawl without documents yet: `leadline crawl -o {folder}` continues it")
    return folder / INSIDE_CRAWL


def _document(row: dict[str, Any], path: Path) -> Document:
    try:
        return document_of(row)
    except (ValueError, TypeError, KeyError):
        raise InputError(str(path), f"is damaged, its columns are not those of documents: {REPAIR}") from None


def _escaped(symbol: str) -> str:
    import re

    compact = covering("".join(symbol.upper().split()))
    if compact.endswith("*"):
        return re.escape(compact[:-1])
    # C07D4 is group 4, not 40 to 49.
    ending = r"(?:/|$)" if is_main_group(compact) else ""
    return re.escape(compact) + ending


# The interface of a collection for topics and judgements: its tables, and the patents that are topics.


class Patents(Protocol):
    """The tables of a collection: documents, their citations, and families with members outside the collection."""

    @property
    def records(self) -> pl.DataFrame: ...

    @property
    def citations(self) -> pl.DataFrame: ...

    @property
    def families(self) -> pl.DataFrame: ...

    def rows(self, names: Iterable[str]) -> NDArray[np.integer[Any]]:
        """The row of each name, in any spelling; -1 for one that is not there."""
        ...


def located(topics: Iterable[Topic], patents: Patents) -> pl.DataFrame:
    """The row in the collection of every topic that is a patent in it: columns topic and row, in the topics' order."""
    import polars as pl

    asked = list(topics)
    rows = patents.rows([topic.patent for topic in asked])
    names = [topic.id.encode("utf-8", "replace").decode() for topic in asked]  # a file need not be UTF-8
    table = pl.DataFrame({"topic": names, "row": rows.tolist()}, strict=False)
    return table.cast({"topic": pl.String, "row": pl.Int64}).filter(pl.col("row") >= 0).cast({"row": pl.UInt32})


def citing_family(records: pl.DataFrame) -> pl.Expr:
    """The family of the citing document of a citation, which may be outside the collection."""
    import polars as pl

    inside = pl.lit(records["family"]).gather(pl.col("citing"))
    return pl.coalesce(inside, "citing_family")


def row_numbers() -> pl.Expr:
    """The place of each row in its table, as the tables refer to one another."""
    import polars as pl

    return pl.int_range(pl.len(), dtype=pl.UInt32)


# Counts of a collection: documents by office, kind, year and class, citations by origin, sizes of families.


_LEVEL = {"section": 1, "class": 3, "subclass": 4}


def counts(collection: Collection, by: str) -> pl.DataFrame:
    """The number of documents with each value; for origin and category, the number of citations.

    A document counts once for each of its classes.
    """
    import polars as pl

    records = collection.records
    if by in _LEVEL:
        symbols = records.select("id", symbol=pl.concat_list("ipc", "cpc")).explode("symbol", empty_as_null=True)
        prefix = symbols.drop_nulls().select("id", value=pl.col("symbol").str.slice(0, _LEVEL[by])).unique()
        return _value_counts(prefix["value"])
    if by in ("origin", "category"):
        return _value_counts(collection.citations[by])
    if by == "year":
        return _value_counts(records["publication"].dt.year().cast(pl.String).fill_null("unknown")).sort("value")
    if by == "family size":
        sizes = records.group_by("family").len()["len"]
        return _value_counts(sizes.cast(pl.String)).sort(pl.col("value").cast(pl.Int64))
    return _value_counts(records[by])


def _value_counts(values: pl.Series) -> pl.DataFrame:
    import polars as pl

    named = (
        values.alias("value")
        .to_frame()
        .with_columns(value=pl.when(pl.col("value") == "").then(pl.lit("not given")).otherwise(pl.col("value")))
    )
    return named.group_by("value").len("count").sort("count", "value", descending=[True, False])


def summary(collection: Collection) -> list[tuple[str, Any]]:
    """The figures that describe the collection as a whole."""
    manifest, records = collection.manifest, collection.records
    tallies = manifest["counts"]
    found = [
        ("documents", len(collection)),
        ("families", tallies["families"]),
        ("claims", int(records["claims"].sum())),
        ("words", int(records["words"].sum())),
        ("patents cited", tallies["citations"]),
        ("  of them in the collection", tallies["citations inside"]),
        ("literature cited", int(records["literature"].sum())),
        ("first published", str(records["publication"].min() or "not known")),
        ("last published", str(records["publication"].max() or "not known")),
        ("without a priority date: dated by filing", tallies["dated by filing"]),
        ("  dated by publication", tallies["dated by publication"]),
        ("  not dated", tallies["not dated"]),
        ("broken", manifest["broken"]),
    ]
    return found + [(f"dropped: {reason}", count) for reason, count in manifest["dropped"].items()]


# What is around a document: its family, what it cites, what cites it, and how its claims hang together.


NEAR_IDS = 20_000  # ids that a wrong one is compared with


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A document beside another: a member of its family, one that it cites, or one that cites it."""

    number: str
    title: str = ""  # empty if it is not in the collection
    published: str = ""
    inside: bool = False  # whether it is in the collection
    origin: str = ""  # of a citation: applicant, examiner ...
    category: str = ""  # of a citation in a search report: X, Y, A ...


@dataclass(frozen=True)
class Surroundings:
    """A document with its family and its citations."""

    document: Document
    family: tuple[Neighbour, ...]  # without the document itself
    cites: tuple[Neighbour, ...]
    cited_by: tuple[Neighbour, ...]

    @property
    def literature(self) -> tuple[str, ...]:
        """What it cites that is no patent, as printed."""
        return tuple(citation.text for citation in self.document.citations if citation.text)


def surroundings(collection: Collection, name: str) -> Surroundings:
    """A document of a collection by its id, or its number in any spelling, and what is around it."""
    import polars as pl

    row = int(collection.rows([name])[0])
    if row < 0:
        raise InputError(name, f"is not in the collection {collection.folder}{_near(collection, name)}")
    records = collection.records.select("id", "title", "publication", "family").with_row_index("row")
    family = records.row(row, named=True)["family"]
    listed = collection.families.filter(pl.col("family") == family)["number"].to_list()
    members = records.filter((pl.col("family") == family) & (pl.col("row") != row))
    known = {*members["id"], records["id"][row]}
    known |= {normalise(name).id for name in known}  # an id may be spelled in another way than its number
    elsewhere = [Neighbour(number) for number in listed if number not in known]
    citations = collection.citations
    cites = citations.filter(pl.col("citing") == row).join(
        records, left_on="cited", right_on="row", how="left", maintain_order="left"
    )
    citing = citations.filter(pl.col("cited") == row).join(
        records, left_on="citing", right_on="row", how="left", maintain_order="left"
    )
    return Surroundings(
        collection.document(records["id"][row]),
        (*_neighbours(members), *elsewhere),
        _neighbours(cites, "number"),
        _neighbours(citing, "citing_number"),
    )


def _neighbours(frame: pl.DataFrame, number: str = "") -> tuple[Neighbour, ...]:
    """The rows of a table as neighbours; `number` is the column with the number of those outside the collection."""
    found: dict[str, Neighbour] = {}
    for row in frame.iter_rows(named=True):
        inside = row["id"] is not None
        name = row["id"] if inside else row[number]
        published = f"{row['publication']}" if row["publication"] else ""
        one = Neighbour(name, row["title"] or "", published, inside, row.get("origin") or "", row.get("category") or "")
        kept = found.setdefault(name, one)
        if one.category and one.category not in kept.category.split(","):  # cited twice: for several reasons
            found[name] = replace(kept, category=",".join(filter(None, (kept.category, one.category))))
    return tuple(found.values())


def _near(collection: Collection, name: str) -> str:
    """The end of a message that suggests ids like a wrong one."""
    import polars as pl

    begins = pl.col("id").str.to_uppercase().str.starts_with(name.strip()[:2].upper())
    return nearest(name, collection.records.filter(begins)["id"].head(NEAR_IDS), most=3)


def claim_tree(claims: Sequence[Claim]) -> Iterator[tuple[int, Claim]]:
    """Claims in the order of a tree, each with its depth: a claim stands below the first claim that it refers to.

    >>> claims = Claim(1, "A nail."), Claim(2, "A hammer."), Claim(3, "As 1, bent.", (1,)), Claim(4, "As 3.", (3, 2))
    >>> [(depth, claim.number) for depth, claim in claim_tree(claims)]
    [(0, 1), (1, 3), (2, 4), (0, 2)]
    """
    numbers = {claim.number for claim in claims}
    below: dict[int, list[Claim]] = {}
    for claim in claims:
        # A reference to a later claim, or to one that is missing, is an error of the text: it could make a circle.
        above = next((number for number in claim.parents if number in numbers and number < claim.number), 0)
        below.setdefault(above, []).append(claim)
    waiting = [(0, claim) for claim in reversed(below.get(0, []))]
    while waiting:
        depth, claim = waiting.pop()
        yield depth, claim
        if claim.number:
            waiting += [(depth + 1, child) for child in reversed(below.pop(claim.number, []))]


# A full check of a collection: the checksum of every file, and whether the tables fit the parts.


NOT_FINISHED = "is not finished"


_ENDINGS = (".parquet", ".sums", ".tsv", ".json")  # of the files of a collection


def check_collection(folder: Path) -> Iterator[Finding]:
    """The problems of a collection; none if it is undamaged."""
    yield from check_identity(folder)
    try:
        collection = Collection(folder, read_manifest(folder))
    except InputError as error:
        if not (folder / MANIFEST).exists() and (folder / BUILDING / JOURNAL).is_file():
            yield Finding(str(folder), NOT_FINISHED, "the same command continues a build that was stopped")
        else:
            yield finding_of(error, REPAIR)
        return
    if collection.manifest["version"] >= VERSION:  # folders of earlier versions have no identity
        inside = (f"{path.parent.name}/{path.name}" for path in collection.inside.glob("*") if path.suffix in _ENDINGS)
        yield from check_listed(folder, [MANIFEST, collection.inside.name, *inside])
    damaged = False
    for table in collection.tables():
        for finding in findings(table.check_all, REPAIR):
            damaged = True
            yield finding
    sums = collection.manifest.get("checksums", {})
    if BROKEN in sums:
        yield from check_file(collection.inside / BROKEN, sums[BROKEN], REPAIR)
    if collection.manifest["version"] > 1:
        yield from check_file(collection.inside / MANIFEST, file_sha256(folder / MANIFEST), REPAIR)
    if not damaged:
        yield from findings(collection.check_bounds, REPAIR)
