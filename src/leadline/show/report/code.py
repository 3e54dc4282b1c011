"""Which code made something: a hash of rooms, so that what other code made is known to be another thing."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ENDINGS = (".py", ".js", ".css", ".json", ".csv")


@cache
def code_of(*rooms: str) -> str:
    """A hash of everything in these rooms that a result can depend on.

    >>> code_of("report") == code_of("report"), code_of("report") == code_of("charts")
    (True, False)
    """
    whole = hashlib.sha256()
    home = Path(__file__).parents[1]
    for path in sorted(path for room in rooms for path in (home / room).rglob("*") if path.suffix in ENDINGS):
        whole.update(str(path.relative_to(home)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()
