"""What every attack uses: small inputs, the command under limits of time and memory, and the judgement of what it did.

A command is run as a process of its own (`run`), or, a hundred times as fast, in a fork of this one (`forked`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("LEADLINE_VECTORS", "none")  # vectors are attacked by themselves, where a command reads them
if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"  # in memory: the thousands of flushes are counted, and need not reach a disk

COMMAND = [sys.executable, "-m", "leadline.cli"]
SECONDS, MEMORY = 300, 8 << 30  # limits of one attack: address space, of which threads reserve much and use little
REFUSED = (1, 2)
_WORDS = [
    "polymer",
    "film",
    "coating",
    "metal",
    "silver",
    "glass",
    "resin",
    "acid",
    "valve",
    "pump",
    "nail",
    "layer",
    "sensor",
    "alloy",
    "fibre",
    "salt",
]

_TOPICS = [f"EP{1000000 + n}B1" for n in (31, 32, 34, 37)]


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    status: int  # negative: killed by this signal
    output: bytes
    errors: bytes
    seconds: float

    def fault(self, *, answers: bool = True) -> str:
        """Why this is no clear outcome; empty if it is one: an answer (where allowed), or a refusal in one line."""
        text = self.errors.decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if line.strip()]
        if self.status < 0:
            name = "ran too long" if self.status == -signal.SIGALRM else f"ended by signal {-self.status}"
            return f"{name}: {lines[-1][:160] if lines else ''}"
        if "Traceback" in text or "panicked at" in text:
            return f"traceback: {lines[-1][:200]}"
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", self.errors):
            return f"control codes in the message: {self.errors[:160]!r}"
        if self.status == 0:
            return "" if answers else "accepted"
        if self.status not in REFUSED:
            return f"status {self.status}: {text[:160]!r}"
        said = [line for line in lines if line.startswith("leadline")]
        if len(said) < 1 or not lines[-1].startswith("leadline"):
            return f"refused, but not in one line: {text[:300]!r}"
        return ""


def run(
    arguments: Sequence[str], folder: Path, *, seconds: float = SECONDS, memory: int = MEMORY, entry: bytes = b"",
    descriptors: int | None = None, environment: dict[str, str] | None = None, **options: object,
) -> Outcome:  # fmt: skip
    """Run the command in a process of its own; `descriptors` is how many files it may have open."""
    begin = time.monotonic()

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    env = {**os.environ, "PYTHONHASHSEED": "0", "COLUMNS": "200", **(environment or {})}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    if "stdin" not in streams:
        streams["stdin"] = subprocess.PIPE
    command = [*COMMAND, *arguments]
    with subprocess.Popen(command, cwd=folder, env=env, preexec_fn=limits, **streams) as child:  # type: ignore[call-overload] # noqa: PLW1509
        try:
            output, errors = child.communicate(entry if streams["stdin"] == subprocess.PIPE else None, timeout=seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
            return Outcome(-signal.SIGALRM, output or b"", errors or b"", time.monotonic() - begin)
    return Outcome(child.returncode, output or b"", errors or b"", time.monotonic() - begin)


def forked(
    arguments: Sequence[str] | Callable[[], None], folder: Path, *, before: Callable[[], None] = lambda: None,
    seconds: float = SECONDS, memory: int = MEMORY,
) -> Outcome:  # fmt: skip
    """Run a command or a function in a fork of this process, which must not have used Polars.

    `before` prepares the fork.
    """
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _become(arguments, folder, (output.fileno(), errors.fileno()), before, seconds, memory)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        errors.seek(0)
        code = os.waitstatus_to_exitcode(status)
        return Outcome(code, output.read(), errors.read(), time.monotonic() - begin)


def _become(
    job: Sequence[str] | Callable[[], None], folder: Path, streams: tuple[int, int], before: Callable[[], None],
    seconds: float, memory: int,
) -> None:  # fmt: skip
    status = 70
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(streams[0], 1)
        os.dup2(streams[1], 2)
        # In a fork of a fork, the streams that these replace must not close their descriptors.
        sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(max(1, int(seconds)))
        os.chdir(folder)
        from leadline.cli import main

        before()
        try:
            job() if callable(job) else main(list(job))
            status = 0
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:
            traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(status)


def preload() -> None:
    """Import what commands use, so that forks need not; nothing of it may be called before a fork."""
    import importlib
    import pkgutil

    import leadline

    for about in pkgutil.walk_packages(leadline.__path__, "leadline."):
        if ".kernels" not in about.name and not about.name.endswith((".dense", ".for_ir_measures")):
            with contextlib.suppress(ImportError):
                importlib.import_module(about.name)
    for name in ("Stemmer", "scipy.sparse.csgraph", "altair", "jsonschema"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def compile_kernels() -> None:
    """Compile the kernels of documents once, into the cache: each fork that compares the engines would do it again."""

    def load() -> None:
        from leadline.text.engine import engine_of

        for package in ("leadline.text.kernels", "leadline.collections.documents.kernels"):
            engine_of(package).library.load()

    forked(load, Path.cwd())


def documents(count: int = 40, first: int = 0, version: int = 0) -> str:
    """Small patents as JSON lines; another version of a patent has other words."""
    lines = []
    for n in range(first, first + count):
        words = [_WORDS[(n * 7 + version + k * (k + n % 5)) % len(_WORDS)] for k in range(14)]
        lines.append(
            json.dumps({
                "id": f"EP{1000000 + n}B1", "title": " ".join(words[:3]), "abstract": " ".join(words),
                "description": " ".join(words * 2), "claims": [f"A {words[0]} with a {words[1]}.", "As claim 1, bent."],
                "ipc": ["F16B 15/00"], "publication": f"{1990 + n % 20}-02-15", "application": f"{1988 + n % 20}-02-15",
                "citations": [f"EP{1000000 + (n * 3) % max(n, 1)}B1"] if n else [],
            })
        )  # fmt: skip
    return "\n".join(lines) + "\n"


GRID = '[choices.query]\nwhole = "text"\n[choices.model]\nbm25 = {step = "search", model = "bm25"}\n'
GRID += 'dph = {step = "search", model = "dph"}\n'


def materials(folder: Path) -> Path:
    """Fill a folder with one small input of each kind: documents, a collection, an index, topics, runs, scores."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "documents.jsonl").write_text(documents())
    (folder / "more.jsonl").write_text(documents(46))
    (folder / "changed.jsonl").write_text(documents(8, 36, version=1))  # four that are there, and four new ones
    (folder / "topics.tsv").write_text("".join(f"{topic}\n" for topic in _TOPICS))
    qrels = (f"{t} 0 EP{1000000 + d}B1 {(d // 3 * n) % 3}" for n, t in enumerate(_TOPICS, 1) for d in range(0, 25, 3))
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")
    marks = (f"{t} 0 EP{1000000 + d}B1 {(d + n) % 3}" for n, t in enumerate(_TOPICS) for d in range(46))
    (folder / "marks.txt").write_text("\n".join(marks) + "\n")
    (folder / "grid.toml").write_text(GRID)
    (folder / "mine.toml").write_text('steps = ["text", {step = "search", model = "dph"}]\n')
    for arguments in (
        "collection build documents.jsonl -o collection --processes 1 -q",
        "collection build more.jsonl -o larger --processes 1 -q",
        "index collection -o index --positions --workers 1 -q",
        "run index topics.tsv --system baseline -k 10 -o a.run -q",
        "run index topics.tsv --system mine.toml -k 10 -o b.run -q",
        "evaluate qrels.txt a.run b.run -m AP --by-topic --format tsv -o scores.tsv -q",
    ):
        done = forked(arguments.split(), folder)
        if done.status:
            raise RuntimeError(f"leadline {arguments}: {done.errors.decode()}")
    return folder


