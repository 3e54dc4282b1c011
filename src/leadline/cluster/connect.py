"""Connect to a Ray cluster, or start Ray on this machine for the duration of a command."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from leadline.cluster.work import Cluster
from leadline.errors import InputError, LeadlineError, visible
from leadline.records.result import counted

REACHED_WITHIN = 4  # seconds for the first answer of a cluster; after 5 Ray complains on standard error
STORE_BYTES = 1 << 30  # of the object store that `auto` starts: twice the pieces that are in flight
QUIET = {  # read by Ray when it is imported or started
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_SCHEDULER_EVENTS": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}

ACCEPTED, REFUSED, NO_RAY = "accepted", "refused", "no Ray"  # what a head may say to this process
STOPPED = "Ray was stopped on this machine: start it and the command again"
WITNESS = """
import socket, sys
if not sys.stdin.read():
    try:
        socket.socket(socket.AF_UNIX).connect(sys.argv[1])
    except (ConnectionRefusedError, FileNotFoundError):
        print(sys.argv[2], file=sys.stderr)
"""  # what a child does: it waits for this process to end, and writes a line where that was because Ray had gone
MOST_PORT = 65535
WATCH = 0.5  # seconds between two looks whether Ray is still on this machine
UNWIND = 10  # seconds for the work to end in order once it is not

R = TypeVar("R")


@contextlib.contextmanager
def open_cluster(address: str, say: Callable[[str], None] = lambda _: None) -> Iterator[Cluster]:
    """The cluster at HOST:PORT; with `auto` the one that runs on this machine, or one that is started for the time.

    `say` is told which of the two `auto` means. A process that is connected to Ray already, with `ray.init`, stays
    connected.
    """
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    if address == "auto":
        _ask_for_a_token()
    import ray

    if ray.is_initialized():
        yield Cluster()
        return
    wanted = _running_here() if address == "auto" else address
    folder = None
    lost = threading.Event()
    with _ending_in_order(lost):
        try:
            if wanted is None:
                folder = tempfile.mkdtemp(prefix="leadline-")
                options = {"_temp_dir": folder, "include_dashboard": False, "object_store_memory": _store_bytes()}
                _init(address, address="local", **options)
            else:
                _check(wanted)
                _init(address, address=wanted)
            cluster = Cluster()
            if address == "auto":
                processors = counted(cluster.processors, "processor")
                used = f"uses the cluster at {wanted}" if wanted else "no cluster found: Ray is started here"
                say(f"--cluster auto: {used} with {processors}")
            with _end_if_ray_stops(lost):
                yield cluster
        finally:
            with _uninterrupted(), _silent(), _without_stderr():
                _leave(lost)
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def _ask_for_a_token() -> None:
    """Let a Ray that is started here answer this process only: it listens on all addresses of the machine.

    Ray reads this when it is imported. Versions without tokens ignore it. Where the user has set something, or a
    cluster was started on this machine, nothing is changed.
    """
    known = {"RAY_ADDRESS", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & os.environ.keys()
    started = Path(os.environ.get("RAY_TMPDIR", tempfile.gettempdir()), "ray", "ray_current_cluster")
    if not known and "ray" not in sys.modules and not started.exists():
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}


def _running_here() -> str | None:
    """The address of the cluster that the environment names or that was started on this machine; None without one."""
    if named := os.environ.get("RAY_ADDRESS"):
        return named
    from ray._private.utils import read_ray_address  # what `ray.init("auto")` looks for

    found = read_ray_address()
    if found is None:
        return None
    try:
        _reach(found)
    except InputError:  # left by a cluster that has stopped
        return None
    return found if _answer_in_time(found) != NO_RAY else None  # one that refuses us is not passed over


def _check(address: str) -> None:
    """Refuse an address where nobody answers, or something other than Ray does; Ray itself would try for minutes."""
    _reach(address)
    answers = _answer_in_time(address)
    if answers == REFUSED:
        problem = "asks for a token and refuses this one" if os.environ.get("RAY_AUTH_MODE") else "asks for a token"
        raise InputError(
            "--cluster", f"{address} {problem}: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN as where it was started"
        )
    if answers != ACCEPTED:
        raise InputError(
            "--cluster", f"{address} is not the head of a Ray cluster: give the address that `ray start` says"
        )


def _reach(address: str) -> None:
    """Refuse what is not an address, and an address where nobody listens."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or not host or "/" in host or not 0 < int(port) <= MOST_PORT:
        raise InputError("--cluster", f"must be auto or HOST:PORT, such as 10.0.0.9:6379, got {address!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACHED_WITHIN).close()
    except OSError as error:
        reason = getattr(error, "strerror", None) or str(error) or "no answer"
        raise InputError(
            "--cluster", f"{address} cannot be reached: {reason.lower()}; is `ray start` running?"
        ) from None


def _answer_in_time(address: str) -> str:
    """What a head says to this process; NO_RAY where it does not answer within the time."""
    with _without_stderr():
        return _within(REACHED_WITHIN, lambda: _answer(address)) or NO_RAY


def _answer(address: str) -> str:
    """What a head says to this process."""
    from ray._raylet import GcsClient  # type: ignore[attr-defined]

    try:
        GcsClient(address=address)
    except Exception as error:
        said = f"{type(error).__name__} {error}".lower()
        return REFUSED if "authenticat" in said else NO_RAY  # only newer versions of Ray have a class for it
    return ACCEPTED


def _init(named: str, **options: Any) -> None:
    import ray

    def connect() -> None:
        ray.init(log_to_driver=False, logging_level=logging.CRITICAL, configure_logging=True, **options)

    try:
        with _uninterrupted(), _silent(), _without_stderr():
            connect()
    except Exception as error:
        if isinstance(error, LeadlineError):
            raise
        said = " ".join(str(error).split()) or type(error).__name__
        raise InputError("--cluster", f"Ray does not start for {named}: {visible(said)[:300]}") from None
    _silence_errors()


@contextlib.contextmanager
def _ending_in_order(lost: threading.Event) -> Iterator[None]:
    """End with SystemExit where the system asks this process to end, so that Ray is stopped and its folder removed.

    Once Ray is lost, the signal comes from `_end_if_ray_stops`, and the error says so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _frame: object) -> None:
        if lost.is_set():
            raise InputError("--cluster", STOPPED)
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(lost: threading.Event) -> None:
    """Disconnect from Ray. Without its process on this machine that would end ours at once: the rest is ended then."""
    import ray

    if not lost.is_set():
        ray.shutdown()
        return
    from ray._private import worker

    atexit.unregister(worker.shutdown)
    if worker._global_node is not None:
        worker._global_node.kill_all_processes(check_alive=False, allow_graceful=False)


@contextlib.contextmanager
def _end_if_ray_stops(lost: threading.Event) -> Iterator[None]:
    """End the work with one line where Ray is stopped on this machine: Ray itself may end the process without a word.

    The main thread may be waiting inside of Ray, where no signal is answered: then the line is written by the watching
    thread. Where Ray's library finds its object store gone first, it ends this process, and a child writes the line.
    """
    from ray._private import worker

    node = getattr(worker, "_global_node", None)
    if node is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(WATCH):
            if not _listens(node.raylet_socket_name):
                lost.set()
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
                if not over.wait(UNWIND):
                    os.write(2, f"leadline: --cluster: {STOPPED}\n".encode())
                    os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    command = [sys.executable, "-I", "-S", "-c", WITNESS, node.raylet_socket_name, f"leadline: --cluster: {STOPPED}"]
    witness = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    try:
        yield
    finally:
        over.set()
        with contextlib.suppress(OSError):
            witness.communicate(b"done")


def _listens(path: str) -> bool:
    """Whether a process listens at a socket in the file system."""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.settimeout(WATCH)
        try:
            asked.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:  # too many ask at once
            return True
    return True


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Answer Ctrl-C, and a request to end, afterwards: interrupted as it starts or stops, Ray crashes at the end.

    Ray also sets its own answer to such a request as it starts; the one from before is set again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda number, _frame: asked.append(number)) for each in signals]
    try:
        yield
    finally:
        for each, answer in zip(signals, before, strict=True):
            signal.signal(each, answer)
    if asked:
        signal.raise_signal(signal.Signals(asked[0]))


def _silence_errors() -> None:
    """Ray prints what happens to its nodes on standard output, among our results; lost work is done again anyway."""
    from ray._private import worker

    worker.print_to_stdstream = lambda *_, **__: None


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """Let nothing be written to standard error: Ray's own library does so before it can be told not to."""
    sys.stderr.flush()
    before, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(nowhere)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Let Ray log nothing while it starts and stops."""
    log = logging.getLogger("ray")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _store_bytes() -> int:
    """The size of the object store of a cluster that is started here: a bounded share of the memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    shared = shutil.disk_usage("/dev/shm").free if os.path.isdir("/dev/shm") else memory
    return max(min(STORE_BYTES, memory // 4, shared // 2), 80 << 20)


def _within(seconds: float, ask: Callable[[], R]) -> R | None:
    """What a function returns, or None after so many seconds."""
    found: list[R] = []
    thread = threading.Thread(target=lambda: found.append(ask()), daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else None
