"""The command line: finds the command, parses its arguments and prints errors as one line.

It uses argparse and imports only the command that is asked for, because importing a larger framework would take longer
than a small evaluation.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from leadline.commands import command_files, command_module, grouped, summary
from leadline.commands.shared.process_limits import memory_left, prepare_process
from leadline.errors import (
    InputError,
    LeadlineError,
    LeadlineWarning,
    UsageError,
    is_panic,
    nearest,
    shortage_reason,
    system_reason,
    visible,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with status 1 for wrong input, 2 for wrong usage and 130 when stopped with Ctrl-C."""
    warnings.showwarning = _print_warning
    _replace_closed_streams()
    try:
        prepare_process()
        _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        if arguments is None:
            _end_quietly()
    except LeadlineError as error:
        _fail("leadline", str(error), 1)
    except BrokenPipeError:
        # The reader of our output has left, as `head` does. What Python would still flush goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(0)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail("leadline", f"{where}{system_reason(error)}", 1)
    except MemoryError as error:
        _fail("leadline", shortage_reason(error), 1)
    except RecursionError:
        _fail("leadline", "the input is nested too deeply", 1)
    except KeyboardInterrupt:
        _stop(at_once=arguments is None)
    except BaseException as error:  # panics are no Exceptions
        if isinstance(error, (RuntimeError, ImportError)) and _is_interrupt(error):
            _stop(at_once=arguments is None)
        if (problem := _of_library(error)) is None:
            raise
        _fail("leadline", problem, 1)


def _of_library(error: BaseException) -> str | None:
    """What a library's error or panic says in one line; None for an error that is a fault of ours."""
    said = " ".join(str(error).split())
    if isinstance(error, SystemError) and memory_left() is not None:  # an import that found no memory for its error
        return f"not enough memory ({said})"
    if short := shortage_reason(error):
        return short
    return f"a library failed: {said}" if is_panic(error) else None


def _is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C came while a library was loaded: NumPy raises an ImportError in its place."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt) or "PyCapsule_Import could not import" in str(seen):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _end_quietly() -> None:
    """Let Ctrl-C end the process without a traceback while Python shuts down: the work is done."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _fail(program: str, message: str, status: int) -> NoReturn:
    with contextlib.suppress(OSError):
        print(f"{program}: {visible(message)}", file=sys.stderr)
    sys.exit(status)


def _stop(*, at_once: bool) -> NoReturn:
    """End after Ctrl-C with status 130. `at_once` is for a process of our own: it waits for no thread."""
    import signal

    if at_once:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would print a traceback
    try:
        _fail("leadline", "stopped", 130)
    finally:
        if at_once:
            with contextlib.suppress(OSError):
                sys.stderr.flush()
            os._exit(130)


class _ClosedStream(io.RawIOBase):
    """Takes the place of a standard stream that is closed, and says so when it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, _buffer: Any) -> int:
        raise InputError(self._name, "is closed")

    def write(self, _content: Any) -> int:
        raise InputError(self._name, "is closed: name a file with -o, or /dev/null")


def _replace_closed_streams() -> None:
    """Replace standard streams that are closed; otherwise the next file opened would take their descriptors."""
    for name, words in (("stdin", "standard input"), ("stdout", "standard output"), ("stderr", "")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest one that is free: the one that is closed
            if not words:  # notes and errors go nowhere, and the result stays the same
                sys.stderr = os.fdopen(descriptor, "w", encoding="utf-8", closefd=False)
            else:
                setattr(sys, name, io.TextIOWrapper(_ClosedStream(words), write_through=True))


def _print_warning(message: Warning | str, category: type[Warning], *_place: Any, **_line: Any) -> None:
    """Print our own warnings as one line; those of libraries are for their developers."""
    if issubclass(category, LeadlineWarning):
        print(f"leadline: {visible(str(message))}", file=sys.stderr)


class _CommandParser(argparse.ArgumentParser):
    """An argument parser that reports wrong usage in one line."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: "):
            wrong = next(iter(message.split()[2:]), "''")
            what = "unknown option" if wrong.startswith("-") else "unexpected argument"
            message = f"{what} {wrong}{nearest(wrong, self._option_string_actions)}"
        elif not message.startswith("argument "):
            message = f"{message}; see `{self.prog} --help`"
        _fail(self.prog, message.removeprefix("argument "), 2)


def _run(arguments: list[str]) -> None:
    files = command_files()
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [*arguments[1:], "--help"]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(overview(files))
        return
    if arguments[0] == "--version":
        from leadline.version import __version__

        print(f"leadline {__version__}")
        return
    words = 2 if " ".join(arguments[:2]) in files else 1
    name = " ".join(arguments[:words])
    if name not in files:
        group = {command: path for command, path in files.items() if command.startswith(f"{name} ")}
        if group and arguments[1:2] in (["-h"], ["--help"]):
            print(overview(group))
            return
        # A command may be misspelt, or named by its second word alone: `verdict` for `compare verdict`.
        longer = [command for command in files if command.endswith(f" {name}")]
        hint = nearest(name, files) or nearest(" ".join(arguments[:2]), files)
        if group or longer:
            hint = f"; did you mean {', '.join(group or longer)}?"
        _fail("leadline", f"no command {name!r}{hint or '; `leadline --help` lists the commands'}", 2)
    from leadline.commands.shared.argument_kinds import check_outputs

    command = command_module(name)
    description, _, examples = (command.__doc__ or "").partition("Examples:")
    parser = _CommandParser(
        prog=f"leadline {name}",
        description=description.strip(),
        epilog=f"examples:{examples.rstrip()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    try:
        options = parser.parse_intermixed_args(arguments[words:])
        _check_values(parser, options)
        check_outputs(parser, options)
        command.run(options)
    except UsageError as error:
        _fail(parser.prog, str(error), 2)


def _check_values(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse `--option=--`: argparse takes the two signs away, and leaves a list in place of a value."""
    for action in parser._actions:
        value = getattr(options, action.dest, None)
        if not action.option_strings or action.nargs is not None or value == action.default:
            continue
        if isinstance(value, list) and (not value or [] in value):
            raise UsageError(action.option_strings[-1], "needs a value, got --")


def overview(files: Mapping[str, Path]) -> str:
    """The text of `leadline --help`: these commands by job, with one line each."""
    lines = ["Evaluate professional search: how much a system finds, and whether the result can be trusted.", ""]
    for job, names in grouped(files).items():
        lines += [job, *(f"  leadline {name:<23} {summary(files[name])}" for name in names), ""]
    return "\n".join([*lines, "`leadline COMMAND --help` lists the options of a command and shows examples."])


if __name__ == "__main__":
    main()
