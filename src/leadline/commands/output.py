"""What commands share in what they take and print: formats, files, notes, a progress bar."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from leadline.errors import InputError, checked_choice, printable
from leadline.records.scores.table import FORMATS, Table
from leadline.text.source import write_whole


def define_output(parser: argparse.ArgumentParser) -> None:
    """The options of every command that prints a table."""
    parser.add_argument("-f", "--format", default="table", metavar="FORMAT", help=", ".join(FORMATS))
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file, whole or not at all")


def check_output(options: argparse.Namespace) -> None:
    """Refuse a format before any work is done for it."""
    checked_choice("--format", options.format, FORMATS)
    if options.format == "parquet" and options.output is None:
        raise InputError("--format parquet", "is not text: name a file with -o")


def emit_table(table: Table, options: argparse.Namespace) -> None:
    emit(table.encoded(options.format), options.output)


def emit(content: bytes, output: str | None = None) -> None:
    """Write to a file, or to standard output."""
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_whole(output, content)


def paragraph(text: str) -> str:
    """A text broken into lines where a terminal would break words, and left alone elsewhere."""
    if not sys.stdout.isatty():
        return text
    return textwrap.fill(text, shutil.get_terminal_size().columns - 1)


def say(notes: Iterable[str]) -> None:
    """Notes on what was missing or left out go beside the result, not into it."""
    for note in notes:
        print(f"  {printable(note)}", file=sys.stderr)


@contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[..., None] | None]:
    """A bar that appears once the work has taken a second, and only on a terminal."""
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
