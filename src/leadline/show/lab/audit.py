"""The audit log of a lab: who did what and when, each line bound to the one before, so that none can be changed.

{"at": "2026-…", "person": "anna", "role": "runner", "did": "added run bm25", "after": "…", "sha256": "…"}
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from leadline.errors import InputError, visible
from leadline.text.files import reported
from leadline.text.lock import hold
from leadline.text.stored import open_stored

_START = "0" * 64
_LONGEST = 65_536  # bytes of a line
_PATIENCE = 30.0  # seconds to wait for another process


@dataclass(frozen=True)
class AuditLine:
    """One thing that somebody did."""

    at: str  # UTC
    person: str
    role: str
    did: str


class AuditLog:
    """The audit log in a file; threads may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def add(self, person: str, role: str, did: str) -> None:
        """Append a line; it is on the disk when this returns."""
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        content = asdict(AuditLine(at, visible(person), role, visible(did)[:1000]))
        with self._lock, reported(self.path, 1000):
            descriptor = open_stored(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            with os.fdopen(descriptor, "ab+") as file:
                until = time.monotonic() + _PATIENCE
                while hold(file.fileno()) is False:  # another process appends, or another log in this one
                    if time.monotonic() > until:
                        raise InputError(str(self.path), "another process holds the audit log and does not let it go")
                    time.sleep(0.002)
                file.seek(-min(file.seek(0, os.SEEK_END), _LONGEST), os.SEEK_END)
                last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
                after = json.loads(last)["sha256"] if last else _START
                line = {**content, "after": after}
                file.write(json.dumps({**line, "sha256": _digest(line)}, ensure_ascii=False).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())

    def lines(self) -> Iterator[AuditLine]:
        """Every line, the first first; InputError where one was changed, removed or put in."""
        try:
            written = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        after = _START
        for number, each in enumerate(written, 1):
            try:
                content = json.loads(each)
                digest = content.pop("sha256")
                if digest != _digest(content) or content.pop("after") != after:
                    raise ValueError
                yield AuditLine(**content)
            except (ValueError, KeyError, TypeError, AttributeError):
                problem = "was changed: this line does not follow the one before"
                raise InputError(str(self.path), problem, line=number) from None
            after = digest


def _digest(line: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(line, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
