"""The process that does a lab's jobs, one after the other: `python -m leadline.show.lab.job_worker LAB`."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from leadline.errors import InputError, visible
from leadline.show.lab.jobs import Jobs, LabJob, now, read_job
from leadline.show.lab.lab import Lab
from leadline.text.lock import FolderLock

PATIENCE = 10.0  # seconds in which another worker may end, and in which a command may stop by itself
PAUSE = 0.2


def work(folder: str | Path) -> None:
    """Do what waits; return at once where another worker is at work."""
    jobs = Jobs(Lab.open(folder))
    lock = FolderLock(jobs.folder)
    if not _acquired(lock):
        return
    try:
        while (job := _next(jobs)) is not None:
            _do(jobs, job)
    finally:
        lock.release()


def _acquired(lock: FolderLock) -> bool:
    """Lock the folder. Another worker may be about to end without having seen what was asked last."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with contextlib.suppress(InputError):
            lock.acquire()
            return True
        time.sleep(PAUSE)
    return False


def _next(jobs: Jobs) -> LabJob | None:
    """The job that waits longest. What an earlier worker left running has stopped."""
    waiting = []
    for path in sorted(jobs.folder.glob("*.json")):
        with contextlib.suppress(InputError):
            job = read_job(path)
            if job.state == "running":
                problem = "the work was interrupted: ask for it again, and it goes on"
                jobs.write(replace(job, state="stopped", ended=now(), problem=problem))
            elif job.state == "waiting":
                waiting.append(job)
    for job in sorted(waiting, key=lambda each: each.asked):
        if not _is_cancelled(jobs, job):
            return job
        jobs.write(replace(job, state="cancelled", ended=now()))
    return None


def _is_cancelled(jobs: Jobs, job: LabJob) -> bool:
    return (jobs.folder / f"{job.id}.cancel").exists()


def _do(jobs: Jobs, job: LabJob) -> None:
    """Run the command of a job, and store how it ended."""
    job = replace(job, state="running", started=now())
    jobs.write(job)
    progress = jobs.folder / f"{job.id}.progress"
    environment = {**os.environ, "LEADLINE_PROGRESS": str(progress.resolve()), "NO_COLOR": "1"}
    with open(jobs.folder / f"{job.id}.log", "wb") as log:
        command = subprocess.Popen(
            [sys.executable, "-m", "leadline.cli", *job.arguments], cwd=jobs.lab.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        cancelled = _wait(jobs, job, command)
    if cancelled:
        jobs.write(replace(job, state="cancelled", ended=now()))
    elif command.returncode:
        lines = jobs.log(job.id).strip().splitlines() or [f"it ended with status {command.returncode}"]
        jobs.write(replace(job, state="failed", ended=now(), problem=visible(lines[-1])))
    else:
        problem = ""
        try:
            jobs.lab.add(job.output, kind=job.kind, replaced=True, owner=job.person)
        except InputError as error:
            problem = str(error)
        jobs.write(replace(job, state="failed" if problem else "done", ended=now(), problem=problem))


def _wait(jobs: Jobs, job: LabJob, command: subprocess.Popen[bytes]) -> bool:
    """Wait for a command; whether it was cancelled. It is asked to stop first, as by Ctrl-C, and then killed."""
    while command.poll() is None:
        if _is_cancelled(jobs, job):
            for sent in (signal.SIGINT, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(command.pid, sent)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    command.wait(PATIENCE)
                    return True
            return True
        time.sleep(PAUSE)
    return False


if __name__ == "__main__":
    work(sys.argv[1])
