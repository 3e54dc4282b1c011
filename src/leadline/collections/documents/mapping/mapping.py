"""Mappings: where in records of any shape each field of a Document is. examples/README.md describes the TOML file."""

from __future__ import annotations

import os
from collections import abc
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from leadline.collections.documents.classes import symbol
from leadline.collections.documents.document import ORIGINS, OTHER_KINDS, Document
from leadline.collections.documents.fields.values import shown
from leadline.collections.documents.mapping.places import Place
from leadline.collections.documents.mapping.side_tables import CitationTable, FamilyTable
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.records import from_record
from leadline.text.days import iso

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
    keep: tuple[str, ...] | None = None  # the fields a document must have; None: the default of `documents/keep.py`
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
    **dict.fromkeys(("national", "relatives", "citers", "applicants", "inventors"), list),
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
