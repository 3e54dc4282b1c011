"""Show a long text on a terminal one screen at a time."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

from leadline.commands.shared.output import shown_text, write

PLAIN = "cat"  # as $PAGER: print everything at once


def write_paged(text: str, output: str | None) -> None:
    """Write a text; on a terminal that it does not fit, through $PAGER, or less where there is one."""
    command = _pager() if output is None and _needs_pager(text) else []
    if not command:
        write(text, output)
        return
    # R: bold and dim are shown, F and X: a text of one screen stays on it.
    environment = {"LESS": "FRX", **os.environ}
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as pager:
            pager.communicate(shown_text(text).encode())
    except BrokenPipeError:
        pass  # the reader has seen enough
    except OSError:
        write(text)


def _needs_pager(text: str) -> bool:
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        return False
    return text.count("\n") >= shutil.get_terminal_size().lines


def _pager() -> list[str]:
    """The command of the pager; empty for none."""
    chosen = os.environ.get("PAGER")
    if chosen is None:
        less = shutil.which("less")
        return [less] if less else []
    try:
        command = shlex.split(chosen)
    except ValueError:  # a quote without its end
        return []
    return command if command and command != [PLAIN] and shutil.which(command[0]) else []
