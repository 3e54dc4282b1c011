"""The command line: finds the command, and turns what the user can put right into one line and status 1.

It is built on argparse, for a process that reads ten thousand lines in milliseconds should not spend a hundred of them
on importing its own command line. Only the command that is asked for is imported.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from leadline.commands import COMMANDS
from leadline.errors import LeadlineError, LeadlineWarning, nearest, printable


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command: status 0 fine, 1 a wrong input, 2 wrong usage."""
    warnings.showwarning = _print_warning
    try:
        _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except LeadlineError as error:
        print(f"leadline: {printable(str(error))}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has left, as `head` does
        sys.exit(0)
    except OSError as error:
        print(f"leadline: {printable((error.strerror or str(error)).lower())}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("leadline: stopped", file=sys.stderr)
        sys.exit(130)


def _print_warning(message: Warning | str, category: type[Warning], *_place: Any, **_line: Any) -> None:
    """Our own warnings as one line; those of libraries are for their developers."""
    if issubclass(category, LeadlineWarning):
        print(f"leadline: {printable(str(message))}", file=sys.stderr)


def _run(arguments: list[str]) -> None:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(overview())
        return
    if arguments[0] == "--version":
        from leadline.version import __version__

        print(f"leadline {__version__}")
        return
    words = 2 if " ".join(arguments[:2]) in COMMANDS else 1
    name = " ".join(arguments[:words])
    if name not in COMMANDS:
        longer = [command for command in COMMANDS if command.startswith(f"{name} ")]
        hint = f"; did you mean {', '.join(longer)}?" if longer else nearest(" ".join(arguments[:2]), COMMANDS)
        print(f"leadline: no command {printable(name)!r}{hint} `leadline --help` lists them", file=sys.stderr)
        sys.exit(2)
    command = importlib.import_module(f"leadline.commands.{name.replace('-', '_').replace(' ', '_')}")
    meaning, _, example = (command.__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog=f"leadline {name}",
        description=meaning,
        epilog=example.strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.define(parser)
    command.run(parser.parse_intermixed_args(arguments[words:]))


def overview() -> str:
    """What `leadline --help` prints."""
    lines = ["How deep does a search system let you reach, and can the answer be believed?", ""]
    lines += [f"  leadline {name:<20} {meaning}" for name, meaning in COMMANDS.items()]
    return "\n".join([*lines, "", "`leadline COMMAND --help` says more, with an example."])


if __name__ == "__main__":
    main()
