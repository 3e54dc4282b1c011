"""Check a lab: its records, and every copy against its checksum."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.collections.documents.check import check_identity
from leadline.errors import InputError
from leadline.show.lab.lab import FIX, Lab
from leadline.text.checksums import Finding


def check_lab(folder: Path) -> Iterator[Finding]:
    """Everything that is damaged or missing in a lab. Collections and indexes have checks of their own."""
    yield from check_identity(folder)
    try:
        lab = Lab.open(folder)
    except InputError as error:
        yield Finding(error.where, error.problem, FIX)
        return
    for entry in lab.entries():
        if entry.state == "missing":
            yield Finding(str(entry.path), f"the {entry.kind} {entry.name} is gone", "add it again, or put it back")
        elif entry.state == "changed":
            fix = "add it again with --replace if the change is wanted"
            yield Finding(str(entry.path), f"the {entry.kind} {entry.name} is not what was added", fix)
