"""An index that is larger than memory, searched; and --memory under a limit that the system enforces.

    python benchmarks/hard_limit.py [--megabytes 600] [--limit 200]

Commands run in a control group of Linux (version 1 or 2, which needs root) with a hard limit: what a process holds and
the pages of files that it reads count, and a process that needs more is killed. The index with positions is one of
random words, and copies of it with other ids. `benchmarks/memory.py --hard` puts the table into docs/growth.md.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadline.records.result import Table
from leadline.retrieval.index import arrays
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import KIND, VERSION
from leadline.retrieval.index.writing import Part, commit, new_path
from leadline.text.owned_folder import OwnedFolder

# The folder of each version of control groups, its file of the limit, and that of the most that was used.
GROUPS = (
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.max_usage_in_bytes"),
    (Path("/sys/fs/cgroup"), "memory.max", "memory.peak"),
)
LIBRARIES = "import numpy, polars, scipy.sparse, llvmlite.binding, leadline.cli"
WORDS, TOPICS = 20_000, 20


class NoLimitError(Exception):
    """No control group can be made here."""


@dataclass(frozen=True)
class Limited:
    """A control group."""

    folder: Path
    peak_file: str

    def peak(self) -> int:
        """The most bytes that its processes used; 0 where the system does not say."""
        with contextlib.suppress(OSError):
            return int((self.folder / self.peak_file).read_text())
        return 0


@contextlib.contextmanager
def limited(size: int) -> Iterator[Limited]:
    """A control group with a hard limit of memory, which is removed at the end."""
    made = None
    for parent, limit_file, peak_file in GROUPS:
        folder = parent / f"leadline-{secrets.token_hex(6)}"
        try:
            if not (parent / limit_file).exists() and not (parent / "cgroup.subtree_control").exists():
                continue
            folder.mkdir()
            made = Limited(folder, peak_file)
            (folder / limit_file).write_text(str(size))
            break
        except OSError:
            if made is not None:
                made.folder.rmdir()
                made = None
    if made is None:
        raise NoLimitError("no control group of memory can be made: this needs Linux and root")
    try:
        yield made
    finally:
        for _ in range(100):  # until the system has noticed that the last process is gone
            try:
                made.folder.rmdir()
                break
            except OSError:
                time.sleep(0.05)


@dataclass(frozen=True)
class Ran:
    """What a command printed, how long it took, and what it used."""

    printed: bytes
    seconds: float
    peak: int


def run(arguments: Sequence[str], folder: Path, limit: int = 0) -> Ran:
    """Run a command of Python, under a limit unless that is 0; RuntimeError where it fails or is killed."""
    command = [sys.executable, *arguments]
    with limited(limit) if limit else contextlib.nullcontext() as group:
        if group is not None:
            enter = 'echo $$ > "$0" && exec "$@"'
            command = ["/bin/sh", "-c", enter, str(group.folder / "cgroup.procs"), *command]
        start = time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        seconds = time.monotonic() - start
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: status {done.returncode}: {done.stderr.decode()[-500:]}")
        return Ran(done.stdout, seconds, group.peak() if group is not None else 0)


def leadline(line: str, folder: Path, limit: int = 0) -> Ran:
    return run(["-m", "leadline.cli", *line.split()], folder, limit)


def texts(documents: int, words: int, seed: int = 1) -> list[str]:
    """Documents of random words, a few of which are frequent, in sentences of 20 words."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array([f"w{number:x}" for number in range(WORDS)], object)
    chosen = vocabulary[rng.zipf(1.2, documents * words) % WORDS]
    chosen[19::20] += "."
    return [" ".join(chosen[first : first + words]) for first in range(0, documents * words, words)]


def large_index(folder: Path, size: int, documents: int = 6000, words: int = 5000) -> int:
    """Write an index with positions of at least so many bytes; returns its size."""
    source = ({"id": f"A{n:07d}", "description": text} for n, text in enumerate(texts(documents, words)))
    index = Index.build(source, folder, fields=["description"], positions=True)
    first = index.segments[0].file
    content = {name: first[name] for name in first.names()}
    ids = content["ids"].reshape(-1, 8)
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        parts = [Part(index.segments[0].path)]
        while len(parts) * parts[0].path.stat().st_size < size:
            path = new_path(owned)
            copied = ids.copy()
            copied[:, 0] += len(parts)  # B0000000 and so on
            arrays.write(path, {**content, "ids": copied.reshape(-1)})
            parts.append(Part(path))
        commit(owned, index.manifest, parts, lambda _: None)
    forget(folder)
    return sum(path.stat().st_size for path in folder.iterdir())


