"""A grid of runs: every combination of some choices, planned, made on disk, and checked.

    [choices.query]                        # a choice, by any name, and its options:
    whole = "text"                         # a step or a list of steps, as in pipeline files
    title = {step = "text", fields = ["title"]}
    [choices.model]
    bm25 = {step = "search", model = {each = ["bm25(k1=0.9)", "bm25(k1=1.2)"]}}     # an option for each value
    dph = {step = "search", model = "dph"}
    [choices.feedback]
    none = []
    rm3 = ["rm3", {again = "model"}]       # repeats the steps chosen in [choices.model]

A run takes one option of each table, and runs their steps in order. Here there are 2 · 3 · 2 runs. A list of `runs`
makes fewer: each entry names "all", one or several options of a table; of a table that is not named, the first option
is taken.

    [[runs]]
    query = "all"
    model = ["bm25 bm25(k1=0.9)", "dph"]

`{system = "bitem"}` means the steps of a named system; the table `parts` is as in pipeline files.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import InputError, checked_choice
from leadline.records.topics import Topics
from leadline.retrieval.index.manifest import content_digests
from leadline.retrieval.pipeline.after.where import chosen_packages
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import settings, system
from leadline.retrieval.pipeline.pipeline import Journal, Pipeline, Progress, pipeline_of
from leadline.text.checksums import Finding, check_file, finding_of, read_sealed, sealed, stored_bytes
from leadline.text.files import reported, write_stored
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed, identity_of
from leadline.text.source import read_toml

KEYS = ("about", "choices", "runs", "parts")
EVERY = "all"
MOST_STEPS = 1000  # of one run: `again` may repeat steps with `again`
MOST_RUNS = 10_000  # of a grid: more must be a mistake
Choices = Mapping[str, Mapping[str, list[Any]]]  # the steps of each option, by table and name, as the file has them


@dataclass(frozen=True)
class Planned:
    """One run of a grid."""

    name: str
    choices: Mapping[str, str]
    pipeline: Pipeline


def read_grid(path: str) -> list[Planned]:
    """The runs of a grid in a TOML file."""
    return plan(read_toml(path), path)


def plan(written: Mapping[str, Any], where: str = "grid") -> list[Planned]:
    """The runs of a grid, named after their options.

    >>> texts = {"whole": "text", "title": {"step": "text", "fields": "title"}}
    >>> models = {"bm25": {"step": "search", "model": {"each": ["bm25(k1=0.9)", "dph"]}}}
    >>> [run.name for run in plan({"choices": {"query": texts, "model": models}})][:2]
    ['whole-bm25_bm25_k1=0.9', 'whole-bm25_dph']
    """
    for key in written:
        checked_choice(where, key, KEYS)
    choices = _choices(written.get("choices"), where)
    parts = written.get("parts", {})
    planned: dict[str, Planned] = {}
    for chosen in _combinations(choices, written.get("runs"), where):
        name = "-".join(map(_file_name, chosen.values()))
        if name in planned:
            if planned[name].choices == chosen:
                continue
            raise InputError(where, f"two runs would be called {name}: give their options names that differ more")
        listed = (step for table, choice in chosen.items() for step in _steps(choices, chosen, table, choice, where))
        steps = list(itertools.islice(listed, MOST_STEPS + 1))
        if len(steps) > MOST_STEPS:
            raise InputError(where, f"the run {name[:60]} has more than {MOST_STEPS} steps")
        if not steps:
            raise InputError(where, f"the run {name} has no steps")
        planned[name] = Planned(name, chosen, pipeline_of(steps, where, parts))
    return list(planned.values())


def _check_number(runs: int, where: str) -> None:
    if runs > MOST_RUNS:
        raise InputError(where, f"has {runs:,} runs, more than {MOST_RUNS:,}: list those you want in [[runs]]")


def _choices(written: Any, where: str) -> Choices:
    if not isinstance(written, Mapping) or not written:
        raise InputError(where, "has no choices: name them in tables [choices.query], [choices.model], …")
    choices: dict[str, dict[str, list[Any]]] = {}
    for table, entries in written.items():
        if not isinstance(entries, Mapping) or not entries:
            raise InputError(where, f"[choices.{table}] has no options: add at least one")
        if table == "run":
            raise InputError(where, "[choices.run]: `run` names the run itself; choose another name")
        choices[table] = {name: made for key, steps in entries.items() for name, made in _each(key, steps)}
    return choices


def _each(name: str, written: Any) -> Iterator[tuple[str, list[Any]]]:
    """An option with its steps, or one for each combination of the values listed under `each`."""
    steps = written if isinstance(written, list) else [written]
    several = [
        (place, option, value["each"])
        for place, step in enumerate(steps)
        if isinstance(step, Mapping)
        for option, value in step.items()
        if isinstance(value, Mapping) and list(value) == ["each"]
    ]
    for _, option, listed in several:
        if not isinstance(listed, list) or not listed:
            raise InputError(name, f"{option}: each takes a list of at least one value")
    _check_number(math.prod(len(listed) for _, _, listed in several), name)
    for values in itertools.product(*(listed for _, _, listed in several)):
        made = [dict(step) if isinstance(step, Mapping) else step for step in steps]
        for (place, option, _), value in zip(several, values, strict=True):
            made[place][option] = value
        yield " ".join([name, *map(_value_name, values)]), made


def _value_name(value: Any) -> str:
    if isinstance(value, Mapping):
        return "+".join(f"{name}={_value_name(each)}" for name, each in value.items())
    return "+".join(map(_value_name, value)) if isinstance(value, list) else str(value)


def _combinations(choices: Choices, runs: Any, where: str) -> Iterator[dict[str, str]]:
    """The option that each run takes of each table."""
    blocks = [dict.fromkeys(choices, EVERY)] if runs is None else runs
    if not isinstance(blocks, list | tuple) or not blocks or not all(isinstance(block, Mapping) for block in blocks):
        raise InputError(where, "`runs` must be a list of tables: write [[runs]], then query = …")
    options_of_blocks = []
    for block in blocks:
        for table in block:
            checked_choice(f"{where}: [[runs]]", table, list(choices))
        options = [_options(block.get(table), table, list(entries), where) for table, entries in choices.items()]
        options_of_blocks.append(options)
    _check_number(sum(math.prod(map(len, options)) for options in options_of_blocks), where)
    for combination in itertools.chain.from_iterable(itertools.product(*options) for options in options_of_blocks):
        yield dict(zip(choices, combination, strict=True))


def _options(written: Any, table: str, options: Sequence[str], where: str) -> Sequence[str]:
    """The options of a table that an entry of `runs` names; the first if it names none."""
    if written is None:
        return options[:1]
    if written == EVERY:
        return options
    listed = written if isinstance(written, list) else [written]
    return list(dict.fromkeys(checked_choice(f"{where}: [[runs]] {table}", name, options) for name in listed))


def _steps(choices: Choices, chosen: Mapping[str, str], table: str, choice: str, where: str) -> Iterator[Any]:
    """The steps of an option; `again` is replaced by the steps chosen in an earlier table."""
    earlier = list(choices)[: list(choices).index(table)]
    for step in choices[table][choice]:
        if isinstance(step, Mapping) and "again" in step:
            again = checked_choice(f"{where}: again", step["again"], earlier or ["nothing"])
            yield from _steps(choices, chosen, again, chosen[again], where)
        elif isinstance(step, Mapping) and "system" in step:
            yield system(step["system"])
        else:
            yield step


def _file_name(choice: str) -> str:
    """The name of an option as part of a file name.

    >>> _file_name("bm25(k1=0.9, b=0.4)")
    'bm25_k1=0.9_b=0.4'
    """
    return re.sub(r"[^\w.=+]+", "_", choice).strip("_.") or "_"


# Make the runs of a grid on disk. Each is written atomically, and a finished run is not made again.


KIND, VERSION, KIND_NAME = "grid", 2, "a grid of runs"  # 1: the manifest without its checksum
RUNS, TABLE, MANIFEST = "runs", "runs.tsv", "manifest.json"
REPAIR = "make the grid again"
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
            steps = settings(planned.pipeline)
            made_of = {"system": steps, "index": self.index, "topics": self.asked, "k": self.k}
            if packages := chosen_packages(steps):
                made_of["packages"] = packages
            if self._is_finished(planned.name, made_of):
                owned.remove([f"{planned.name}.unfinished"])  # left by a process that stopped after writing the run
                outcome.kept += self._existing(planned.name)
                continue

            def report(done: int, total: int, _: str, number: int = number, name: str = planned.name) -> None:
                if progress is not None:
                    progress(number * total + done, len(plan) * total, name)

            outcome.notes |= dict.fromkeys(self._make(planned, made_of, report))
            outcome.made += self._existing(planned.name)
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

    def _existing(self, name: str) -> list[str]:
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

        facts = {
            "what": KIND_NAME,
            "version": VERSION,
            "leadline": __version__,
            "topics": len(self.topics),
            "k": self.k,
        }
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
    manifest = read_sealed(path, KIND_NAME, VERSION, REPAIR, number="version", unsealed=1)
    if manifest is None:
        raise InputError(str(path), f"is missing: {REPAIR}")
    return manifest


def finished_runs(folder: Path) -> dict[str, dict[str, str]]:
    """The digests of each finished run of a grid: of what it depends on (`made_of`), and of its content."""
    runs = read_manifest(folder).get("runs")
    if not isinstance(runs, dict) or not all(isinstance(about, dict) for about in runs.values()):
        raise InputError(str(folder / MANIFEST), f"is damaged, `runs` is not a table of runs: {REPAIR}")
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
    if not isinstance(written, dict) or written.get("what") != KIND_NAME:
        raise InputError(str(folder), "does not hold a grid of runs: name another folder")


# A full check of a grid: every finished run, and the table of choices.


def check_grid(folder: Path) -> Iterator[Finding]:
    """The problems of a grid; none if it is undamaged."""
    yield from check_identity(folder)
    try:
        manifest, runs = read_manifest(folder), finished_runs(folder)
    except InputError as error:
        yield finding_of(error, REPAIR)
        return
    if manifest["version"] >= VERSION:  # folders of earlier versions have no identity
        yield from check_listed(folder, [MANIFEST, TABLE, RUNS, *(f"{RUNS}/{name}.run" for name in runs)])
    if "table" in manifest:
        yield from check_file(folder / TABLE, manifest["table"], REPAIR)
    for name, about in runs.items():
        if "/" in name or name.startswith("."):
            yield Finding(str(folder / MANIFEST), f"is damaged, it names a run {name!r}", REPAIR)
        elif about.get("content") != NOTHING:
            yield from check_file(folder / RUNS / f"{name}.run", about.get("content"), REPAIR)
