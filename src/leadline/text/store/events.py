"""Events: what was done, appended in its order and never changed. The hash of each covers the hash before it.

    hash of an event = SHA-256(hash before it, 32 bytes, then ascii() of its row as a tuple)

The hash before the first event is 32 zero bytes. The table `chain` has the hash of every event; its first row covers
all events from before the chain began (none in a new store). The table `chain_head` has the number of events and the
last hash, so that the last event cannot be taken out unnoticed either. Whoever rewrites the whole file can rewrite the
chain as well: then only a head that was handed out shows it.
"""

from __future__ import annotations

import datetime
import hashlib
import math
import re
import secrets
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from leadline.errors import InputError
from leadline.text.store.kind import CHAIN, Execute, StoreKind, Transaction, checked_text

START = bytes(32)
_END = 2**63 - 1  # behind the last place that there can be
_TYPES: dict[str, type] = {"text": str, "integer": int, "real": float}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_PRINTED = re.compile(r"Journal, (\d[\d,]*) events?, head of its chain:?(?:\s|<[^<>]*>)*([0-9a-f]{64})\b")


@dataclass(frozen=True)
class ChainHead:
    """The number of events of a store, and the hash that covers all of them.

    >>> ChainHead.found_in(f"Journal, 1,204 events, head of its chain: {'0f' * 32}").events
    1204
    """

    events: int
    hash: str
    unchained: int = 0  # events from before the chain began; only their common hash is stored

    @property
    def label(self) -> str:
        return f"Journal, {self.events:,} event{'s' * (self.events != 1)}, head of its chain"

    def __str__(self) -> str:
        return f"{self.label}: {self.hash}"

    @classmethod
    def found_in(cls, text: str) -> ChainHead | None:
        """The head that a text names, such as a saved page or the printed line; None where it names none."""
        found = _PRINTED.search(text)
        return cls(int(found[1].replace(",", "")), found[2]) if found else None


@dataclass
class LastSeen:
    """The last event that an open store has read or stored."""

    seq: int = 0
    hash: bytes = START
    at: str = ""  # the latest moment of any event up to it


@dataclass(frozen=True)
class StoredEvent:
    """One thing that was done: its place in the file, its id, and what was said of it."""

    seq: int
    uid: str
    said: dict[str, Any]
    at: str  # UTC, never before the event before it
    machine: str


