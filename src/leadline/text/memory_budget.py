"""How much memory a command may hold: `2GB` as a number of bytes, and the refusal of a budget that is too small.

A budget is for the memory of the process itself. Pages of mapped files are the system's cache: it takes them back when
it needs them, and they are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from leadline.errors import InputError
from leadline.text.files import readable_size

UNITS = {"": 1, "B": 1, **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", start=1)},
         **{f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", start=1)}}  # fmt: skip
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

    def require(self, needed: int, what: str) -> None:
        """Raise InputError if the work needs more; it names the smallest budget that would do."""
        if self.size < needed:
            enough = f"the smallest that would do is {-(-needed // 1_000_000)}MB"
            raise InputError("--memory", f"{readable_size(self.size)} is too little for {what}: {enough}")

    def state(self, how: str) -> None:
        """Say how the work is divided."""
        if self.say is not None:
            self.say(f"at most {readable_size(self.size)}: {how}")


MemoryLike: TypeAlias = "str | int | MemoryBudget | None"
