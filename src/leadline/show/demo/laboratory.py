"""A lab made on the spot, each step of it kept: a second request finds what the first has made.

DIR/office/                     the simulated office
DIR/index/                      its words
DIR/runs/*.run, runs.tsv        what each system found
DIR/qrels.*.txt, topics.tsv     judgements and topics, where `leadline reproduce` and `serve` look for them
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError
from leadline.judge.simulated_office import write_office
from leadline.records.topics.topic import Topics
from leadline.search.index.batches import FIELDS
from leadline.search.index.index import Index
from leadline.search.pipeline.context import SearchContext
from leadline.search.pipeline.grid_plan import Planned
from leadline.search.pipeline.grid_runs import GridRuns
from leadline.show.report.code import code_of
from leadline.text.source import write_whole
from leadline.version import __version__

KEYS = "made.json"
JUDGED = ("topics.tsv", "qrels.citations.txt", "qrels.true.txt", "qrels.true.claims.txt")
ALL_FIELDS = (*FIELDS, "phrases", "entities", "sentences")  # what scai and msoe search beside the words
DEPTH = 1000  # documents that a system lists for a topic
Step = Callable[..., None]
Told = Callable[[str], AbstractContextManager[Step | None]]  # names a piece of work; the function tells how far it is


@dataclass(frozen=True)
class Kept:
    """Which steps of a folder are done, and from what: a key for each."""

    folder: Path

    def read(self) -> dict[str, str]:
        try:
            return dict(json.loads((self.folder / KEYS).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return {}

    def has(self, step: str, key: str) -> bool:
        return self.read().get(step) == key

    def add(self, step: str, key: str) -> None:
        known = self.read() | {step: key}
        write_whole(self.folder / KEYS, f"{json.dumps(known, indent=1)}\n".encode())


def key_of(*facts: Any, rooms: Sequence[str] = ()) -> str:
    """A hash of what a step is made from: its inputs, the versions, and the code of the rooms that make it."""
    parts = [__version__, np.__version__, code_of(*rooms), *map(repr, facts)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def make_lab(folder: Path, settings: Settings, systems: Sequence[Planned], stage: Told) -> Path:
    """The folder with an office, its index, runs and judgements. What is there is not made again.

    `stage` is called with the name of each piece of work, and gives a context whose value tells the progress.
    """
    _check(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kept = Kept(folder)
    office = key_of(dataclasses.asdict(settings), rooms=("simulate", "documents"))
    if not kept.has("office", office) or not (folder / "office" / "manifest.json").is_file():
        with stage(f"an office of {settings.patents:,} patents") as step:
            write_office(settings, folder / "office", step)
            for name in JUDGED:
                shutil.copyfile(folder / "office" / name, folder / name)
        kept.add("office", office)
    index = key_of(office, ALL_FIELDS, rooms=("index",))
    if not kept.has("index", index):
        with stage("an index of their words") as _:
            collection: Any = Collection.open(folder / "office" / "collection")
            origin = str((folder / "office" / "collection").resolve())
            Index.build(collection, folder / "index", fields=ALL_FIELDS, origin=origin)
        kept.add("index", index)
    runs = key_of(index, [(one.name, repr(one.pipeline)) for one in systems], DEPTH, rooms=("retrieve",))
    if not kept.has("runs", runs):
        topics = Topics.read(folder / "topics.tsv")
        with stage(f"{len(systems)} systems on {len(list(topics))} topics") as step:
            lab = SearchContext.open(folder / "index", folder / "office" / "collection")
            GridRuns(folder, lab, topics, DEPTH).make(systems, step)
            _drop_others(folder, systems)
        kept.add("runs", runs)
    return folder


def _drop_others(folder: Path, systems: Sequence[Planned]) -> None:
    """Runs of an earlier, larger demo would be evaluated with the others."""
    wanted = {f"{one.name}.run" for one in systems}
    for path in (folder / "runs").glob("*.run"):
        if path.name not in wanted:
            path.unlink()


def _check(folder: Path) -> None:
    """A folder that holds something else is left alone."""
    if folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "is a file; name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / KEYS).is_file() and not (folder / "office").is_dir():
        raise InputError(str(folder), "is a folder with other things in it; name an empty or a new one")
