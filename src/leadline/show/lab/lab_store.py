"""The stores of a lab: LAB/lab.store has what was added, the audit log and the jobs, LAB/results.store the results.

Labs of version 0.1 have files instead: `lab.json`, `audit.jsonl`, each line bound to the one before, and
`jobs/ID.json`. They are read as they are. The first change takes them over, lines with their hashes, and removes those
that were sound. Results can be computed again, and lie apart: `results/*.json` of version 0.1 are not taken over.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import InputError, system_reason, visible
from leadline.text.checksums import read_sealed, stored_bytes
from leadline.text.files import PATIENCE
from leadline.text.owned_files import OURS, is_owned
from leadline.text.owned_folder import OwnedFolder, discard
from leadline.text.store.kind import StoreKind
from leadline.text.store.opening import BESIDE
from leadline.text.store.store import Store, StoreView

FILE, RESULTS, RECORDS, AUDIT, JOBS = "lab.store", "results.store", "lab.json", "audit.jsonl", "jobs"
FIX = "make the lab again with `leadline lab init`, and add its files"
LAB_STORE = StoreKind(OURS["LLAB"], "LLAB")
RESULTS_STORE = StoreKind(OURS["LRES"], "LRES", repair="remove it", longest=32 << 20)
ABOUT, ENTRIES = "lab", "entries"  # the records of a lab's title, and of what was added
LAB_FOLDER, JOBS_FOLDER = ("lab", 1), ("folder of jobs", 1)  # kinds and formats
SOURCES, SOURCES_FOLDER = "sources", ("folder of sources", 1)
CAMPAIGNS = "campaigns"  # the folder of a lab for campaigns that were begun in its pages
OLDER_RESULTS = "results"  # the folder of results of version 0.1
_START = "0" * 64
_WRONG = (ValueError, KeyError, TypeError, AttributeError, RecursionError)  # what the parts of a wrong line raise


class LabStore:
    """A store of a lab. Threads may share it."""

    def __init__(self, folder: Path, file: str = FILE) -> None:
        self.folder, self.path, self._file = folder, folder / file, file
        self._kind = LAB_STORE if file == FILE else RESULTS_STORE
        self._lock = threading.Lock()
        self._keeps = False
        self._written: Store | None = None

    @contextlib.contextmanager
    def kept_open(self) -> Iterator[None]:
        """Open the store once for everything in this block, as a server does: whenever it is opened it is checked."""
        self._keeps = True
        try:
            yield
        finally:
            with self._lock:
                self._keeps = False
                if self._written is not None:
                    self._written.close()
                    self._written = None

    @contextlib.contextmanager
    def view(self) -> Iterator[StoreView]:
        """Read what is there, on read-only media too."""
        if self._keeps and self._written is None and self.path.exists():
            with contextlib.suppress(InputError):  # it may not be written to
                self.make()
        if self._written is not None:
            with self._written.view() as now:
                yield now
        else:
            with self.opened() as store, store.view() as now:
                yield now

    @contextlib.contextmanager
    def change(self) -> Iterator[StoreView]:
        """Read and write in one transaction."""
        with self._lock:
            store = self._written or self._made()
            if self._keeps:
                self._written = store
        try:
            with store.change() as now:
                yield now
        finally:
            if store is not self._written:
                store.close()

    def opened(self) -> Store:
        """The store to be read, checked as it is opened; one in memory for a lab of version 0.1."""
        return Store.open(self.path, self._kind, older=self._older)

    def make(self) -> None:
        """Make the store where there is none yet, which needs the folder to itself."""
        with self.change():
            pass

    def _made(self) -> Store:
        names = [f"{self._file}{end}" for end in ("", *BESIDE)]
        if OwnedFolder.open(self.folder, *LAB_FOLDER).names.issuperset(names) and self.path.exists():
            return Store.open(self.path, self._kind, write=True)
        with OwnedFolder.locked(self.folder, *LAB_FOLDER, patience=PATIENCE) as owned:
            owned.reserve(*names)
            old: list[Path] = []
            store = Store.open(
                self.path, self._kind, write=True, create=True, older=lambda now: old.extend(self._older(now))
            )
            _remove(self.folder, owned, old)
        return store

    def _older(self, now: StoreView) -> list[Path]:
        return _take_over(self.folder, now) if self._file == FILE else [self.folder / OLDER_RESULTS]


def _take_over(folder: Path, now: StoreView) -> list[Path]:
    """Put what the files of version 0.1 say in a new store; the files that were sound, and say nothing else."""
    return [
        *_take_over_entries(folder / RECORDS, now),
        *_take_over_log(folder / AUDIT, now),
        *_take_over_jobs(folder / JOBS, now),
    ]


def _take_over_entries(path: Path, now: StoreView) -> list[Path]:
    """Add the title of a lab, and what was added to it."""
    content = read_sealed(path, "a lab", 1, FIX)
    if content is None:
        raise InputError(str(path.with_name(FILE)), f"is missing: {FIX}")
    begin_lab(now, content["title"], blind=content["blind"])
    for each in content["entries"]:
        now.records(ENTRIES).put(entry_key(each["kind"], each["name"]), each)
    return [path]


def begin_lab(now: StoreView, title: str, *, blind: bool = False) -> None:
    """Put in a new store what every lab has."""
    now.records(ABOUT).put("title", title)
    now.records(ABOUT).put("blind", blind)


def entry_key(kind: str, name: str) -> str:
    """The key of something that was added."""
    return f"{kind}\n{name}"


def _take_over_log(path: Path, now: StoreView) -> list[Path]:
    """Add the lines of an audit log as they are written, also where one was changed: it shows in the store as well."""
    try:
        written = stored_bytes(path)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    *lines, tail = [line.decode("utf-8", "backslashreplace") for line in written.split(b"\n")]
    hashes = OlderLog(path)
    with contextlib.suppress(InputError):
        for line in lines:
            hashes.follow(line)
    sound = len(lines) == hashes.lines
    try:
        hashes.follow(tail)  # which may lack only its end
        lines.append(tail)
    except InputError:
        if tail:
            said = f"took over {path.name}, which ended with a line that was not written whole: {visible(tail)}"
            now.events.append("did", person="leadline", role="", did=said)
    for line in lines:
        now.events.append("line", person="", line=line)
    return [path] if sound else []


@dataclass
class OlderLog:
    """The audit log of version 0.1: its lines are compared with their hashes, one after the other."""

    path: Path
    lines: int = 0
    after: str = _START

    def follow(self, written: str) -> dict[str, str]:
        """What the next line says; InputError where it was changed, removed or put in."""
        try:
            content = json.loads(written)
            digest = content.pop("sha256")
            sorted_text = json.dumps(content, sort_keys=True, ensure_ascii=False)
            if digest != hashlib.sha256(sorted_text.encode()).hexdigest() or content.pop("after") != self.after:
                raise ValueError
            said = {name: str(content[name]) for name in ("at", "person", "role", "did")}
        except _WRONG:
            problem = "was changed: this line does not follow the one before"
            raise InputError(str(self.path), problem, line=self.lines + 1) from None
        self.lines, self.after = self.lines + 1, digest
        return said


def _take_over_jobs(folder: Path, now: StoreView) -> list[Path]:
    """Add the jobs of a folder; those that have not ended wait, the one asked for first first."""
    found: list[tuple[Path, dict[str, Any]]] = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        with contextlib.suppress(InputError):  # `leadline check` says what is damaged
            found.append((path, read_older_job(path)))
    for path, job in sorted(found, key=lambda each: str(each[1]["asked"])):
        job["to_stop"] = path.with_suffix(".cancel").exists()
        now.records("jobs").put(path.stem, job)
        if job["state"] in ("waiting", "running"):
            now.queue("jobs").put(path.stem)
    return [each for path, _ in found for each in (path, path.with_suffix(".cancel"))]


def read_older_job(path: Path) -> dict[str, Any]:
    """The job in a file of version 0.1."""
    content = read_sealed(path, "a job", 1, "ask for the work again")
    job = None if content is None else content.get("job")
    if not isinstance(job, dict) or job.get("id") != path.stem:
        raise InputError(str(path), "is not a job: ask for the work again")
    return job


def _remove(folder: Path, owned: OwnedFolder, old: list[Path]) -> None:
    """Remove files that were taken over, of those that are listed as ours."""
    jobs = folder / JOBS
    if folder / OLDER_RESULTS in old:
        discard(folder / OLDER_RESULTS)
    owned.remove({path.name for path in old if path.parent == folder and not path.is_dir()} & owned.names)
    if is_owned(jobs):
        inside = OwnedFolder.open(jobs, *JOBS_FOLDER)
        inside.remove({path.name for path in old if path.parent == jobs} & inside.names)


@dataclass(frozen=True)
class AuditLine:
    """One thing that somebody did."""

    at: str  # UTC
    person: str
    role: str
    did: str


class AuditLog:
    """The audit log of a lab; threads may share it."""

    def __init__(self, store: LabStore) -> None:
        self._store = store

    def add(self, person: str, role: str, did: str) -> None:
        """Append a line; it is on the disk when this returns."""
        with self._store.change() as now:
            now.events.append("did", person=visible(person), role=role, did=visible(did)[:1000])

    def lines(self) -> Iterator[AuditLine]:
        """Every line, the first first; InputError where one of version 0.1 was changed, removed or put in."""
        with self._store.view() as now:
            events = now.events.all()
        older = OlderLog(self._store.folder / AUDIT)
        for event in events:
            if event.said["kind"] == "line":
                yield AuditLine(**older.follow(event.said["line"]))
            else:
                yield AuditLine(event.at, event.said["person"], event.said["role"], event.said["did"])
