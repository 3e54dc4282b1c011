"""Reading a mapping from its TOML file. An error names the key, what was expected, and the nearest known name."""

from __future__ import annotations

import os
from collections import abc
from collections.abc import Iterable, Sequence
from typing import Any

from leadline.collections.documents.document import ORIGINS
from leadline.collections.documents.keep import checked_rule
from leadline.collections.documents.mapping.mapping import Items, Mapping
from leadline.collections.documents.mapping.places import REPAIRS, Place
from leadline.collections.documents.mapping.side_tables import CitationTable, FamilyTable
from leadline.collections.documents.records import NAMES
from leadline.errors import InputError, checked_choice, nearest
from leadline.text.toml import read_toml

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