SECRET = "leadline-attack-secret"


class Attempt:
    """A copy of the materials, with a folder beside it that no attack may reach."""

    def __init__(self, work: Path) -> None:
        self.work, self.outside = work, work.parent / "outside"
        self.outside.mkdir()
        (self.outside / "secret.txt").write_text(SECRET)
        self.before = contents(self.outside)

    def command(self, arguments: Sequence[str], *, answers: bool = True, alone: bool = False, **options: Any) -> str:
        """Run a command here; returns why its outcome is not clear, or nothing."""
        done = (run if alone else forked)(arguments, self.work, **{"seconds": 90, **options})
        return done.fault(answers=answers) or self.touched(done.output)

    def touched(self, output: bytes = b"") -> str:
        """What was changed or told of the folder outside; empty if nothing."""
        if contents(self.outside) != self.before:
            return f"changed what is outside: {sorted(contents(self.outside))}"
        return "told what is in a file outside" if SECRET.encode() in output else ""


def as_done(jobs: Sequence[Callable[[], Tally]], at_once: int) -> Iterator[tuple[int, Tally]]:
    """Do jobs in forks of this process, so many at once; yields the number of each with its tally, as they end."""
    waiting = list(enumerate(jobs))
    running: dict[int, tuple[int, int]] = {}  # by the end of a pipe: the number of the job, and its process
    while waiting or running:
        while waiting and len(running) < at_once:
            number, job = waiting.pop(0)
            reading, writing = os.pipe()
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                os.close(reading)
                _answer(job, writing)
            os.close(writing)
            running[reading] = number, child
        for ready in select.select(list(running), [], [])[0]:
            number, child = running.pop(ready)
            with os.fdopen(ready) as pipe:
                content = pipe.read()
            os.waitpid(child, 0)
            yield number, Tally("", *json.loads(content or '[1, ["the process ended without a result"]]'))


