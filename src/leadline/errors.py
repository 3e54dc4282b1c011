"""Every way a job can fail, as one tree.

    LeadlineError
    ├── InputError        a file or object that cannot be read as what it should be; says where
    ├── MeasureError      a measure that does not exist, or cannot be had with these options or judgements
    └── MismatchError     inputs that are fine by themselves but do not belong together

The command line prints the message as one line and ends with status 1. Python users get the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class LeadlineError(Exception):
    """Something the user can put right. The message says what, where, and the nearest fix."""


class InputError(LeadlineError):
    """A file, stream or object that is not what it should be."""

    def __init__(self, where: str, problem: str, *, line: int | None = None) -> None:
        self.where, self.problem, self.line = where, problem, line
        super().__init__(f"{where}:{line}: {problem}" if line is not None else f"{where}: {problem}")


class MeasureError(LeadlineError):
    """A measure's name or options are wrong, or the judgements lack what it needs."""


class MismatchError(LeadlineError):
    """Runs and judgements that do not belong together."""


class LeadlineWarning(UserWarning):
    """Something was done another way than usual, and the result is right all the same. One line on the terminal."""


def checked_choice(option: str, value: str, choices: Sequence[str]) -> str:
    """The value, when it is one of the choices; else an error with the nearest.

    >>> checked_choice("--order", "rank", ["score", "rank"])
    'rank'
    """
    if value in choices:
        return value
    raise not_a_choice(option, value, choices)


def not_a_choice(option: str, value: object, choices: Sequence[str]) -> InputError:
    """The error for a word that is not among the choices."""
    return InputError(option, f"{value!r} is none of {', '.join(choices)}{nearest(value, choices)}")


def nearest(name: object, choices: Iterable[str], *, most: int = 1) -> str:
    """The end of an error message that suggests what may have been meant; empty when nothing is near.

    >>> nearest("pres", ["PRES", "AP"]), nearest("qqq", ["PRES", "AP"])
    ('; did you mean PRES?', '')
    """
    import difflib

    known = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(str(name).lower(), known, n=most, cutoff=0.5 if most > 1 else 0.6)
    return f"; did you mean {' or '.join(known[each] for each in near)}?" if near else ""


def printable(text: str) -> str:
    """A text without characters that could steer a terminal: names come out of files that anyone may have written.

    >>> printable("EP-1\\033[31m")
    'EP-1�[31m'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
