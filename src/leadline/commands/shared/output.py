"""Write results, notes and progress bars."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from leadline.errors import printable
from leadline.records.scores.table import Table
from leadline.text.source import write_whole


def write_table(table: Table, options: argparse.Namespace) -> None:
    """Write a table as --format and -o say."""
    write(table.encoded(options.format), options.output)


def write(content: bytes | str, output: str | None = None) -> None:
    """Write to a file, or to standard output if it is None or "-"."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_whole(output, content)


def wrap_for_terminal(text: str) -> str:
    """Break a text into lines if a terminal shows it."""
    if not sys.stdout.isatty():
        return text
    return textwrap.fill(text, shutil.get_terminal_size().columns - 1)


def print_notes(notes: Iterable[str], options: argparse.Namespace) -> None:
    """Print notes about the result on standard error, each once, unless --quiet is given."""
    for note in () if options.quiet else dict.fromkeys(notes):
        print(f"  {printable(note)}", file=sys.stderr)


def count_of(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_of(1, "topic"), count_of(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


@contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[..., None] | None]:
    """A progress bar on a terminal, shown once the work has taken a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()
    shown: list[Any] = []

    def step(done: int, total: int, note: str = "") -> None:
        if not shown and time.monotonic() - start > 1:
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            bar.start()
            shown.extend([bar, bar.add_task(what, total=total)])
        if shown:
            shown[0].update(shown[1], completed=done, description=f"{what} {note}".rstrip())

    try:
        yield step
    finally:
        if shown:
            shown[0].stop()
