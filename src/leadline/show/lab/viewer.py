"""Who looks at a lab. In a blind lab, participants see only their own runs until the organiser opens the results.

The person is set for the length of a request, and the lab asks here: so no page can forget to.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Viewer:
    """A person who looks at a lab, and their role."""

    name: str
    role: str

    @property
    def sees_everything(self) -> bool:
        return self.role == "organiser"


_viewer: ContextVar[Viewer | None] = ContextVar("viewer", default=None)


def viewer() -> Viewer | None:
    """Who looks; None for the command line, which sees everything."""
    return _viewer.get()


@contextmanager
def seen_by(person: Viewer | None) -> Iterator[None]:
    """Let a person look while the block lasts."""
    token = _viewer.set(person)
    try:
        yield
    finally:
        _viewer.reset(token)
