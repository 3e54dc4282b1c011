"""What a store is for, the tables that it has, and what a transaction may do with them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from leadline.errors import InputError

Execute = Callable[..., sqlite3.Cursor]
CHAIN = (
    "create table chain (seq integer primary key, hash blob not null)",
    "create table chain_head (events integer not null, hash blob not null)",
)
RECORDS = (
    "create table records (name text not null, key text not null, digest blob not null, value text not null, "
    "primary key (name, key)) without rowid",
    "create table record_sums (name text primary key, count integer not null, sum blob not null) without rowid",
)
_OF_SQLITE = "create table sqlite_sequence(name,seq)"


@dataclass(frozen=True)
class OlderFormat:
    """A format that an earlier version wrote: how it is checked, and brought up to the next one."""

    problem: Callable[[Execute], str]  # what does not fit in it; empty if it is sound
    upgrade: Callable[[Execute], None]


@dataclass(frozen=True)
class StoreKind:
    """What a store is for. Its letters and its format are in the head of the file, so that no other kind is opened."""

    name: str  # as in "is not a journal of judgements"
    letters: str  # four of them
    format: int = 1
    columns: Mapping[str, str] = field(  # of an event, with their types; what else is said of it is in `content`
        default_factory=lambda: {"kind": "text", "person": "text", "content": "text"}
    )
    repair: str = "restore a backup"
    longest: int = 1 << 20  # characters of a value
    older: Mapping[int, OlderFormat] = field(default_factory=dict)
    also: tuple[str, ...] = ()  # tables and indexes that earlier versions made

    @property
    def application(self) -> int:
        return int.from_bytes(self.letters.encode("ascii"), "big")

    @property
    def types(self) -> dict[str, str]:
        """The columns of the table of events, in their order. SQLite numbers the events."""
        return {"seq": "integer", "uid": "text", **self.columns, "at": "text", "machine": "text"}

    @cached_property
    def row(self) -> str:
        return ", ".join(self.types)

    @property
    def events(self) -> str:
        """The statement that makes the table of events."""
        middle = ", ".join(f"{name} {type} not null" for name, type in self.columns.items())
        return (
            f"create table events (seq integer primary key autoincrement, uid text not null unique, {middle}, "
            "at text not null, machine text not null)"
        )

    def is_ours(self, type: Any, name: Any, sql: Any) -> bool:
        """Whether a row of SQLite's list of tables is one that we made, to the last word."""
        if type == "index" and sql is None:  # of a column that is unique
            return isinstance(name, str) and name.startswith("sqlite_autoindex_")
        ours = map(_words, (self.events, *CHAIN, *RECORDS, *self.also, _OF_SQLITE))
        return isinstance(sql, str) and _words(sql) in ours


@dataclass(frozen=True)
class Transaction:
    """What the shapes of a store (events, records, queues) read and write in."""

    path: Path
    kind: StoreKind
    do: Execute
    is_change: bool

    def check_change(self) -> None:
        """Refuse to write where nothing is written."""
        if not self.is_change:
            raise InputError(str(self.path), "is only read here")

    def has(self, table: str) -> bool:
        """Whether the file has a table: those of a shape are made when it is first written to."""
        return bool(self.do("select count(*) from sqlite_master where name = ?", (table,)).fetchone()[0])

    def damaged(self, problem: str) -> InputError:
        return InputError(str(self.path), f"is damaged, {problem}: {self.kind.repair}")

    def encoded(self, value: Any) -> str:
        """A value as JSON in its one canonical form."""
        try:
            text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError("value", f"cannot be stored as JSON: {error}") from None
        return checked_text("value", text, self.kind.longest)

    def decoded(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise self.damaged("a value in it is not JSON") from None


def checked_text(name: str, value: str, longest: int) -> str:
    """A text that can be stored; InputError where it is too long, or has half a character."""
    if len(value) > longest:
        raise InputError(name, f"has {len(value):,} characters, the most is {longest:,}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(name, f"has half a character: {ascii(value)[:40]}") from None
    return value


def _words(statement: str) -> tuple[str, ...]:
    """A statement of SQL without its spaces and line ends."""
    return tuple(re.findall(r"\w+|[^\w\s]", statement.lower()))
