"""The command line: finds the command, parses its arguments and prints errors as one line.

It uses argparse and imports only the command that is asked for, because importing a larger framework would take longer
than a small evaluation.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from leadline.commands import command_files, summary
from leadline.errors import LeadlineError, LeadlineWarning, UsageError, nearest, printable


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command; exit with status 1 for wrong input and 2 for wrong usage."""
    warnings.showwarning = _print_warning
    try:
        _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except LeadlineError as error:
        _fail("leadline", str(error), 1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left, as `head` does
        sys.exit(0)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail("leadline", f"{where}{(error.strerror or str(error)).lower()}", 1)
    except MemoryError:
        _fail("leadline", "not enough memory", 1)
    except KeyboardInterrupt:
        _fail("leadline", "stopped", 130)


def _fail(program: str, message: str, status: int) -> NoReturn:
    print(f"{program}: {printable(message)}", file=sys.stderr)
    sys.exit(status)


def _print_warning(message: Warning | str, category: type[Warning], *_place: Any, **_line: Any) -> None:
    """Print our own warnings as one line; those of libraries are for their developers."""
    if issubclass(category, LeadlineWarning):
        print(f"leadline: {printable(str(message))}", file=sys.stderr)


class _CommandParser(argparse.ArgumentParser):
    """An argument parser that reports wrong usage in one line."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: "):
            wrong = message.split()[2]
            what = "unknown option" if wrong.startswith("-") else "unexpected argument"
            message = f"{what} {wrong}{nearest(wrong, self._option_string_actions)}"
        elif not message.startswith("argument "):
            message = f"{message}; see `{self.prog} --help`"
        _fail(self.prog, message.removeprefix("argument "), 2)


def _run(arguments: list[str]) -> None:
    files = command_files()
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
    from leadline.commands.shared.output import check_outputs

    command = importlib.import_module(f"leadline.commands.{name.replace(' ', '.').replace('-', '_')}")
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
        check_outputs(options)
        command.run(options)
    except UsageError as error:
        _fail(parser.prog, str(error), 2)


def overview(files: Mapping[str, Path]) -> str:
    """The text of `leadline --help`: these commands with one line each."""
    lines = ["Evaluate professional search: how much a system finds, and whether the result can be trusted.", ""]
    lines += [f"  leadline {name:<20} {summary(path)}" for name, path in files.items()]
    return "\n".join([*lines, "", "`leadline COMMAND --help` lists the options of a command and shows examples."])


if __name__ == "__main__":
    main()