def _answer(job: Callable[[], Tally], writing: int) -> None:
    """Do a job in this fork, and end it."""
    try:
        found = job()
        with os.fdopen(writing, "w") as pipe:
            used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
            json.dump([found.tried, found.failures, sum(each.ru_utime + each.ru_stime for each in used)], pipe)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def in_forks(jobs: Sequence[Callable[[], Tally]], name: str) -> Tally:
    """Do jobs in forks of this process, all at once, and add up their tallies."""
    tallies = [tally for _, tally in sorted(as_done(jobs, len(jobs)), key=lambda done: done[0])]
    return together(name, tallies)


@contextlib.contextmanager
def attempt(base: Path) -> Iterator[Attempt]:
    """A place for one attack."""
    with copy_of(base) as work:
        yield Attempt(work)


@contextlib.contextmanager
def copy_of(folder: Path) -> Iterator[Path]:
    """A copy of a folder, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        copy = Path(place) / "work"
        shutil.copytree(folder, copy, symlinks=True)
        yield copy


def contents(folder: Path) -> dict[str, str]:
    """Every file under a folder with the hash of its content; links with their target."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = "folder"
    return found


@dataclass
class Tally:
    """What came of the attacks of one class."""

    name: str
    tried: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0  # processor time, where a fork of its own did the attacks

    def note(self, what: str, fault: str) -> None:
        """Count an attack; `fault` is empty where its outcome was clear."""
        self.tried += 1
        if fault:
            self.failures.append(f"{what}: {fault}")

    def row(self) -> str:
        return f"| {self.name} | {self.tried:,} | {self.tried - len(self.failures):,} | {len(self.failures):,} |"


def together(name: str, tallies: Sequence[Tally]) -> Tally:
    """The sum of tallies."""
    failures = [failure for tally in tallies for failure in tally.failures]
    return Tally(name, sum(tally.tried for tally in tallies), failures, sum(tally.seconds for tally in tallies))
