"""A collection being built: its parts and their journal, and the single step that replaces the old collection.

    DIR/manifest.json            names the folder that holds the collection
    DIR/collection-<hash>/       parts and tables of the current collection
    DIR/building/                parts and journal of one being built
    DIR/lock                     names the process that is building
    DIR/leadline.jsonl           says that this is a collection, and lists all that we made: nothing else is removed

A build that is killed at any point leaves either the old collection or the new one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.collections.documents.document import Document
from leadline.collections.documents.parts import MANIFEST, VERSION, write_part
from leadline.collections.documents.sources import fingerprint
from leadline.errors import InputError
from leadline.text.files import reported, sync_folder, write_whole
from leadline.text.owned_folder import OwnedFolder

if TYPE_CHECKING:
    import polars as pl

KIND, BUILDING = "collection", "building"
MADE_LAST = ("records.parquet", "citations.parquet", "families.parquet", "lookup.parquet", "broken.tsv", MANIFEST)
BROKEN_IN_MANIFEST = 100  # all of them are in broken.tsv


class Staging:
    """The folder of a build, and the parts that are done."""

    def __init__(self, owned: OwnedFolder, origin: dict[str, Any]) -> None:
        self.owned, self.folder = owned, owned.path
        self.building = self.folder / BUILDING
        self.origin = origin
        self.key = _hash({"version": VERSION, **origin})
        self.done: dict[int, dict[str, Any]] = {}
        self.finished: dict[str, Any] | None = None

    @classmethod
    @contextlib.contextmanager
    def open(cls, folder: Path, origin: dict[str, Any]) -> Iterator[Staging]:
        """Begin a build, or resume one of the same sources and options that did not finish."""
        with OwnedFolder.locked(folder, KIND, VERSION) as owned:
            staging = cls(owned, origin)
            staging.finished = staging._finished()
            if staging.finished is None:
                staging._resume()
            try:
                yield staging
            except InputError:  # nothing to resume; a stop or a crash keeps the parts
                owned.remove_all(BUILDING)
                raise

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
        """Where a part is; it is listed as ours before it is made."""
        path = self.building / f"part-{number:05}.parquet"
        self.owned.add(f"{BUILDING}/{path.name}", f"{BUILDING}/{path.stem}.unfinished")
        return path

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
        made_last = [f"{BUILDING}/{name}" for name in MADE_LAST]
        self.owned.add(*made_last)
        self.owned.remove(made_last)  # of a build that was killed
        counts = write_tables(parts, self.building, citations, families)
        broken = self.broken
        lines = "".join(f"{name}\t{offset}\t{reason}\n" for name, offset, reason in broken)
        (self.building / "broken.tsv").write_text(f"source\tbyte\treason\n{lines}", encoding="utf-8")
        forms: Counter[str] = Counter()
        for number in sorted(self.done):
            forms.update(self.done[number]["forms"])
        wanted = {f"{BUILDING}/{part.name}" for part in parts} | set(made_last)
        self.owned.remove(name for name in self.owned.names if name.startswith(f"{BUILDING}/") and name not in wanted)
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
        if (_read_json(self.building / MANIFEST) or {}).get("key") == self.key:
            for path in self.building.iterdir():
                _sync(path)
            sync_folder(self.building)
            self.owned.remove_all(place.name)  # the same content under another key
            here = [name for name in self.owned.names if name.startswith(BUILDING)]
            self.owned.add(*(name.replace(BUILDING, place.name, 1) for name in here))
            with reported(place):
                self.building.rename(place)
        write_whole(self.folder / MANIFEST, (place / MANIFEST).read_bytes())
        self.owned.remove(
            name for name in self.owned.names if name.startswith("collection-") and not name.startswith(place.name)
        )
        self.owned.keep_only([MANIFEST])
        return manifest

    def _finished(self) -> dict[str, Any] | None:
        """The manifest of this collection if it is already built, even when the last step was missing."""
        folders = sorted(name for name in self.owned.names if _FOLDER.fullmatch(name))
        for folder in (BUILDING, *folders):
            manifest = _read_json(self.folder / folder / MANIFEST)
            if folder not in self.owned.names or (self.folder / folder).is_symlink() or manifest is None:
                continue
            named = str(manifest.get("folder"))
            if manifest.get("key") == self.key and _FOLDER.fullmatch(named) and folder in (BUILDING, named):
                return self._put_in_place(manifest)
        return None

    def _resume(self) -> None:
        """Take over the undamaged parts of a build with the same key; delete anything else."""
        journal = self.building / "journal.jsonl"
        ours = BUILDING in self.owned.names and not self.building.is_symlink() and journal.is_file()
        lines = journal.read_text(encoding="utf-8").splitlines() if ours else []
        entries = [entry for line in lines if (entry := _parsed(line)) is not None]
        if not entries or entries[0].get("key") != self.key:
            self.owned.remove_all(BUILDING)
            self.owned.add(BUILDING, f"{BUILDING}/{journal.name}", MANIFEST)
            with reported(self.building):
                self.building.mkdir()
            journal.write_text(json.dumps({"key": self.key}) + "\n", encoding="utf-8")
            return
        for entry in entries[1:]:
            number = entry.pop("part")
            path = self.part(number)
            if (fingerprint(path) if path.exists() else "") == entry["sha256"]:
                self.done[number] = entry


_FOLDER = re.compile("collection-[0-9a-f]{12}")


def _sync(path: Path) -> None:
    """Flush a file to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


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
