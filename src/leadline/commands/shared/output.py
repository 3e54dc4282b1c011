"""Write results, notes and progress bars, on the terminal or in a file for whoever watches."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from leadline.errors import InputError, system_reason, visible
from leadline.records.result import Table
from leadline.text.files import json_text, write_stored, write_whole

STYLES = ("\033[1m", "\033[2m", "\033[0m")  # bold, dim and plain: the only control codes that we write
_STYLED = re.compile(f"({'|'.join(map(re.escape, STYLES))})")


def write_table(table: Table, options: argparse.Namespace) -> None:
    """Write a table as --format and -o say."""
    write(table.encoded(options.format, formulas=options.keep_formulas), options.output)


def write(content: bytes | str, output: str | None = None) -> None:
    """Write to a file, or to standard output if it is None or "-". Control codes in a text are made visible."""
    if isinstance(content, str):
        content = shown_text(content).encode()
    if output is not None and output != "-":
        write_whole(output, content)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError("standard output", f"cannot be written: {system_reason(error)}") from None


def shown_text(text: str) -> str:
    """A text with its control codes made visible, but for those that we write: bold, dim and plain."""
    return "".join(part if part in STYLES else visible(part, "\t\n") for part in _STYLED.split(text))


def wrap_for_terminal(text: str) -> str:
    """Break a text into lines if a terminal shows it."""
    if not sys.stdout.isatty():
        return text
    return textwrap.fill(text, shutil.get_terminal_size().columns - 1)


def print_notes(notes: Iterable[str], options: argparse.Namespace) -> None:
    """Print notes about the result on standard error, each once, unless --quiet is given."""
    for note in () if options.quiet else dict.fromkeys(notes):
        print(f"  {visible(note)}", file=sys.stderr)


@contextmanager
def progress_bar(what: str, *, quiet: bool, at_once: bool = False) -> Iterator[Callable[..., None] | None]:
    """A progress bar on a terminal, shown once the work has taken a second; in a file if the environment names one.

    With `at_once` it is shown from the beginning, by work whose first part takes long.
    """
    watched = os.environ.get("LEADLINE_PROGRESS")
    if not watched and (quiet or not sys.stderr.isatty()):
        yield None
        return

    if watched:
        yield ProgressFile(what, watched).step
        return
    bar = ProgressBar(what, 0.0 if at_once else WAIT)
    try:
        yield bar.step
    finally:
        bar.clear()


# A progress bar on one line of the terminal, or the same in a file for whoever watches the work from outside.


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
