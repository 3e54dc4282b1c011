"""Pipelines from TOML files, named systems with their variants, and the list of all of them.

    about = "title and claims, then what the first results cite"
    steps = [
      {step = "text", fields = ["title", "claims"]},
      {step = "search", model = "bm25(k1=0.9, b=0.4)", fields = {title = 2, claims = 1}},
      {step = "citations", documents = 20},
    ]

A step with default options may be written as its name, "one_a_family". Where a step takes pipelines, it takes lists of
steps, or the names of entries in the table `parts`:

    steps = [{step = "fuse", how = "rrf", of = ["all words", "each claim"]}]
    [parts]
    "all words" = ["text", "search"]
    "each claim" = ["claims", {step = "search", several = "best"}]
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import Any

from leadline.errors import InputError, checked_choice, not_a_choice
from leadline.options import name_and_options, typed_options
from leadline.records.result import Result, Table, counted
from leadline.retrieval.choices import SYSTEMS
from leadline.retrieval.pipeline.after.either import Either
from leadline.retrieval.pipeline.after.refuse import Refuse
from leadline.retrieval.pipeline.pipeline import STEPS, Pipeline, Step, pipeline_of
from leadline.retrieval.pipeline.query.search import Search
from leadline.text.source import read_toml

KEYS = ("about", "steps", "parts")


def read_pipeline(path: str) -> Pipeline:
    """The pipeline that a TOML file describes."""
    written = read_toml(path)
    for name in written:
        checked_choice(path, name, KEYS)
    if "steps" not in written:
        raise InputError(path, "has no `steps`: give a list of steps, in the order in which they run")
    parts = written.get("parts", {})
    if not isinstance(parts, Mapping):
        raise InputError(path, "`parts` is not a table of pipelines")
    for name in parts:
        if name in STEPS:
            raise InputError(path, f"a part has the name of the step {name!r}: give it another name")
    return pipeline_of(written["steps"], path, parts)


def pipeline_text(pipeline: Pipeline, about: str) -> str:
    """A pipeline as the text of a TOML file that `read_pipeline` reads; options that have their defaults are left out.

    >>> print(pipeline_text(pipeline_of(["text", {"step": "search", "depth": 50}]), "all words"), end="")
    about = "all words"
    steps = [
      {step = "text"},
      {step = "search", depth = 50},
    ]
    """
    steps = "".join(f"  {_toml(_changed(each))},\n" for each in pipeline.steps)
    return f"about = {json.dumps(about, ensure_ascii=False)}\nsteps = [\n{steps}]\n"


def _changed(one: Step) -> Any:
    """A step as a file describes it, with the options that do not have their defaults."""
    if isinstance(one, Pipeline):
        return [_changed(each) for each in one.steps]
    given = {option.name: getattr(one, option.name) for option in fields(one) if getattr(one, option.name) is not None}
    plain = type(one)() if not _pipelines(one) else None
    return {"step": one.name} | {
        name: [_changed(each) for each in value]
        if name in _pipelines(one) and isinstance(value, tuple)
        else _changed(value)
        if isinstance(value, Step)
        else _plain(value)
        for name, value in given.items()
        if plain is None or value != getattr(plain, name)
    }


def _pipelines(one: Step) -> list[str]:
    """The options of a step that hold pipelines."""
    values = {option.name: getattr(one, option.name) for option in fields(one)}
    return [
        name
        for name, value in values.items()
        if isinstance(value, Step) or (isinstance(value, tuple) and any(isinstance(each, Step) for each in value))
    ]


def _toml(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def settings(one: Step) -> Any:
    """A step or pipeline as a file describes it, with all options.

    >>> settings(pipeline_of(["one_a_family", {"step": "cut", "k": 10}]))
    [{'step': 'one_a_family'}, {'step': 'cut', 'k': 10}]
    """
    if isinstance(one, Pipeline):
        return [settings(each) for each in one.steps]
    return {"step": one.name} | {option.name: _plain(getattr(one, option.name)) for option in fields(one)}


def _plain(value: Any) -> Any:
    if isinstance(value, Step):
        return settings(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return dict(value) if isinstance(value, Mapping) else value


def systems() -> list[str]:
    """The names of all systems: one for each public function of `retrieval/systems.py`."""
    return list(SYSTEMS)


def baselines() -> Mapping[str, tuple[str, Step]]:
    """The baselines by the names that papers use: what each does, and its pipeline."""
    return importlib.import_module("leadline.retrieval.pipeline.steps").BASELINES


def variants_of(name: str) -> tuple[Variant, ...]:
    """The variants of a named system; none for a system that is not a team's."""
    checked_choice("system", name, [*systems(), *baselines()])
    if name in baselines():
        return ()
    made = _made(name)
    return made.variants if isinstance(made, Team) else ()


