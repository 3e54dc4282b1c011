"""Long work of a lab: commands in a process of their own (`job_plans.py` has which), and that process itself.

    LAB/lab.store         what was asked, by whom, and how far it is (records); what has not ended (a queue)
    LAB/jobs/ID.log       what the command printed
    LAB/jobs/ID.progress  how much of it is done

The worker (`work`) is started when something is asked for, and ends when nothing waits. It takes a job with a lease,
which it extends while it works: what a worker that was killed left, waiting or begun, is taken up by the next, which
the server starts (`attended`). A request that was answered before, with the same inputs and the same version, is
answered by what it made then.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from leadline.errors import InputError, LeadlineError, visible
from leadline.records.result import counted
from leadline.show.lab.job_plans import JobPlan
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import JOBS, JOBS_FOLDER, LAB_FOLDER
from leadline.text.background import Background
from leadline.text.checksums import parsed_object, stored_bytes
from leadline.text.files import hold
from leadline.text.owned_files import is_owned
from leadline.text.owned_folder import OwnedFolder
from leadline.text.processes import end_program
from leadline.text.store.queue import Lease
from leadline.text.store.store import StoreView

NAME = "jobs"  # of the records and of the queue
LONGEST_LOG = 1 << 20  # bytes of a log that are shown, from its end
LONGEST_ID, MOST_WAITING = 64, 100
LEASE = 6.0  # seconds for which a worker has a job; it extends them as long as it lives
MOST_BEGUN = 3  # times that a job is begun: one that ends the machine itself is not begun for ever
LOOKS_EVERY = 5.0  # seconds between two looks for work that nobody does
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
    begun: int = 0  # how often
    process: int = 0  # of the command, which leads a group of its own
    to_stop: bool = False  # somebody wants it to stop

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
        self.lab, self.folder, self._store = lab, lab.folder / JOBS, lab.store

    def submit(self, plan: JobPlan, person: str) -> tuple[LabJob, bool]:
        """Ask for work; the job, and whether it is new. The same work that is done or under way is not repeated."""
        key, folder = plan.key, self._claimed(plan)
        with self._store.change() as now:
            known = list(_all(now))
            same = [job for job in known if job.key == key and (not job.has_ended or _is_there(job))]
            if not same:
                if sum(not job.has_ended for job in known) >= MOST_WAITING:
                    raise InputError("jobs", f"{MOST_WAITING} are waiting: cancel some, or wait")
                if Path(plan.output).exists():
                    raise InputError(plan.name, f"there is another {plan.kind} of this name: give another name")
                made = (plan.what, plan.arguments, plan.kind, plan.name, plan.output)
                job = LabJob(secrets.token_hex(8), key, *made, person, moment())
                folder.add(*(f"{job.id}.{end}" for end in ("log", "progress")))
                now.records(NAME).put(job.id, asdict(job))
                now.queue(NAME).put(job.id)
        if same:
            self.take_up()
            return max(same, key=lambda job: job.asked), False
        self.start_worker()
        return job, True

    def _claimed(self, plan: JobPlan) -> OwnedFolder:
        """The folder of jobs; a lab of an earlier version gets the folder for what the job makes."""
        place = Path(plan.output).parent
        if not is_owned(self.folder) or not place.is_dir():
            with OwnedFolder.locked(self.lab.folder, *LAB_FOLDER, patience=PATIENCE) as outer:
                outer.reserve(JOBS, place.name)
                place.mkdir(exist_ok=True)
        return OwnedFolder.claim(self.folder, *JOBS_FOLDER)

    def update(self, id: str, **changed: Any) -> LabJob:
        """Store how far a job is; the job as it is now."""
        with self._store.change() as now:
            job = replace(_job(now, id), **changed)
            now.records(NAME).put(id, asdict(job))
        return job

    def all(self) -> list[LabJob]:
        """Every job, the latest first."""
        with self._store.view() as now:
            return sorted(_all(now), key=lambda job: job.asked, reverse=True)

    def get(self, id: str) -> LabJob:
        """The job with an id; InputError where there is none."""
        with self._store.view() as now:
            return _as_it_is(_job(now, id), _held(now))

    def cancel(self, id: str) -> LabJob:
        """Ask a job to stop; what it has written stays whole or not at all."""
        if not self.get(id).has_ended:
            self.update(id, to_stop=True)
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
        with self._store.view() as now:
            return bool(_held(now))

    def take_up(self) -> None:
        """Start a worker where jobs are left and nobody works on them: their worker was killed."""
        with self._store.view() as now:
            is_left = len(now.queue(NAME)) and not _held(now)
        if is_left:
            self.start_worker()

    def take(self) -> Lease | None:
        """The job that was asked for first, for a worker; None where nothing is left, or another worker is at work.

        That one looks here again when it is done, so that it finds whatever is there by now.
        """
        with self._store.change() as now:
            return None if _held(now) else now.queue(NAME).take(seconds=LEASE)

    @contextlib.contextmanager
    def held(self, lease: Lease) -> Iterator[None]:
        """Keep a job until the block ends, or this process does."""

        def extend() -> None:
            with contextlib.suppress(LeadlineError), self._store.change() as now:  # as a full disk
                now.queue(NAME).extend(lease, seconds=LEASE)

        with Background(extend, "lease", every=LEASE / 4):
            yield

    def end(self, lease: Lease, **changed: Any) -> None:
        """Store how a job ended, unless another worker has it by now."""
        with self._store.change() as now:
            if now.queue(NAME).finish(lease):
                job = replace(_job(now, lease.value), ended=moment(), **changed)
                now.records(NAME).put(job.id, asdict(job))

    @contextlib.contextmanager
    def attended(self, every: float = LOOKS_EVERY) -> Iterator[None]:
        """Take up what is left, now and whenever a worker is killed, until the block ends."""

        def attend() -> None:
            with contextlib.suppress(LeadlineError, OSError):  # as a full disk: it may work the next time
                self.take_up()

        with Background(attend, "jobs", every=every) as background:
            background.wake()
            yield

    def start_worker(self) -> None:
        """Start a worker in a session of its own, so that it goes on when the server is stopped."""
        subprocess.Popen(
            [sys.executable, "-m", "leadline.show.lab.jobs", str(self.lab.folder.resolve())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )


def _all(now: StoreView) -> Iterator[LabJob]:
    held = _held(now)
    return (_as_it_is(_job(now, id), held) for id in now.records(NAME).keys())  # noqa: SIM118


def _job(now: StoreView, id: str) -> LabJob:
    """A job as it is stored."""
    written = now.records(NAME).get(id) if 0 < len(id) <= LONGEST_ID else None
    if written is None:
        raise InputError(visible(id[:40]), "is not a job of this lab")
    try:
        return LabJob(**{**written, "arguments": tuple(written["arguments"])})
    except (TypeError, KeyError):
        raise now.records(NAME).damaged(f"{visible(id)} is no job") from None


def _held(now: StoreView) -> set[str]:
    """The ids of jobs that a worker has."""
    return {id for _, id, is_held in now.queue(NAME).all() if is_held}


def _as_it_is(job: LabJob, held: set[str]) -> LabJob:
    """A job whose worker is gone waits for the next; one that was cancelled before it began never begins."""
    if job.state == "running" and job.id not in held:
        job = replace(job, state="waiting")
    return replace(job, state="cancelled") if job.state == "waiting" and job.to_stop else job


def _is_there(job: LabJob) -> bool:
    return job.state == "done" and Path(job.output).exists()


def moment() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


# The process that does a lab's jobs, one after the other: `python -m leadline.show.lab.jobs LAB`.


PATIENCE = 10.0  # seconds in which a command may stop by itself
PAUSE = 0.2


def work(folder: str | Path) -> None:
    """Do what waits; return at once where another worker is at work."""
    lab = Lab.open(folder)
    jobs = Jobs(lab)
    with lab.store.kept_open():
        while (lease := jobs.take()) is not None:
            with jobs.held(lease):
                ended = _do(jobs, lease.value)
            jobs.end(lease, **ended)


def _do(jobs: Jobs, id: str) -> dict[str, Any]:
    """Run the command of a job; how it ended. What an earlier worker left is gone on with."""
    job = jobs.update(id)
    if job.state == "running":
        finished = _outlived(jobs, job)
        if _is_cancelled(jobs, job):
            return {"state": "cancelled"}
        if finished and not _problem_of_output(jobs, job):
            return {"state": "done"}
        if job.begun >= MOST_BEGUN:
            problem = f"the work was interrupted {counted(job.begun, 'time')}: ask for it again"
            return {"state": "stopped", "problem": problem}
    elif job.to_stop:
        return {"state": "cancelled"}
    job = jobs.update(id, state="running", started=moment(), begun=job.begun + 1, process=0)
    progress = jobs.folder / f"{job.id}.progress"
    environment = {**os.environ, "LEADLINE_PROGRESS": str(progress.resolve()), "NO_COLOR": "1"}
    with open(_log(jobs, job), "wb") as log:
        hold(log.fileno())  # the command holds it as well, and after this process if that is killed
        if job.begun > 1:
            log.write(f"the work was interrupted, and is begun again: {job.begun} of {MOST_BEGUN} times\n".encode())
            log.flush()
        command = subprocess.Popen(
            [sys.executable, "-m", "leadline.cli", *job.arguments],
            cwd=jobs.lab.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        job = jobs.update(id, process=command.pid)
        cancelled = _wait(jobs, job, lambda: command.poll() is not None)
    if cancelled:
        return {"state": "cancelled"}
    if command.returncode:
        lines = jobs.log(job.id).strip().splitlines() or [f"it ended with status {command.returncode}"]
        return {"state": "failed", "problem": visible(lines[-1])}
    problem = _problem_of_output(jobs, job)
    return {"state": "failed" if problem else "done", "problem": problem}


def _is_cancelled(jobs: Jobs, job: LabJob) -> bool:
    return jobs.get(job.id).to_stop


def _log(jobs: Jobs, job: LabJob) -> Path:
    return jobs.folder / f"{job.id}.log"


def _problem_of_output(jobs: Jobs, job: LabJob) -> str:
    """Add what a job made to the lab; what is wrong with it."""
    if job.kind not in KINDS:
        return "" if Path(job.output).exists() else f"{job.kind} {job.name} was not made"
    try:
        jobs.lab.add(job.output, kind=job.kind, replaced=True, owner=job.person)
    except InputError as error:
        return str(error)
    return ""


def _outlived(jobs: Jobs, job: LabJob) -> bool:
    """Whether the command of a job outlived its worker, and ended since by itself. It holds its log while it runs."""
    try:
        log = open(_log(jobs, job), "rb")  # noqa: SIM115
    except FileNotFoundError:
        return False
    with log:
        if hold(log.fileno()) is not False:
            return False
        return not _wait(jobs, job, lambda: hold(log.fileno()) is not False)


def _wait(jobs: Jobs, job: LabJob, has_ended: Callable[[], bool]) -> bool:
    """Wait for a command; whether it was cancelled. It is asked to stop first, as by Ctrl-C, and then killed."""
    while not has_ended():
        if _is_cancelled(jobs, job):
            for politely in (True, False):
                if job.process:
                    end_program(job.process, politely=politely)
                until = time.monotonic() + PATIENCE
                while time.monotonic() < until:
                    if has_ended():
                        return True
                    time.sleep(PAUSE)
            return True
        time.sleep(PAUSE)
    return False


if __name__ == "__main__":
    work(sys.argv[1])
