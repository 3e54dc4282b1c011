"""A lab on disk: who looks at it, what was added, when and from where; `kinds.py` has the kinds of things it holds.

    LAB/leadline.jsonl     the identity
    LAB/lab.store          title, and for each thing that was added: its kind, name, place and checksum
    LAB/runs/bm25.run      and so on; commands may write here as well: `leadline run ... -o LAB/runs/bm25.run`

Whatever lies in these folders belongs to the lab, recorded or not. Folders such as collections and indexes stay where
they are and are recorded by their place; files are copied.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from leadline.errors import InputError, checked_choice, nearest, visible
from leadline.judge.journal import JudgingJournal, People
from leadline.options import SAMPLES
from leadline.show.lab.kinds import KINDS, LabKind, kind_of, missing_file
from leadline.show.lab.lab_store import (
    ABOUT,
    ENTRIES,
    FIX,
    LAB_FOLDER,
    LAB_STORE,
    RECORDS,
    RESULTS,
    LabStore,
    begin_lab,
    entry_key,
)
from leadline.show.lab.lab_store import FILE as STORE
from leadline.text.checksums import file_sha256, parsed_object, stored_bytes
from leadline.text.files import PATIENCE, replacing_ours
from leadline.text.owned_files import IDENTITY, LOGS, is_owned
from leadline.text.owned_folder import OwnedFolder, wrong_folder
from leadline.text.source import stem
from leadline.text.store.opening import BESIDE as BESIDE_STORE
from leadline.text.store.opening import version_of
from leadline.text.store.store import Store, StoreView
from leadline.version import __version__

# Who looks at a lab. In a blind lab, participants see only their own runs until the organiser opens the results.
#
# The person is set for the length of a request, and the lab asks here: so no page can forget to.


@dataclass(frozen=True)
class Viewer:
    """A person who looks at a lab, and their role."""

    name: str
    role: str

    @property
    def sees_everything(self) -> bool:
        return self.role == "organiser"


_viewer: ContextVar[Viewer | None] = ContextVar("viewer", default=None)


def viewer() -> Viewer | None:
    """Who looks; None for the command line, which sees everything."""
    return _viewer.get()


@contextmanager
def seen_by(person: Viewer | None) -> Iterator[None]:
    """Let a person look while the block lasts."""
    token = _viewer.set(person)
    try:
        yield
    finally:
        _viewer.reset(token)


KIND, VERSION = LAB_FOLDER
PEOPLE = "people"
LONGEST_TITLE = 200
FILE_NAME = re.compile(r"[\w=+-][\w.=+-]{0,199}")
JOURNAL_END, PRIVATE = ".journal", (".journal", ".people")  # beside a pool; what only its owner may read
BESIDE_JOURNAL = (f"{JOURNAL_END}-wal", f"{JOURNAL_END}-shm")  # which SQLite makes while a journal is open
BESIDE_PEOPLE = (".people-wal", ".people-shm")
BESIDE_ENDINGS = (".manifest.json", ".why.tsv", ".json", JOURNAL_END, ".people", *LOGS, ".part")


@dataclass(frozen=True)
class LabEntry:
    """One thing in a lab."""

    kind: str
    name: str
    path: Path
    sha256: str = ""  # of the file, or of a folder's manifest, when it was added; empty: found, not added
    added: str = ""  # UTC
    origin: str = ""  # where it was before
    leadline: str = ""  # the version that added it
    owner: str = ""  # who uploaded it, or asked for the job that made it

    @property
    def state(self) -> str:
        """`sound`, `changed` since it was added, `missing`, or `found` in the lab without having been added."""
        if not self.path.exists():
            return "missing"
        if not self.sha256:
            return "found"
        return "sound" if fingerprint(KINDS[self.kind], self.path) == self.sha256 else "changed"

    def made_from(self) -> dict[str, Any]:
        """What the command that made it wrote down: versions, hashes, settings; empty where it wrote nothing."""
        kind = KINDS[self.kind]
        path = self.path / kind.manifest if kind.is_folder else Path(f"{self.path}.manifest.json")
        with contextlib.suppress(OSError, InputError):
            return parsed_object(stored_bytes(path, 16 << 20), str(path), "")
        return {}


@dataclass(frozen=True)
class LabSettings:
    """What is said of a lab as a whole."""

    title: str = ""
    blind: bool = False  # participants see only their own runs
    baseline: str = ""  # the run of the system that is used today
    samples: int = SAMPLES  # with half the judgements, on every page


class Lab:
    """The things in a lab, by kind and name."""

    def __init__(self, folder: Path, id: str) -> None:
        self.folder, self.id = folder, id
        self.store = LabStore(folder)  # what was added, and what people did here
        self.results = LabStore(folder, RESULTS)  # what was computed
        self._lock = threading.Lock()
        self._seen: tuple[object, ...] | None = None
        self._settings = LabSettings()
        self._entries: dict[tuple[str, str], LabEntry] = {}

    @classmethod
    def create(cls, folder: str | os.PathLike[str], title: str = "") -> Lab:
        """Make a lab in a new or empty folder, or in one where making it was stopped."""
        place = Path(folder)
        if is_owned(place):
            OwnedFolder.open(folder, KIND, VERSION)
            if (place / STORE).exists() or (place / RECORDS).exists():
                raise InputError(os.fspath(folder), "is a lab already; add to it with `leadline lab add`")
        title = _checked_title(title or place.resolve().name)
        with OwnedFolder.locked(place, KIND, VERSION) as owned:
            names = [kind.folder for kind in KINDS.values()]
            owned.reserve(*(f"{STORE}{end}" for end in ("", *BESIDE_STORE)), *names)
            for name in names:
                (place / name).mkdir(exist_ok=True)

            def begin(now: StoreView) -> None:
                begin_lab(now, title)

            try:
                Store.open(place / STORE, LAB_STORE, write=True, create=True, older=begin).close()
                return cls.open(place)
            except BaseException:  # such as a full disk: the next attempt begins again
                for end in ("", *BESIDE_STORE):
                    (place / f"{STORE}{end}").unlink(missing_ok=True)
                raise

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Lab:
        """Open a lab that `create` made."""
        place = Path(folder)
        if not is_owned(place):
            raise wrong_folder(place, KIND, "make one with `leadline lab init`, and add files with `leadline lab add`")
        lab = cls(place, OwnedFolder.open(place, KIND, VERSION).id)
        lab.refresh()
        return lab

    @property
    def title(self) -> str:
        self.refresh()
        return self._settings.title

    @property
    def name(self) -> str:
        """What the folder is called: pages do not say where on the machine it is."""
        return self.folder.resolve().name

    def refresh(self) -> None:
        """Look again, if something was added, written or removed."""
        with self._lock:
            names = (RECORDS, *(kind.folder for kind in KINDS.values()))
            stored = version_of(self.store.path)
            seen = (stored, *(_version(self.folder / name) for name in names))
            if seen != self._seen or (stored is None and self.store.path.exists()):
                self._settings, recorded = self._records()
                found = {(each.kind, each.name): each for each in self._found(recorded)}
                self._entries = {**recorded, **found}
                self._seen = seen

    def entries(self, kind: str | None = None) -> list[LabEntry]:
        """What is in the lab, or all of one kind, by name."""
        self.refresh()
        order = list(KINDS)
        found = [each for each in self._entries.values() if kind in (None, each.kind) and self._may_see(each)]
        return sorted(found, key=lambda each: (order.index(each.kind), each.name))

    def get(self, kind: str, name: str) -> LabEntry:
        """The entry of a kind with a name; InputError where there is none."""
        self.refresh()
        found = self._entries.get((kind, name))
        if found is None or not self._may_see(found):
            names = [each.name for each in self.entries(kind)]
            raise InputError(visible(name), f"is not among the {KINDS[kind].title.lower()}{nearest(name, names)}")
        return found

    def is_taken(self, kind: str, name: str) -> bool:
        """Whether something has a name, also what the person who looks may not see."""
        self.refresh()
        return (kind, name) in self._entries

    @property
    def is_blind(self) -> bool:
        """Whether participants see only their own runs."""
        self.refresh()
        return self._settings.blind

    def set_blind(self, blind: bool) -> None:
        """Hide the judgements, the reports and other people's runs from participants, or open the results."""
        self._set("blind", blind)

    @property
    def baseline(self) -> str:
        """The run of the system that is used today; empty where nobody said which."""
        self.refresh()
        name = self._settings.baseline
        return name if any(each.name == name for each in self.entries("run")) else ""

    def set_baseline(self, run: str) -> None:
        """Say which run is of the system that is used today; empty: none is."""
        if run:
            self.get("run", run)
        self._set("baseline", run)

    @property
    def samples(self) -> int:
        """The number of samples with half the judgements."""
        self.refresh()
        return self._settings.samples

    def set_samples(self, samples: int) -> None:
        """Say how many samples with half the judgements are drawn."""
        self._set("samples", samples)

    def _set(self, name: str, value: object) -> None:
        with self.store.change() as now:
            now.records(ABOUT).put(name, value)
        self._seen = None

    def _may_see(self, entry: LabEntry) -> bool:
        """Whether the person who looks may see something."""
        who = viewer()
        if not self._settings.blind or who is None or who.sees_everything:
            return True
        if entry.kind == "run":
            return entry.owner == who.name
        judging = ("pool", "review") if who.role in ("assessor", "expert") else ()
        return entry.kind in ("collection", "index", "topics", *judging)

    def add(
        self,
        path: str | os.PathLike[str],
        *,
        kind: str | None = None,
        name: str | None = None,
        replaced: bool = False,
        origin: str = "",
        owner: str = "",
    ) -> LabEntry:
        """Add a file (copied) or a folder (its place is recorded); what is the same already is left as it is.

        `replaced` allows another content under a name that is taken; `origin` says where it is from (default: its
        place), `owner` whose it is.
        """
        return self._store(*_checked(path, kind, name, origin, owner), replaced=replaced)

    def add_all(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        kind: str | None = None,
        name: str | None = None,
        replaced: bool = False,
    ) -> list[LabEntry]:
        """Add several files or folders as `add` does; all are checked first, and nothing is added if one is wrong."""
        checked = [_checked(path, kind, name) for path in paths]
        _, recorded = self._records()
        by_name: dict[tuple[str, str], LabEntry] = {}
        for new, _ in checked:
            self._named_already(new, recorded, replaced=replaced)
            other = by_name.setdefault((new.kind, new.name), new)
            if other.sha256 != new.sha256:
                raise InputError(str(new.path), f"has the same name as {other.path}: add one of them with --name")
        with self.store.kept_open(), self._locked() as owned:  # once for all: what is listed is read in full each time
            return [self._stored(owned, new, file, replaced=replaced) for new, file in checked]

    def _named_already(
        self, new: LabEntry, recorded: dict[tuple[str, str], LabEntry], *, replaced: bool
    ) -> tuple[LabEntry | None, bool]:
        """What has the name already, and whether it is the same; InputError if another may not be replaced."""
        known = {**recorded, **{(each.kind, each.name): each for each in self._found(recorded)}}
        old = known.get((new.kind, new.name))
        if old is None or not old.path.exists():
            return old, False
        found, there = KINDS[old.kind], old.path
        is_same = there.resolve() == new.path.resolve() or fingerprint(found, there) == new.sha256
        if not is_same and not replaced:
            problem = f"there is another {new.kind} {new.name} already: give --name, or --replace"
            raise InputError(str(new.path), problem)
        return old, is_same

    def _store(self, new: LabEntry, file: str, *, replaced: bool) -> LabEntry:
        with self._locked() as owned:
            return self._stored(owned, new, file, replaced=replaced)

    def _stored(self, owned: OwnedFolder, new: LabEntry, file: str, *, replaced: bool) -> LabEntry:
        """Record what was checked; a file is copied under the name `file`."""
        found, source, entry = KINDS[new.kind], new.path, replace(new, path=new.path.resolve())
        _, recorded = self._records()
        old, is_same = self._named_already(new, recorded, replaced=replaced)
        if old is not None and is_same and old.sha256 == entry.sha256:
            return old
        if not found.is_folder and not self._is_inside(source, found):
            entry = replace(entry, path=self._copy(owned, found, source, file))
            if old is not None and old.path != entry.path and self._is_inside(old.path, found):
                owned.remove([f"{found.folder}/{old.path.name}"] if _listed(owned, found, old.path) else [])
        written = {**asdict(entry), "path": _written_place(entry.path, self.folder)}
        with self.store.change() as now:
            now.records(ENTRIES).put(entry_key(entry.kind, entry.name), written)
        self._seen = None
        return entry

    def remove(self, kind: str, name: str) -> None:
        """Take something out of the lab. A copy of ours is removed; what stays elsewhere, or is not ours, stays."""
        entry = self.get(kind, name)
        with self._locked() as owned:
            with self.store.change() as now:
                was_added = now.records(ENTRIES).remove(entry_key(kind, name))
            if not was_added:
                raise InputError(visible(name), f"was not added to the lab, so it is not removed; it is {entry.path}")
            inside = KINDS[kind]
            if self._is_inside(entry.path, inside):
                ends = (*inside.beside, *BESIDE_JOURNAL, *BESIDE_PEOPLE)
                names = [entry.path.name, *(f"{entry.path.name}{end}" for end in ends)]
                gone = {f"{inside.folder}/{one}" for one in names} & owned.names
                owned.remove(gone)
                owned.keep_only(owned.names - gone)  # another of this name begins without them
        self._seen = None

    def people_file(self) -> Path:
        """The file of the people who may open the pages."""
        return self._own_file(PEOPLE, *(f"{PEOPLE}{end}" for end in BESIDE_STORE))

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the stores open until the block ends, as a server does."""
        with self.store.kept_open(), self.results.kept_open():
            yield

    def _own_file(self, name: str, *beside: str) -> Path:
        if name not in OwnedFolder.open(self.folder, KIND, VERSION).names:
            with self._locked() as owned:
                owned.reserve(name, *beside)
        return self.folder / name

    @contextmanager
    def _locked(self) -> Iterator[OwnedFolder]:
        """The folder to write to: jobs, uploads and commands wait for each other."""
        if not self.store.path.exists():  # a lab of version 0.1, which is taken over under this lock
            self.store.make()
        with OwnedFolder.locked(self.folder, KIND, VERSION, patience=PATIENCE) as owned:
            yield owned

    def _records(self) -> tuple[LabSettings, dict[tuple[str, str], LabEntry]]:
        """What is said of the lab, and what was added."""
        with self.store.view() as now:
            about = dict(now.records(ABOUT).items())
            stored = [value for _, value in now.records(ENTRIES).items()]
        try:
            entries = [LabEntry(**{**each, "path": self._place(each["path"])}) for each in stored]
        except (TypeError, KeyError):
            raise InputError(str(self.store.path), f"has an entry that is none: {FIX}") from None
        settings = LabSettings(**{name: about[name] for name in LabSettings.__dataclass_fields__ if name in about})
        if not settings.title:
            raise InputError(str(self.store.path), f"has no title: {FIX}")
        return settings, {(each.kind, each.name): each for each in entries}

    def _place(self, written: str) -> Path:
        return Path(os.path.normpath(self.folder / written))

    def _found(self, recorded: dict[tuple[str, str], LabEntry]) -> Iterator[LabEntry]:
        """What lies in the lab's folders, as it is recorded or as it was found."""
        places = {each.path: each for each in recorded.values()}
        for kind in KINDS.values():
            folder = self.folder / kind.folder
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                if path.name.startswith(".") or path.is_symlink():
                    continue
                if not (is_owned(path) if kind.is_folder else _is_thing(path, kind)):
                    continue
                yield places.get(path) or LabEntry(kind.name, stem(path), path)

    def _is_inside(self, path: Path, kind: LabKind) -> bool:
        return path.resolve().parent == (self.folder / kind.folder).resolve()

    def _copy(self, owned: OwnedFolder, kind: LabKind, source: Path, file: str) -> Path:
        """Copy a file into the lab, with what commands wrote beside it."""
        journal = self.folder / kind.folder / f"{file}{JOURNAL_END}"
        if JOURNAL_END in kind.beside and journal.exists() and Path(f"{source}{JOURNAL_END}").exists():
            problem = "has a journal, and would replace that of the lab, with its marks: give --name"
            raise InputError(str(source), problem)
        for end in (*kind.beside, ""):  # the file itself comes last: only then is it there
            name = f"{kind.folder}/{file}{end}"
            if end and not Path(f"{source}{end}").is_file():
                if end not in PRIVATE and name in owned.names:  # of what is replaced
                    owned.remove([name])
                    owned.keep_only(owned.names - {name})
                continue
            owned.reserve(name)
            with _opened(Path(f"{source}{end}")) as old, replacing_ours(self.folder / name) as new:
                shutil.copyfileobj(old, new)
            if end in PRIVATE:
                (self.folder / name).chmod(0o600)
        return self.folder / kind.folder / file


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """A file to copy; a journal or people with what is still in the log of the server that has them open."""
    if path.suffix not in PRIVATE:
        with path.open("rb") as file:
            yield file
        return
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / path.name
        if path.suffix == JOURNAL_END:
            with contextlib.closing(JudgingJournal(path, write=False)) as journal:
                journal.backup(copy)
        else:
            People(path).copy_to(copy)
        with copy.open("rb") as file:
            yield file