def described(name: str) -> str:
    """What a named system is, what was guessed and what differs: its function's docstring; a baseline's few words."""
    if name in baselines():
        return baselines()[name][0]
    return inspect.getdoc(_function(checked_choice("system", name, [*systems(), *baselines()]))) or ""


def system(name: str) -> Pipeline:
    """The pipeline of a named system or baseline, or of a file that ends in .toml.

    A variant is `bitem(variant=claims)`, or `bitem:claims`; a baseline has the options of its model: `bm25(k1=0.9)`.
    """
    if name.endswith(".toml"):
        return read_pipeline(name)
    team, given = system_options(name)
    if team in baselines():
        pipeline = pipeline_of(baselines()[team][1], team)
        return _with_model_options(pipeline, team, given) if given else pipeline
    if "variant" in given:
        return variant_named(team, given["variant"], variants_of(team)).pipeline
    made = _made(team)
    return pipeline_of(made.best if isinstance(made, Team) else made, team)


def system_options(written: str) -> tuple[str, dict[str, str]]:
    """The name of a system with the texts of its options, also of one written as `bitem:claims`.

    >>> system_options("bitem:claims"), system_options("bitem(variant=claims)"), system_options("bm25+rm3(b=0.4)")
    (('bitem', {'variant': 'claims'}), ('bitem', {'variant': 'claims'}), ('bm25+rm3', {'b': '0.4'}))
    """
    name, given = name_and_options(written, "system", "bitem(variant=claims)")
    name, colon, variant = name.partition(":")
    checked_choice("system", name, [*systems(), *baselines()])
    if colon:
        given = {"variant": variant} | given
        variants_of(name) or variant_named(name, variant, ())
    if name not in baselines():
        known = {"variant": str} if variants_of(name) else {}
        typed_options(name, given, known)
    return name, given


def _with_model_options(one: Step, where: str, given: Mapping[str, str]) -> Pipeline:
    """A baseline whose searches by words have a model with these options."""

    options = ", ".join(f"{name}={value}" for name, value in given.items())

    def changed(step: Any) -> Any:
        if isinstance(step, tuple):
            return tuple(map(changed, step))
        if not isinstance(step, Step):
            return step
        if isinstance(step, Search):
            return replace(step, model=f"{step.model}({options})")
        return replace(step, **{option.name: changed(getattr(step, option.name)) for option in fields(step)})

    return pipeline_of(changed(one), where)


def _function(name: str) -> Callable[[], Step | Team]:
    function: Callable[[], Step | Team]
    function = getattr(importlib.import_module("leadline.retrieval.systems"), name)
    return function


@cache
def _made(name: str) -> Step | Team:
    """The pipeline of a named system, or the variants of a team."""
    return _function(name)()


# The variants of a named system: the runs that a team submitted, each with its pipeline.


PATENTS, TEXTS = "prior art", "survey"  # the tasks: topics that are patents, topics in words


