"""Options of commands as the fields of forms: help, words, defaults and checks are those of the command itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from leadline.commands import command_module
from leadline.commands.shared.argument_kinds import ArgumentKind
from leadline.errors import InputError, LeadlineError, not_a_choice

if TYPE_CHECKING:
    from leadline.show.lab.job_plans import CommandField


def command_fields(command: str, names: Sequence[str]) -> list[CommandField]:
    """The options of a command with these names, in their order."""
    parser = argparse.ArgumentParser(add_help=False)
    command_module(command).add_arguments(parser)
    known = {option.lstrip("-"): action for action in parser._actions for option in action.option_strings}
    return [_field(name, known[name]) for name in names]


def _field(name: str, action: argparse.Action) -> CommandField:
    from leadline.show.lab.job_plans import CommandField

    choices = tuple(str(each) for each in action.choices or getattr(action.type, "choices", None) or ())
    several = isinstance(action.default, (tuple, list))
    default = ",".join(map(str, action.default)) if several else action.default
    words = (action.help or "").replace("%%", "%").replace("%(default)s", str(default))
    if action.nargs == 0:
        return CommandField(name, words, "flag", "", (), str)
    kind = "choice" if choices else "text"
    return CommandField(
        name, words, kind, "" if default is None else str(default), choices, _check(name, action, choices)
    )


def _check(name: str, action: argparse.Action, choices: Sequence[str]) -> Callable[[str], object]:
    def check(value: str) -> None:
        if choices and value not in choices:
            raise not_a_choice(name, value, choices)
        if value.startswith("-"):
            raise InputError(name, f"cannot begin with -, got {value!r}")
        if isinstance(action.type, ArgumentKind):
            try:
                action.type(value)
            except argparse.ArgumentTypeError as error:
                raise InputError(name, str(error)) from None
            except LeadlineError as error:
                problem = error.problem if isinstance(error, InputError) else str(error)
                raise InputError(name, problem) from None

    return check
