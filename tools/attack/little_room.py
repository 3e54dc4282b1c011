"""Commands where something is short: a small disk, short files, little address space, few open files.

    python tools/attack/little_room.py [--job NAME] [--limit NAME] [--sizes N] [--processes N]

`fault_injection.py` spoils the calls of Python, and does not see what native code writes, reserves and opens: here the
system itself refuses it. Each job is tried with sizes from nothing to what it needs. Every attempt must end in one line
with status 1 that says what was short, or in the whole result; afterwards there is the old or the new, nothing that was
read has changed, and the same command succeeds where there is room.

A disk is a tmpfs, which needs root. Limits of memory and of open files are given to a process of its own, since they
are reached while libraries are loaded.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import errno
import functools
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fault_injection import JOBS, FaultJob, JobUnderFaults
from harness import Outcome, Tally, as_done, forked, materials, preload, run
from small_site import small_site

PAGE = 4096
LAB = "lab init out -q"
CAMPAIGN = (
    "campaign new out --collection collection --task s --kind survey --topics topics.tsv -q;"
    " campaign invite out york -q"
)
SUBMIT = (
    "campaign submit out a.run --team york --kind automatic --fields title --resources none --text Words,_by_BM25"
    " --priority 1 -q"
)
MORE_JOBS = {
    "collection update": FaultJob(
        "collection update out changed.jsonl --processes 1 -q",
        "out",
        "collection build documents.jsonl -o out --processes 1 -q",
        "check out",
        once=True,
    ),
    "index positions": FaultJob("index larger -o out --positions --workers 2 -q", "out", reads="search out film"),
    **{
        f"evaluate {form}": FaultJob(
            f"evaluate qrels.txt a.run b.run --by-topic -f {form} -o out -q",
            "out",
            "evaluate qrels.txt b.run -o out -q",
        )
        for form in ("tsv", "csv", "json", "parquet", "latex", "markdown")
    },
    "pagerank": FaultJob("links pagerank larger -f parquet -o out -q", "out"),
    "duplicates": FaultJob("duplicates larger -f tsv -o out -q", "out"),
    "crawl": FaultJob(
        "crawl SITE -o out --delay 0 -q", "out", reads="check out", same=False, adds=r"out/warc/pages-\d+\.warc\.gz"
    ),
    "lab init": FaultJob(LAB, "out", reads="check out", same=False, once=True),
    "lab add": FaultJob("lab add out qrels.txt a.run b.run -q", "out", LAB, "check out", same=False, once=True),
    "campaign submit": FaultJob(SUBMIT, "out", CAMPAIGN, "check out", same=False, once=True),
    "demo": FaultJob(
        "demo -o out --patents 500 --topics 3 --samples 2 --no-open -q", "out", reads="check out", same=False
    ),
}
ALL_JOBS = {**JOBS, **MORE_JOBS}
SAYS = {"disk": "the disk is full", "file": "file", "memory": "memory", "descriptors": "open files"}
SLOW = ("demo",)  # of which a quarter of the sizes are tried
DESCRIPTORS = range(8, 65)
MEGABYTES = range(400, 3001, 50)


class SmallDisk:
    """A tmpfs whose size can be changed; PermissionError where this user may not mount one."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self._mount = folder, ctypes.CDLL(None, use_errno=True).mount
        folder.mkdir(exist_ok=True)
        self._set(0, size)

    def _set(self, flags: int, size: int) -> None:
        if self._mount(b"tmpfs", os.fsencode(self.folder), b"tmpfs", flags, f"size={size}".encode()):
            raise PermissionError(errno.EPERM, "cannot mount a small disk")

    def leave(self, free: int) -> None:
        """Make the disk so small that there are so many bytes left."""
        room = os.statvfs(self.folder)
        self._set(32, max((room.f_blocks - room.f_bfree) * room.f_frsize + free, PAGE))  # MS_REMOUNT

    def close(self) -> None:
        ctypes.CDLL(None).umount2(os.fsencode(self.folder), 2)


def attack_disk(job: JobUnderFaults, disk: SmallDisk, most: int) -> Iterator[tuple[str, str]]:
    """Sizes of a disk from nothing to enough."""

    def attempt(size: int) -> tuple[Outcome, str]:
        with job.fresh() as work:
            disk.leave(size)
            try:
                done = forked(job.arguments, work)
            finally:
                disk.leave(1 << 28)
            return done, fault_of(job, done, work, "disk")

    yield from of_sizes(attempt, most, PAGE)


