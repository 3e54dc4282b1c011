"""Mappings: where in records of any shape each field of a Document is, from a TOML file; tables beside it."""

from __future__ import annotations

import os
from collections import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.collections.choices import ORIGINS
from leadline.collections.documents.document import OTHER_KINDS, Document, checked_rule, symbol
from leadline.collections.documents.fields.record_fields import NAMES, REPAIRS, Place, from_record, shown
from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError, checked_choice, nearest
from leadline.text.days import iso
from leadline.text.sheet import frame_of_sheet
from leadline.text.source import SourceText, read_text, read_toml

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Items:
    """Where a list of items with parts is: claims, priorities or citations."""

    place: Place  # of the list; without a path, each part is a list in the record itself
    plain: str  # the part that a plain text is
    parts: abc.Mapping[str, Place] = field(default_factory=dict, hash=False)

    def read(self, record: Any, repairs: tuple[str, ...]) -> list[dict[str, list[str]]]:
        """The texts of each part of each item.

        >>> cites = Items(Place(("cites",), separator=";"), "number", {"origin": Place(value="examiner")})
        >>> cites.read({"cites": "US1;US2"}, ())
        [{'origin': ['examiner'], 'number': ['US1']}, {'origin': ['examiner'], 'number': ['US2']}]
        """
        if not self.place.paths:
            columns = {name: part.texts(record, repairs) for name, part in self.parts.items() if part.paths}
            fixed = {name: [part.value] for name, part in self.parts.items() if not part.paths}
            rows = zip_longest(*columns.values(), fillvalue="")
            return [fixed | {name: [text] for name, text in zip(columns, row, strict=True)} for row in rows]
        items = []
        for item in self.place.found(record):
            if not isinstance(item, dict):
                fixed = {name: [part.value] for name, part in self.parts.items() if part.value}
                texts = self.place.texts({self.place.name: item}, repairs)
                items += [fixed | {self.plain: [text]} for text in texts]
            elif not any(part.drops(item) for part in self.parts.values()):
                items.append({name: part.texts(item, repairs) for name, part in self.parts.items()})
        return items


