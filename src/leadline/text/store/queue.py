"""Queues: work to be done, first come first served, taken with a lease.

A worker that goes on extends its lease. What is not finished when its lease ends, because its worker is dead, is taken
by the next.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from leadline.errors import InputError, visible
from leadline.text.store.records import StoreRecords

LONGEST_LEASE = 86_400.0  # seconds
_TYPES = {"value": object, "token": str, "until": float, "taken": int}


@dataclass(frozen=True)
class Lease:
    """Work that one worker has taken. The token tells its turn from those of others."""

    id: str
    value: Any
    token: str
    taken: int  # how often it was taken, this time included


class Queue:
    """One queue of a store, on records whose keys are numbers."""

    def __init__(self, records: StoreRecords) -> None:
        self._records = records

    def put(self, value: Any) -> str:
        """Add work at the end; its id."""
        last = self._records.last_key()
        id = f"{int(last) + 1 if last.isdecimal() else 0:016}"
        self._records.put(id, {"value": value, "token": "", "until": 0.0, "taken": 0})
        return id

    def take(self, *, seconds: float) -> Lease | None:
        """The work that waits longest, for so many seconds; None where none waits."""
        for id in self._records.keys():  # noqa: SIM118, which takes them for a dictionary
            entry = self._entry(id)
            if not _is_held(entry):
                lease = Lease(id, entry["value"], secrets.token_hex(16), entry["taken"] + 1)
                self._hold(lease, seconds)
                return lease
        return None

    def extend(self, lease: Lease, *, seconds: float) -> bool:
        """Keep work for so many seconds from now; False where another has it, or it is gone: then stop."""
        if not self._has(lease):
            return False
        self._hold(lease, seconds)
        return True

    def finish(self, lease: Lease) -> bool:
        """Remove work that is done; False where another has it, or it is gone."""
        return self._has(lease) and self._records.remove(lease.id)

    def remove(self, id: str) -> bool:
        """Remove work, also what somebody has taken; whether it was there."""
        return self._records.remove(id)

    def all(self) -> Iterator[tuple[str, Any, bool]]:
        """The id of each piece of work, the work, and whether somebody has it; the first first."""
        for id in self._records.keys():  # noqa: SIM118
            entry = self._entry(id)
            yield id, entry["value"], _is_held(entry)

    def __len__(self) -> int:
        return len(self._records)

    def _entry(self, id: str) -> dict[str, Any]:
        """A piece of work as it is stored; InputError where the file has something else there."""
        entry = self._records.get(id)
        if isinstance(entry, dict) and all(isinstance(entry.get(name), each) for name, each in _TYPES.items()):
            return entry
        raise self._records.damaged(f"{visible(id)} in a queue is no piece of work")

    def _has(self, lease: Lease) -> bool:
        return lease.id in self._records and hmac.compare_digest(self._entry(lease.id)["token"], lease.token)

    def _hold(self, lease: Lease, seconds: float) -> None:
        if not 0 < seconds <= LONGEST_LEASE:
            raise InputError("lease", f"must be above 0 and at most {LONGEST_LEASE:g} seconds, got {seconds:g}")
        entry = {"value": lease.value, "token": lease.token, "until": time.time() + seconds, "taken": lease.taken}
        self._records.put(lease.id, entry)


def _is_held(entry: dict[str, Any]) -> bool:
    """Whether a lease runs. One that ends later than any can was taken before the clock was set back."""
    return bool(0 < entry["until"] - time.time() <= LONGEST_LEASE)
