"""Connect to a Ray cluster, or start Ray on this machine for the duration of a command."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from leadline.cluster.work import Cluster
from leadline.errors import InputError, LeadlineError, visible

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

R = TypeVar("R")


@contextlib.contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """The cluster at HOST:PORT; with `auto` the one that runs on this machine, or one that is started for the time.

    A process that is connected to Ray already, with `ray.init`, stays connected.
    """
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    import ray

    if ray.is_initialized():
        yield Cluster()
        return
    wanted = _running_here() if address == "auto" else address
    folder = None
    with _ending_in_order():
        try:
            if wanted is None:
                folder = tempfile.mkdtemp(prefix="leadline-")
                options = {"_temp_dir": folder, "include_dashboard": False, "object_store_memory": _store_bytes()}
                _init(address, address="local", **options)
            else:
                _check(wanted)
                _init(address, address=wanted)
            yield Cluster()
        finally:
            with _uninterrupted(), _silent(), _without_stderr():
                ray.shutdown()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def _running_here() -> str | None:
    """The address of the cluster that the environment names or that was started on this machine; None without one."""
    if named := os.environ.get("RAY_ADDRESS"):
        return named
    from ray._private.utils import read_ray_address  # what `ray.init("auto")` looks for

    found = read_ray_address()
    if found is not None:
        try:
            _check(found)
        except InputError:  # left by a cluster that has stopped
            return None
    return found


def _check(address: str) -> None:
    """Refuse an address where nobody answers, or something other than Ray does; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or not host or "/" in host:
        raise InputError("--cluster", f"must be auto or HOST:PORT, such as 10.0.0.9:6379, got {address!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACHED_WITHIN).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "no answer"
        raise InputError(
            "--cluster", f"{address} cannot be reached: {reason.lower()}; is `ray start` running?"
        ) from None
    with _without_stderr():
        answers = _within(REACHED_WITHIN, lambda: _is_ray(address))
    if not answers:
        raise InputError(
            "--cluster", f"{address} is not the head of a Ray cluster: give the address that `ray start` says"
        )


def _is_ray(address: str) -> bool:
    from ray._raylet import GcsClient  # type: ignore[attr-defined]

    try:
        GcsClient(address=address)
    except Exception:
        return False
    return True


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
def _ending_in_order() -> Iterator[None]:
    """End with SystemExit where the system asks this process to end, so that Ray is stopped and its folder removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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
