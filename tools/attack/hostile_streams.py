"""A system that says no: closed streams, full devices, other users, little memory."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from harness import COMMAND, Attempt, Outcome, attempt, contents, documents, forked, run
from small_site import small_site

OTHER = 65534  # the user `nobody`
COMMANDS = {
    "table": "evaluate qrels.txt a.run -q",
    "json": "evaluate qrels.txt a.run --format json",
    "list": "measures",
    "search": "search index polymer",
    "help": "--help",
    "info": "collection info collection",
    "error": "evaluate no-such-file a.run",
    "warning": "evaluate qrels.txt a.run",
}


def _shell(words: str, redirected: str, folder: Path) -> Outcome:
    command = f"{' '.join(COMMAND)} {words} {redirected}"
    done = subprocess.run(["sh", "-c", f"exec {command}"], cwd=folder, capture_output=True, timeout=60, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr, 0)


def attack_streams(base: Path) -> Iterator[tuple[str, str]]:
    """Streams closed before the start, full, or left by their reader."""
    redirections = [
        ">&-",
        "2>&-",
        "<&-",
        ">&- 2>&-",
        "<&- >&- 2>&-",
        "> /dev/full",
        "2> /dev/full",
        "> /dev/full 2>&1",
        "< /",
        "| true",
        "| head -c 1",
    ]
    with attempt(base) as there:
        for words in COMMANDS.values():
            for redirected in redirections:
                try:
                    done = _shell(words, redirected, there.work)
                    text = done.errors.decode("utf-8", "replace")
                    fault = "traceback: " + text[-160:] if "Traceback" in text or "Exception ignored" in text else ""
                    full = redirected == "> /dev/full" and "no-such" not in words
                    if not fault and full and done.status == 0:
                        fault = "said nothing of what it could not write"
                    if not fault and done.status < 0:
                        fault = f"ended by signal {-done.status}"
                except subprocess.TimeoutExpired:
                    fault = "ran too long"
                yield f"leadline {words} {redirected}", fault
        for words in (
            "evaluate qrels.txt a.run -o /dev/full",
            "evaluate qrels.txt a.run -o /dev/null",
            "evaluate qrels.txt a.run -o .",
            "evaluate qrels.txt a.run -o a.run/x",
            "evaluate qrels.txt a.run -o no/such/place",
            "evaluate - -",
            "evaluate qrels.txt /dev/null",
            "evaluate /dev/null a.run",
            "search /dev/null film",
            "collection info /dev/null",
            "run index /dev/null -o x",
            "collection build /dev/zero -o c",
        ):
            answers = words.endswith(("/dev/null",)) and " -o " in words
            yield f"leadline {words}", there.command([*words.split(), "-q"], answers=answers, alone=True)


def attack_users(base: Path) -> Iterator[tuple[str, str]]:
    """In a folder that all may write to, another user has planted what we are about to write."""
    if os.geteuid() != 0:
        return
    jobs = {
        "evaluate qrels.txt a.run -o all/out -q": ["out"],
        "run index topics.tsv -k 5 -o all/out -q": ["out", "out.unfinished", "out.manifest.json"],
        "qrels citations larger topics.tsv -o all/out -q": ["out", "out.why.tsv"],
        "index collection -o all/out --workers 1 -q": ["out"],
        "collection build more.jsonl -o all/out --processes 1 -q": ["out"],
        "report qrels.txt a.run b.run --samples 2 -o all/out.html -q": ["out.html"],
    }
    for command, names in jobs.items():
        for name in names:
            for kind in ("link to a file", "link to a folder", "pipe", "link nowhere"):
                with attempt(base) as there:
                    shared = there.work / "all"
                    shared.mkdir()
                    shared.chmod(0o1777)
                    planted = shared / name
                    if kind == "pipe":
                        os.mkfifo(planted)
                    else:
                        target = {"link to a file": "secret.txt", "link to a folder": ".", "link nowhere": "new.txt"}[
                            kind
                        ]
                        planted.symlink_to(there.outside / target)
                    os.chown(planted, OTHER, OTHER, follow_symlinks=False)
                    yield (
                        f"all/{name} is a {kind} of another user; leadline {command}",
                        there.command(command.split()),
                    )
    cached = "evaluate qrels.txt a.run -m AP -q"
    for what in ("folder of another user", "link of another user", "path through a link of another user"):
        with attempt(base) as there:
            cache = there.work / "cache"
            if "link" in what:
                there.outside.chmod(0o700)  # a folder that would be believed, were it named itself
                cache.symlink_to(there.outside)
            else:
                cache.mkdir(mode=0o777)
            os.chown(cache, OTHER, OTHER, follow_symlinks=False)
            named = cache / "inside" if what.startswith("path") else cache
            environment = {"LEADLINE_CACHE": str(named), "LEADLINE_ENGINE": "compiled"}
            fault = there.command(cached.split(), alone=True, environment=environment, seconds=200)
            if not fault and what.startswith("folder") and any(cache.iterdir()):
                fault = "wrote to the cache of another user"
            yield f"LEADLINE_CACHE is a {what}; LEADLINE_ENGINE=compiled leadline {cached}", fault


SMALL_COMMANDS = [  # tried at every limit
    "evaluate qrels.txt a.run -q",
    "search index polymer -q",
    "collection info collection",
    "collection build documents.jsonl -o new --processes 1 -q",
    "index collection -o new --workers 1 -q",
    "run index topics.tsv -k 5 -o x -q",
    "report qrels.txt a.run b.run --samples 2 -o x.html -q",
]
MORE_COMMANDS = [
    "collection build more.jsonl -o collection --processes 2 -q",
    "index larger -o index --workers 2 -q",
    "index collection -o new --add --workers 1 -q",
    "compare pairs qrels.txt a.run b.run -q",
    "compare verdict qrels.txt a.run b.run --samples 20 -q",
    "prior-art index EP1000031B1 -q",
    "grid index topics.tsv grid.toml -k 5 -o g -q",
    "pool a.run b.run --depth 5 -o p.txt -q",
    "judge import pool.txt marks.txt --person anna",
    "judge status pool.txt",
    "judge export pool.txt -o a.run -q",
    "qrels citations larger topics.tsv -o x -q",
    "simulate office --patents 100 -o office -q",
    "duplicates collection -q",
    "links pagerank larger -q",
    "links stats larger -q",
    "directory collection -q",
    "crawl --help",
    "check index",
]


def attack_memory(base: Path) -> Iterator[tuple[str, str]]:
    """A limit of address space, from too little for Python's libraries to enough: the answer, or one line."""
    cases = [(command, size) for command in SMALL_COMMANDS for size in (64, 128, 192, 256, 512, 1024, 1400, 2048)]
    cases += [(command, size) for command in MORE_COMMANDS for size in (1024, 2048)]
    with attempt(base) as prepared:
        for first in ("pool a.run b.run --depth 5 -o pool.txt -q", "judge import pool.txt marks.txt --person eve"):
            forked(first.split(), prepared.work)
        for command, megabytes in cases:
            with attempt(prepared.work) as there:
                if "--add" in command:  # an index knows the path of its collection, so it is made here
                    for first in (
                        "index collection -o new --workers 1 -q",
                        "collection build more.jsonl -o collection --processes 1 -q",
                    ):
                        forked(first.split(), there.work)
                before = contents(there.work)
                done = run(command.split(), there.work, memory=megabytes << 20, seconds=300)
                fault = done.fault()
                if not fault and done.status and b"memory" not in done.errors:
                    fault = f"does not say that memory ran out: {done.errors[-160:]!r}"
                now = contents(there.work)
                # Names that a folder is about to get are listed in it before they are made.
                lost = [
                    name for name in before if before[name] != now.get(name) and not name.endswith("leadline.jsonl")
                ]
                if not fault and done.status and lost:
                    fault = f"changed {lost}"
                yield f"a limit of {megabytes} MB; leadline {command}", fault


