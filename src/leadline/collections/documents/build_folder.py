"""A collection being built: its parts and their journal, its memory, and the step that replaces the old one."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.collections.documents.collection_files import (
    BROKEN,
    FOLDER,
    KIND_NAME,
    MANIFEST,
    TABLES,
    VERSION,
    checked_manifest,
    files_of,
    sums_path,
    write_part,
)
from leadline.collections.documents.document import NO_CLAIMS, Document
from leadline.collections.documents.families import BYTES_A_BYTE, RANGE_BYTES, Room
from leadline.errors import InputError
from leadline.records.result import counted
from leadline.text.checksums import CHECKSUM, file_sha256, is_stored, object_checksum, open_stored, sealed, stored_bytes
from leadline.text.files import readable_size, reported, sync_folder, write_stored
from leadline.text.owned_folder import OwnedFolder
from leadline.text.spread import MemoryBudget

if TYPE_CHECKING:
    import polars as pl

    from leadline.collections.documents.tables import Replaced

# Measured with benchmarks/memory.py: the libraries and caches of a process, and what each byte of a part takes there.
BASE_BYTES, BYTES_A_PART_BYTE = 150_000_000, 10
SMALLEST_RANGE = 1 << 20


@dataclass(frozen=True)
class ReadingSizes:
    """How many processes read parts, and how many bytes of names are in memory at once when tables are made."""

    processes: int
    range_bytes: int = RANGE_BYTES
    budget: MemoryBudget | None = None

    @classmethod
    def of(cls, processes: int, part_bytes: int, budget: MemoryBudget | None) -> ReadingSizes:
        """The sizes that keep to a budget, which is for all processes together."""
        if budget is None:
            return cls(processes)
        budget.require(least_memory(part_bytes), f"parts of {readable_size(part_bytes)}")
        while processes > 1 and _memory_of_reading(processes, part_bytes) > budget.size:
            processes -= 1
        room = (budget.size - _tables(part_bytes, 0)) // BYTES_A_BYTE
        range_bytes = max(SMALLEST_RANGE, min(RANGE_BYTES, room))
        at_once = f"{counted(processes, 'part')} of {readable_size(part_bytes)} at a time"
        budget.state(f"{at_once}, and {readable_size(range_bytes)} of names when tables are made")
        return cls(processes, range_bytes, budget)

    def room(self, folder: Path) -> Room:
        return Room(folder, self.range_bytes, self.budget)


def least_memory(part_bytes: int) -> int:
    """The smallest budget for a build, of however many documents."""
    return max(_memory_of_reading(1, part_bytes), _tables(part_bytes, SMALLEST_RANGE))


def _memory_of_reading(processes: int, part_bytes: int) -> int:
    """What is held while parts are read: parts that wait are in this process, the others in processes of their own."""
    reading = BASE_BYTES + BYTES_A_PART_BYTE * part_bytes
    return reading if processes == 1 else BASE_BYTES + 2 * (processes + 2) * part_bytes + processes * reading


def _tables(part_bytes: int, range_bytes: int) -> int:
    """What is held while tables are made; half of what reading parts took does not come back from the system."""
    return BASE_BYTES + BYTES_A_PART_BYTE * part_bytes // 2 + BYTES_A_BYTE * range_bytes


# A collection being built: its parts and their journal, and the atomic step that replaces the old collection.
#
#     DIR/manifest.json            names the folder that holds the collection
#     DIR/collection-<hash>/       parts and tables of the current collection
#     DIR/building/                parts and journal of one being built
#     DIR/lock                     names the process that is building
#     DIR/leadline.jsonl           marks the folder as a collection, and lists its files: nothing else is removed
#
# A build that is killed at any point leaves either the old collection or the new one.


KIND, BUILDING = "collection", "building"
JOURNAL = "journal.jsonl"
MADE_LAST = (*TABLES, *(str(sums_path(Path(name))) for name in TABLES), BROKEN, MANIFEST)
MADE_LAST += tuple(str(Path(name).with_suffix(".unfinished")) for name in TABLES)
BROKEN_IN_MANIFEST = 100  # all of them are in broken.tsv
MOST_PARTS = 10**9
OUTCOME = {"documents", "dropped", "broken", "forms", "slips", "sha256", "sums"}  # of a part, in the journal


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
            if owned.damaged:
                staging._recover_names()
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
        """The path of a part, which is listed among the files of the folder before it is written."""
        path = self.building / f"part-{number:05}.parquet"
        self.owned.add(*(f"{BUILDING}/{path.stem}{ending}" for ending in (".parquet", ".sums", ".unfinished")))
        return path

    def add(self, number: int, documents: Sequence[Document]) -> None:
        """Write documents as a part, unless the part is done."""
        if not self.has(number):
            written = write_part(documents, self.part(number))
            facts = {"sha256": written.sha256, "sums": written.sums}
            self.note(number, documents=len(documents), dropped={}, broken=[], forms={}, slips=[], **facts)

    def note(self, number: int, **outcome: Any) -> None:
        """Record in the journal that a part is done, with the checksums of its files."""
        self.done[number] = outcome
        self._append({"part": number, **outcome})

    def _append(self, entry: dict[str, Any]) -> None:
        """Add a line to the journal, with its own checksum."""
        line = json.dumps({**entry, CHECKSUM: object_checksum(entry)}).encode() + b"\n"
        path = self.building / JOURNAL
        with reported(path, len(line)), open(path, "ab", opener=open_stored) as journal:
            journal.write(line)

    def copy_parts(self, inside: Path, manifest: dict[str, Any]) -> int:
        """Take over the parts of a collection in a folder, unless that is done; return their number.

        Parts are never changed, so a second name for the same file will do, where the system has that.
        """
        for number, part in enumerate(manifest["parts"]):
            if not self.has(number):
                old, new = inside / part["file"], self.part(number)
                for source, target in ((old, new), (sums_path(old), sums_path(new))):
                    _link_or_copy(source, target)
                facts = {"sha256": part["sha256"], "sums": manifest["checksums"][sums_path(old).name]}
                if (_sha256(new), _sha256(sums_path(new))) != (facts["sha256"], facts["sums"]):
                    raise InputError(str(old), "is damaged, its checksum does not fit: build the collection again")
                self.note(number, documents=part["documents"], dropped={}, broken=[], forms={}, slips=[], **facts)
        return len(manifest["parts"])

    def finish(
        self,
        citations: pl.DataFrame | None = None,
        families: pl.DataFrame | None = None,
        *,
        claims_needed: bool = False,
        replaced: Replaced | None = None,
        sizes: ReadingSizes | None = None,
    ) -> dict[str, Any]:
        """Make the tables and put the collection in place.

        With `claims_needed`, patents without claims are dropped if any document has claims. `replaced` says which
        documents of the first parts are left out, `sizes` how much is in memory at once.
        """
        from leadline.collections.documents.tables import TWICE, write_tables

        numbers = [number for number in sorted(self.done) if self.done[number]["documents"]]
        parts = [self.part(number) for number in numbers]
        made_last = [f"{BUILDING}/{name}" for name in MADE_LAST]
        self.owned.add(*made_last)
        self.owned.remove(made_last)  # of a build that was killed
        counts, tables, twice = write_tables(
            parts,
            self.building,
            citations,
            families,
            claims_needed=claims_needed,
            replaced=replaced,
            room=None if sizes is None else sizes.room(self.building),
        )
        left_out = {reason: count for reason in (NO_CLAIMS, TWICE) if (count := counts.pop(reason))}
        broken = self.broken
        lines = "".join(f"{name}\t{offset}\t{reason}\n" for name, offset, reason in broken)
        listed = f"source\tbyte\treason\n{lines}".encode("utf-8", "surrogateescape")
        with reported(self.building / BROKEN, len(listed)):
            (self.building / BROKEN).write_bytes(listed)
        forms: Counter[str] = Counter()
        for number in sorted(self.done):
            forms.update(self.done[number]["forms"])
        sums = {sums_path(part).name: self.done[number]["sums"] for number, part in zip(numbers, parts, strict=True)}
        sums |= {f"{name}.sums": written.sums for name, written in tables.items()}
        wanted = {f"{BUILDING}/{part.name}" for part in parts} | {f"{BUILDING}/{name}" for name in sums}
        wanted |= set(made_last)
        others = [name for name in self.owned.names if name.startswith(f"{BUILDING}/") and name not in wanted]
        if kept := self.owned.remove(others):  # it would lie in the finished collection for ever
            raise InputError(str(self.folder / kept[0]), "cannot be removed, so the collection is not finished")
        manifest: dict[str, Any] = {
            "what": KIND_NAME,
            "version": VERSION,
            "key": self.key,
            "origin": self.origin,
            "counts": counts,
            "forms": dict(forms),
            "dropped": dict(Counter(self.dropped) + Counter(left_out)),
            "twice": twice,
            "slips": sorted({slip for outcome in self.done.values() for slip in outcome["slips"]}),
            "broken": len(broken),
            "first_broken": broken[:BROKEN_IN_MANIFEST],
            "parts": [
                {"file": part.name, "documents": self.done[number]["documents"], "sha256": self.done[number]["sha256"]}
                for number, part in zip(numbers, parts, strict=True)
            ],
            "tables": {f"{name}.parquet": written.sha256 for name, written in sorted(tables.items())},
            "checksums": {BROKEN: hashlib.sha256(listed).hexdigest(), **sums},
        }
        manifest["hash"] = _hash({"parts": manifest["parts"], "tables": manifest["tables"]})
        manifest["folder"] = f"collection-{manifest['hash'][:12]}"
        write_stored(self.building / MANIFEST, sealed(manifest))
        return self._put_in_place(manifest)

    def _put_in_place(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Flush the new collection to the disk, then give it its name, then replace the manifest."""
        place = self.folder / manifest["folder"]
        if (self._manifest_in(self.building) or {}).get("key") == self.key:
            with reported(self.building):
                for path in self.building.iterdir():
                    _sync(path)
                sync_folder(self.building)
            self.owned.remove_all(place.name)  # the same content under another key, or damaged
            here = [name for name in self.owned.names if name.startswith(BUILDING)]
            self.owned.add(*(name.replace(BUILDING, place.name, 1) for name in here))
            with reported(place):
                self.building.rename(place)
                sync_folder(self.folder)
        write_stored(self.folder / MANIFEST, stored_bytes(place / MANIFEST))
        self.owned.remove(
            name for name in self.owned.names if name.startswith("collection-") and not name.startswith(place.name)
        )
        self.owned.keep_only([MANIFEST])
        return manifest

    def _finished(self) -> dict[str, Any] | None:
        """The manifest of this collection if it is built and undamaged, even if the last step is missing."""
        folders = sorted(name for name in self.owned.names if FOLDER.fullmatch(name))
        for name in (BUILDING, *folders):
            folder = self.folder / name
            manifest = self._manifest_in(folder) if name in self.owned.names and not folder.is_symlink() else None
            if manifest is None or manifest["key"] != self.key or name not in (BUILDING, manifest["folder"]):
                continue
            if all(_sha256(folder / file) == sha256 for file, sha256 in files_of(manifest).items()):
                return self._put_in_place(manifest)
        return None

    def _recover_names(self) -> None:
        """List files again after damage to the identity file: those with the checksum in a manifest."""
        for manifest_path in (self.folder / MANIFEST, *sorted(self.folder.glob(f"*/{MANIFEST}"))):
            manifest = self._manifest_in(manifest_path.parent)
            place = self.folder / manifest["folder"] if manifest is not None else self.folder
            if manifest is None or place.is_symlink() or self._manifest_in(place) != manifest:
                continue
            ours = [name for name, sha256 in files_of(manifest).items() if _sha256(place / name) == sha256]
            self.owned.add(MANIFEST, place.name, *(f"{place.name}/{name}" for name in (MANIFEST, *ours)))

    def _manifest_in(self, folder: Path) -> dict[str, Any] | None:
        """The manifest in a folder of this collection; None where it is missing, damaged or of another format."""
        with contextlib.suppress(OSError, InputError):
            manifest = checked_manifest(stored_bytes(folder / MANIFEST), folder)
            return manifest if manifest["version"] == VERSION and isinstance(manifest.get("key"), str) else None
        return None

    def _resume(self) -> None:
        """Take over the undamaged parts of a build with the same key; delete anything else."""
        journal = self.building / JOURNAL
        ours = BUILDING in self.owned.names and not self.building.is_symlink() and is_stored(journal)
        lines = stored_bytes(journal).splitlines() if ours else []
        entries = [entry for line in lines if (entry := _parsed(line)) is not None]
        if not entries or entries[0].get("key") != self.key:
            self.owned.remove_all(BUILDING)
            self.owned.add(BUILDING, f"{BUILDING}/{JOURNAL}", MANIFEST)
            with reported(self.building):
                self.building.mkdir()
            self._append({"key": self.key})
            return
        if not stored_bytes(journal).endswith(b"\n"):  # the next entry must begin a line
            with reported(journal), open(journal, "ab", opener=open_stored) as file:
                file.write(b"\n")
        for entry in entries[1:]:
            number = entry.pop("part", None)
            if type(number) is int and 0 <= number < MOST_PARTS and entry.keys() >= OUTCOME:
                path = self.part(number)
                if (_sha256(path), _sha256(sums_path(path))) == (entry["sha256"], entry["sums"]):
                    self.done[number] = entry


def _link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the system has no second names."""
    if is_stored(source):  # and not a link, or missing, of which reading says what is wrong
        with contextlib.suppress(OSError):
            target.unlink(missing_ok=True)  # of an update that was killed
            os.link(source, target)
            return
    content = stored_bytes(source)
    with reported(target, len(content)):
        target.write_bytes(content)


def _sync(path: Path) -> None:
    """Flush a file to the disk."""
    with open(path, "rb+", opener=open_stored) as file:
        os.fsync(file.fileno())


def _sha256(path: Path) -> str:
    """The checksum of a file; empty where there is none, and for a part that kept no document."""
    try:
        return file_sha256(path)
    except OSError:
        return ""


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _parsed(line: bytes) -> dict[str, Any] | None:
    """An entry of the journal; None for a line that was cut off by a kill, or is damaged."""
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(line)
        if isinstance(value, dict) and value.pop(CHECKSUM, "") == object_checksum(value):
            return value
    return None
