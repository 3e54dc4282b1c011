"""Let the n-th call that writes fail, or kill the process there, for every n; then see that nothing was lost.

    python tools/attack/fault_injection.py [--job NAME] [--every N] [--seed S] [--processes N]

Each job is run once to count its calls of open (for writing), write, fsync, replace, rename, link, mkdir, unlink,
rmdir, truncate, posix_fallocate and mmap. Then, for each call: it fails with ENOSPC, it fails with EIO, or the process
ends there. Afterwards

- the command has said what is wrong in one line (unless it was killed), or has done its work all the same;
- what was there before is still there, or the new is there, whole;
- the inputs are as they were;
- a second attempt succeeds, gives what an undisturbed one gives, and leaves no other names behind.

Random names are the same in every case, so that equal leftovers are recognised and the second attempt after them is
made once. Polars and SQLite write through their own handles, which cannot be stopped here: `little_room.py` does that.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import random
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from failing_calls import KILLED, Faults, same_names
from harness import Outcome, Tally, contents, copy_of, forked, in_forks, materials, preload

_RANDOM = re.compile(r"[0-9a-f]{12,32}")


@dataclass(frozen=True)
class FaultJob:
    """A command, what it writes, and the command that made what was there before."""

    command: str
    output: str  # a file or folder; or several files that belong together
    before: str = ""  # commands, separated by semicolons
    reads: str = ""  # a command that reads the output: it must refuse files that do not belong together
    same: bool = True  # whether the same command writes the same again, as one that writes the time does not
    adds: str = ""  # a pattern of names that a second attempt adds to those of the first
    once: bool = False  # whether it may not be given again, or does something else then


GROWN = "collection build documents.jsonl -o grown --processes 1 -q; index grown -o out --positions --workers 1 -q;"
MANY = ",".join(f"EP{1000000 + n}B1" for n in range(3, 13))  # so many dead documents that their segment is written anew
POOL = "pool a.run b.run --depth 5 -o out.pool -q"
# Most write over what is there already.
JOBS = {
    "collection build": FaultJob(
        "collection build more.jsonl -o out --processes 1 -q", "out", reads="collection info out"
    ),
    "collection build again": FaultJob(
        "collection build more.jsonl -o out --processes 1 -q", "out", "collection build documents.jsonl -o out -q"
    ),
    "index": FaultJob("index collection -o out --workers 1 -q", "out", reads="search out film"),
    "index again": FaultJob("index larger -o out --workers 1 -q", "out", "index collection -o out --workers 1 -q"),
    "index add": FaultJob(
        "index grown -o out --add --workers 1 -q",
        "out",
        "collection build documents.jsonl -o grown --processes 1 -q; index grown -o out --workers 1 -q;"
        "collection build more.jsonl -o grown --processes 1 -q",
    ),
    "index update": FaultJob(
        "index grown -o out --update --workers 1 -q",
        "out",
        f"{GROWN} collection update grown changed.jsonl --delete EP1000003B1 --processes 1 -q",
    ),
    "index update and merge": FaultJob(
        "index grown -o out --update --workers 1 -q",
        "out",
        f"{GROWN} collection update grown changed.jsonl --delete {MANY} --processes 1 -q",
    ),
    "run": FaultJob("run index topics.tsv --system baseline -k 5 -o out -q", "out", "evaluate qrels.txt b.run -o out"),
    "grid": FaultJob("grid index topics.tsv grid.toml -k 5 -o out -q", "out"),
    "evaluate": FaultJob("evaluate qrels.txt a.run -o out -q", "out", "evaluate qrels.txt b.run -o out -q"),
    "report": FaultJob("report qrels.txt a.run b.run --samples 2 -o out.html -q", "out.html"),
    "simulate": FaultJob("simulate office --patents 100 -o out -q", "out"),
    "simulate again": FaultJob(
        "simulate office --patents 100 --seed 2 -o out -q",
        "out",
        "simulate office --patents 100 -o out -q",
        "check out",
    ),
    "citations": FaultJob("qrels citations larger topics.tsv -o out -q", "out", "evaluate qrels.txt b.run -o out -q"),
    "pool": FaultJob(
        "pool a.run b.run --depth 3 -o out -q",
        "out out.json",
        "pool a.run --depth 2 -o out -q",
        "pool b.run --extend out -o other -q",
    ),
    "judge import": FaultJob("judge import out.pool marks.txt --person anna", "out.pool.journal", POOL),
    "judge export": FaultJob(
        "judge export out.pool -o out.txt -q",
        "out.txt",
        f"{POOL}; judge import out.pool marks.txt --person anna; evaluate qrels.txt b.run -o out.txt -q",
    ),
}


def state(path: Path) -> object:
    """What a user can read at a place: equal for equal answers, whatever random names hold them."""
    if not path.exists():
        return None
    if path.suffix == ".journal":
        return _events(path)
    if path.is_file():
        return path.read_bytes() if path.suffix != ".html" else b"page"
    manifest = path / "manifest.json"
    known = json.loads(manifest.read_text()) if manifest.is_file() else {}
    if "segments" in known:
        return _content_of_index(path), _digest(path / known["order"]["file"]), known["counts"]
    if "parts" in known:
        inside = path / known["folder"]
        return {name: digest for name, digest in contents(inside).items() if name != "manifest.json"}
    found = {n: d for n, d in contents(path).items() if d != "folder" and not _is_ours_alone(n)}
    return found or None  # None: a folder claimed, with nothing in it that can be read


def _content_of_index(path: Path) -> str:
    """A digest of all documents of an index, however they are divided into segments, without dead ones."""
    from leadline.errors import InputError
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.index.segment import merge

    try:
        index = Index.open(path)
        with tempfile.TemporaryDirectory(prefix="attack-") as place:
            merge(index.segments, index.fields, Path(place) / "merged", index.column("family"))
            return _digest(Path(place) / "merged")
    except InputError as error:
        raise ValueError(str(error)) from None


def _is_ours_alone(name: str) -> bool:
    """Names that hold no answer: identities, locks, and files in the making."""
    last = name.rpartition("/")[2]
    return (
        last in ("leadline.jsonl", "lock", "journal.jsonl", "manifest.json")
        or last.startswith(".leadline-")
        or name.startswith(("building/", "new/", "collection/building/"))
        or last.endswith(".unfinished")
    )


def _events(path: Path) -> object:
    """The events of a journal of judging, without their moments; those of an empty one are None."""
    with tempfile.TemporaryDirectory(prefix="attack-") as place:  # reading it here would clean up after the killed
        for each in path.parent.glob(f"{path.name}*"):
            shutil.copy(each, place)
        with contextlib.closing(sqlite3.connect(Path(place) / path.name)) as journal:
            if not journal.execute("select count(*) from sqlite_master").fetchone()[0]:
                return None
            found = journal.execute("select uid, topic, document, value from events").fetchall()
            return {uid: rest for uid, *rest in found} or None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def names(folder: Path) -> list[str]:
    """All names under a folder, with random parts made equal."""
    return sorted(_RANDOM.sub("X", name) for name in contents(folder))


def inputs(folder: Path) -> dict[str, str]:
    return {name: digest for name, digest in contents(folder).items() if not name.startswith(("out", ".leadline-"))}


class JobUnderFaults:
    """One job, prepared, with what an undisturbed run gives."""

    def __init__(self, job: FaultJob, base: Path, place: Path, site: str = "") -> None:
        self.job, self.place = job, place
        self.base, work = place / "base", place / "work"
        self.known: dict[str, str] = {}  # what a second attempt gave, by what was there before it
        shutil.copytree(base, work)
        for command in filter(None, job.before.split(";")):
            done = forked(command.split(), work)
            assert done.status == 0, done.errors.decode()
        work.rename(self.base)
        self.arguments = job.command.replace("SITE", site).split()
        self.old = self._state(self.base)
        self.inputs = inputs(self.base)
        with self.fresh() as work:
            log = place / "calls"
            log.touch()
            done = forked(self.arguments, work, before=Faults(log).install)
            assert done.status == 0, done.errors.decode()
            self.calls = log.read_text().splitlines()
            self.new, self.names = self._state(work), names(work)

    def _state(self, work: Path) -> object:
        """What can be read of the output; only whether it is there, where each attempt writes something else."""
        if not self.job.same:
            return any((work / output).exists() for output in self.job.output.split())
        found = [state(work / output) for output in self.job.output.split()]
        return found[0] if len(found) == 1 else found

    @contextlib.contextmanager
    def fresh(self) -> Iterator[Path]:
        """A copy to work on, always at the same place: an index knows the path of its collection."""
        work = self.place / "work"
        shutil.copytree(self.base, work)
        try:
            yield work
        finally:
            shutil.rmtree(work)

    def attack(self, at: int, kind: str) -> str:
        """Spoil one call; returns what is wrong afterwards, or nothing."""
        with self.fresh() as work:
            done = forked(self.arguments, work, before=Faults(self.place / "none", at, kind).install)
            return self.wrong(done, work, kind)

    def wrong(self, done: Outcome, work: Path, kind: str) -> str:
        """What is wrong after a job was disturbed; empty if nothing."""
        if kind == "kill":
            if done.status != KILLED:
                return f"was not killed: status {done.status} {done.errors[-200:]!r}"
        elif fault := done.fault():
            return fault
        elif done.status and len(done.errors.decode().strip().splitlines()) != 1:
            return f"more than one line: {done.errors[:300]!r}"
        if inputs(work) != self.inputs:
            changed = set(inputs(work).items()) ^ set(self.inputs.items())
            return f"changed an input: {sorted(name for name, _ in changed)}"
        try:
            now = self._state(work)
        except (OSError, ValueError, KeyError, sqlite3.Error) as error:
            return f"left something that cannot be read: {error!r}"
        if done.status == 0 and kind != "kill" and now != self.new:
            return "said it succeeded, but the result is another"
        if now not in (self.old, self.new) and not _is_part(now, self.new):
            # Some of the old, or files that do not belong together: only if whoever reads it is told.
            if isinstance(now, dict) and self.old is not None and not _is_part(now, self.old):
                return "left a mix of the old and the new"
            if not self._is_refused(work):
                return "left neither the old nor the new"
        if done.status == 0 and kind != "kill" and self.job.once:
            return ""
        there = {name: digest for name, digest in contents(work).items() if name.rpartition("/")[2] != "lock"}
        key = json.dumps([there, names(work)], sort_keys=True)
        if key not in self.known:
            self.known[key] = self._second_attempt(work)
        return self.known[key]

    def _second_attempt(self, work: Path) -> str:
        """What is wrong with what an undisturbed attempt makes of what is there."""
        again = forked(self.arguments, work, before=functools.partial(same_names, "second"))
        if again.status:
            return f"the second attempt fails: {again.errors[-300:].decode()!r}"
        if self._state(work) != self.new:
            return "the second attempt gives another result"
        if not self.job.same and self.job.reads:
            read = forked(self.job.reads.split(), work)
            if read.status:
                return f"what the second attempt made cannot be read: {read.errors[-300:].decode()!r}"
        left = {name for name in set(names(work)) - set(self.names) if not re.fullmatch(self.job.adds, name)}
        return f"left behind {sorted(left)}" if left else ""

    def _is_refused(self, work: Path) -> bool:
        """Whether the command that reads the output says that its files do not belong together."""
        if not self.job.reads:
            return False
        with copy_of(work) as copy:
            read = forked(self.job.reads.split(), copy)
        return read.status == 1 and b"Traceback" not in read.errors


def _is_part(now: object, result: object) -> bool:
    """Whether what is there is some of the files of a result, each whole: a grid adds run by run."""
    return isinstance(now, dict) and isinstance(result, dict) and now.items() <= result.items()


def attack_job(
    name: str, base: Path, every: int = 1, seed: int = 1, most: int | None = None, share: tuple[int, int] = (0, 1)
) -> Tally:
    """Spoil each call of a job in three ways; or one in `every` of these cases; or `most`, of different calls first.

    `share` is the part of the calls that is tried here: the first of how many.
    """
    tally = Tally(f"faults: {name}")
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        job = JobUnderFaults(JOBS[name], base, Path(place))
        cases = [(at, kind) for at in range(len(job.calls)) for kind in ("ENOSPC", "EIO", "kill")]
        chosen = random.Random(seed)
        cases = [case for case in cases if every == 1 or chosen.randrange(every) == 0]
        if most is not None and len(cases) > most:
            once = [case for number, case in enumerate(cases) if number % 3 == (case[0] + seed) % 3]
            others = [case for case in cases if case not in once]
            cases = sorted([*chosen.sample(once, min(most, len(once))), *others[: max(most - len(once), 0)]])
        for at, kind in cases:
            if at % share[1] == share[0]:
                called = re.sub(r"\S*/attack-\w+/(work|base)/", "", job.calls[at])
                tally.note(f"leadline {JOBS[name].command}  [{kind} at call {at}: {called}]", job.attack(at, kind))
    return tally


def attack_jobs(base: Path, processes: int, chosen: Sequence[str] = tuple(JOBS), **options: Any) -> Iterator[Tally]:
    """Attack jobs, each by several processes."""
    for name in chosen:
        shares = [functools.partial(attack_job, name, base, share=(n, processes), **options) for n in range(processes)]
        yield in_forks(shares, f"faults: {name}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--job", choices=list(JOBS), action="append", help="only this job; may be repeated")
    parser.add_argument("--every", type=int, default=1, help="one in so many cases (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="how many at once (default: 2)")
    options = parser.parse_args(arguments)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        preload()
        chosen = options.job or tuple(JOBS)
        for tally in attack_jobs(base, options.processes, chosen, every=options.every, seed=options.seed):
            print(tally.row(), flush=True)
            print("".join(f"    {failure}\n" for failure in tally.failures), end="", flush=True)
            failures += len(tally.failures)
    sys.exit(failures > 0)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
