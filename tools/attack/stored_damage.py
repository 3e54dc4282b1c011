"""Damage stored files, thousands of times: the answer is the undamaged one, or one clear line. Never another answer.

    python tools/attack/stored_damage.py [--count N] [--seed S] [--only KIND]

Every file gets 200 flipped bits and 50 cuts, and as many random cases as asked for: a flipped bit, a cut, zeros, a wild
number; or, of a manifest, a value of another type. Each case opens a copy, asks questions and compares the answers.
Cases run in forks, so that a crash of one is seen and does not end the others. `stored_kinds.py` says what is
stored, and how it is asked.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from harness import Tally, copy_of, forked, in_forks, materials, preload
from stored_kinds import KINDS, MADE_AGAIN, StoredKind

from damage import broken, misshaped

BATCH = 250  # cases in one fork
FLIPS, CUTS = 200, 50  # of every file
SECONDS = 20  # for one case


def _case(work: Path, path: Path, content: bytes, kind: StoredKind, right: Any) -> str:
    """Why a damaged file did not have a clear outcome; empty if it had one."""
    from leadline.errors import LeadlineError

    original = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = kind.ask(work)
        if content == original or answer == MADE_AGAIN:
            return ""
        if answer != right:
            return "silently another answer"
        return "not found by the check" if kind.checks else ""
    except LeadlineError:
        return ""
    except BaseException as error:  # Polars panics with a BaseException
        return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    finally:
        signal.alarm(0)
        path.unlink(missing_ok=True)
        path.write_bytes(original)


def damage(name: str, base: Path, count: int, seed: int, processes: int = 1) -> Tally:
    """Damage every file of one kind, and any of them so many times more."""
    shares = [partial(_damage, name, base, count, seed, (n, processes)) for n in range(processes)]
    return in_forks(shares, f"damage: {name}")


def _damage(name: str, base: Path, count: int, seed: int, share: tuple[int, int]) -> Tally:
    """This process's share of the cases: the first of how many."""
    kind, tally = KINDS[name], Tally(f"damage: {name}")
    with copy_of(base) as work:
        for command in filter(None, kind.made_by.split(";")):
            done = forked(command.split(), work)
            assert done.status == 0, done.errors.decode()
        _wait_for(_fork(partial(kind.prepare, work)))
        files = kind.stored(work)
        assert files, f"nothing is stored for {name}"
        first = 0 if kind.misshaped or count < FLIPS + CUTS else -(FLIPS + CUTS) * len(files)
        cases = [number for number in range(first, count) if number % share[1] == share[0]]
        done = 0
        while done < len(cases):
            done += _batch(tally, work, files, kind, cases[done : done + BATCH], f"{name} {seed}")
    return tally


def _batch(tally: Tally, work: Path, files: Sequence[Path], kind: StoredKind, cases: Sequence[int], seed: str) -> int:
    """Run cases in one fork; returns how many were run, which are fewer where one crashed."""
    planned = list(_planned(files, cases, seed, misshape=kind.misshaped))
    originals = {path: path.read_bytes() for path in files}
    reading, writing = os.pipe()

    def work_through() -> None:
        right = kind.ask(work)
        with os.fdopen(writing, "w") as pipe:
            for path, content, _ in planned:
                pipe.write(json.dumps(_case(work, path, content, kind, right)) + "\n")
                pipe.flush()

    child = _fork(work_through)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        faults = [json.loads(line) for line in pipe]
    status = _wait_for(child)
    if len(faults) < len(planned):
        faults.append("ran too long" if status == -signal.SIGALRM else f"the process ended with status {status}")
        for path, content in originals.items():
            path.unlink(missing_ok=True)
            path.write_bytes(content)
    for (path, _, words), fault in zip(planned, faults, strict=False):
        tally.note(f"{path.relative_to(work)}: {words}", fault)
    return len(faults)


def _planned(
    files: Sequence[Path], cases: Sequence[int], seed: str, *, misshape: bool
) -> Iterator[tuple[Path, bytes, str]]:
    for number in cases:
        chance = random.Random(f"{seed} {number}")
        if number < 0:
            turn, file = divmod(-number - 1, len(files))
            yield files[file], *_flipped_or_cut(files[file].read_bytes(), chance, flip=turn < FLIPS)
            continue
        path = chance.choice(files)
        spoil = misshaped if misshape else broken
        content, words = spoil(path.read_bytes(), chance)
        yield path, content, words


def _flipped_or_cut(content: bytes, chance: random.Random, *, flip: bool) -> tuple[bytes, str]:
    at, bit = chance.randrange(len(content)), chance.randrange(8)
    if not flip:
        return content[:at], f"cut to {at} of {len(content)} bytes"
    return content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :], f"bit {bit} of byte {at} flipped"


def _fork(job: Callable[[], None]) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 2)  # Polars reports its panics there
            job()
            status = 0
        finally:
            os._exit(status)
    return child


def _wait_for(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="cases of each kind (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(KINDS))
    parser.add_argument("--processes", type=int, default=2, help="how many at once (default: 2)")
    options = parser.parse_args(arguments)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        preload()
        for kind in [options.only] if options.only else KINDS:
            tally = damage(kind, base, options.count, options.seed, options.processes)
            print(tally.row(), flush=True)
            print("".join(f"    {failure}\n" for failure in tally.failures[:40]), end="", flush=True)
            failures += len(tally.failures)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
