"""Work in the background: one thread that does the same again whenever it is woken, or after a while.

>>> done = threading.Event()
>>> with Background(done.set, "example") as work:
...     work.wake()
...     done.wait(5)
True
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from leadline.errors import LeadlineError, shortage_reason, system_reason, visible


class Background:
    """A thread, which does its work when it is woken, and every so many seconds where `every` is given.

    What goes wrong is printed, what the user can mend as one line, and the next turn tries again. The thread does not
    keep its process alive.
    """

    def __init__(self, work: Callable[[], object], name: str, *, every: float | None = None) -> None:
        self._work, self._every = work, every
        self._woken, self._is_over = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin; work is done when it is woken for the first time, or the first time has passed."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there is work; what is asked for during a turn is done by the next."""
        self._woken.set()

    def close(self, seconds: float | None = None) -> None:
        """End the thread, and wait for the turn that it is in, or so many seconds of it."""
        self._is_over = True
        self._woken.set()
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def __enter__(self) -> Background:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        while True:
            self._woken.wait(self._every)
            self._woken.clear()
            if self._is_over:
                return
            try:
                self._work()
            except BaseException as error:  # panics of libraries are no Exceptions
                if reason := _reason(error):
                    print(f"leadline: {self._thread.name}: {reason}", file=sys.stderr)
                else:
                    traceback.print_exc()


def _reason(error: BaseException) -> str:
    """Why a turn failed; empty for an error that is a fault of the program."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{visible(where)}{system_reason(error)}"
    return str(error) if isinstance(error, LeadlineError) else shortage_reason(error)
