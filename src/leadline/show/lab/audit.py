"""The audit log of a lab: who did what and when. It is the events of the lab's store, each bound to the one before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leadline.errors import visible
from leadline.show.lab.lab_store import AUDIT, LabStore, OlderLog


@dataclass(frozen=True)
class AuditLine:
    """One thing that somebody did."""

    at: str  # UTC
    person: str
    role: str
    did: str


class AuditLog:
    """The audit log of a lab; threads may share it."""

    def __init__(self, store: LabStore) -> None:
        self._store = store

    def add(self, person: str, role: str, did: str) -> None:
        """Append a line; it is on the disk when this returns."""
        with self._store.change() as now:
            now.events.append("did", person=visible(person), role=role, did=visible(did)[:1000])

    def lines(self) -> Iterator[AuditLine]:
        """Every line, the first first; InputError where one of version 0.1 was changed, removed or put in."""
        with self._store.view() as now:
            events = now.events.all()
        older = OlderLog(self._store.folder / AUDIT)
        for event in events:
            if event.said["kind"] == "line":
                yield AuditLine(**older.follow(event.said["line"]))
            else:
                yield AuditLine(event.at, event.said["person"], event.said["role"], event.said["did"])
