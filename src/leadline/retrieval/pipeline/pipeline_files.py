"""Pipelines from TOML files, and named systems.

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
import pkgutil
import re
from collections.abc import Mapping
from dataclasses import fields
from types import ModuleType
from typing import Any

from leadline.errors import InputError, checked_choice
from leadline.retrieval.pipeline.pipeline import STEPS, Pipeline, Step, pipeline_of
from leadline.retrieval.pipeline.variant import Variant, variant_named
from leadline.text.toml import read_toml

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
        name: [_changed(each) for each in value] if name in _pipelines(one) and isinstance(value, tuple)
        else _changed(value) if isinstance(value, Step) else _plain(value)
        for name, value in given.items()
        if plain is None or value != getattr(plain, name)
    }  # fmt: skip


def _pipelines(one: Step) -> list[str]:
    """The options of a step that hold pipelines."""
    values = {option.name: getattr(one, option.name) for option in fields(one)}
    return [
        name for name, value in values.items()
        if isinstance(value, Step) or (isinstance(value, tuple) and any(isinstance(each, Step) for each in value))
    ]  # fmt: skip


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
    """The names of all systems: one for each file of the folder `systems`."""
    from leadline.retrieval import systems as folder

    return sorted(module.name for module in pkgutil.iter_modules(folder.__path__))


def baselines() -> Mapping[str, tuple[str, Step]]:
    """The baselines by the names that papers use: what each does, and its pipeline."""
    return importlib.import_module("leadline.retrieval.pipeline.baselines").BASELINES


def variants_of(name: str) -> tuple[Variant, ...]:
    """The variants of a named system; none for a system that is not a team's."""
    checked_choice("system", name, [*systems(), *baselines()])
    if name in baselines():
        return ()
    found: tuple[Variant, ...] = getattr(_module(name), "VARIANTS", ())
    return found


def described(name: str) -> str:
    """What a named system is, what was guessed, and what differs: the docstring of its file; a baseline's few words."""
    if name in baselines():
        return baselines()[name][0]
    return inspect.getdoc(_module(checked_choice("system", name, [*systems(), *baselines()]))) or ""


def system(name: str) -> Pipeline:
    """The pipeline of a named system or baseline, of a variant (`bitem:claims`), or of a file that ends in .toml."""
    if name.endswith(".toml"):
        return read_pipeline(name)
    team, colon, variant = name.partition(":")
    if colon:
        return variant_named(team, variant, variants_of(team)).pipeline
    if name in baselines():
        return pipeline_of(baselines()[name][1], name)
    checked_choice("system", name, [*systems(), *baselines()])
    return pipeline_of(_module(name).PIPELINE, name)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"leadline.retrieval.systems.{name}")
