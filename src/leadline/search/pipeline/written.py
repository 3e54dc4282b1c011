"""Pipelines in files and by name.

    about = "title and claims, then what the first results cite"
    steps = [
      {step = "text", fields = ["title", "claims"]},
      {step = "search", model = "bm25(k1=0.9, b=0.4)", fields = {title = 2, claims = 1}},
      {step = "citations", documents = 20},
    ]

A step whose options need no other words may be written as its name, "one_a_family". Where a step takes pipelines, it
takes lists of steps, or the names of parts of the file:

    steps = [{step = "fuse", how = "rrf", of = ["all words", "each claim"]}]
    [parts]
    "all words" = ["text", "search"]
    "each claim" = ["claims", {step = "search", several = "best"}]
"""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, get_type_hints

from leadline.errors import InputError, checked_choice, nearest
from leadline.search.pipeline.pipeline import STEPS, Pipeline, Step
from leadline.text.source import read_text

KNOWN = ("about", "steps", "parts")


def read_pipeline(path: str) -> Pipeline:
    """The pipeline that a TOML file describes."""
    try:
        written = tomllib.loads(read_text(path).bytes().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, f"is not TOML: {' '.join(str(error).split())}") from None
    for name in written:
        checked_choice(path, name, KNOWN)
    if "steps" not in written:
        raise InputError(path, "has no `steps`: a list of what is done, the first step first")
    parts = written.get("parts", {})
    if not isinstance(parts, Mapping):
        raise InputError(path, "`parts` is not a table of pipelines")
    for name in parts:
        if name in STEPS:
            raise InputError(path, f"a part is named {name!r} as a step is: give it another name")
    return pipeline_of(written["steps"], path, parts)


def pipeline_of(
    written: Any, where: str = "pipeline", parts: Mapping[str, Any] = MappingProxyType({}), inside: tuple[str, ...] = ()
) -> Pipeline:
    """A pipeline from a step, or from a list of steps as a file has them; `inside` are the parts we are in.

    >>> pipeline_of(["text", {"step": "search", "model": "bm25(k1=0.9)"}]).steps[1].model
    'bm25(k1=0.9)'
    """
    if isinstance(written, Step):
        return written if isinstance(written, Pipeline) else Pipeline((written,))
    if isinstance(written, str) and written in parts:
        if written in inside:
            raise InputError(where, f"the part {written!r} is made of itself")
        return pipeline_of(parts[written], where, parts, (*inside, written))
    if not isinstance(written, (list, tuple)):
        return Pipeline((_step_of(written, where, parts, inside),))
    if not written:
        raise InputError(where, "has no steps")
    made = [pipeline_of(each, where, parts, inside) for each in written]
    return Pipeline(tuple(each for pipeline in made for each in pipeline.steps))


def _step_of(written: Any, where: str, parts: Mapping[str, Any], inside: tuple[str, ...]) -> Step:
    options = {"step": written} if isinstance(written, str) else written
    if not isinstance(options, Mapping) or not isinstance(options.get("step"), str):
        raise InputError(where, f'{written!r} is no step: write its name, or {{step = "search", …}}')
    kind = STEPS.named(options["step"])
    hints = get_type_hints(kind)
    known = [option.name for option in fields(kind)]
    given = {}
    for name, value in options.items():
        if name == "step":
            continue
        if name not in known:
            problem = f"has no option {name!r}, it has {', '.join(known) or 'none'}{nearest(name, known)}"
            raise InputError(kind.name, problem)
        given[name] = value
        if hints[name] == tuple[Step, ...]:
            listed = value if isinstance(value, list) else [value]
            given[name] = [pipeline_of(each, where, parts, inside) for each in listed]
        elif hints[name] == Step | None:
            given[name] = pipeline_of(value, where, parts, inside)
    return kind(**given)


def settings(one: Step) -> Any:
    """A step or pipeline as a file would have it, every option said.

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
    from leadline.search import systems as folder

    return sorted(module.name for module in pkgutil.iter_modules(folder.__path__))


def system(name: str) -> Pipeline:
    """A system by its name, or as a file ending in .toml describes it."""
    if name.endswith(".toml"):
        return read_pipeline(name)
    checked_choice("system", name, systems())
    return pipeline_of(importlib.import_module(f"leadline.search.systems.{name}").PIPELINE, name)
