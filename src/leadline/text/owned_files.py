"""What Leadline owns: folders with an identity file, and files that no output may replace.

Ours is whatever lies in a folder with an identity file, in any depth; a pool, and what is kept beside it; and a file
whose content says so, wherever it lies: a store of any kind, or JSON with our checksum. Only a lab has folders in
which commands may write: what is made there must be of the folder's kind, and not be listed as the lab's own copy.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import InputError, system_reason
from leadline.text.checksums import CHECKSUM, object_checksum, open_stored

# The identity file of a folder of ours: what the folder is, its format, a random id, and every name we made in it.


IDENTITY = "leadline.jsonl"
_NAME = re.compile(r"[\w=+-][\w.=+-]*(/[\w=+-][\w.=+-]*)?")
_LARGEST = 64 << 20  # bytes of an identity file: far more names than any folder of ours has


@dataclass
class FolderIdentity:
    """What an identity file says."""

    kind: str
    format: int
    id: str
    names: set[str] = field(default_factory=set)
    damaged: int = 0  # lines of the identity file that could not be read
    user: int = 0  # who wrote the identity file


def is_owned(folder: Path) -> bool:
    """Whether a folder has an identity file."""
    return os.path.lexists(folder / IDENTITY)


def read_identity(folder: Path) -> FolderIdentity | None:
    """What a folder says it is; None where it has no identity file. A damaged one is an error."""
    path = folder / IDENTITY
    try:
        descriptor = open_stored(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    with os.fdopen(descriptor, "rb") as file:
        user = os.fstat(file.fileno()).st_uid
        lines = file.read(_LARGEST).splitlines()
    head = (_parsed(lines[0]) if lines else None) or {}
    kind, format, id = head.get("kind"), head.get("format"), head.get("id")
    # Another key is a damaged one: that of the checksum, without which a line would be believed.
    if (
        head.keys() != {"kind", "format", "id"}
        or not isinstance(kind, str)
        or not kind
        or type(format) is not int
        or not isinstance(id, str)
    ):
        raise InputError(str(path), "is damaged: make the folder again under another name")
    said = FolderIdentity(kind, format, id, user=user)
    for line in filter(None, lines[1:]):
        entry = _parsed(line)  # the last line may be cut where the program was killed
        if entry is None or entry.keys() != {"name"}:
            said.damaged += 1
        else:
            said.names.add(checked_name(entry["name"], str(path)))
    return said


def checked_name(name: Any, where: str) -> str:
    """A name inside the folder: plain words, at most one folder deep."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == IDENTITY:
        raise InputError(where, f"lists {name!r}, which is not a name inside the folder")
    return name


