"""The chain of a journal: the hash of each event covers the hash before it, so that a missing or changed event shows.

    hash of an event = SHA-256(hash before it, 32 bytes, then ascii() of its row as a tuple)

The hash before the first event is 32 zero bytes. The table `chain` has the hash of every event; its first row covers
all events from before the chain began (none in a new journal). The table `chain_head` has the number of events and the
last hash, so that the last event cannot be taken out unnoticed either. The chain is checked whenever a journal is
opened. Whoever rewrites the whole file can rewrite the chain as well: then only a head that was handed out shows it.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

START = bytes(32)
_FIRST = "select min(seq) from chain"
_PRINTED = re.compile(r"Journal, (\d[\d,]*) events?, head of its chain:?(?:\s|<[^<>]*>)*([0-9a-f]{64})\b")
_TABLES = (
    "create table chain (seq integer primary key, hash blob not null)",
    "create table chain_head (events integer not null, hash blob not null)",
)


@dataclass(frozen=True)
class ChainHead:
    """The number of events of a journal, and the hash that covers all of them.

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


class EventChain:
    """The chain of the events that an open journal has. `columns` are those of a row, with its place first."""

    def __init__(self, do: Callable[..., sqlite3.Cursor], columns: str) -> None:
        self._do, self._columns = do, columns
        self.seen: tuple[int, bytes] | None = None  # the last place that this process has read or stored, and its hash

    def begin(self) -> None:
        """Store the start of the chain in a transaction of the journal; it covers all events that are there."""
        events, seq, made = self._last_computed()
        for table in _TABLES:
            self._do(table)
        self._do("insert into chain values (?, ?)", (seq, made))
        self._do("insert into chain_head values (?, ?)", (events, made))

    def _computed(self, until: int | None = None) -> Iterator[tuple[int, bytes]]:
        """The place and the hash of every event, computed from the events alone."""
        where = "" if until is None else f"where seq <= {until:d}"
        made = START
        for row in self._do(f"select {self._columns} from events {where} order by seq"):
            made = hash_after(made, row)
            yield row[0], made

    def _last_computed(self, until: int | None = None) -> tuple[int, int, bytes]:
        """How many events there are, the place of the last one, and its hash."""
        last = 0, 0, START
        for number, (seq, made) in enumerate(self._computed(until), start=1):
            last = number, seq, made
        return last

    @property
    def is_stored(self) -> bool:
        return bool(self._do("select count(*) from sqlite_master where name like 'chain%'").fetchone()[0])

    def problem(self) -> str:
        """What does not fit in the chain, read in one transaction; empty if it is sound."""
        first = self._do("select seq, hash from chain order by seq limit 1").fetchone()
        if first is None:
            return "its chain of hashes is empty"
        stored = dict(self._do("select seq, hash from chain"))
        number, made = 0, START
        for seq, made in self._computed():
            number += 1
            if seq >= first[0] and stored.pop(seq, b"") != made:
                return f"event {number:,} was changed, or an event before it was changed or taken out"
        if first == (0, START):
            stored.pop(0)
        if stored or self._do("select events, hash from chain_head").fetchall() != [(number, made)]:
            return f"it has {number:,} events, which are not all that were stored"
        if number:
            self.seen = seq, made
        return ""

    def extend(self, seqs: Sequence[int]) -> None:
        """Store the hashes of new events, in a transaction of the journal. Constant time for each event."""
        events, made = self._do("select events, hash from chain_head").fetchone()
        for seq in seqs:
            made = hash_after(made, self._do(f"select {self._columns} from events where seq = ?", (seq,)).fetchone())
            self._do("insert into chain values (?, ?)", (seq, made))
        self._do("update chain_head set events = ?, hash = ?", (events + len(seqs), made))
        if seqs:
            self.seen = seqs[-1], made

    @property
    def is_continued(self) -> bool:
        """Whether the last event that this process has read or stored is still where it was."""
        if self.seen is None:
            return True
        seq, made = self.seen
        return self._do("select hash from chain where seq = ?", (seq,)).fetchone() == (made,)

    def head(self, until: int | None = None) -> ChainHead:
        """The head at a place in the file; at its end by default."""
        last = "select max(seq) from events" if until is None else f"select max(seq) from events where seq <= {until:d}"
        seq = self._do(last).fetchone()[0] or 0
        events = self._do("select count(*) from events where seq <= ?", (seq,)).fetchone()[0]
        if not self.is_stored:
            return ChainHead(events, self._last_computed(seq)[2].hex(), events)
        first = self._do(_FIRST).fetchone()[0]
        unchained = self._do("select count(*) from events where seq <= ?", (min(first, seq),)).fetchone()[0]
        stored = self._do("select hash from chain where seq = ?", (seq,)).fetchone()
        return ChainHead(events, (stored[0] if stored else self._last_computed(seq)[2]).hex(), unchained)

    def events_at(self, hash_of: str) -> int | None:
        """After how many events the chain had this hash; None if it never had."""
        wanted = bytes.fromhex(hash_of)
        if wanted == START:
            return 0
        return next((number for number, (_, made) in enumerate(self._computed(), start=1) if made == wanted), None)


def hash_after(before: bytes, row: tuple[object, ...]) -> bytes:
    """The hash of an event's row that follows another hash."""
    return hashlib.sha256(before + ascii(row).encode()).digest()
