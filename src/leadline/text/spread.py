"""How a wing hands pieces of its work to others, and how much memory a command may hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from leadline.errors import InputError
from leadline.text.files import readable_size

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


# How much memory a command may hold: `2GB` as a number of bytes, and the refusal of a budget that is too small.
#
# A budget is for the memory of the process itself. Pages of mapped files are the system's cache: it takes them back
# when it needs them, and they are not counted.


UNITS = {
    "": 1,
    "B": 1,
    **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", start=1)},
    **{f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", start=1)},
}
_WRITTEN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def memory_size(text: str | int) -> int:
    """The bytes of a size such as 2GB, 500MB or 1.5GiB.

    >>> memory_size("2GB"), memory_size("1.5 GiB"), memory_size("500mb")
    (2000000000, 1610612736, 500000000)
    """
    found = _WRITTEN.fullmatch(str(text))
    unit = "" if found is None else found[2].upper()
    if found is None or (unit or "B") not in UNITS or (not unit and isinstance(text, str)):
        raise InputError("memory", f"must be a size such as 2GB, 500MB or 1.5GiB, got {text!r}")
    return int(float(found[1]) * UNITS[unit])


@dataclass(frozen=True)
class MemoryBudget:
    """The most memory that some work may hold, and where it may keep temporary files."""

    size: int
    folder: str | None = None  # None: the system's folder for temporary files
    say: Callable[[str], None] | None = None  # takes the sentence on how the work is divided, before it begins

    @classmethod
    def of(cls, given: MemoryLike) -> MemoryBudget | None:
        """A budget from what a user gives: a size such as 2GB, a number of bytes, or None for no limit."""
        return given if given is None or isinstance(given, MemoryBudget) else cls(memory_size(given))

    def require(self, needed: int, what: str, more: str = "") -> None:
        """Raise InputError if the work needs more; it names the smallest budget that would do.

        `more` is what the work needs beside that, where it is not known yet how much of it there is.
        """
        if self.size < needed:
            size = f"{-(-needed // 1_000_000)}MB"
            enough = f"it needs at least {size}, and {more}" if more else f"the smallest that would do is {size}"
            raise InputError("--memory", f"{readable_size(self.size)} is too little for {what}: {enough}")

    def state(self, how: str) -> None:
        """Say how the work is divided."""
        if self.say is not None:
            self.say(f"at most {readable_size(self.size)}: {how}")


class LargestDocument:
    """Says of a document that is larger than a batch how much memory it takes: documents are not divided."""

    def __init__(self, budget: MemoryBudget | None, batch: int, bytes_a_byte: int) -> None:
        self.budget, self.batch, self.bytes_a_byte = budget, batch, bytes_a_byte
        self.said = 0  # bytes of the largest that was spoken of

    def see(self, size: int, what: str = "") -> None:
        """Take the size of a document that is a batch of its own, or of `what`; of several, not each is said."""
        if self.budget is None or self.budget.say is None or size <= max(self.batch, 2 * self.said):
            return
        self.said = size
        most = readable_size(self.budget.size + self.bytes_a_byte * (size - self.batch))
        what = what or f"a document of {readable_size(size)}, which is larger than a batch"
        self.budget.say(f"more than {readable_size(self.budget.size)}, up to {most}, for {what}")


MemoryLike: TypeAlias = "str | int | MemoryBudget | None"
