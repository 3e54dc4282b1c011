"""Many writers at once, and writers killed at any moment: no file is mixed, and a later attempt gives the same bytes.

python tools/attack/concurrency.py [--files N] [--kills N] [--seed S]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from harness import COMMAND, attempt, contents, forked, materials, preload

THREADS, PROCESSES = 8, 4


def _content(writer: int, turn: int) -> bytes:
    """What one writer writes at one turn: of its own length, and known by its first bytes."""
    return f"{writer}:{turn};".encode() * (200 + 37 * writer + turn % 50)


def _is_whole(content: bytes) -> bool:
    mark, _, _ = content.partition(b";")
    writer, _, turn = mark.partition(b":")
    return bool(writer) and turn.isdigit() and content == _content(int(writer), int(turn))


def write_at_once(
    folder: Path, files: int, write: Callable[[Path, bytes], object], read: Callable[[Path], bytes | None]
) -> str:
    """Threads of several processes write the same few names, and read them all the time; returns what went wrong."""
    names = [folder / f"file-{n}" for n in range(5)]
    for name in names:
        write(name, _content(0, 0))
    turns = files // (THREADS * PROCESSES) + 1
    wrong: list[str] = []

    def work(writer: int) -> None:
        chance = random.Random(writer)
        for turn in range(turns):
            name = chance.choice(names)
            write(name, _content(writer, turn))
            found = read(chance.choice(names))
            if found is not None and not _is_whole(found):
                wrong.append(f"a mixed file: {found[:40]!r}")

    children = []
    for process in range(PROCESSES):
        child = os.fork()
        if child == 0:
            threads = [threading.Thread(target=work, args=(process * THREADS + n,)) for n in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            sys.stderr.write("".join(f"{each}\n" for each in wrong[:3]))
            sys.stderr.flush()
            os._exit(len(wrong) > 0)
        children.append(child)
    states = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    if any(states):
        return f"processes ended with {states}"
    left = [path.name for path in folder.iterdir() if path not in names]
    if left:
        return f"left behind {left[:3]}"
    return "" if all(_is_whole(read(name) or b"") for name in names) else "a mixed file at the end"


def attack_threads(_base: Path, files: int = 3000) -> Iterator[tuple[str, str]]:
    """Eight threads in each of four processes write 3,000 files under five names: outputs, then the cache."""
    from leadline.text.files import read_cached, write_cached, write_whole

    for what, write, read in (
        ("outputs", write_whole, lambda path: path.read_bytes()),
        ("the cache", write_cached, read_cached),
    ):
        with tempfile.TemporaryDirectory(prefix="attack-") as place:
            folder = Path(place) / "shared"
            folder.mkdir(mode=0o700)
            yield (
                f"{files:,} files by {PROCESSES} processes of {THREADS} threads: {what}",
                write_at_once(folder, files, write, read),
            )


def attack_processes(base: Path) -> Iterator[tuple[str, str]]:
    """The same command several times at once: some may be told to wait, the result is that of one."""
    from fault_injection import names, state

    for command in (
        "collection build more.jsonl -o out --processes 1 -q",
        "index collection -o out --workers 2 -q",
        "run index topics.tsv -k 5 -o out -q",
        "grid index topics.tsv grid.toml -k 5 -o out -q",
        "evaluate qrels.txt a.run -o out -q",
        "simulate office --patents 100 -o out -q",
    ):
        with attempt(base) as alone:
            forked(command.split(), alone.work)
            right, made = state(alone.work / "out"), names(alone.work)
        with attempt(base) as there:
            started = [
                subprocess.Popen(
                    [*COMMAND, *command.split()], cwd=there.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
                for _ in range(4)
            ]
            said = [child.communicate(timeout=120)[1].decode("utf-8", "replace") for child in started]
            codes = [child.returncode for child in started]
            fault = next((f"traceback: {text[-200:]!r}" for text in said if "Traceback" in text), "")
            if not fault and (0 not in codes or any(code not in (0, 1) for code in codes)):
                fault = f"statuses {codes}: {said}"
            if not fault and state(there.work / "out") != right:
                fault = "the result is another"
            left = set(names(there.work)) - set(made)
            yield f"four at once: leadline {command}", fault or (f"left behind {sorted(left)}" if left else "")


def attack_kills(base: Path, kills: int = 4, seed: int = 1) -> Iterator[tuple[str, str]]:
    """kill -9 at random moments, several times over, then once to the end: the same bytes as undisturbed."""
    from fault_injection import names, state

    chance = random.Random(seed)
    for command in (
        "collection build more.jsonl -o out --processes 2 -q",
        "index collection -o out --workers 2 -q",
        "run index topics.tsv -k 5 -o out -q",
        "grid index topics.tsv grid.toml -k 5 -o out -q",
        "simulate office --patents 100 -o out -q",
    ):
        with attempt(base) as alone:
            begin = time.monotonic()
            subprocess.run([*COMMAND, *command.split()], cwd=alone.work, capture_output=True, check=True)
            lasts = time.monotonic() - begin
            right, made = state(alone.work / "out"), names(alone.work)
        with attempt(base) as there:
            for _ in range(kills):
                child = subprocess.Popen(
                    [*COMMAND, *command.split()],
                    cwd=there.work,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
                time.sleep(lasts * chance.uniform(0.3, 1.0))
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            fault = there.command(command.split())
            if not fault and state(there.work / "out") != right:
                fault = "the result is another"
            left = set(names(there.work)) - set(made)
            yield f"killed {kills} times: leadline {command}", fault or (f"left behind {sorted(left)}" if left else "")


CLASSES = {
    "threads and processes at once": attack_threads,
    "commands at once": attack_processes,
    "kill -9": attack_kills,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=20, help="kills of each job (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    failed = False
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        preload()
        cases = [
            *attack_threads(base, options.files),
            *attack_processes(base),
            *attack_kills(base, options.kills, options.seed),
        ]
        for what, fault in cases:
            print(f"{what}: {fault or 'clear'}", flush=True)
            failed |= bool(fault)
        print(f"inputs: {len(contents(base)):,} files as before")
    sys.exit(failed)


if __name__ == "__main__":
    main()