# Commands, and the processor time of the latest interrupt: a busy machine makes no difference.
INTERRUPTED = {
    "collection build large.jsonl -o new --processes 2 -q": 4.0,
    "index collection -o new --workers 2 -q": 1.2,
    "grid index topics.tsv grid.toml -k 10 -o new -q": 1.5,
    "report qrels.txt a.run b.run -o new.html -q": 4.0,
    "crawl SITE -o new --delay 0.2 -q": 1.2,
    "compare verdict qrels.txt a.run b.run --samples 100000 -q": 3.0,
    "simulate office --patents 20000 -o new -q": 3.0,
}
INTERRUPTS = {signal.SIGINT: 8, signal.SIGTERM: 2}  # of each command


def attack_interrupts(base: Path, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Ctrl-C, which a terminal sends to all processes, and SIGTERM: one line and 130, no orphan, and a next attempt."""
    chance = random.Random(seed)
    with small_site() as site:
        for command, latest in INTERRUPTED.items():
            words = command.replace("SITE", site)
            with attempt(base) as there:
                text = documents(60)
                (there.work / "large.jsonl").write_text(text * ((4 << 20) // len(text)))
                for sent, times in INTERRUPTS.items():
                    for _ in range(times):
                        moment = chance.uniform(0.1, latest)
                        fault = _stopped(words, there, sent, moment)
                        yield f"{sent.name} after {moment:.2f} s of a core of leadline {command}", fault
                if "large" not in command and "samples" not in command:
                    again = run(words.split(), there.work, seconds=600)
                    fault = f"the next attempt fails: {again.errors[-200:]!r}" if again.status else ""
                    yield f"after these: leadline {command}", fault


def _with_interrupts() -> None:
    """A shell in the background starts its programs deaf to interrupts, and these theirs."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _stopped(command: str, there: Attempt, sent: signal.Signals, moment: float) -> str:
    """What is wrong with the end of a command that was stopped."""
    child = subprocess.Popen(
        [*COMMAND, *command.split()], cwd=there.work, start_new_session=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=_with_interrupts,  # noqa: PLW1509
    )  # fmt: skip
    end = time.monotonic() + 120
    while child.poll() is None and _processor_time(child.pid) < moment and time.monotonic() < end:
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, sent)
    try:
        _, errors = child.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return "did not stop within two minutes"
    text = errors.decode("utf-8", "replace")
    end = time.monotonic() + 30
    while (left := _session(child.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    if left:
        os.killpg(child.pid, signal.SIGKILL)
        return f"left processes behind: {left}"
    # A signal while Python itself starts, or imports our first file, is not ours to answer.
    if "Traceback" in text and ("in main" in text or "in _run" in text or sent == signal.SIGTERM):
        return f"traceback: {text[-300:]!r}"
    by_python = child.returncode == -signal.SIGINT and not text
    if sent == signal.SIGINT and child.returncode not in (0, 130) and "Traceback" not in text and not by_python:
        return f"status {child.returncode}: {text[-200:]!r}"
    if child.returncode == 130 and len(text.splitlines()) > 1:
        return f"said more than one line: {text[-200:]!r}"
    return ""


def _processor_time(leader: int) -> float:
    """The seconds of a core that the processes of a session have used."""
    ticks = 0
    for process in _session(leader):
        with contextlib.suppress(OSError, IndexError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _session(leader: int) -> list[int]:
    """The processes of a session that are still there."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            state, _, _, session = path.read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(path.parent.name))
    return found


CLASSES = {
    "closed and full streams": attack_streams,
    "two users": attack_users,
    "little memory": attack_memory,
    "interrupts": attack_interrupts,
}
