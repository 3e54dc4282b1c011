"""Long work of a lab: commands that run in a process of their own, one after the other, and survive the server.

    LAB/jobs/ID.json      what was asked, by whom, and how far it is: written by one process at a time
    LAB/jobs/ID.log       what the command printed
    LAB/jobs/ID.progress  how much of it is done
    LAB/jobs/ID.cancel    somebody wants it to stop

The worker (`job_worker.py`) is started when something is asked for, and ends when nothing waits. A request that was
answered before, with the same inputs and the same version, is answered by what it made then.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from leadline.errors import InputError, visible
from leadline.show.lab.job_kinds import JobPlan
from leadline.show.lab.lab import Lab
from leadline.text.checksums import parsed_object, read_sealed, sealed
from leadline.text.files import write_stored
from leadline.text.lock import FolderLock
from leadline.text.owned_folder import OwnedFolder, is_owned
from leadline.text.stored import stored_bytes
from leadline.version import __version__

KIND, VERSION = "folder of jobs", 1
WHAT, FORMAT, FIX = "a job", 1, "ask for the work again"
FOLDER = "jobs"
LONGEST_LOG = 1 << 20  # bytes of a log that are shown, from its end
LONGEST_ID, MOST_WAITING = 64, 100
State = Literal["waiting", "running", "done", "failed", "cancelled", "stopped"]
ENDED = ("done", "failed", "cancelled", "stopped")


@dataclass(frozen=True)
class LabJob:
    """One piece of work, and how far it is."""

    id: str
    key: str  # the same for the same work on the same inputs
    what: str
    arguments: tuple[str, ...]
    kind: str  # of what it makes
    name: str
    output: str
    person: str
    asked: str  # UTC
    state: State = "waiting"
    started: str = ""
    ended: str = ""
    problem: str = ""  # the last line of a command that failed

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED


@dataclass(frozen=True)
class JobProgress:
    """How much of a job is done."""

    what: str
    done: int
    total: int

    @property
    def share(self) -> float:
        return min(max(self.done / self.total, 0.0), 1.0) if self.total > 0 else 0.0


class Jobs:
    """The jobs of a lab."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.folder = lab, lab.folder / FOLDER
        self._lock = threading.Lock()

    def submit(self, plan: JobPlan, person: str) -> tuple[LabJob, bool]:
        """Ask for work; the job, and whether it is new. The same work that is done or under way is not repeated."""
        with self._lock:
            key = _key(plan)
            for job in self.all():
                if job.key == key and (not job.has_ended or (job.state == "done" and Path(job.output).exists())):
                    return job, False
            if sum(not job.has_ended for job in self.all()) >= MOST_WAITING:
                raise InputError("jobs", f"{MOST_WAITING} are waiting: cancel some, or wait")
            if Path(plan.output).exists():
                raise InputError(plan.name, f"there is another {plan.kind} of this name: give another name")
            job = LabJob(
                secrets.token_hex(8), key, plan.what, plan.arguments, plan.kind, plan.name, plan.output, person, now()
            )
            owned = self._claimed()
            owned.add(*(f"{job.id}.{end}" for end in ("json", "log", "progress", "cancel")))
            self.write(job)
        self.start_worker()
        return job, True

    def _claimed(self) -> OwnedFolder:
        if not is_owned(self.folder):
            with OwnedFolder.locked(self.lab.folder, "lab", 1) as outer:
                outer.reserve(FOLDER)
        return OwnedFolder.claim(self.folder, KIND, VERSION)

    def write(self, job: LabJob) -> None:
        """Store how far a job is."""
        write_stored(self.folder / f"{job.id}.json", sealed({"what": WHAT, "format": FORMAT, "job": asdict(job)}))

    def all(self) -> list[LabJob]:
        """Every job, the latest first."""
        return sorted(self._read(), key=lambda job: job.asked, reverse=True)

    def _read(self) -> Iterator[LabJob]:
        working: bool | None = None
        for path in sorted(self.folder.glob("*.json")) if self.folder.is_dir() else ():
            with contextlib.suppress(InputError):  # `leadline check` says what is damaged
                job = read_job(path)
                if not job.has_ended:
                    working = self.is_working() if working is None else working
                yield self._as_it_is(job, bool(working))

    def get(self, id: str) -> LabJob:
        """The job with an id; InputError where there is none."""
        plain = id.isascii() and id.isalnum() and len(id) <= LONGEST_ID  # a longer name is no file's
        if not plain or not (self.folder / f"{id}.json").is_file():
            raise InputError(visible(id[:40]), "is not a job of this lab")
        job = read_job(self.folder / f"{id}.json")
        return job if job.has_ended else self._as_it_is(job, self.is_working())

    def _as_it_is(self, job: LabJob, working: bool) -> LabJob:
        """A job whose worker is gone has stopped; one that was cancelled before it began never begins."""
        if job.state == "running" and not working:
            return replace(job, state="stopped", problem="the work was interrupted: ask for it again, and it goes on")
        if job.state == "waiting" and (self.folder / f"{job.id}.cancel").exists():
            return replace(job, state="cancelled")
        return job

    def cancel(self, id: str) -> LabJob:
        """Ask a job to stop; what it has written stays whole or not at all."""
        job = self.get(id)
        if not job.has_ended:
            write_stored(self.folder / f"{id}.cancel", b"")
        return self.get(id)

    def progress(self, id: str) -> JobProgress | None:
        """How much of a running job is done, if the command says so."""
        path = self.folder / f"{self.get(id).id}.progress"
        try:
            content = parsed_object(stored_bytes(path, 4096), str(path), "")
            return JobProgress(str(content["what"]), int(content["done"]), int(content["total"]))
        except (OSError, InputError, KeyError, ValueError, TypeError):
            return None

    def log(self, id: str) -> str:
        """What a job printed, with control codes made visible; the end of it where it is long."""
        path = self.folder / f"{self.get(id).id}.log"
        try:
            with path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - LONGEST_LOG))
                return visible(file.read(LONGEST_LOG).decode("utf-8", "replace"), "\t\n")
        except OSError:
            return ""

    def is_working(self) -> bool:
        """Whether a worker is at work."""
        lock = FolderLock(self.folder)
        try:
            lock.acquire()
        except InputError:
            return True
        lock.release()
        return False

    def start_worker(self) -> None:
        """Start a worker in a session of its own, so that it goes on when the server is stopped."""
        subprocess.Popen(
            [sys.executable, "-m", "leadline.show.lab.job_worker", str(self.lab.folder.resolve())],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip


def read_job(path: Path) -> LabJob:
    """The job in a file."""
    content = read_sealed(path, WHAT, FORMAT, FIX)
    if content is None:
        raise InputError(str(path), "no such job")
    written: dict[str, Any] = content["job"]
    return LabJob(**{**written, "arguments": tuple(written["arguments"])})


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def _key(plan: JobPlan) -> str:
    facts = [__version__, list(plan.arguments), list(plan.inputs)]
    return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()