class Events:
    """The events of a store."""

    def __init__(self, transaction: Transaction, seen: LastSeen) -> None:
        self._in, self._do, self._kind, self._seen = transaction, transaction.do, transaction.kind, seen
        self._caught_up = False  # with what other processes have appended
        self._here = socket.gethostname()

    def append(self, kind: str, *, uid: str = "", at: str = "", machine: str = "", **said: Any) -> int | None:
        """Store an event; its place, or None if one with this id is stored already.

        The moment and the machine are those of now and here, unless the event comes from elsewhere.
        """
        self._in.check_change()
        uid = uid or secrets.token_hex(16)
        if not 8 <= len(uid) <= 64:
            raise InputError("event", "needs an id of 8 to 64 characters")
        if at and not _MOMENT.fullmatch(at):
            raise InputError("event", f"{at!r} is not a moment")
        values = list(self._values({"kind": kind, **said}))
        if not self._caught_up:
            self._catch_up()
        # A clock may be set back: the order of the events must not be.
        row = (
            checked_text("id", uid, 64),
            *values,
            at or max(now(), self._seen.at),
            checked_text("machine", machine or self._here, 255),
        )
        stored = self._do(f"insert or ignore into events values (null, {', '.join('?' * len(row))})", row)
        if not stored.rowcount or stored.lastrowid is None:
            return None
        return self._chain(stored.lastrowid)

    def _chain(self, seq: int) -> int:
        """Add the hash of a new event, as it is stored, to the chain. Constant time, however many there are."""
        row = self._do(f"select {self._kind.row} from events where seq = ?", (seq,)).fetchone()
        (made,) = self._do("select hash from chain_head").fetchone()
        made = hash_after(made, row)
        self._do("insert into chain values (?, ?)", (seq, made))
        self._do("update chain_head set events = events + 1, hash = ?", (made,))
        self._seen.seq, self._seen.hash, self._seen.at = seq, made, max(self._seen.at, row[-2])
        return seq

    def _catch_up(self) -> None:
        """Take note of what others have appended; refuse a file that lacks what was in it."""
        seen = self._seen
        if self._do("select hash from chain where seq = ?", (seen.seq,)).fetchone() != (seen.hash,):
            problem = "was changed by another program: events that were stored are not in it any more"
            raise InputError(str(self._in.path), f"{problem}; {self._kind.repair}")
        newer = self._do("select max(at) from events not indexed where seq > ?", (seen.seq,)).fetchone()[0]
        seen.at = max(seen.at, newer or "")
        self._caught_up = True

    def _values(self, said: dict[str, Any]) -> Iterator[Any]:
        """The values of the columns of an event; what has no column of its own is in `content`."""
        columns = self._kind.columns
        rest = {name: value for name, value in said.items() if name not in columns or name == "content"}
        if rest and "content" not in columns:
            raise InputError("event", f"{self._kind.name} has no {', '.join(rest)}")
        for name, type in columns.items():
            value = self._in.encoded(rest) if name == "content" else said.get(name, _TYPES[type]())
            yield _checked(name, value, _TYPES[type], self._kind.longest)

    def rows(self, after: int = 0, until: int = _END) -> list[tuple[Any, ...]]:
        """The events behind a place and up to another, as the columns of their table."""
        where = "where seq > ? and seq <= ? order by seq"
        return self._do(f"select {self._kind.row} from events not indexed {where}", (after, until)).fetchall()

    def all(self, after: int = 0) -> list[StoredEvent]:
        """The events behind a place, with everything that was said of them."""
        return [self._event(*row) for row in self.rows(after)]

    def _event(self, seq: int, uid: str, *row: Any) -> StoredEvent:
        *values, at, machine = row
        said = dict(zip(self._kind.columns, values, strict=True))
        if "content" in said:
            said |= self._in.decoded(said.pop("content"))
        return StoredEvent(seq, uid, said, at, machine)

    def __len__(self) -> int:
        return int(self._do("select count(*) from events not indexed").fetchone()[0])

    def head(self, until: int = _END) -> ChainHead:
        """The head of the chain at a place in the file; at its end by default."""
        counted = "select count(*), coalesce(max(seq), 0) from events not indexed where seq <= ?"
        events, seq = self._do(counted, (until,)).fetchone()
        begun, stored = seq, None
        if self._in.has("chain"):
            begun = self._do("select min(seq) from chain").fetchone()[0]
            stored = self._do("select hash from chain where seq = ?", (seq,)).fetchone()
        unchained = self._do(counted, (min(begun, seq),)).fetchone()[0]
        if stored is None:
            *_, (_, made) = ((0, START), *self._computed(seq))
            return ChainHead(events, made.hex(), unchained)
        return ChainHead(events, stored[0].hex(), unchained)

    def count_at(self, hash_of: str) -> int | None:
        """After how many events the head of the chain was this hash; None if it never was."""
        wanted = bytes.fromhex(hash_of)
        chain = enumerate(((0, START), *self._computed(_END)))
        return next((number for number, (_, made) in chain if made == wanted), None)

    def _computed(self, until: int) -> Iterator[tuple[int, bytes]]:
        """The place and the hash of every event, computed from the events alone."""
        made = START
        for row in self.rows(until=until):
            made = hash_after(made, row)
            yield row[0], made

    def problem(self, *, is_chained: bool) -> str:
        """What does not fit in the chain, or in the types of the columns; empty if all is sound."""
        wrong = " or ".join(f"typeof({name}) != '{type}'" for name, type in self._kind.types.items())
        if self._do(f"select count(*) from events not indexed where {wrong}").fetchone()[0]:
            return "it has an event with a value of another type"
        first = self._do("select seq, hash from chain order by seq limit 1").fetchone() if is_chained else None
        if is_chained and first is None:
            return "its chain of hashes is empty"
        number, seq, made, at, chained = 0, 0, START, "", int(first == (0, START))
        hashes = "(select hash from chain where chain.seq = events.seq)" if is_chained else "null"
        for *row, stored in self._do(f"select {self._kind.row}, {hashes} from events not indexed order by seq"):
            number, seq, made, at = number + 1, row[0], hash_after(made, tuple(row)), max(at, row[-2])
            chained += stored is not None
            if first is not None and stored != (made if seq >= first[0] else None):
                return f"event {number:,} was changed, or an event before it was changed or taken out"
        if is_chained and (
            self._do("select count(*) from chain").fetchone()[0] != chained
            or self._do("select events, hash from chain_head").fetchall() != [(number, made)]
        ):
            return f"it has {number:,} events, which are not all that were stored"
        self._seen.seq, self._seen.hash, self._seen.at = seq, made, at
        return ""


def hash_after(before: bytes, row: tuple[object, ...]) -> bytes:
    """The hash of an event's row that follows another hash."""
    return hashlib.sha256(before + ascii(row).encode()).digest()


def begin_chain(do: Execute, kind: StoreKind) -> None:
    """Store the start of a chain in a transaction; it covers all events that are there."""
    events, seq, made = 0, 0, START
    for row in do(f"select {kind.row} from events not indexed order by seq"):
        events, seq, made = events + 1, row[0], hash_after(made, row)
    for table in CHAIN:
        do(table)
    do("insert into chain values (?, ?)", (seq, made))
    do("insert into chain_head values (?, ?)", (events, made))


def now() -> str:
    """This moment in UTC, as events have it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _checked(name: str, value: Any, expected: type, longest: int) -> Any:
    """A value as its column has it: one of another type could never be read again."""
    if expected is float and type(value) is int:
        value = float(value)
    fits = type(value) is expected
    if fits and expected is float:
        fits = math.isfinite(value)
    if fits and expected is int:
        fits = -(2**63) <= value < 2**63
    if not fits:
        raise InputError("event", f"{name} must be a {expected.__name__} that can be stored, got {ascii(value)[:40]}")
    return checked_text(name, value, longest) if expected is str else value
