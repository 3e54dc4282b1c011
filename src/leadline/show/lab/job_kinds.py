"""What a lab does in the background: each kind of job is a command with the lab's own things as its inputs.

No word of a request becomes an option of a command: a request names things of the lab, and chooses among words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.errors import InputError, checked_choice
from leadline.measures.notation import parse_measures
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.runs.read_runs import read_run
from leadline.retrieval.pipeline.system_list import list_systems
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Lab, LabEntry, fingerprint

_NAME = re.compile(r"[A-Za-z0-9_][\w.=+-]{0,99}")


@dataclass(frozen=True)
class JobPlan:
    """The command of a job, and what it makes."""

    what: str  # in words
    arguments: tuple[str, ...]
    kind: str  # of what it makes
    name: str
    output: str
    inputs: tuple[str, ...]  # the checksums of what it reads


def index_plan(lab: Lab, collection: str, name: str, *, positions: bool = False) -> JobPlan:
    """Index a collection."""
    source = lab.get("collection", collection)
    more = ("--positions",) if positions else ()
    return _plan(lab, f"index {collection}", "index", name, "", [source], ("index", _path(source)), more)


def run_plan(lab: Lab, index: str, topics: str, system: str, name: str) -> JobPlan:
    """Run a system on topics."""
    checked_choice("system", system, system_names())
    sources = [lab.get("index", index), lab.get("topics", topics)]
    words = ("run", *map(_path, sources), "--system", system)
    return _plan(lab, f"run {system} on {topics}", "run", name, ".run", sources, words)


def report_plan(lab: Lab, qrels: str, runs: Sequence[str], measure: str, name: str) -> JobPlan:
    """Write a report of runs on judgements; of all that fit them where no run is named."""
    parse_measures(measure)
    judged = lab.get("qrels", qrels)
    compared = [lab.get("run", run) for run in runs] if runs else fitting_runs(lab, judged)
    if not compared:
        raise InputError(qrels, "no run of the lab has a topic of these judgements")
    paths = map(_path, (judged, *compared))
    words = ("report", *paths, "-m", measure)
    return _plan(lab, f"report on {qrels} by {measure}", "report", name, ".html", [judged, *compared], words)


def pool_plan(lab: Lab, runs: Sequence[str], depth: int, name: str) -> JobPlan:
    """Pool the first documents of runs for judging."""
    if not 1 <= depth <= 1000:
        raise InputError("depth", f"must be from 1 to 1000, got {depth}")
    if not runs:
        raise InputError("runs", "choose the runs to pool")
    sources = [lab.get("run", run) for run in runs]
    words = ("pool", *map(_path, sources), "--depth", str(depth))
    return _plan(lab, f"pool {len(sources)} runs to rank {depth}", "pool", name, ".txt", sources, words)


def system_names() -> list[str]:
    """The names of the systems that a run can be made with."""
    return [str(row[0]) for row in list_systems().table().rows]


def fitting_runs(lab: Lab, judged: LabEntry) -> list[LabEntry]:
    """The runs that have a topic of these judgements."""
    topics = set(read_qrels(judged.path).topics)
    return [entry for entry in lab.entries("run") if topics & set(read_run(entry.path).topics)]


def _path(entry: LabEntry) -> str:
    """Where something is, for a process that works in another folder."""
    return str(entry.path.resolve())


def _plan(
    lab: Lab, what: str, kind: str, name: str, ending: str, sources: Sequence[LabEntry], words: tuple[str, ...],
    more: tuple[str, ...] = (),
) -> JobPlan:  # fmt: skip
    if not _NAME.fullmatch(name):
        raise InputError("name", f"{name!r} must be 1 to 100 letters, digits and . = + - _")
    output = str((lab.folder / KINDS[kind].folder / f"{name.removesuffix(ending)}{ending}").resolve())
    inputs = tuple(fingerprint(KINDS[each.kind], each.path) for each in sources)
    return JobPlan(what, (*words, *more, "-o", output), kind, name, output, inputs)