def attack_file(job: JobUnderFaults, most: int) -> Iterator[tuple[str, str]]:
    """Sizes that no file may exceed; the first has room for the line that says so, which goes to a file here."""

    def attempt(size: int) -> tuple[Outcome, str]:
        with job.fresh() as work:
            limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
            done = forked(job.arguments, work, before=limit)
            return done, fault_of(job, done, work, "file")

    yield from of_sizes(attempt, most, 512)


def of_sizes(attempt: Callable[[int], tuple[Outcome, str]], most: int, step: int) -> Iterator[tuple[str, str]]:
    """Attempts with sizes from the smallest to the first that is enough, which is found by doubling."""
    enough = step
    while attempt(enough)[0].status:
        enough *= 2
        assert enough < 1 << 28
    sizes = range(0 if step == PAGE else step, enough + step, step)
    for size in evenly(sizes, most):
        yield f"{size:,} bytes", attempt(size)[1]


def attack_process(job: JobUnderFaults, limit: str, sizes: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Limits of a process of its own."""
    for size in sizes:
        with job.fresh() as work:
            if limit == "memory":
                done = run(job.arguments, work, memory=size << 20)
            else:
                done = run(job.arguments, work, descriptors=size)
            yield f"{size} {'MB' if limit == 'memory' else 'open files'}", fault_of(job, done, work, limit)


def fault_of(job: JobUnderFaults, done: Outcome, work: Path, limit: str) -> str:
    """What is wrong after an attempt; empty if nothing."""
    if fault := job.wrong(done, work, limit):
        return fault
    said = done.errors.decode()
    if done.status and (done.status != 1 or SAYS[limit] not in said):
        return f"status {done.status}, and does not say what was short: {said[-300:]!r}"
    return ""


def evenly(sizes: Sequence[int], most: int) -> list[int]:
    """At most so many of the sizes, the first and the last among them.

    >>> evenly(range(10), 4)
    [0, 3, 6, 9]
    """
    if len(sizes) <= most:
        return list(sizes)
    return [sizes[number * (len(sizes) - 1) // (most - 1)] for number in range(most)]


def attack_job(name: str, limit: str, base: Path, most: int) -> Tally:
    """Try one job with one limit, with at most so many sizes; none where a disk cannot be mounted."""
    tally = Tally(f"little room: {limit}, {name}")
    known = ALL_JOBS[name]
    with tempfile.TemporaryDirectory(prefix="attack-") as folder, contextlib.ExitStack() as closing:
        place = Path(folder)
        if limit == "disk":
            place /= "disk"
            try:
                disk = SmallDisk(place, 1 << 28)
            except PermissionError:
                return tally
            closing.callback(disk.close)
        site = closing.enter_context(small_site()) if "SITE" in known.command else ""
        job = JobUnderFaults(known, base, place, site)
        cases: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
            "disk": lambda: attack_disk(job, disk, most),
            "file": lambda: attack_file(job, most),
            "memory": lambda: attack_process(job, limit, evenly(MEGABYTES, most)),
            "descriptors": lambda: attack_process(job, limit, evenly(DESCRIPTORS, most)),
        }
        if name in SLOW:
            most = max(most // 4, 3)
        for size, fault in cases[limit]():
            tally.note(f"leadline {known.command}  [{limit}: {size}]", fault)
    return tally


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--job", choices=list(ALL_JOBS), action="append", help="only this job; may be repeated")
    parser.add_argument("--limit", choices=list(SAYS), action="append", help="only this limit; may be repeated")
    parser.add_argument("--sizes", type=int, default=130, help="at most so many sizes of each (default: 130)")
    parser.add_argument("--processes", type=int, default=2, help="how many at once (default: 2)")
    options = parser.parse_args(arguments)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        preload()
        cases = [(limit, name) for limit in options.limit or SAYS for name in options.job or ALL_JOBS]
        attacks = [functools.partial(attack_job, name, limit, base, options.sizes) for limit, name in cases]
        for number, tally in as_done(attacks, options.processes):
            tally.name = ": ".join(cases[number])
            print(f"{tally.seconds:5.1f} s {tally.row()}", flush=True)
            print("".join(f"    {failure}\n" for failure in tally.failures), end="", flush=True)
            failures += len(tally.failures)
    sys.exit(failures > 0)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
