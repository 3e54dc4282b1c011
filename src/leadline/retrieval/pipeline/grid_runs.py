"""Make the runs of a grid on disk. Each is written atomically, and a finished run is not made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import InputError
from leadline.records.topics.topic import Topics
from leadline.retrieval.index.manifest import content_digests
from leadline.retrieval.pipeline.answering import Progress
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.grid_plan import Planned
from leadline.retrieval.pipeline.journal import Journal
from leadline.retrieval.pipeline.pipeline_files import settings
from leadline.text.checksums import read_sealed, sealed
from leadline.text.files import reported, write_stored
from leadline.text.owned_folder import OwnedFolder, identity_of
from leadline.text.stored import stored_bytes

KIND, VERSION, WHAT = "grid", 2, "a grid of runs"  # 1: the manifest without its checksum
RUNS, TABLE, MANIFEST = "runs", "runs.tsv", "manifest.json"
FIX = "make the grid again"
NOTHING = "nothing found"  # in place of the digest of a run's content


@dataclass
class GridResult:
    """The names of the runs that were made, and of those that were kept from before."""

    made: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)


class GridRuns:
    """A folder with `runs/NAME.run`, a table `runs.tsv` of the options of each run, and a manifest.

    The manifest has two digests of every finished run, of all it depends on and of its content; a run is kept if both
    fit. While a run is made, `NAME.unfinished` holds its finished topics.
    """

    def __init__(
        self, folder: Path, context: SearchContext, topics: Topics, k: int, owned: OwnedFolder | None = None
    ) -> None:
        self.owned = owned  # the folder, if its writer holds the lock already
        self.folder, self.context, self.topics, self.k = folder, context, topics, k
        self.index = content_digests(context.index.manifest)
        self.asked = [repr(topic) for topic in topics]
        if owned is None:
            _refuse_other_content(folder)
        self.finished: dict[str, dict[str, str]] = {}
        self.table = b""

    def make(self, plan: Sequence[Planned], progress: Progress | None = None) -> GridResult:
        """Make every run of the plan; a run in the folder is replaced if anything it depends on has changed."""
        if self.owned is not None:
            return self._make_all(plan, self.owned, progress)
        with OwnedFolder.locked(self.folder, KIND, VERSION) as owned:
            return self._make_all(plan, owned, progress)

    def _make_all(self, plan: Sequence[Planned], owned: OwnedFolder, progress: Progress | None) -> GridResult:
        outcome = GridResult()
        runs = [(f"{RUNS}/{planned.name}.run", f"{planned.name}.unfinished") for planned in plan]
        owned.reserve(RUNS, TABLE, MANIFEST, *(name for names in runs for name in names))
        if (self.folder / RUNS).is_symlink():
            raise InputError(str(self.folder / RUNS), "is a link: name a new folder for the grid")
        with reported(self.folder / RUNS):
            (self.folder / RUNS).mkdir(exist_ok=True)
        self.finished = self._read()
        self.table = table(plan)
        write_stored(self.folder / TABLE, self.table)
        for number, planned in enumerate(plan):
            made_of = {"system": settings(planned.pipeline), "index": self.index, "topics": self.asked, "k": self.k}
            if self._is_finished(planned.name, made_of):
                owned.remove([f"{planned.name}.unfinished"])  # left by a process that stopped after writing the run
                outcome.kept += self._found(planned.name)
                continue

            def report(done: int, total: int, _: str, number: int = number, name: str = planned.name) -> None:
                if progress is not None:
                    progress(number * total + done, len(plan) * total, name)

            outcome.notes |= dict.fromkeys(self._make(planned, made_of, report))
            outcome.made += self._found(planned.name)
        self._write()  # the table may be new even if every run was kept
        outcome.notes |= dict.fromkeys(self._strangers(plan))
        return outcome

    def _make(self, planned: Planned, made_of: dict[str, Any], progress: Progress) -> list[str]:
        journal = Journal(self.folder / f"{planned.name}.unfinished", made_of)
        try:
            answers = planned.pipeline.answer(self.context, self.topics, self.k, progress=progress, journal=journal)
        except InputError as error:
            raise InputError(f"run {planned.name}", str(error)) from None
        notes = answers.notes
        if any(documents for documents, _ in answers.found.values()):
            content = answers.run(planned.name).to_bytes()
            write_stored(self._file(planned.name), content)
            digest = hashlib.sha256(content).hexdigest()
        else:  # for example by claims, if no topic has claims: go on with the other runs
            self._file(planned.name).unlink(missing_ok=True)
            digest, notes = NOTHING, [f"the run {planned.name} found nothing and is left out; {notes[0]}"]
        self.finished[planned.name] = {"made_of": _digest(made_of), "content": digest}
        self._write()
        journal.finish()
        return notes

    def _found(self, name: str) -> list[str]:
        return [name] if self._file(name).is_file() else []

    def _file(self, name: str) -> Path:
        return self.folder / RUNS / f"{name}.run"

    def _is_finished(self, name: str, made_of: dict[str, Any]) -> bool:
        digests = self.finished.get(name, {})
        if digests.get("made_of") != _digest(made_of):
            return False
        try:
            content = hashlib.sha256(stored_bytes(self._file(name))).hexdigest()
        except OSError:
            content = NOTHING
        return content == digests.get("content")

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            return finished_runs(self.folder)
        except InputError:
            return {}  # make every run

    def _write(self) -> None:
        from leadline.version import __version__

        facts = {"what": WHAT, "version": VERSION, "leadline": __version__, "topics": len(self.topics), "k": self.k}
        manifest = {**facts, "index": {"folder": self.context.index.folder.name, "segments": self.index}}
        manifest |= {"table": hashlib.sha256(self.table).hexdigest(), "runs": self.finished}
        write_stored(self.folder / MANIFEST, sealed(manifest))

    def _strangers(self, plan: Sequence[Planned]) -> list[str]:
        """A note about runs in the folder that are not of the plan: evaluating the folder would include them."""
        of_plan = {self._file(planned.name).name for planned in plan}
        others = sorted(path.name for path in (self.folder / RUNS).glob("*.run") if path.name not in of_plan)
        if not others:
            return []
        return [f"{len(others):,} runs in {self.folder / RUNS} are not of this grid: {others[0]} …"]


def table(plan: Sequence[Planned]) -> bytes:
    """A TSV table with a line per run and its options, for `leadline evaluate --runs-info`."""
    columns = list(plan[0].choices)
    lines = [["run", *columns], *([planned.name, *planned.choices.values()] for planned in plan)]
    return "".join("\t".join(" ".join(cell.split()) for cell in line) + "\n" for line in lines).encode()


def _digest(made_of: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a grid; InputError where it is missing, damaged or of a newer format."""
    path = folder / MANIFEST
    manifest = read_sealed(path, WHAT, VERSION, FIX, number="version", unsealed=1)
    if manifest is None:
        raise InputError(str(path), f"is missing: {FIX}")
    return manifest


def finished_runs(folder: Path) -> dict[str, dict[str, str]]:
    """The digests of each finished run of a grid: of what it depends on (`made_of`), and of its content."""
    runs = read_manifest(folder).get("runs")
    if not isinstance(runs, dict) or not all(isinstance(about, dict) for about in runs.values()):
        raise InputError(str(folder / MANIFEST), f"is damaged, `runs` is not a table of runs: {FIX}")
    return runs


def _refuse_other_content(folder: Path) -> None:
    """Raise InputError for a folder with another manifest: an index or a collection would be overwritten."""
    try:
        written = json.loads(stored_bytes(folder / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return
    identity = identity_of(folder)
    if identity is not None and identity.kind == KIND:  # a grid, even if its manifest is damaged
        return
    if not isinstance(written, dict) or written.get("what") != WHAT:
        raise InputError(str(folder), "does not hold a grid of runs: name another folder")