def fingerprint(kind: LabKind, path: Path) -> str:
    """The SHA-256 of a file, or of the manifest of a folder, which holds those of its files."""
    return file_sha256(path / kind.manifest if kind.is_folder else path)


def _checked(
    path: str | os.PathLike[str], kind: str | None, name: str | None, origin: str = "", owner: str = ""
) -> tuple[LabEntry, str]:
    """What a file or folder would be in a lab, still at its own place, and its file name; InputError if wrong."""
    source = Path(path)
    found = KINDS[checked_choice("kind", kind, tuple(KINDS)) if kind is not None else kind_of(source)]
    if not source.exists():
        raise missing_file(source)
    if found.is_folder != source.is_dir():
        raise InputError(str(source), f"is a {'folder' if source.is_dir() else 'file'}, not a {found.name}")
    found.check(source)
    file = _file_name(source, name)
    entry = LabEntry(
        found.name,
        stem(file),
        source,
        fingerprint(found, source),
        _now(),
        origin or str(source.resolve()),
        __version__,
        owner,
    )
    return entry, file


def _is_thing(path: Path, kind: LabKind) -> bool:
    """Whether a file is one of the lab's things, and not what belongs to another file."""
    if path.name.endswith((*LOGS, *kind.beside)):  # also where what it is beside is gone
        return False
    return path.is_file() and not any(
        path.name.endswith(end) and Path(str(path).removesuffix(end)).exists() for end in BESIDE_ENDINGS
    )


