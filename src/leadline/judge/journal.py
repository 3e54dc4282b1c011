"""The journal of judging: everything that people did, each event bound to the one before; and who may judge.

An event is on the disk before `append` returns, and is stored once however often it is sent: each has an id of its own,
made by the page. What anybody judged is derived from the events (`marks.py`), so it can be told for any moment,
and the journals of two machines can be merged. The hash of each event covers the hash before it
(`text/store/events.py`).
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import hmac
import json
import math
import os
import re
import secrets
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from leadline.errors import InputError, checked_choice
from leadline.judge.choices import JUDGING_ROLES, LINK_DAYS, Role
from leadline.text.checksums import Finding, finding_of, read_sealed
from leadline.text.owned_files import OURS
from leadline.text.store.events import ChainHead, begin_chain
from leadline.text.store.kind import Execute, OlderFormat, StoreKind
from leadline.text.store.opening import version_of
from leadline.text.store.store import Store, StoreView

Kind = Literal[
    "mark",
    "skip",
    "note",
    "undo",
    "passage",
    "assign",
    "unassign",
    "send_back",
    "close",
    "reopen",
    "round",
    "draws",
    "switch",
    "stop",
    "resume",
    "agree",
    "disagree",
    "number",
    "audit",
    "tags",
    "settings",
    "machine",
    "opinion",
    "consent",  # of reviews, see judge/review/review_state.py
]

LONGEST = 20_000  # characters of a note or of instructions
_MOST_ON_DESK = 200
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_COLUMNS = {
    "person": "text",
    "role": "text",
    "kind": "text",
    "topic": "text",
    "document": "text",
    "value": "text",
    "target": "text",
    "round": "integer",
    "seconds": "real",
}


@dataclass(frozen=True)
class Event:
    """One thing that one person did."""

    uid: str  # the same when it is sent again
    person: str
    role: Role
    kind: Kind
    topic: str
    document: str = ""
    value: str = ""  # the grade of a mark, the text of a note, the person of an assignment, instructions
    target: str = ""  # the uid of what an undo takes back; the reason of a mark; the claim of a passage
    round: int = 1
    seconds: float = 0.0  # how long the person took
    at: str = ""  # set by the journal: UTC, never before the event before it
    machine: str = ""  # set by the journal


@dataclass(frozen=True)
class Desk:
    """The documents that one person has before them, and until when nobody else gets them."""

    person: str
    topic: str
    documents: tuple[str, ...]
    until: float  # seconds since 1970


class JudgingJournal:
    """An open journal. Threads may share it."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False, write: bool = True) -> None:
        """Open a journal. `create` makes a missing one; without `write` it is only read, also on a read-only disk."""
        self.path = Path(path)
        if not create and not os.path.lexists(path):
            raise InputError(str(path), "no such journal; `leadline judge serve` makes one")
        self._store = Store.open(path, JOURNAL, write=write, create=create)

    def append(self, event: Event) -> bool:
        """Store an event; False if it was stored before. When this returns, the event is on the disk."""
        return self.append_all([event]) == 1

    def append_all(self, events: Sequence[Event], *, after: ChainHead | None = None) -> int:
        """Store events, all of them or none; returns how many were new. When this returns, they are on the disk.

        With `after` they are stored only as the next ones behind that head; else nothing is, and -1 is returned.
        """
        for event in events:
            check_event(event)
        with self._store.change() as now:
            if after is not None and now.events.head().hash != after.hash:
                return -1
            return sum(_append(now, {**vars(event), "at": ""}) for event in events)

    def merge_from(self, other: str | os.PathLike[str]) -> int:
        """Add the events of another machine's journal that are not here; returns how many were new."""
        source = JudgingJournal(other, write=False)
        try:
            theirs = list(source.events())
        finally:
            source.close()
        for event in theirs:
            _check_stored(os.fspath(other), event)
        with self._store.change() as now:
            return sum(_append(now, {**vars(event)}) for event in theirs)

    def events(self, until: str = "") -> Iterator[Event]:
        """All events in their order, or those up to a moment (UTC, as the journal writes it)."""
        with self._store.view() as now:
            rows = now.events.rows()
        return iter(_in_order(rows, until))

    def events_after(self, seq: int) -> list[tuple[int, Event]]:
        """The events stored after a place in the file, each with its place, in the order in which they were stored."""
        with self._store.view() as now:
            return [(row[0], Event(*row[1:])) for row in now.events.rows(after=seq)]

    def with_head(self, until: int | None = None) -> tuple[list[Event], ChainHead]:
        """The events in their order up to a place in the file, by default all, with the head that covers just these."""
        place = {} if until is None else {"until": until}
        with self._store.view() as now:
            return _in_order(now.events.rows(**place)), now.events.head(**place)

    def head(self, until: int | None = None) -> ChainHead:
        """The number of events up to a place in the file, by default all, and the hash that covers them."""
        with self._store.view() as now:
            return now.events.head() if until is None else now.events.head(until)

    def events_at(self, hash_of: str) -> int | None:
        """After how many events the head of the chain was this hash; None if it never was."""
        with self._store.view() as now:
            return now.events.count_at(hash_of)

    def events_at_uid(self, uid: str) -> int | None:
        """How many events were stored before the one with this id; None if there is none."""
        with self._store.view() as now:
            rows = enumerate(now.events.rows())
        return next((number for number, row in rows if row[1] == uid), None)

    def keep_desk(self, desk: Desk) -> None:
        """Store what a person has before them of a topic, in place of what they had. It is not an event.

        It outlives a server that is killed. It is not waited for until it is on the disk, which every card would cost.
        """
        documents = list(desk.documents[:_MOST_ON_DESK])
        while len(json.dumps(documents)) > LONGEST - 1000:  # a page asks for few, and others may claim to have many
            documents.pop()
        with self._store.change(flushed=False) as now:
            now.records("desks").put(f"{desk.topic}\n{desk.person}", {**vars(desk), "documents": documents})

    def desks(self) -> list[Desk]:
        """What people have before them, as it was last stored."""
        with self._store.view() as now:
            stored = [value for _, value in now.records("desks").items()]
        return [Desk(**{**value, "documents": tuple(value["documents"])}) for value in stored]

    def __len__(self) -> int:
        with self._store.view() as now:
            return len(now.events)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the journal while it is in use; the copy is complete or not there."""
        self._store.copy_to(path)

    def check(self) -> str:
        """What is damaged in the journal; empty if it is sound."""
        return self._store.check()

    def close(self) -> None:
        """Close the file; what was appended is in it."""
        self._store.close()


def _append(now: StoreView, said: dict[str, Any]) -> bool:
    return now.events.append(said.pop("kind"), **said) is not None


def _in_order(rows: list[tuple[Any, ...]], until: str = "") -> list[Event]:
    """Events in the order of time, also where journals of several machines were merged."""
    kept = [row for row in rows if not until or row[-2] <= until]
    return [Event(*row[1:]) for row in sorted(kept, key=lambda row: (row[-2], row[-1], row[0]))]


def _unchained_problem(do: Execute) -> str:
    """What does not fit in a journal of the older format, which has checksums or none, and no chain."""
    tables = {name for (name,) in do("select name from sqlite_master")}
    if tables & {"chain", "chain_head"}:
        return "its chain of hashes does not fit its format"
    if "checksums" not in tables:
        return ""
    found = do(f"select checksum, {JOURNAL.row} from events left join checksums using (seq)")
    fits = all(checksum == _checksum(*row) for checksum, *row in found)
    counts = do("select (select count(*) from events), (select count(*) from checksums)").fetchone()
    return "" if fits and counts[0] == counts[1] else "its events do not fit their checksums"


def _begin_chain(do: Execute) -> None:
    """Bring a journal of the older format up to date."""
    begin_chain(do, JOURNAL)
    do("drop table if exists checksums")


def _checksum(*values: object) -> int:
    """The CRC-32 of what a row holds, as the older format stores it."""
    return zlib.crc32(repr(values).encode("utf-8", "surrogatepass"))


JOURNAL = StoreKind(
    OURS["LJRN"],
    "LJRN",
    format=2,
    columns=_COLUMNS,
    repair="restore a backup, or another machine's journal",
    longest=LONGEST,
    older={1: OlderFormat(_unchained_problem, _begin_chain)},
    also=(
        "create table checksums (seq integer primary key, checksum integer not null)",
        "create index events_at on events (at)",
    ),
)


def new_uid() -> str:
    """An id for an event that no page made."""
    return secrets.token_hex(16)


def check_event(event: Event) -> None:
    """Raise InputError for an event that no page sends."""
    checked_choice("role", event.role, JUDGING_ROLES)
    checked_choice("kind", event.kind, get_args(Kind))
    if not (8 <= len(event.uid) <= 64) or not event.person or not event.topic:
        raise InputError("event", "needs an id of 8 to 64 characters, a person and a topic")
    if event.kind == "mark" and event.value not in ("2", "1", "0", "-2"):
        raise InputError("event", f"a mark is 2, 1, 0 or -2, got {event.value!r}")
    for field in fields(event):
        text = getattr(event, field.name)
        if isinstance(text, str) and len(text) > LONGEST:
            raise InputError("event", f"{field.name} is longer than {LONGEST:,} characters")


def _check_stored(path: str, event: Event) -> None:
    """Refuse an event of another journal that ours could not have: its file may come from anybody."""
    texts = [getattr(event, field.name) for field in fields(event) if field.name not in ("round", "seconds")]
    sound = all(isinstance(text, str) for text in texts) and isinstance(event.round, int) and event.round > 0
    if not sound or not isinstance(event.seconds, float) or not math.isfinite(event.seconds):
        raise InputError(path, "has an event that does not belong to judging: it is damaged or was changed")
    if not _MOMENT.fullmatch(event.at):
        raise InputError(path, f"has an event with the time {event.at!r}, which is not a valid time")
    try:
        check_event(event)
    except InputError as error:
        raise InputError(path, f"has an event that does not belong to judging: {error.problem}") from None


# Who may judge: people with a role and a personal link. The link's token is kept only as a hash, and expires.


OLDER_PEOPLE, _OLDER_FORMAT = "a file of people who judge", 1  # of the JSON file that earlier versions wrote
_NAME = re.compile(r"[\w .@'-]{1,60}")
REPAIR = "add the people again"
PEOPLE = StoreKind(OURS["LPPL"], "LPPL", repair=REPAIR)
_NAMED = "people"  # the records of a store that has them


def check_name(name: str) -> None:
    """Refuse a name that cannot be that of a person."""
    if not _NAME.fullmatch(name):
        raise InputError("name", f"{name!r} must be 1 to 60 letters, digits, spaces or . @ ' -")


@dataclass(frozen=True)
class Person:
    """One person who may sign in."""

    name: str
    role: Role
    token: str  # the SHA-256 of the token: 256 random bits need no slower hash
    expires: str  # UTC
    revoked: bool = False

    @property
    def has_expired(self) -> bool:
        return self.seconds_left <= 0

    @property
    def seconds_left(self) -> int:
        """Until the link expires."""
        return int((datetime.datetime.fromisoformat(self.expires) - _this_moment()).total_seconds())


class People:
    """The people of a pool, a review or a lab, in a store that only its owner may read.

    A change is made to what the file says at that moment, while no other process changes it.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> people = People(Path(folder.name) / "pool.people")
    >>> token = people.add("anna", "assessor")
    >>> people.find(token).name, people.find("guessed") is None
    ('anna', True)
    >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._seen: object = None
        self._people: dict[str, Person] = {}
        self.refresh()

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people.values())

    def refresh(self) -> None:
        """Read the file again if somebody changed it."""
        version = version_of(self.path)
        if version is None or version != self._seen:
            with self._open_store() as store, store.view() as now:
                self._people = self._people_by_name(now)
            self._seen = version

    def get(self, name: str) -> Person | None:
        """The person with this name."""
        return self._people.get(name)

    def add(self, name: str, role: Role, *, days: float = LINK_DAYS) -> str:
        """Add a person, or give one a new link; returns the token, which is not kept."""
        checked_choice("role", role, get_args(Role))
        check_name(name)
        if not 0 < days <= 3650:
            raise InputError("days", f"must be above 0 and at most 3650, got {days:g}")
        token = secrets.token_urlsafe(32)
        expires = _this_moment() + datetime.timedelta(days=days)
        with self._open_store(write=True, create=True) as store, store.change() as now:
            known = self._people_by_name(now).get(name)
            if known is not None and known.role != role:
                raise InputError(name, f"is {known.role} already; choose another name for the {role}")
            person = Person(name, role, _hash(token), expires.isoformat(timespec="seconds"))
            now.records(_NAMED).put(name, asdict(person))
        self.refresh()
        return token

    def revoke(self, name: str) -> None:
        """End a person's link at once."""
        with self._open_store(write=True, create=True) as store, store.change() as now:
            people = self._people_by_name(now)
            if name not in people:
                raise InputError(name, f"is not among the people: {', '.join(people) or 'there are none'}")
            now.records(_NAMED).put(name, asdict(replace(people[name], revoked=True)))
        self.refresh()

    def find(self, token: str) -> Person | None:
        """The person with this token; None if it is wrong, expired or revoked. Takes as long whichever it is."""
        wanted, found = _hash(token), None
        for person in self._people.values():
            if hmac.compare_digest(person.token, wanted):
                found = person
        if found is None or found.revoked or found.has_expired:
            return None
        return found

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """Copy the people to a new file; the copy is complete or not there."""
        with self._open_store() as store:
            store.copy_to(path)

    def check(self) -> str:
        """What is damaged in the file; empty if it is sound."""
        with self._open_store() as store:
            return store.check()

    def _open_store(self, *, write: bool = False, create: bool = False) -> Store:
        return Store.open(self.path, PEOPLE, write=write, create=create, older=self._take_over)

    def _take_over(self, now: StoreView) -> None:
        """Put the people of an earlier version's file in a store."""
        content = read_sealed(self.path, OLDER_PEOPLE, _OLDER_FORMAT, REPAIR)
        for person in [] if content is None else content["people"]:
            now.records(_NAMED).put(person["name"], person)

    def _people_by_name(self, now: StoreView) -> dict[str, Person]:
        try:
            return {name: Person(**person) for name, person in now.records(_NAMED).items()}
        except TypeError:
            raise now.records(_NAMED).damaged("an entry is not a person") from None


def check_marks(journal: Path, people: Path, mend: str) -> Iterator[Finding]:
    """Everything that is wrong with a journal, and with a file of people if there is one."""
    try:
        with contextlib.closing(JudgingJournal(journal, write=False)) as opened:
            if damage := opened.check():
                yield Finding(str(journal), damage, mend)
    except InputError as error:
        yield finding_of(error, mend)
    if os.path.lexists(people):
        yield from check_people(people)


def check_people(path: Path) -> Iterator[Finding]:
    """Everything that is wrong with a file of people."""
    try:
        if wrong := People(path).check():
            yield Finding(str(path), wrong, REPAIR)
    except InputError as error:
        yield finding_of(error, REPAIR)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _this_moment() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
