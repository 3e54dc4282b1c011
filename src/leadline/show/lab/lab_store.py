"""What a lab keeps of the work in it: the audit log and the jobs in LAB/lab.store, results in LAB/results.store.

Results can be computed again, so that their file may be removed.

Labs of version 0.1 have files instead: `audit.jsonl`, each line bound to the one before, and `jobs/ID.json`. They are
read as they are. The first change takes them over, lines with their hashes, and removes those that were sound.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import InputError, system_reason, visible
from leadline.text.checksums import read_sealed, stored_bytes
from leadline.text.files import PATIENCE
from leadline.text.owned_files import OURS, is_owned
from leadline.text.owned_folder import OwnedFolder
from leadline.text.store.kind import StoreKind
from leadline.text.store.opening import BESIDE
from leadline.text.store.store import Store, StoreView

FILE, AUDIT, JOBS = "lab.store", "audit.jsonl", "jobs"
LAB_STORE = StoreKind(OURS["LLAB"], "LLAB")
RESULTS, RESULTS_STORE = "results.store", StoreKind(OURS["LRES"], "LRES", repair="remove it", longest=32 << 20)
LAB_FOLDER, JOBS_FOLDER = ("lab", 1), ("folder of jobs", 1)  # kinds and formats
_START = "0" * 64
_WRONG = (ValueError, KeyError, TypeError, AttributeError, RecursionError)  # what the parts of a wrong line raise


class LabStore:
    """A store of a lab. Threads may share it; once something was changed, it stays open."""

    def __init__(
        self,
        folder: Path,
        name: str = FILE,
        kind: StoreKind = LAB_STORE,
        older: Callable[[Path, StoreView], list[Path]] | None = None,
    ) -> None:
        self.folder, self.path = folder, folder / name
        self._kind, self._older = kind, older or _take_over
        self._lock = threading.Lock()
        self._written: Store | None = None

    @classmethod
    def of_results(cls, folder: Path) -> LabStore:
        """The store of what was computed in a lab."""
        return cls(folder, RESULTS, RESULTS_STORE, lambda folder, now: [])

    @contextlib.contextmanager
    def view(self) -> Iterator[StoreView]:
        """Read what is there, on read-only media too."""
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
            if self._written is None:
                self._written = self._made()
        with self._written.change() as now:
            yield now

    def opened(self) -> Store:
        """The store to be read, checked as it is opened; one in memory where there is none yet."""
        return Store.open(self.path, self._kind, older=lambda now: self._older(self.folder, now))

    def close(self) -> None:
        """Close the file, if it is open; the next change opens it again."""
        with self._lock:
            if self._written is not None:
                self._written.close()
                self._written = None

    def _made(self) -> Store:
        names = [f"{self.path.name}{end}" for end in ("", *BESIDE)]
        if OwnedFolder.open(self.folder, *LAB_FOLDER).names.issuperset(names) and self.path.exists():
            return Store.open(self.path, self._kind, write=True)
        with OwnedFolder.locked(self.folder, *LAB_FOLDER, patience=PATIENCE) as owned:
            owned.reserve(*names)
            old: list[Path] = []
            store = Store.open(
                self.path,
                self._kind,
                write=True,
                create=True,
                older=lambda now: old.extend(self._older(self.folder, now)),
            )
            _remove(self.folder, owned, old)
        return store


def _take_over(folder: Path, now: StoreView) -> list[Path]:
    """Put what the files of version 0.1 say in a new store; the files that were sound, and say nothing else."""
    return [*_take_over_log(folder / AUDIT, now), *_take_over_jobs(folder / JOBS, now)]


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
    owned.remove({path.name for path in old if path.parent == folder} & owned.names)
    if is_owned(jobs):
        inside = OwnedFolder.open(jobs, *JOBS_FOLDER)
        inside.remove({path.name for path in old if path.parent == jobs} & inside.names)
