"""Build the folder of the demo, step by step; steps that are already done are not repeated.

DIR/office/                     the simulated office
DIR/index/                      the index of its documents
DIR/runs/*.run, runs.tsv        the runs of the systems
DIR/qrels.*.txt, topics.tsv     judgements and topics, where `leadline reproduce` and `serve` look for them
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError
from leadline.judge.check_office import check_office
from leadline.judge.simulated_office import JUDGED, write_office
from leadline.records.topics.topic import Topics
from leadline.retrieval.index.batches import FIELDS
from leadline.retrieval.index.check import check_index
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.check_grid import check_grid
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.grid_plan import Planned
from leadline.retrieval.pipeline.grid_runs import GridRuns
from leadline.show.report.page_key import code_of
from leadline.text.checksums import CHECKSUM, Finding, check_seal, file_sha256, parsed_object, sealed
from leadline.text.files import write_stored
from leadline.text.owned_folder import OwnedFolder
from leadline.text.stored import stored_bytes
from leadline.version import __version__

KIND, VERSION, KEYS = "demo", 2, "made.json"  # 1: the keys without a checksum
FIX = "run the demo again"
ALL_FIELDS = (*FIELDS, "phrases", "entities", "biology", "sentences")  # scai and msoe also search the last four
DEPTH = 1000  # documents that a system returns for a topic
Step = Callable[..., None]
Stage = Callable[[str], AbstractContextManager[Step | None]]  # opens a named stage; its value reports the progress


@dataclass(frozen=True)
class DoneSteps:
    """The steps that are done in a folder, each with a key of what it was made from."""

    folder: Path

    def read(self) -> dict[str, str]:
        """The key of every step that is done; none where the file is missing or damaged."""
        path = self.folder / KEYS
        try:
            known = parsed_object(stored_bytes(path), str(path), FIX)
            check_seal(known, str(path), FIX)
        except (OSError, InputError):
            return {}
        return {step: key for step, key in known.items() if step != CHECKSUM}

    def has(self, step: str, key: str) -> bool:
        """Whether a step is done with this key."""
        return self.read().get(step) == key

    def add(self, step: str, key: str) -> None:
        """Record that a step is done."""
        known = self.read() | {step: key}
        write_stored(self.folder / KEYS, sealed(known))


def step_key(*facts: Any, code: Sequence[str] = ()) -> str:
    """A hash of what a step is made from: its inputs, the versions, and the folders of the code that does it."""
    parts = [__version__, np.__version__, code_of(*code), *map(repr, facts)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def build_lab(folder: Path, settings: Settings, systems: Sequence[Planned], stage: Stage) -> Path:
    """Build an office, its index, runs and judgements in a folder, except for steps that are already done.

    `stage` is called with the name of each step, and returns a context manager whose value reports the progress.
    """
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        _build_lab(owned, settings, systems, stage)
    return folder


def _build_lab(owned: OwnedFolder, settings: Settings, systems: Sequence[Planned], stage: Stage) -> None:
    folder = owned.path
    owned.reserve("office", "index", KEYS, *JUDGED)
    done = DoneSteps(folder)
    office = step_key(dataclasses.asdict(settings), code=("collections/simulate", "collections/documents", "judge"))
    if not done.has("office", office) or not _is_sound(check_office(folder / "office")) or _copies_differ(folder):
        with stage(f"an office of {settings.patents:,} patents") as step:
            write_office(settings, folder / "office", step)
            for name in JUDGED:
                write_stored(folder / name, stored_bytes(folder / "office" / name))
        done.add("office", office)
    index = step_key(office, ALL_FIELDS, code=("retrieval/index", "retrieval/language"))
    if not done.has("index", index) or not _is_sound(check_index(folder / "index")):
        with stage("an index of their words") as _:
            collection: Any = Collection.open(folder / "office" / "collection")
            origin = str((folder / "office" / "collection").resolve())
            Index.build(collection, folder / "index", fields=ALL_FIELDS, origin=origin)
        done.add("index", index)
    runs = step_key(index, [(one.name, repr(one.pipeline)) for one in systems], DEPTH, code=("retrieval",))
    if not done.has("runs", runs) or not _is_sound(check_grid(folder)):
        topics = Topics.read(folder / "topics.tsv")
        with stage(f"{len(systems)} systems on {len(list(topics))} topics") as step:
            context = SearchContext.open(folder / "index", folder / "office" / "collection")
            GridRuns(folder, context, topics, DEPTH, owned).make(systems, step)
            _drop_others(owned, systems)
        done.add("runs", runs)


def _is_sound(findings: Iterator[Finding]) -> bool:
    """Whether a check finds nothing."""
    try:
        return not any(findings)
    except InputError:
        return False


def _copies_differ(folder: Path) -> bool:
    """Whether the topics and judgements are other than the office's."""
    return any(_sha256(folder / name) != _sha256(folder / "office" / name) for name in JUDGED)


def _sha256(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError:
        return ""


def _drop_others(owned: OwnedFolder, systems: Sequence[Planned]) -> None:
    """Delete runs of an earlier demo, which would otherwise be evaluated with the others."""
    wanted = {f"runs/{one.name}.run" for one in systems}
    owned.remove(name for name in owned.names if name.startswith("runs/") and name not in wanted)