@dataclass(frozen=True)
class Mapping:
    """Where the fields of a Document are in the records of a source."""

    name: str  # of the file, for messages
    places: abc.Mapping[str, Place] = field(hash=False)  # of fields with one value or a list of plain values
    items: abc.Mapping[str, tuple[Items, ...]] = field(default_factory=dict, hash=False)
    repairs: tuple[str, ...] = ()  # names in REPAIRS
    keep: tuple[str, ...] | None = None  # the fields a document must have; None: the default of `drop_reason`
    citations: CitationTable | None = None
    families: FamilyTable | None = None

    def read(self, record: Any) -> Document:
        """The document that a record of the source describes.

        >>> Mapping("my.toml", {"id": Place(("pn",)), "ipc": Place(("classes",), separator=",")}).read(
        ...     {"pn": "EP 0 049 154 B2", "classes": "C02F 3/20, B08B 5/00"}).ipc
        ('C02F3/20', 'B08B5/00')
        """
        if not isinstance(record, dict):
            raise ValueError(f"is {shown(record)}, expected a record with names")
        try:
            own: dict[str, Any] = {
                name: _FROM_TEXTS.get(name, _joined)(place.texts(record, self.repairs))
                for name, place in self.places.items()
            }
            for name, lists in self.items.items():
                own[name] = _FROM_ROWS[name]([row for items in lists for row in items.read(record, self.repairs)])
        except RecursionError:
            raise ValueError("is nested too deeply") from None
        return from_record(own | _id_and_number(own))

    @property
    def has_side_tables(self) -> bool:
        return self.citations is not None or self.families is not None

    def side_tables(self, folder: str | os.PathLike[str]) -> dict[str, pl.DataFrame]:
        """The tables `citations` and `families` of a source in a folder, as far as the mapping names them."""
        tables = {"citations": self.citations, "families": self.families}
        return {name: table.load(folder) for name, table in tables.items() if table is not None}

    def absent(self, record: abc.Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of the mapping whose first name this record lacks, because it is mistyped or the field is empty."""
        lists = [items for several in self.items.values() for items in several]
        inside = [part for items in lists if not items.place.paths for part in items.parts.values()]
        places = [*self.places.values(), *(items.place for items in lists), *inside]
        paths = dict.fromkeys(path for place in places for path in place.paths)
        return tuple(path for path in paths if path not in record and path.partition(".")[0] not in record)


def _id_and_number(own: dict[str, Any]) -> dict[str, str]:
    """The id and the parts of the number. A record may give a number beside the id, or only one of the two."""
    text = own.pop("number", "") or own.get("id", "")
    kind = own.get("kind", "")
    identifier = own.get("id", "")
    if kind in OTHER_KINDS:
        return {"id": identifier or text}
    number = normalise(text, own.get("office", ""), kind)
    if number.office and (not identifier or len(identifier.split()) > 1):
        identifier = number.id
    if not number.office:
        return {"id": identifier or text}
    return {"id": identifier, "office": number.office, "serial": number.serial, "kind": number.kind or kind}


def _joined(texts: list[str]) -> str:
    return "\n".join(texts)


def _first_date(texts: list[str]) -> str:
    return next((date for text in texts if (date := iso(text))), "")


def _symbols(texts: list[str]) -> list[str]:
    return [found for text in texts if (found := symbol(text))]


_FROM_TEXTS: dict[str, Callable[[list[str]], Any]] = {
    **dict.fromkeys(("application", "publication"), _first_date),
    **dict.fromkeys(("ipc", "cpc"), _symbols),
    **dict.fromkeys(("national", "relatives", "citers", "applicants", "inventors", "reference"), list),
}

_Row = dict[str, list[str]]


def _first(row: _Row, name: str) -> str:
    return next(iter(row.get(name, ())), "")


def _claims(rows: list[_Row]) -> Any:
    """A list of claims, or one text with all of them."""
    if len(rows) == 1 and not (rows[0].keys() - {"text"}):
        return _joined(rows[0].get("text", []))
    claims = [{"text": _joined(row.get("text", []))} | _number_and_parents(row) for row in rows]
    return [claim["text"] if len(claim) == 1 else claim for claim in claims]


def _number_and_parents(row: _Row) -> dict[str, Any]:
    number: dict[str, Any] = {"number": _first(row, "number")} if _first(row, "number") else {}
    return number | ({"parents": row["parents"]} if "parents" in row else {})


def _priorities(rows: list[_Row]) -> list[dict[str, str]]:
    return [{"number": _number(row), "date": _first_date(row.get("date", []))} for row in rows]


def _citations(rows: list[_Row]) -> list[dict[str, str]]:
    return [_citation(row) for row in rows]


def _citation(row: _Row) -> dict[str, str]:
    origin, number, text = _first(row, "origin").lower(), _number(row), _joined(row.get("text", []))
    if " " in number:  # not a patent: literature among the patents
        number, text = "", text or number
    return {
        "number": number,
        "origin": origin if origin in ORIGINS else "unknown",
        "category": _first(row, "category"),
        "date": _first_date(row.get("date", [])),
        "text": text,
    }


def _number(row: _Row) -> str:
    text = _first(row, "number")
    return normalise(text, _first(row, "office"), _first(row, "kind")).id if text else ""


_FROM_ROWS: dict[str, Callable[[list[_Row]], Any]] = {
    "claims": _claims,
    "priorities": _priorities,
    "citations": _citations,
}


# Reading a mapping from its TOML file. An error names the key, what was expected, and the nearest known name.


_PLACE = ("path", "value", "separator", "take", "values")
_PARTS = {  # of fields with parts; a plain text is the first part
    "claims": ("text", "number", "parents"),
    "priorities": ("number", "office", "kind", "date"),
    "citations": ("number", "office", "kind", "origin", "category", "date", "text"),
}
_FIELDS = (*(name for name in NAMES if name != "serial"), "number")


def read_mapping(path: str | os.PathLike[str]) -> Mapping:
    """The mapping that a TOML file describes."""
    return mapping_of(read_toml(path), os.fspath(path))


def mapping_of(content: abc.Mapping[str, Any], name: str) -> Mapping:
    """The mapping that the content of a TOML file describes.

    >>> mapping_of({"fields": {"id": "pn", "tittle": "name"}}, "my.toml")
    Traceback (most recent call last):
    leadline.errors.InputError: my.toml: fields.tittle: unknown; did you mean title?
    """
    return _MappingFile(name).mapping(content)


class _MappingFile:
    """The content of the file under its name, which every error message needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def mapping(self, content: abc.Mapping[str, Any]) -> Mapping:
        self.check_names(content, ("keep", "mend", "fields", "tables"), "")
        fields = self.table(content.get("fields", {}), "fields")
        self.check_names(fields, _FIELDS, "fields.")
        if "id" not in fields and "number" not in fields:
            raise self.error("fields.id", "missing; say where the document's name is")
        tables = self.table(content.get("tables", {}), "tables")
        self.check_names(tables, ("citations", "families"), "tables.")
        keep = content.get("keep", [])
        return Mapping(
            name=self.name,
            places={name: self.place(given, f"fields.{name}") for name, given in fields.items() if name not in _PARTS},
            items={name: self.lists(fields[name], name) for name in _PARTS if name in fields},
            repairs=tuple(self.choice(name, REPAIRS, "mend") for name in self.texts(content.get("mend", []), "mend")),
            keep=checked_rule(self.texts(keep, "keep"), f"{self.name}: keep") if keep != [] else None,
            citations=self.citations(tables["citations"]) if "citations" in tables else None,
            families=self.families(tables["families"]) if "families" in tables else None,
        )

    def error(self, key: str, problem: str) -> InputError:
        return InputError(self.name, f"{key}: {problem}")

    def check_names(self, table: abc.Mapping[str, Any], names: Sequence[str], prefix: str) -> None:
        for key in table:
            if key not in names:
                hint = nearest(key, names) or f"; known here: {', '.join(names)}"
                raise self.error(f"{prefix}{key}", f"unknown{hint}")

    def table(self, value: Any, key: str) -> abc.Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.error(key, f"{value!r}, expected a table")
        return value

    def text(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or not value:
            raise self.error(key, f"{value!r}, expected a text")
        return value

    def texts(self, value: Any, key: str) -> tuple[str, ...]:
        return tuple(self.text(item, key) for item in (value if isinstance(value, list) else [value]))

    def choice(self, value: Any, choices: Iterable[str], key: str) -> str:
        return checked_choice(f"{self.name}: {key}", value, list(choices))

    def place(self, given: Any, key: str, more: tuple[str, ...] = (), separator: str = "") -> Place:
        """A place from a path or several, or from a table with more details."""
        if not isinstance(given, dict):
            return Place(self.texts(given, key), separator=separator)
        self.check_names(given, (*_PLACE, *more), f"{key}.")
        if "path" not in given and "value" not in given:
            raise self.error(key, "needs a path or a value")
        return Place(
            paths=self.texts(given.get("path", []), f"{key}.path"),
            value=self.text(given["value"], f"{key}.value") if "value" in given else "",
            separator=self.text(given["separator"], f"{key}.separator") if "separator" in given else separator,
            take=self.choice(given.get("take", "all"), ("all", "first"), f"{key}.take"),
            values=self.values(given.get("values", {}), f"{key}.values"),
            drop=frozenset(self.texts(given.get("drop", []), f"{key}.drop")),
        )

    def values(self, given: Any, key: str) -> dict[str, str]:
        return {code: self.text(word, f"{key}.{code}") for code, word in self.table(given, key).items()}

    def origin(self, given: Any, key: str) -> Place:
        """The place of an origin; its fixed value and the meanings of its codes must be origins."""
        place = self.place(given, key, more=("drop",))
        for word in filter(None, (place.value, *place.values.values())):
            self.choice(word, ORIGINS, key)
        return place

    def lists(self, given: Any, field: str) -> tuple[Items, ...]:
        """One description of a list, or several. A list of paths is one description with alternatives."""
        key = f"fields.{field}"
        if isinstance(given, list) and any(isinstance(item, dict) for item in given):
            return tuple(self.items(item, field, f"{key}[{place}]") for place, item in enumerate(given))
        return (self.items(given, field, key),)

    def items(self, given: Any, field: str, key: str) -> Items:
        names = _PARTS[field]
        if not isinstance(given, dict):
            return Items(Place(self.texts(given, key)), names[0])
        literature = ("of",) if field == "citations" else ()
        self.check_names(given, ("path", "separator", *names, *literature), f"{key}.")
        separator = self.text(given["separator"], f"{key}.separator") if "separator" in given else ""
        parts = {
            name: self.origin(given[name], f"{key}.{name}")
            if name == "origin"
            else self.place(given[name], f"{key}.{name}", separator="" if "path" in given else separator)
            for name in names
            if name in given
        }
        if "path" not in given and not any(part.paths for part in parts.values()):
            raise self.error(key, f"needs a path, or paths of its parts: {', '.join(names)}")
        of = self.choice(given.get("of", "patents"), ("patents", "literature"), f"{key}.of")
        place = Place(self.texts(given.get("path", []), f"{key}.path"), separator=separator)
        return Items(place, "text" if of == "literature" else names[0], parts)

    def citations(self, given: Any) -> CitationTable:
        key = "tables.citations"
        table = self.table(given, key)
        self.check_names(table, ("file", "citing", "cited", "origin", "category", "date"), f"{key}.")
        columns = {name: self.text(table[name], f"{key}.{name}") for name in ("citing", "cited") if name in table}
        places = {name: self.place(table[name], f"{key}.{name}") for name in ("category", "date") if name in table}
        if "origin" in table:
            places["origin"] = self.origin(table["origin"], f"{key}.origin")
        described: dict[str, Any] = {**columns, **places}
        return CitationTable(self.name, self.text(table.get("file"), f"{key}.file"), **described)

    def families(self, given: Any) -> FamilyTable:
        key = "tables.families"
        table = self.table(given, key)
        self.check_names(table, ("file", "family", "member"), f"{key}.")
        if ("family" in table) != ("member" in table):
            raise self.error(key, "name both columns, family and member; or neither, for a family a line")
        columns = {name: self.text(table[name], f"{key}.{name}") for name in ("family", "member") if name in table}
        return FamilyTable(self.name, self.text(table.get("file"), f"{key}.file"), **columns)


# Tables in separate files beside a source: who cites whom, and which documents are one family.


@dataclass(frozen=True)
class SideTable:
    """A file that is looked for in the folder of the source, then in that of the mapping."""

    mapping: str  # the mapping's file, for messages and as the second folder
    file: str

    def path(self, folder: str | os.PathLike[str]) -> Path:
        places = [Path(folder) / self.file, Path(self.mapping).parent / self.file]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise InputError(self.mapping, f"{self.file}: no such file, neither in {folder} nor beside the mapping")
        return found

    def frame(self, folder: str | os.PathLike[str]) -> pl.DataFrame:
        """The table with a header, all columns as text."""
        return frame_of_sheet(read_text(self.path(folder)))

    def column(self, frame: pl.DataFrame, name: str, key: str) -> pl.Expr:
        import polars as pl

        if name not in frame.columns:
            has = ", ".join(frame.columns[:8])
            raise InputError(self.mapping, f"{key}: {self.file} has no column {name!r}; it has {has}")
        return pl.col(name).fill_null("").str.strip_chars()


_NO_PLACE = Place()


@dataclass(frozen=True)
class CitationTable(SideTable):
    """A table with one citation a row."""

    citing: str = "citing"
    cited: str = "cited"
    origin: Place = _NO_PLACE
    category: Place = _NO_PLACE
    date: Place = _NO_PLACE

    def load(self, folder: str | os.PathLike[str]) -> pl.DataFrame:
        """The citations: citing, number, origin, category, date.

        `citing` is as the table writes it, which usually is the document's id in the source.
        """
        import polars as pl

        frame = self.frame(folder)
        raw = frame.select(
            self.column(frame, self.citing, "tables.citations.citing").alias("citing"),
            self.column(frame, self.cited, "tables.citations.cited").alias("number"),
            *(self._values(frame, name) for name in ("origin", "category", "date")),
        )
        dropped = pl.col("origin").is_in(list(self.origin.drop))
        table = raw.filter(pl.col("citing") != "", pl.col("number") != "", ~dropped)
        origin = pl.col("origin").replace(dict(self.origin.values)).str.to_lowercase()
        return table.with_columns(
            _normalised(table["number"]),
            pl.when(origin.is_in(ORIGINS)).then(origin).otherwise(pl.lit("unknown")).alias("origin"),
            pl.col("category").replace(dict(self.category.values)),
            _converted(table["date"], iso),
        )

    def _values(self, frame: pl.DataFrame, name: str) -> pl.Expr:
        import polars as pl

        place: Place = getattr(self, name)
        if not place.paths:
            return pl.lit(place.value).alias(name)
        return self.column(frame, place.name, f"tables.citations.{name}").alias(name)


@dataclass(frozen=True)
class FamilyTable(SideTable):
    """A table with one member a row under a header; or without one, a family a line: its name, a tab, its members."""

    family: str = ""  # the columns' names
    member: str = ""

    def load(self, folder: str | os.PathLike[str]) -> pl.DataFrame:
        """The members: family and normalised number."""
        import polars as pl

        if self.family:
            frame = self.frame(folder)
            table = frame.select(
                self.column(frame, self.family, "tables.families.family").alias("family"),
                self.column(frame, self.member, "tables.families.member").alias("number"),
            )
        else:
            table = _family_lines(read_text(self.path(folder)))
        table = table.filter(pl.col("family") != "", pl.col("number") != "")
        return table.with_columns(_normalised(table["number"]))


def _family_lines(text: SourceText) -> pl.DataFrame:
    import polars as pl

    lines = pl.Series("line", text.bytes().decode("utf-8", "replace").splitlines(), pl.String).str.strip_chars()
    parts = lines.to_frame().filter(pl.col("line") != "").with_row_index("row", 1)
    cut = parts.with_columns(pl.col("line").str.extract_groups(r"^(?<family>[^\t]+)\t(?<members>.+)$")).unnest("line")
    alone = cut.filter(pl.col("members").is_null())
    if alone.height:
        raise InputError(text.name, "expected a family, a tab and its members", line=alone["row"][0])
    members = pl.col("members").str.extract_all(r"[^\s;,]+")
    return cut.select("family", members.alias("number")).explode("number")


def _normalised(numbers: pl.Series) -> pl.Series:
    return _converted(numbers, lambda text: normalise(text).id)


def _converted(texts: pl.Series, convert: Callable[[str], str]) -> pl.Series:
    """Every text converted; each distinct text only once."""
    import polars as pl

    distinct = texts.unique()
    converted = pl.Series([convert(text) for text in distinct], dtype=pl.String)
    return texts.replace_strict(distinct, converted, return_dtype=pl.String)
