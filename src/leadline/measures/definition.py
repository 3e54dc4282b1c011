"""What a measure is: a function of Hits with the decorator `measure`, which adds it to the register MEASURES.

The function's parameters after `hits` are the measure's options; the one named by `at` is the number after `@`.
Its docstring is printed by `leadline explain`: the meaning on the first line, then paragraphs that start with
`Formula:`, `Paper:`, `Range:`, `Unjudged:` and `Short list:`, then a doctest.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from leadline.errors import InputError, MeasureError, nearest
from leadline.measures.hits import Array, Hits
from leadline.options import Bounds
from leadline.records.scores.result import Result
from leadline.register import Register

Need = Literal["subtopics", "strata", "prels", "words", "seconds", "iterations"]
Better = Literal["higher", "lower", "neither"]
Aggregate = Literal["mean", "sum", "geometric"]


@dataclass(frozen=True)
class View:
    """How runs must be read for a measure, where the user has no choice."""

    order: Literal["score", "rank", "file"] | None = None
    layout: Literal["trec", "dynamic"] = "trec"
    needs: frozenset[Need] = frozenset()


@dataclass(frozen=True)
class Definition:
    """A measure in the register."""

    name: str
    function: Callable[..., Array]
    at: str | None  # the option that is written after `@`
    better: Better
    aliases: tuple[str, ...]
    aggregate: Aggregate
    counts: bool  # a count, defined even for topics without a relevant document
    view: Callable[[Mapping[str, Any]], View]
    rename: Mapping[str, str]  # other packages' names of options: {theirs: ours}
    family: str
    parameters: Mapping[str, inspect.Parameter] = field(compare=False)

    @cached_property
    def types(self) -> Mapping[str, Any]:
        """The type of each option."""
        return get_type_hints(self.function)

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        """The type of each option with its bounds. Where `@` sets a whole number, that is at least 1."""
        hints = get_type_hints(self.function, include_extras=True)
        if self.at is not None and hints[self.at] in (int, int | None):
            hints[self.at] = Annotated[hints[self.at], Bounds(1)]
        return hints

    @property
    def meaning(self) -> str:
        return (inspect.getdoc(self.function) or "(no description)").splitlines()[0]

    def choices(self, option: str) -> tuple[Any, ...] | None:
        """Return the words an option may be; None for a number or a table."""
        kind = self.types[option]
        return get_args(kind) if get_origin(kind) is Literal else None


MEASURES = Register[Definition]("measure", "leadline.measures.catalogue", entry_points="leadline.measures")


def _always(view: View, _options: Mapping[str, Any]) -> View:
    """The view of a measure that has the same with all options; unlike a lambda it can be sent to other processes."""
    return view


def measure(
    name: str,
    *,
    at: str | None = None,
    better: Better = "higher",
    needs: Need | None = None,
    aliases: tuple[str, ...] = (),
    aggregate: Aggregate = "mean",
    counts: bool = False,
    view: Callable[[Mapping[str, Any]], View] | None = None,
    rename: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Add a function of Hits to the register."""

    def add(function: Callable[..., Array]) -> Callable[..., Array]:
        parameters = _options_of(function, name, at)
        fixed = View(needs=frozenset([needs] if needs else []))
        home = function.__module__
        definition = Definition(
            name, function, at, better, aliases, aggregate, counts, view or partial(_always, fixed), rename or {},
            home.rsplit(".", 1)[-1], parameters,
        )  # fmt: skip
        MEASURES.add(name, definition, aliases=aliases, home=home)
        return function

    return add


def _options_of(function: Callable[..., Array], name: str, at: str | None) -> dict[str, inspect.Parameter]:
    """The options of a measure; an error for one without a type, which no text could be turned into."""
    signature = inspect.signature(function).parameters
    if not signature:
        raise InputError(f"measure {name}", "must take hits first: def name(hits: Hits, ...) -> Array")
    parameters = dict(list(signature.items())[1:])
    for option, parameter in parameters.items():
        if parameter.annotation is parameter.empty:
            raise InputError(f"measure {name}", f"option {option!r} has no type: write {option}: int, for example")
    if at is not None and at not in parameters:
        known = ", ".join(parameters) or "none"
        raise InputError(f"measure {name}", f"at={at!r} is not one of its options ({known}){nearest(at, parameters)}")
    return parameters


@dataclass(frozen=True, repr=False)
class Measure(Result):
    """A measure with all its options, and its text as the user wrote it."""

    text: str
    definition: Definition
    options: Mapping[str, Any]
    written: frozenset[str] = frozenset()  # the options the user wrote
    condensed: bool = False  # ir_measures' judged_only=True: unjudged documents are left out of the list

    def _finding(self) -> str:
        return f"{self.text}: {self.definition.meaning}"

    def __str__(self) -> str:
        return self.text

    def __call__(self, hits: Hits) -> Array:
        """Return the value of each row; NaN where the topic has no relevant document."""
        values = self.raw(hits)
        if not self.definition.counts:
            values = values.copy()
            values[hits.n_relevant(self.level) == 0] = float("nan")
        return values

    def raw(self, hits: Hits) -> Array:
        """Return the value of each row by the formula alone: mostly 0 where the topic has no relevant document."""
        if self.condensed:
            from leadline.measures.unjudged import judged_only

            hits = judged_only(hits)
        values = self.definition.function(hits, **self.options)
        if getattr(values, "shape", None) != (hits.rows,):
            got = f"shape {values.shape}" if isinstance(values, np.ndarray) else type(values).__name__
            raise MeasureError(
                f"{self.text} must return an array with one value for each of {hits.rows} rows, got {got}"
            )
        return values

    @property
    def level(self) -> int:
        rel = self.options.get("rel")
        return 1 if rel is None else int(rel)

    @property
    def cutoff(self) -> int | None:
        """The number of documents the measure looks at, None for all."""
        value = self.options.get(self.definition.at) if self.definition.at else None
        return value if isinstance(value, int) else None

    @property
    def view(self) -> View:
        return self.definition.view(self.options)
