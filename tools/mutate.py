"""Mutation tests: break the code in one small way, and see whether the tests notice.

    python tools/mutate.py                  every mutation of tools/mutations.toml
    python tools/mutate.py -k trust -j 2    those with "trust" in their name or file, two at a time
    python tools/mutate.py --check          only whether each mutation still fits the code; runs no test

A mutation is a table of the TOML file:

    [[mutation]]
    name = "holm does not multiply"
    file = "src/leadline/trust/paired_tests.py"  # if it was moved, the one file under src/ that holds the text is taken
    find = "np.arange(len(p), 0, -1)"           # must be there exactly once
    replace = "1"
    tests = ["tests/trust/test_corrections.py"] # what pytest takes: files, folders, ids

The tree is never changed: every worker has a copy of it in a temporary folder. Outcomes:

    killed    a test failed or crashed, as it should
    survived  every test passed: a test is missing
    stale     the text to find, or a test, is not there (or the text is there more than once)
    error     pytest could not run the tests, so nothing is known

The exit status is 0 when all were killed.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

HOME = Path(__file__).resolve().parents[1]
IGNORED = shutil.ignore_patterns(".*", "__pycache__", "*.pyc", "node_modules")
TESTS_FAILED = 1  # pytest's exit status; others say that it could not run them
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)  # of Python itself, which no one overlooks


@dataclass(frozen=True)
class Mutation:
    """One change of one file, and the tests that should notice it."""

    name: str
    file: str
    find: str
    replace: str
    tests: tuple[str, ...]


class StaleError(Exception):
    """A mutation that no longer fits the code."""


class Outcome(NamedTuple):
    word: str  # killed, survived, stale or error
    mutation: Mutation
    seconds: float = 0.0
    note: str = ""

    def __str__(self) -> str:
        note = f"  [{self.note}]" if self.note else ""
        return f"{self.word:<8} {self.seconds:5.1f} s  {self.mutation.file}: {self.mutation.name}{note}"


def read_mutations(path: Path) -> list[Mutation]:
    """The mutations of a TOML file."""
    with path.open("rb") as file:
        tables = tomllib.load(file)["mutation"]
    return [Mutation(**{**table, "tests": tuple(table["tests"])}) for table in tables]


def mutated(tree: Path, mutation: Mutation) -> tuple[Path, str]:
    """The file that a mutation changes and its text after the change; StaleError where the mutation does not fit."""
    for test in mutation.tests:
        name, _, member = test.partition("[")[0].partition("::")
        if not (tree / name).exists():
            raise StaleError(f"no test file {test}")
        if member and f"def {member.rpartition('::')[2]}(" not in (tree / name).read_text(encoding="utf-8"):
            raise StaleError(f"no test {test}")
    path = tree / mutation.file
    if not path.exists():
        holders = [each for each in (tree / "src").rglob("*.py") if mutation.find in each.read_text(encoding="utf-8")]
        if len(holders) != 1:
            raise StaleError(f"no such file, and {len(holders)} files under src/ hold the text")
        path = holders[0]
    text = path.read_text(encoding="utf-8")
    if (count := text.count(mutation.find)) != 1:
        raise StaleError(f"the text to find is there {count} times")
    return path, text.replace(mutation.find, mutation.replace)


@contextmanager
def copied(tree: Path) -> Iterator[Path]:
    """A copy of the tree, and beside it a cache of compiled kernels that may be added to; both go at the end."""
    cache = Path(os.environ.get("LEADLINE_CACHE") or Path.home() / ".cache" / "leadline")
    with tempfile.TemporaryDirectory(prefix="leadline-mutate-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(tree, copy, ignore=IGNORED, symlinks=True)
        (Path(folder) / "cache").mkdir(mode=0o700)
        for kept in cache.glob("*"):
            (Path(folder) / "cache" / kept.name).symlink_to(kept)
        yield copy


def pytest(tree: Path, tests: Sequence[str], timeout: float) -> subprocess.CompletedProcess[str]:
    """Run tests of a copy of the tree against its own source."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",  # a file changed back within a second would be taken from stale bytecode
        "LEADLINE_CACHE": str(tree.parent / "cache"),
        "LEADLINE_SHARED": os.environ.get("LEADLINE_SHARED", str(HOME.parent / "shared")),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    return subprocess.run(
        command, cwd=tree, env=environment, timeout=timeout, capture_output=True, text=True, check=False
    )


