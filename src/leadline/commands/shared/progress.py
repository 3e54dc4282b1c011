"""A progress bar on one line of the terminal, or the same in a file for whoever watches the work from outside."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time

from leadline.errors import InputError, visible
from leadline.text.files import write_stored
from leadline.text.json_output import json_text

WAIT = 1.0  # seconds before the bar is shown
PAUSE = 0.1  # seconds between two drawings
LONGEST = 30  # columns of the bar itself


class ProgressBar:
    """Shows how much of some work is done once it has taken a second, and leaves nothing behind."""

    def __init__(self, what: str, wait: float = WAIT) -> None:
        self._what, self._wait = what, wait
        self._start = time.monotonic()
        self._drawn = 0.0  # when the bar was drawn last; 0: not yet

    def step(self, done: int, total: int, note: str = "") -> None:
        """Report that `done` of `total` parts are done."""
        now = time.monotonic()
        if now - self._start >= self._wait and now - self._drawn > PAUSE:
            self._drawn = now
            line = bar_line(f"{self._what} {note}".rstrip(), done, total, now - self._start)
            print(f"\r\033[K{line[: shutil.get_terminal_size().columns - 1]}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the bar."""
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class ProgressFile:
    """Writes how much of some work is done to a file, twice a second at most."""

    def __init__(self, what: str, path: str) -> None:
        self._what, self._path = what, path
        self._written = 0.0

    def step(self, done: int, total: int, note: str = "") -> None:
        """Report that `done` of `total` parts are done."""
        now = time.monotonic()
        if now - self._written > 0.5:
            self._written = now
            what = visible(f"{self._what} {note}".rstrip())
            with contextlib.suppress(InputError):  # the work itself goes on
                write_stored(self._path, json_text({"what": what, "done": done, "total": total}).encode())


def bar_line(what: str, done: int, total: int, seconds: float) -> str:
    """The line of a bar, with the time that is left as far as it can be told.

    >>> bar_line("reading runs", 3, 12, 20)
    'reading runs ━━━━━━━╺──────────────────────  25 %  1:00 left'
    """
    share = min(max(done / total, 0.0), 1.0) if total > 0 else 0.0
    full = int(share * LONGEST)
    bar = "━" * full + ("╺" + "─" * (LONGEST - full - 1) if full < LONGEST else "")
    left = round(seconds * (1 - share) / share) if share > 0 else 0
    time_left = f"  {left // 60}:{left % 60:02d} left" if share > 0 else ""
    return f"{visible(what)} {bar} {share:>4.0%}{time_left}".replace("%", " %")
