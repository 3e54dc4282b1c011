"""Work in other processes of this machine: they end with this one, and one that was ended is an error of one line."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, ParamSpec, TypeVar

R = TypeVar("R")
P = ParamSpec("P")
AHEAD = 2  # pieces for each process that are handed over before the first result is asked for


class WorkerProcesses:
    """Processes that do pieces of work.

    `doing` says in an error what they do: "reads documents". Where one is ended, as libraries and the system do where
    memory runs out, the error advises `--processes 1`.
    """

    def __init__(self, count: int, doing: str) -> None:
        self.count, self._doing = count, doing

    def __enter__(self) -> WorkerProcesses:
        # Forking a process in which Polars has started threads can hang, so workers are spawned.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_watch_parent)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._pool.shutdown(cancel_futures=kind is not None)
        if isinstance(error, BrokenProcessPool):
            problem = f"a process that {self._doing} was ended, as where memory runs out: try --processes 1"
            raise MemoryError(problem) from None

    def submit(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Begin a piece of work."""
        with _ctrl_c_ignored():
            return self._pool.submit(function, *args, **kwargs)

    def __call__(self, function: Callable[..., R], pieces: Iterable[tuple[Any, ...]], *shared: Any) -> Iterator[R]:
        """As a `Spread`: what the function returns for each piece, in their order."""
        waiting: deque[Future[R]] = deque()
        for piece in pieces:
            while len(waiting) >= AHEAD * self.count:
                yield waiting.popleft().result()
            waiting.append(self.submit(function, *piece, *shared))
        while waiting:
            yield waiting.popleft().result()


def end_program(process: int, *, politely: bool = False) -> None:
    """End a program that was started in a session of its own, with the programs it started; politely, as by Ctrl-C.

    Windows has no sessions, and nothing polite for a program without a window: there its tree is ended at once.
    """
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGINT if politely else signal.SIGKILL)
    else:
        words = ["taskkill", "/F", "/T", "/PID", str(process)]
        with contextlib.suppress(OSError):
            subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Ignore Ctrl-C while workers start: they inherit this, and only the parent answers it."""
    if threading.current_thread() is not threading.main_thread():  # where signals cannot be changed
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _watch_parent() -> None:
    """End this worker when its parent ends: after a kill of the parent it would wait for work forever.

    Its errors go to the parent; what a library says before it ends the process goes nowhere.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: Any) -> None:
    parent.join()
    os._exit(1)