def outcome(tree: Path, mutation: Mutation, timeout: float) -> Outcome:
    """Make the change in a copy of the tree, run the tests, and change the file back."""
    start = time.monotonic()
    try:
        path, text = mutated(tree, mutation)
    except StaleError as error:
        return Outcome("stale", mutation, 0.0, str(error))
    note = "" if path == tree / mutation.file else f"moved to {path.relative_to(tree)}"
    before = path.read_bytes()
    path.write_text(text, encoding="utf-8")
    try:
        done = pytest(tree, mutation.tests, timeout)
    except subprocess.TimeoutExpired:
        return Outcome("killed", mutation, time.monotonic() - start, f"stopped after {timeout:g} s")
    finally:
        path.write_bytes(before)
    word = {0: "survived", TESTS_FAILED: "killed"}.get(done.returncode, "error")
    if -done.returncode in CRASHES:
        word, note = "killed", f"crashed with {signal.Signals(-done.returncode).name}"
    if word == "error":
        note = (done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["no output"])[-1]
    return Outcome(word, mutation, time.monotonic() - start, note)


def check_unchanged(tree: Path, mutations: Sequence[Mutation], timeout: float) -> str:
    """What pytest says where a test fails without any mutation; empty where all pass."""
    named = dict.fromkeys(test for mutation in mutations for test in mutation.tests)
    tests = [test for test in named if (tree / test.partition("::")[0]).exists()]
    done = pytest(tree, tests, timeout * max(1, len(tests)))
    return "" if done.returncode == 0 else done.stdout[-2000:] + done.stderr[-1000:]


def run(tree: Path, mutations: Sequence[Mutation], *, jobs: int, timeout: float) -> list[Outcome]:
    """Try every mutation, `jobs` at a time, and print a line for each."""
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()

    def one(mutation: Mutation) -> Outcome:
        copy = copies.get()
        try:
            found = outcome(copy, mutation, timeout)
        finally:
            copies.put(copy)
        print(found, flush=True)
        return found

    with ExitStack() as stack, ThreadPoolExecutor(jobs) as pool:
        for _ in range(jobs):
            copies.put(stack.enter_context(copied(tree)))
        return list(pool.map(one, mutations))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("file", nargs="?", type=Path, default=Path(__file__).with_name("mutations.toml"), help="the list of mutations")
    add("-k", metavar="WORD", action="append", default=[], help="only those with this word in name, file or tests")
    add("-j", "--jobs", type=int, default=1, help="how many to try at a time, default: 1")
    add("--timeout", type=float, default=300, help="seconds for the tests of one mutation, default: 300")
    add("--check", action="store_true", help="only look for stale mutations")
    add("--trust-tests", action="store_true", help="do not run the tests without any mutation first")
    add("--tree", type=Path, default=HOME, help="the tree to copy, default: this one")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the copies are removed
    mutations = [
        mutation
        for mutation in read_mutations(options.file)
        if all(word in f"{mutation.name} {mutation.file} {' '.join(mutation.tests)}" for word in options.k)
    ]
    if options.check:
        found = [each for mutation in mutations if (each := _stale(options.tree, mutation)) is not None]
        print("\n".join(map(str, found)) or f"all {len(mutations)} mutations fit the code")
        return int(bool(found))
    if not options.trust_tests:
        with copied(options.tree) as copy:
            if problem := check_unchanged(copy, mutations, options.timeout):
                print(f"tests fail without any mutation, so they prove nothing:\n{problem}", file=sys.stderr)
                return 2
    found = run(options.tree, mutations, jobs=max(1, options.jobs), timeout=options.timeout)
    counts = Counter(each.word for each in found)
    print(", ".join(f"{counts[word]} {word}" for word in ("killed", "survived", "stale", "error")))
    return int(counts["killed"] < len(found))


def _stale(tree: Path, mutation: Mutation) -> Outcome | None:
    try:
        mutated(tree, mutation)
    except StaleError as error:
        return Outcome("stale", mutation, 0.0, str(error))
    return None


if __name__ == "__main__":
    sys.exit(main())
