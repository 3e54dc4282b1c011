"""Write results, notes and progress bars."""

from __future__ import annotations

import argparse
import glob
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from leadline.errors import InputError, system_reason, visible
from leadline.records.scores.table import Table
from leadline.text.files import check_output, write_whole

STYLES = ("\033[1m", "\033[2m", "\033[0m")  # bold, dim and plain: the only control codes that we write
_STYLED = re.compile(f"({'|'.join(map(re.escape, STYLES))})")
INPUTS = (
    "against", "collection", "duplicates", "grid", "index", "inputs", "lengths", "map", "only", "passages", "patent",
    "patents", "personal", "qrels", "reads", "review", "runs", "runs_info", "score", "scores", "source", "sources",
    "system", "topics",
)  # fmt: skip
BESIDE = ("", ".manifest.json", ".why.tsv", ".unfinished")  # what a command writes as well as FILE


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse to write over a file that the same command reads, or over one in a folder that it reads."""
    outputs = [getattr(options, name, None) for name in ("output", "figure")]
    named = [f"{output}{ending}" for output in outputs if output not in (None, "-") for ending in BESIDE]
    existing = [output for output in named if os.path.isfile(output)]
    if not existing:
        return
    values = [getattr(options, name, None) for name in INPUTS]
    given = [each for value in values for each in (value if isinstance(value, list) else [value])]
    names = [each for each in given if isinstance(each, str) and each]
    inputs = [path for name in names for path in (*glob.glob(name, recursive=True), *glob.glob(f"{name}/*"))]
    inputs += [name for name in names if os.path.isfile(name)]
    for output in existing:
        check_output(output, inputs)
        for folder in (getattr(options, name, None) for name in ("collection", "index", "review")):
            if folder and Path(output).resolve().is_relative_to(Path(folder).resolve()):
                raise InputError(output, f"is in {folder}, which is an input: name another file for the output")


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
    from leadline.commands.shared.progress import WAIT, ProgressBar, ProgressFile

    if watched:
        yield ProgressFile(what, watched).step
        return
    bar = ProgressBar(what, 0.0 if at_once else WAIT)
    try:
        yield bar.step
    finally:
        bar.clear()
