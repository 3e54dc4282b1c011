"""Somebody else's code, called in a thread of its own, and given up where it takes too long."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from leadline.retrieval.engines.engine import AskingFailedError


class TimedCaller:
    """A thread that calls functions, always the same, since code may keep a connection for each thread.

    Python cannot end a thread: one that does not come back stays, and does not keep the process from ending.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._ends: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def call(self, function: Callable[[], Any]) -> Any:
        """What the function returns or raises; AskingFailedError where it does neither in time."""
        self._calls.put(function)
        try:
            found, error = self._ends.get(timeout=self.seconds)
        except queue.Empty:
            raise AskingFailedError(f"no answer within {self.seconds:g} s: the call was given up") from None
        if error is not None:
            raise error
        return found

    def close(self) -> None:
        self._calls.put(None)

    def _work(self) -> None:
        while (function := self._calls.get()) is not None:
            try:
                self._ends.put((function(), None))
            except BaseException as error:  # it is raised where the function was asked for
                self._ends.put((None, error))
