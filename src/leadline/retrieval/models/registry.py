"""The register of models. A model is a function of Postings with the decorator `model`, in its own file.

It returns the weight of each posting. A document's score is the sum, over the terms of the query that it has, of the
term's weight in the query times the weight of the posting. The parameters after `postings` are the model's.

In some models a document also scores for the terms that it lacks, by its length. Such a model has a function `lacking`
of the lengths and the same parameters: what every term of the query adds to a document, whether it has the term or not.

A model of the form of `Saturation` may give its two functions: then its weights need not be computed before a search.
They must give the same weights to the last bit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, get_type_hints

from leadline.errors import InputError, nearest
from leadline.options import checked
from leadline.register import Register
from leadline.retrieval.models.postings import Array


class Saturation(NamedTuple):
    """A model's weight of a posting as factor · tf / (tf + norm). Both functions also take the model's parameters."""

    factor: Callable[..., Array]  # of the number of documents and the df of terms
    norm: Callable[..., Array]  # of the lengths of documents and their average


@dataclass(frozen=True)
class Model:
    """A registered model."""

    name: str
    function: Callable[..., Array]
    by_field: bool  # whether it uses `postings.fields`
    lacking: Callable[..., Array] | None = None  # of lengths: what a term adds to every document that has any
    saturation: Saturation | None = None  # the same weights in a form that the search computes as it reads postings

    @property
    def meaning(self) -> str:
        return (inspect.getdoc(self.function) or "(no description)").splitlines()[0]

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters with their defaults."""
        return {name: p.default for name, p in list(inspect.signature(self.function).parameters.items())[1:]}

    @cached_property
    def types(self) -> Mapping[str, Any]:
        return get_type_hints(self.function, include_extras=True)

    def checked_parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, those not given with their defaults; an unknown or wrong one is an error."""
        values = dict(self.parameters)
        for name, value in given.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                problem = f"has no parameter {name!r}, it has {known}{nearest(name, self.parameters)}"
                raise InputError(self.name, problem)
            try:
                values[name] = checked(name, value, self.types[name])
            except ValueError as error:
                raise InputError(self.name, str(error)) from None
        return values


MODELS = Register[Model]("model", "leadline.retrieval.models.catalogue", entry_points="leadline.models")


def model(
    name: str,
    *,
    by_field: bool = False,
    lacking: Callable[..., Array] | None = None,
    saturation: Saturation | None = None,
) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Register a function of Postings under a name. `postings.fields` is only filled with `by_field`."""

    def enter(function: Callable[..., Array]) -> Callable[..., Array]:
        parameters = list(inspect.signature(function).parameters.values())
        if not parameters:
            raise InputError(f"model {name}", "must take postings first: def name(postings: Postings, ...) -> Array")
        for each in parameters[1:]:
            if each.annotation is each.empty:
                raise InputError(f"model {name}", f"parameter {each.name!r} has no type: write {each.name}: float")
            if each.default is each.empty:
                raise InputError(f"model {name}", f"parameter {each.name!r} has no default value")
        MODELS.add(name, Model(name, function, by_field, lacking, saturation), home=function.__module__)
        return function

    return enter
