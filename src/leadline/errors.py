"""Every way a job can fail, as one tree.

    LeadlineError
    ├── InputError        a file or object that cannot be read as what it should be; says where
    ├── MeasureError      a measure that does not exist, or cannot be had with these options or judgements
    └── MismatchError     inputs that are fine by themselves but do not belong together

The command line prints the message as one line and ends with status 1. Python users get the same words.
"""

from __future__ import annotations


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
