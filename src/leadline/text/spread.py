"""How a wing hands pieces of its work to others: it calls a `Spread`, and need not know who does the work, or where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

R = TypeVar("R")


class Spread(Protocol):
    """Calls `function(*piece, *shared)` for each piece, and yields the results in the order of the pieces.

    The function is one of a module, since it may run in another process. Pieces are read as they are needed, a few
    ahead of the results; `shared` is handed over once for all pieces.
    """

    def __call__(
        self, function: Callable[..., R], pieces: Iterable[tuple[Any, ...]], *shared: Any
    ) -> Iterator[R]: ...  # pragma: no cover


def spread_here(function: Callable[..., R], pieces: Iterable[tuple[Any, ...]], *shared: Any) -> Iterator[R]:
    """Do the work in this process, one piece after the other."""
    return (function(*piece, *shared) for piece in pieces)