def _listed(owned: OwnedFolder, kind: LabKind, path: Path) -> bool:
    return f"{kind.folder}/{path.name}" in owned.names


def _file_name(source: Path, name: str | None) -> str:
    """The name of the file in the lab: its own, or `name` with the same ending."""
    ending = source.name.removeprefix(stem(source)) if source.is_file() else ""
    file = source.resolve().name if name is None else f"{name.removesuffix(ending)}{ending}"
    return check_file_name(file, str(source))


def check_file_name(file: str, where: str) -> str:
    """The name of a file in the lab; InputError for one with anything but plain letters, or of a folder."""
    if not FILE_NAME.fullmatch(file) or file == IDENTITY:
        raise InputError(where, f"{file!r} must be at most 200 letters, digits and . = + - _: give another --name")
    return file


def _checked_title(title: str) -> str:
    if not 1 <= len(title.strip()) <= LONGEST_TITLE:
        raise InputError("title", f"must have 1 to {LONGEST_TITLE} characters, has {len(title.strip())}")
    return visible(title.strip())


def _written_place(path: Path, folder: Path) -> str:
    """A place relative to the lab if it is in the lab or beside it, so that both can be moved together."""
    home = folder.resolve()
    full = Path(os.path.normpath(path if path.is_absolute() else Path.cwd() / path))
    return os.path.relpath(full, home) if full.is_relative_to(home.parent) else str(full)


def _version(path: Path) -> tuple[int, int] | None:
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return about.st_ino, about.st_mtime_ns


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


# Values that are made once and kept while they are used: a few of them, safe for several threads.


Value = TypeVar("Value")
FileVersion = tuple[int, int, int]


class Kept(Generic[Value]):
    """The values that were asked for last, by key.

    >>> squares = Kept[int](most=2)
    >>> [squares.get(number, lambda number=number: number * number) for number in (3, 3, 4)]
    [9, 9, 16]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, _Slot[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key. Of several threads that ask for it at once, one makes it and the others wait."""
        with self._lock:
            slot = self._values.setdefault(key, _Slot())
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        with slot.lock:
            if not slot.made:
                slot.made = [make()]
            return slot.made[0]


class _Slot(Generic[Value]):
    """The place of one value: empty until it is made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: list[Value] = []


def file_version(path: Path) -> FileVersion:
    """What tells one content of a file from another without reading it; zeros where there is no file."""
    try:
        about = path.stat()
    except OSError:
        return 0, 0, 0
    return about.st_ino, about.st_mtime_ns, about.st_size