def forget(folder: Path) -> None:
    """Let the system drop the pages of the files of a folder, so that they count where they are read again."""
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)


def write_topics(path: Path) -> None:
    rng = np.random.default_rng(2)
    lines = [" ".join(f"w{number:x}" for number in rng.zipf(1.2, 12) % WORDS) for _ in range(TOPICS)]
    path.write_text("".join(f"T{number}\t{line}\n" for number, line in enumerate(lines, 1)), encoding="ascii")


def searched(folder: Path, size: int, limit: int, **sizes: int) -> list[list[str]]:
    """Rows of the table for searches of a large index: with and without a limit they must give the same."""
    stored = large_index(folder / "large", size, **sizes)
    write_topics(folder / "topics.tsv")
    rows = []
    for name, line, queries in (
        ("run, 20 topics of 12 words", "run large topics.tsv --system bm25 -k 100 -q -o {}.run", TOPICS),
        ("search, a phrase", 'search large "w40_w50" -k 20 -f json', 1),
    ):
        found = []
        for kind, most in (("free", 0), ("limited", limit)):
            forget(folder / "large")
            arguments = [word.replace("_", " ") for word in line.format(kind).split()]
            found.append(run(["-m", "leadline.cli", *arguments], folder, most))
        same = found[0].printed == found[1].printed
        if "run" in line.split()[0]:
            same = (folder / "free.run").read_bytes() == (folder / "limited.run").read_bytes()
        if not same:
            raise RuntimeError(f"{name}: other results under a limit")
        seconds = (f"{each.seconds / queries:.2f}" for each in found)
        rows.append([name, megabytes(stored), megabytes(limit), *seconds, megabytes(found[1].peak)])
    return rows


def worked(folder: Path, documents: int = 3000, topics: int = 100) -> list[list[str]]:
    """Rows for indexing and evaluating: the limit is what --memory states, and what the libraries take."""
    base = run(["-c", LIBRARIES], folder, 2_000_000_000).peak
    with (folder / "d.jsonl").open("w", encoding="ascii") as file:
        for number, text in enumerate(texts(documents, 500)):
            file.write(f"{json.dumps({'id': f'EP{number:07d}', 'abstract': text})}\n")
    leadline("collection build d.jsonl --keep all -o c -q", folder)
    block = "".join(f"TOPIC Q0 EP{n:07d} {n + 1} {5000 - n} tag\n" for n in range(5000))
    (folder / "all.run").write_text("".join(block.replace("TOPIC", f"T{t}") for t in range(topics)), encoding="ascii")
    qrels = "".join(f"T{t} 0 EP{n:07d} 1\n" for t in range(topics) for n in range(9))
    (folder / "qrels.txt").write_text(qrels, encoding="ascii")
    rows = []
    for name, line, memory, data in (
        ("index --memory 250MB", "index c -o {} --positions --memory 250MB", 250_000_000, "d.jsonl"),
        ("evaluate --memory 180MB", "evaluate qrels.txt all.run -f json --memory 180MB", 180_000_000, "all.run"),
    ):
        found = [leadline(line.format(kind), folder, most) for kind, most in (("i1", 0), ("i2", memory + base))]
        if "index" in name:
            parts = [[path.read_bytes() for path in sorted((folder / kind).glob("segment-*"))] for kind in ("i1", "i2")]
            same = parts[0] == parts[1]
        else:
            same = found[0].printed == found[1].printed
        if not same:
            raise RuntimeError(f"{name}: other results under a limit")
        size, seconds = (folder / data).stat().st_size, (f"{each.seconds:.2f}" for each in found)
        rows.append([name, megabytes(size), megabytes(memory + base), *seconds, megabytes(found[1].peak)])
    return rows


def megabytes(size: int) -> str:
    return f"{size / 1e6:.0f}"


def measured(size: int, limit: int) -> Table:
    """The table: megabytes, and seconds of a query or of the whole work."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the group is removed
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch:
        rows = [*searched(Path(scratch), size, limit), *worked(Path(scratch))]
    return Table(["work", "data, MB", "limit, MB", "seconds", "seconds, limited", "peak, MB"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=600)
    parser.add_argument("--limit", type=int, default=200)
    options = parser.parse_args()
    try:
        print(measured(options.megabytes * 1_000_000, options.limit * 1_000_000).encoded("markdown").decode())
    except NoLimitError as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