def identity_line(entry: dict[str, Any]) -> str:
    """A line of the identity file, with its checksum."""
    return json.dumps({**entry, CHECKSUM: object_checksum(entry)})


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The object in a line; None where it is cut or damaged. Lines of older versions have no checksum."""
    with contextlib.suppress(ValueError, RecursionError):
        entry = json.loads(line)
        if isinstance(entry, dict) and entry.pop(CHECKSUM, object_checksum(entry)) == object_checksum(entry):
            return entry
    return None


OURS = {  # the letters of every kind of store that there is, and what it is: files of ours are known by them
    "LCAS": "a case of a lab",
    "LCMP": "the store of a campaign",
    "LJRN": "a journal of judgements",
    "LHST": "a search history",
    "LLAB": "the store of a lab",
    "LPPL": "a list of people",
    "LRES": "the stored results of a lab",
}
MANIFEST = ".manifest.json"  # added to the name of a file that a command wrote: what it was made from
LOGS = ("-wal", "-shm")  # what SQLite makes beside a store, which is no pool and no run under any name
PathLike = str | os.PathLike[str]
RECORD, JOURNAL, PEOPLE = ".json", ".journal", ".people"  # added to the name of a pool's file
BESIDE_POOL = {
    JOURNAL: "the journal",
    f"{JOURNAL}-wal": "the write-ahead log",
    f"{JOURNAL}-shm": "the shared memory",
    f"{JOURNAL}-journal": "the rollback journal",
    PEOPLE: "the list of people",
    RECORD: "the record",
    f"{PEOPLE}-wal": "the log of the list of people",
    f"{PEOPLE}-shm": "the shared memory of the list of people",
}
RECORD_OF_POOL = "the record of a pool"  # what a pool's record says it is
POOLS = "pools"  # the folder of a lab for pools; what is made for it may replace a pool
ELSEWHERE = "name another file for the output"
_LAB = "lab"
SQLITE, _ID_AT = b"SQLite format 3\0", 68  # how a database begins, and where it keeps the application's id
_SEALED_HEAD = re.compile(rb'\{\s*"what": "([^"\\]{1,100})"')
_SEALED_TAIL = re.compile(rb'"%s": "[0-9a-f]{8}"\s*\}\s*$' % CHECKSUM.encode())
_ENDS = 256  # bytes of a file's beginning and end that tell what it is


def check_not_ours(path: PathLike, makes: Collection[str] | None = None) -> None:
    """Raise InputError if writing this file would replace one of ours, or put a stranger among them."""
    found = owner_of(path, makes)
    if found is not None:
        raise InputError(os.fspath(path), f"is {found}: {ELSEWHERE}")


def owner_of(path: PathLike, makes: Collection[str] | None = None, *, content: bool = True) -> str | None:
    """Why a file may not be written: "inside the index words", "the journal of the pool p.txt"; None if it may.

    `makes` are the folders of a lab in which it may lie (default: any); with "pools" it may replace a pool that nobody
    judged. Without `content` the file may be of ours by what it holds: its writer reads it first.
    """
    if not os.fspath(path) or _is_no_file(path):
        return None
    for place in _places(path):
        found = _inside(place, makes) or _of_pool(place, makes or ()) or (_by_content(place) if content else None)
        if found is not None:
            return found
    return None


def owner_of_folder(path: PathLike, makes: Collection[str] = ()) -> str | None:
    """Why a folder of ours may not be made here: it would lie inside another; None if it may.

    One that is there already, and that the folder around it does not list as its own, may be written to again.
    """
    place = Path(os.path.realpath(path))
    return _inside(place, makes, again=is_owned(place))


def _is_no_file(path: PathLike) -> bool:
    """Whether a device, a pipe or a folder is there: nothing is replaced."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _places(path: PathLike) -> Iterator[Path]:
    """Where a file would be written, and where the link lies that leads there."""
    there = Path(os.path.realpath(path))
    yield there
    folder, name = os.path.split(path)
    link = Path(os.path.realpath(folder or os.curdir)) / name
    if name not in ("", os.curdir, os.pardir) and link != there:
        yield link


def _inside(place: Path, makes: Collection[str] | None, *, again: bool = False) -> str | None:
    """The nearest folder of ours around a place, in words."""
    if place.name == IDENTITY:
        return "the name by which a folder of ours is known"
    for folder in place.parents:
        if not is_owned(folder) or _is_planted(folder):
            continue
        try:
            said = read_identity(folder)
        except InputError:
            said = None
        if said is None:
            return f"inside {shown(folder)}, a folder of ours whose {IDENTITY} is damaged"
        inside = place.relative_to(folder)
        if inside.as_posix() not in said.names and (
            again or (said.kind == _LAB and _is_for_commands(inside, said.names, makes))
        ):
            return None
        return f"inside the {said.kind} {shown(folder)}"
    return None


def _is_planted(folder: Path) -> bool:
    """Whether somebody put an identity file in a folder that is not theirs, such as /tmp, to stop others there."""
    try:
        writer, owner = os.lstat(folder / IDENTITY).st_uid, folder.stat().st_uid
    except OSError:
        return False
    return hasattr(os, "geteuid") and writer not in (os.geteuid(), 0, owner)


def _is_for_commands(inside: Path, names: Collection[str], makes: Collection[str] | None) -> bool:
    """Whether a place in a lab is one where commands write: LAB/runs/NAME, for what is made for `runs`."""
    folder, *rest = inside.parts
    return len(rest) == 1 and not rest[0].startswith(".") and folder in names and (makes is None or folder in makes)


