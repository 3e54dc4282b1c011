"""A collection being built: its parts and their journal, and the single step that replaces the old collection.

    DIR/manifest.json            names the folder that holds the collection
    DIR/collection-<hash>/       parts and tables of the current collection
    DIR/building/                parts and journal of one being built
    DIR/lock                     names the process that is building

A build that is killed at any point leaves either the old collection or the new one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from leadline.collections.documents.document import Document
from leadline.collections.documents.parts import write_part
from leadline.collections.documents.sources import fingerprint
from leadline.errors import InputError
from leadline.text.lock import LOCK_FILE, FolderLock
from leadline.text.source import write_whole

if TYPE_CHECKING:
    import polars as pl

VERSION = 1
MANIFEST = "manifest.json"
BROKEN_IN_MANIFEST = 100  # all of them are in broken.tsv


class Staging:
    """The folder of a build, and the parts that are done."""

    def __init__(self, folder: Path, origin: dict[str, Any]) -> None:
        self.folder = folder
        self.building = folder / "building"
        self.origin = origin
        self.key = _hash({"version": VERSION, **origin})
        self.done: dict[int, dict[str, Any]] = {}
        self.finished: dict[str, Any] | None = None
        self._lock = FolderLock(folder)

    @classmethod
    def open(cls, folder: Path, origin: dict[str, Any]) -> Staging:
        """Begin a build, or resume one of the same sources and options that did not finish."""
        staging = cls(folder, origin)
        _check_target(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            staging._lock.acquire()
        except OSError as error:
            raise InputError(str(folder), f"cannot be written: {(error.strerror or str(error)).lower()}") from None
        staging.finished = staging._finished()
        if staging.finished is None:
            staging._resume()
        return staging

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, InputError):  # nothing to resume; a stop or a crash keeps the parts
            shutil.rmtree(self.building, ignore_errors=True)
        self._lock.release()
        with contextlib.suppress(OSError):
            self.folder.rmdir()  # fails unless the folder is empty

    @property
    def documents(self) -> int:
        return sum(outcome["documents"] for outcome in self.done.values())

    @property
    def dropped(self) -> dict[str, int]:
        total: Counter[str] = Counter()
        for number in sorted(self.done):
            total.update(self.done[number]["dropped"])
        return dict(total)

    @property
    def broken(self) -> list[tuple[str, int, str]]:
        found = [entry for number in sorted(self.done) for entry in self.done[number]["broken"]]
        return [(name, offset, reason) for name, offset, reason in found]

    def has(self, number: int) -> bool:
        return number in self.done

    def part(self, number: int) -> Path:
        return self.building / f"part-{number:05}.parquet"

    def add(self, number: int, documents: Sequence[Document]) -> None:
        """Write documents as a part, unless the part is done."""
        if not self.has(number):
            write_part(documents, self.part(number))
            self.note(number, documents=len(documents), dropped={}, broken=[], forms={}, slips=[])

    def note(self, number: int, **outcome: Any) -> None:
        """Note in the journal that a part is done, with the hash of its file."""
        path = self.part(number)
        outcome["sha256"] = fingerprint(path) if path.exists() else ""
        self.done[number] = outcome
        with (self.building / "journal.jsonl").open("a", encoding="utf-8") as journal:
            journal.write(json.dumps({"part": number, **outcome}) + "\n")

    def finish(self, citations: pl.DataFrame | None = None, families: pl.DataFrame | None = None) -> dict[str, Any]:
        """Make the tables and put the collection in place."""
        from leadline.collections.documents.tables import write_tables

        numbers = [number for number in sorted(self.done) if self.done[number]["documents"]]
        parts = [self.part(number) for number in numbers]
        counts = write_tables(parts, self.building, citations, families)
        broken = self.broken
        lines = "".join(f"{name}\t{offset}\t{reason}\n" for name, offset, reason in broken)
        (self.building / "broken.tsv").write_text(f"source\tbyte\treason\n{lines}", encoding="utf-8")
        forms: Counter[str] = Counter()
        for number in sorted(self.done):
            forms.update(self.done[number]["forms"])
        (self.building / "journal.jsonl").unlink()
        for left in self.building.glob("*.unfinished"):
            left.unlink()
        manifest: dict[str, Any] = {
            "what": "a leadline collection",
            "version": VERSION,
            "key": self.key,
            "origin": self.origin,
            "counts": counts,
            "forms": dict(forms),
            "dropped": self.dropped | ({"listed twice": twice} if (twice := counts.pop("listed twice")) else {}),
            "slips": self.done[0]["slips"] if self.has(0) else [],
            "broken": len(broken),
            "first_broken": broken[:BROKEN_IN_MANIFEST],
            "parts": [
                {"file": part.name, "documents": self.done[number]["documents"], "sha256": self.done[number]["sha256"]}
                for number, part in zip(numbers, parts, strict=True)
            ],
            "tables": {path.name: fingerprint(path) for path in sorted(self.building.glob("[!p]*.parquet"))},
        }
        manifest["hash"] = _hash({"parts": manifest["parts"], "tables": manifest["tables"]})
        manifest["folder"] = f"collection-{manifest['hash'][:12]}"
        _write_json(self.building / MANIFEST, manifest)
        return self._put_in_place(manifest)

    def _put_in_place(self, manifest: dict[str, Any]) -> dict[str, Any]:
        place = self.folder / manifest["folder"]
        if self.building.exists():
            if place.exists():  # the same content under another key
                shutil.rmtree(place)
            self.building.rename(place)
        write_whole(self.folder / MANIFEST, (place / MANIFEST).read_bytes())
        for old in self.folder.glob("collection-*"):
            if old != place:
                shutil.rmtree(old, ignore_errors=True)
        return manifest

    def _finished(self) -> dict[str, Any] | None:
        """The manifest of this collection if it is already built, even when the last step was missing."""
        for path in (self.folder / MANIFEST, self.building / MANIFEST, *self.folder.glob(f"collection-*/{MANIFEST}")):
            manifest = _read_json(path)
            if manifest is not None and manifest.get("key") == self.key:
                return self._put_in_place(manifest)
        return None

    def _resume(self) -> None:
        """Take over the undamaged parts of a build with the same key; delete anything else."""
        journal = self.building / "journal.jsonl"
        lines = journal.read_text(encoding="utf-8").splitlines() if journal.exists() else []
        entries = [entry for line in lines if (entry := _parsed(line)) is not None]
        if not entries or entries[0].get("key") != self.key:
            shutil.rmtree(self.building, ignore_errors=True)
            self.building.mkdir()
            journal.write_text(json.dumps({"key": self.key}) + "\n", encoding="utf-8")
            return
        for entry in entries[1:]:
            number = entry.pop("part")
            path = self.part(number)
            if (fingerprint(path) if path.exists() else "") == entry["sha256"]:
                self.done[number] = entry


def _check_target(folder: Path) -> None:
    """Refuse a folder that holds anything but a collection."""
    if folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "is a file; name a folder for the collection")
    if folder.is_dir():
        ours = (folder / MANIFEST, folder / "building", folder / LOCK_FILE)
        if any(folder.iterdir()) and not any(path.exists() for path in ours):
            raise InputError(str(folder), "is a folder with other things in it; name an empty or a new one")


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:  # a line cut off by a kill
        return None
    return value if isinstance(value, dict) else None


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        return _parsed(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _write_json(path: Path, value: dict[str, Any]) -> None:
    write_whole(path, json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n")