@dataclass(frozen=True)
class Variant:
    """One way in which a team searched: `leadline run --system cmu:title-claims`."""

    name: str
    does: str  # in a few words
    patent: Step | None = None  # the pipeline for topics that are patents
    text: Step | None = None  # the pipeline for topics in words
    runs: str = ""  # the team's runs by the overview's names; empty for a pipeline that is ours
    reported: str = ""  # what the overview reports of it

    def __post_init__(self) -> None:
        if self.patent is None and self.text is None:
            raise InputError(f"variant {self.name}", "has no pipeline: give `patent`, `text` or both")

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks it has a pipeline for."""
        known = ((PATENTS, self.patent), (TEXTS, self.text))
        return tuple(task for task, pipeline in known if pipeline is not None)

    @cached_property
    def pipeline(self) -> Pipeline:
        """One pipeline for both tasks. A topic of a task that the team did not take part in is refused."""
        if self.text is None:
            return pipeline_of(self.patent, self.name)
        refused = Refuse(f"is a patent, and the variant {self.name} is for topics in words")
        return pipeline_of(Either(patent=self.patent or refused, text=self.text), self.name)


@dataclass(frozen=True)
class Team:
    """The variants of a team, and which of them its name means: its best run of each task, by the overview."""

    variants: tuple[Variant, ...]
    patent: str  # the name of the best variant for topics that are patents
    text: str = ""  # and for topics in words; empty where the team did not answer them

    @property
    def best(self) -> Pipeline:
        """The pipeline that the team's name means."""
        named = {variant.name: variant for variant in self.variants}
        text = named[self.text].text if self.text else None
        return Variant("best", "", named[self.patent].patent, text).pipeline

    @property
    def meaning(self) -> str:
        """The best variants, as a list of systems shows them."""
        both = {self.patent: None, self.text: None} if self.text else {self.patent: None}
        return ", for texts ".join(both)


def variant_named(system: str, name: str, variants: Sequence[Variant]) -> Variant:
    """The variant with a name, or with one of the overview's names of runs."""
    if not variants:
        raise InputError("system", f"{system} has no variants: write --system {system}")
    for variant in variants:
        if name == variant.name or name in variant.runs.split():
            return variant
    names = [variant.name for variant in variants]
    if near := [run for variant in variants for run in variant.runs.split() if run.lower() == name.lower()]:
        raise not_a_choice(f"variant of {system}", name, [*names, *near])
    raise not_a_choice(f"variant of {system}", name, names)


# The list of all named systems with their variants.


COLUMNS = ("system", "tasks", "does", "runs", "reported")


@dataclass(frozen=True)
class NamedSystem:
    """A system that `make_run` and `leadline run --system` know by name."""

    name: str  # "bitem:claims", or "bitem", which is the team's best run of each task
    tasks: tuple[str, ...]  # "prior art" for topics that are patents, "survey" for topics in words
    does: str  # in a few words
    runs: tuple[str, ...] = ()  # the team's runs by the names of the TREC-CHEM 2009 overview
    reported: str = ""  # what the overview reports of them

    @property
    def about(self) -> str:
        """What the team did, what is guessed, and what differs here."""
        return described(self.name.partition(":")[0])


@dataclass(frozen=True, repr=False)
class SystemList(Result):
    """All named systems, the variants of a team after the team.

    >>> list_systems("cmu").names
    ('cmu', 'cmu:title-claims', 'cmu:whole-text')
    """

    items: tuple[NamedSystem, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.items)

    def _finding(self) -> str:
        teams = len({one.name.partition(":")[0] for one in self.items})
        return f"{counted(teams, 'system')}, {counted(sum(':' in one.name for one in self.items), 'variant')}"

    def _shown_table(self) -> Table:
        return self.table()

    def table(self) -> Table:
        """One row for each system and variant."""
        rows = [[one.name, ", ".join(one.tasks), one.does, ", ".join(one.runs), one.reported] for one in self.items]
        return Table(COLUMNS, rows)


def list_systems(*names: str) -> SystemList:
    """All baselines and named systems, or some of them, with their variants; a variant by its name, `bitem:claims`."""
    return SystemList(tuple(item for name in names or (*baselines(), *systems()) for item in _items(name)))


def _items(name: str) -> list[NamedSystem]:
    if name in baselines():
        return [NamedSystem(name, (PATENTS, TEXTS), baselines()[name][0])]
    team, given = system_options(name)
    variants = variants_of(team)
    if variant := given.get("variant"):
        chosen = f"{team}:{variant_named(team, variant, variants).name}"
        return [item for item in _items(team) if item.name == chosen]
    title = described(name).partition("\n")[0].removesuffix(".")
    made = _made(name)
    if isinstance(made, Team):
        tasks = (PATENTS, TEXTS) if made.text else (PATENTS,)
        whole = NamedSystem(name, tasks, f"{title}; = {name}:{made.meaning}")
    else:
        whole = NamedSystem(name, (PATENTS, TEXTS), title)
    parts = [NamedSystem(f"{name}:{v.name}", v.tasks, v.does, tuple(v.runs.split()), v.reported) for v in variants]
    return [whole, *parts]
