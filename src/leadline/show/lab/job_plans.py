"""What a lab does in the background: each kind of job is a command with the lab's own things as its inputs.

No word of a request becomes an option of a command: a request names things of the lab, and gives values to options that
are named here, each checked by the type that the command has for it (`Fields`). Paths are relative to the lab, where
jobs run: what a page shows as the command is what was run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import InputError, checked_choice
from leadline.measures.definition import parse_measures
from leadline.records.qrels import read_qrels
from leadline.records.runs import read_run
from leadline.retrieval.pipeline.named_systems import list_systems
from leadline.show.choices import TASK_KINDS
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Lab, LabEntry, fingerprint
from leadline.show.lab.lab_store import CAMPAIGNS
from leadline.version import __version__

_NAME = re.compile(r"[A-Za-z0-9_][\w.=+-]{0,99}")
CAMPAIGN = "campaign"  # a kind of what a job makes that is no thing of a lab: it has pages of its own


@dataclass(frozen=True)
class JobPlan:
    """The command of a job, and what it makes."""

    what: str  # in words
    arguments: tuple[str, ...]
    kind: str  # of what it makes
    name: str
    output: str
    inputs: tuple[str, ...]  # the checksums of what it reads

    @property
    def key(self) -> str:
        """The same for the same work on the same inputs."""
        facts = [__version__, list(self.arguments), list(self.inputs)]
        return hashlib.sha256(json.dumps(facts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class CommandField:
    """An option of a command, as a form shows it."""

    name: str  # of the option, without --
    words: str  # its help
    kind: str  # "choice", "flag" or "text"
    default: str
    choices: tuple[str, ...]
    check: Callable[[str], object]  # raises InputError where a value is wrong


Fields = Callable[[str, Sequence[str]], Sequence[CommandField]]  # the options of a command with these names
OPTIONS: Mapping[str, tuple[str, ...]] = {  # that the pages of a lab offer, by command
    "collection build": ("keep", "form"),
    "index": ("positions", "stem", "stop", "words", "unit", "no-dense"),
    "run": ("k", "any-date"),
    "pool": ("strata", "budget", "rounds", "seed"),
    "review begin": ("query", "learner", "target", "confidence", "double", "stages", "labels", "keep-duplicates"),
    "campaign new": ("title", "organiser", "licence", "deadline", "late", "runs", "length", "strata", "double"),
}


def no_fields(command: str, names: Sequence[str]) -> Sequence[CommandField]:
    """The fields of pages that were opened without the commands: none."""
    return ()


def option_words(fields: Sequence[CommandField], given: Mapping[str, str]) -> list[str]:
    """What was written in the fields of a form as words of the command; InputError where a value is wrong.

    >>> depth = CommandField("budget", "documents", "text", "", (), int)
    >>> option_words([depth], {"option-budget": "30", "option-seed": "7"})
    ['--budget=30']
    """
    words = []
    for field in fields:
        value = given.get(f"option-{field.name}", "").strip()
        dashes = "-" if len(field.name) == 1 else "--"
        if not value or value == field.default:
            continue
        if field.kind == "flag":
            words.append(f"{dashes}{field.name}")
            continue
        field.check(value)
        words += [f"--{field.name}={value}"] if dashes == "--" else [f"-{field.name}{value}"]
    return words


def collection_plan(lab: Lab, sources: Path, sha256: str, name: str, more: Sequence[str] = ()) -> JobPlan:
    """Make a collection of files that were sent."""
    words = ("collection", "build", _place(lab, sources))
    return _plan(lab, f"collection {name}", "collection", name, "", (sha256,), words, more)


def review_plan(
    lab: Lab, documents: Sequence[Path], sha256: str, name: str, title: str = "", more: Sequence[str] = ()
) -> JobPlan:
    """Begin a review of files that were sent, or of a collection."""
    output = _output(lab, "review", name, "")
    words = ["review", "begin", _place(lab, Path(output)), "--documents", *(_place(lab, each) for each in documents)]
    words += [f"--title={title}"] if title else []
    return JobPlan(f"review {name}", (*words, *more), "review", name, output, (sha256,))


def index_plan(
    lab: Lab, collection: str, name: str, more: Sequence[str] = (), *, after: JobPlan | None = None
) -> JobPlan:
    """Index a collection: one that is there, or the one that another job makes first."""
    if after is None:
        source = lab.get("collection", collection)
        place, inputs = source.path, (_of(source),)
    else:
        place, inputs = Path(after.output), (after.key,)
    return _plan(lab, f"index {collection}", "index", name, "", inputs, ("index", _place(lab, place)), more)


def run_plan(lab: Lab, index: str, topics: str, system: str, name: str, more: Sequence[str] = ()) -> JobPlan:
    """Run a system on topics."""
    checked_choice("system", system, system_names())
    sources = [lab.get("index", index), lab.get("topics", topics)]
    words = ("run", *(_place(lab, each.path) for each in sources), "--system", system)
    return _plan(lab, f"run {system} on {topics}", "run", name, ".run", map(_of, sources), words, more)


def report_plan(lab: Lab, qrels: str, runs: Sequence[str], measure: str, name: str) -> JobPlan:
    """Write a report of runs on judgements; of all that fit them where no run is named."""
    parse_measures(measure)
    judged = lab.get("qrels", qrels)
    compared = [lab.get("run", run) for run in runs] if runs else fitting_runs(lab, judged)
    if not compared:
        raise InputError(qrels, "no run of the lab has a topic of these judgements")
    sources = [judged, *compared]
    words = ("report", *(_place(lab, each.path) for each in sources), "-m", measure)
    return _plan(lab, f"report on {qrels} by {measure}", "report", name, ".html", map(_of, sources), words)


def pool_plan(lab: Lab, runs: Sequence[str], depth: int | None, name: str, more: Sequence[str] = ()) -> JobPlan:
    """Pool the documents of runs for judging: the first ones, or a sample as options say."""
    if depth is not None and not 1 <= depth <= 1000:
        raise InputError("depth", f"must be from 1 to 1000, got {depth}")
    if not runs:
        raise InputError("runs", "choose the runs to pool")
    sources = [lab.get("run", run) for run in runs]
    words = ("pool", *(_place(lab, each.path) for each in sources))
    words += () if depth is None else ("--depth", str(depth))
    to = "" if depth is None else f" to rank {depth}"
    return _plan(lab, f"pool {len(sources)} runs{to}", "pool", name, ".txt", map(_of, sources), words, more)


def judgements_plan(lab: Lab, pool: str, name: str, now: str) -> JobPlan:
    """Write what people judged of a pool as judgements; `now` tells what was judged by then."""
    source = lab.get("pool", pool)
    words = ("judge", "export", _place(lab, source.path))
    return _plan(lab, f"judgements of {pool}", "qrels", name, ".txt", (_of(source), now), words)


def export_plan(lab: Lab, review: str, form: str, name: str, now: str) -> JobPlan:
    """Write the documents of a review with their labels for another program."""
    source = lab.get("review", review)
    checked_choice("form", form, ("ris", "nbib", "csv", "qrels"))
    words = ("review", "export", _place(lab, source.path), "--as", form)
    return _plan(lab, f"export {review} as {form}", "export", name, f".{form}", (_of(source), now), words)


def backup_plan(lab: Lab, kind: str, of: str, name: str, now: str) -> JobPlan:
    """Copy what people did in a pool or a review to one file."""
    checked_choice("kind", kind, ("pool", "review"))
    source = lab.get(kind, of)
    words = ("judge" if kind == "pool" else "review", "backup", _place(lab, source.path))
    ending = ".journal" if kind == "pool" else ".zip"
    return _plan(lab, f"backup of {of}", "export", name, ending, (_of(source), now), words)


def campaign_plan(
    lab: Lab, collection: str, task: str, kind: str, topics: str, name: str, more: Sequence[str] = ()
) -> JobPlan:
    """Make a campaign on a collection, with a first task."""
    checked_choice("kind", kind, TASK_KINDS)
    if not _NAME.fullmatch(task):
        raise InputError("task", f"{task!r} must be 1 to 100 letters, digits and . = + - _")
    sources = [lab.get("collection", collection), lab.get("topics", topics)]
    output = str((lab.folder / CAMPAIGNS / _checked(name)).resolve())
    words = ["campaign", "new", _place(lab, Path(output)), "--collection", _place(lab, sources[0].path)]
    words += ["--task", task, "--kind", kind, "--topics", _place(lab, sources[1].path)]
    return JobPlan(f"campaign {name}", (*words, *more), CAMPAIGN, name, output, tuple(map(_of, sources)))


def system_names() -> list[str]:
    """The names of the systems that a run can be made with."""
    return [str(row[0]) for row in list_systems().table().rows]


def fitting_runs(lab: Lab, judged: LabEntry) -> list[LabEntry]:
    """The runs that have a topic of these judgements."""
    topics = set(read_qrels(judged.path).topics)
    return [entry for entry in lab.entries("run") if topics & set(read_run(entry.path).topics)]


def shown_command(lab: Lab, arguments: Sequence[str]) -> str:
    """The command of a job as a person can type it in the folder of the lab; folders elsewhere are left out."""
    return shlex.join(["leadline", *(Path(each).name if Path(each).is_absolute() else each for each in arguments)])


def _of(entry: LabEntry) -> str:
    return fingerprint(KINDS[entry.kind], entry.path)


def _place(lab: Lab, path: Path) -> str:
    """Where something is for a command in the folder of the lab: relative for what is in the lab or beside it."""
    home, full = lab.folder.resolve(), path.resolve()
    return os.path.relpath(full, home) if full.is_relative_to(home.parent) else str(full)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError("name", f"{name!r} must be 1 to 100 letters, digits and . = + - _")
    return name


def _output(lab: Lab, kind: str, name: str, ending: str) -> str:
    return str((lab.folder / KINDS[kind].folder / f"{_checked(name).removesuffix(ending)}{ending}").resolve())


def _plan(
    lab: Lab,
    what: str,
    kind: str,
    name: str,
    ending: str,
    inputs: Sequence[str] | map[str],
    words: tuple[str, ...],
    more: Sequence[str] = (),
) -> JobPlan:
    output = _output(lab, kind, name, ending)
    return JobPlan(what, (*words, *more, "-o", _place(lab, Path(output))), kind, name, output, tuple(inputs))