def _of_pool(place: Path, makes: Collection[str]) -> str | None:
    """Which part of a pool a file is, in words."""
    for ending, what in BESIDE_POOL.items():
        pool = Path(str(place).removesuffix(ending))
        if place.name.endswith(ending) and pool.name and _is_pool(pool):
            return f"{what} of the pool {shown(pool)}"
    if POOLS not in makes:
        return "a pool, with its record or its journal beside it" if _is_pool(place) else None
    if os.path.lexists(f"{place}{JOURNAL}"):
        return "a pool that was judged already (its journal is beside it)"
    record = Path(f"{place}{RECORD}")
    if _sealed_as(record) != RECORD_OF_POOL and (other := _by_content(record)):
        return f"a pool whose record would replace {other}"
    return None


def _is_pool(pool: Path) -> bool:
    return _sealed_as(Path(f"{pool}{RECORD}")) == RECORD_OF_POOL or store_letters(Path(f"{pool}{JOURNAL}")) == "LJRN"


def _by_content(place: Path) -> str | None:
    """What a file of ours says it is, in words."""
    sealed = _sealed_as(place)
    return OURS.get(store_letters(place)) or (sealed and f"{sealed}, which we wrote")


# Closing a file gives up every lock that this process has on it, also those of SQLite's connections to it. So files of
# stores are opened by one thread at a time, and what one that is open here begins with is known without reading it.
one_at_a_time = threading.Lock()
_heads: dict[tuple[int, int], list[bytes]] = {}  # by device and number


@contextlib.contextmanager
def open_here(place: Path, letters: str) -> Iterator[None]:
    """Take note that a store is open in this process until the block ends. `one_at_a_time` is held at both ends."""
    about = os.lstat(place)
    heads = _heads.setdefault((about.st_dev, about.st_ino), [])
    heads.append(SQLITE.ljust(_ID_AT, b"\0") + letters.encode("ascii"))
    try:
        yield
    finally:
        heads.pop()
        if not heads:
            del _heads[about.st_dev, about.st_ino]


def is_open_here(place: Path) -> bool:
    """Whether a store is open in this process, so that reading its file would give up its locks.

    `one_at_a_time` is held.
    """
    about = os.lstat(place)
    return (about.st_dev, about.st_ino) in _heads


def store_letters(place: Path) -> str:
    """The letters in the head of a store, which say of what kind it is; empty for another file."""
    head, _ = _ends(place)
    return head[_ID_AT : _ID_AT + 4].decode("latin-1") if head.startswith(SQLITE) else ""


def _sealed_as(place: Path) -> str | None:
    """What a JSON file with our checksum says it is. It is not read in full: also a damaged one is ours."""
    head, tail = _ends(place)
    found = _SEALED_HEAD.match(head)
    return found[1].decode("utf-8", "replace") if found and _SEALED_TAIL.search(tail) else None


def _ends(place: Path) -> tuple[bytes, bytes]:
    """The beginning and the end of a file; nothing where there is none."""
    try:
        with one_at_a_time:
            about = os.lstat(place)
            if known := _heads.get((about.st_dev, about.st_ino)):
                return known[0], b""
            with open(place, "rb", opener=open_stored) as file:
                head = file.read(_ENDS)
                file.seek(max(0, file.seek(0, os.SEEK_END) - _ENDS))
                return head, file.read(_ENDS)
    except (OSError, ValueError):
        return b"", b""


def is_manifest(path: PathLike) -> bool:
    """Whether a file is a manifest of ours, which goes with the file that it is beside."""
    return os.fspath(path).endswith(MANIFEST) and _sealed_as(Path(path)) is not None


def shown(place: Path) -> str:
    """A path as people would write it: from where they are, if it is below."""
    try:
        here = Path.cwd()
    except OSError:  # the folder is gone
        return str(place)
    return str(place.relative_to(here)) if place.is_relative_to(here) and place != here else str(place)
