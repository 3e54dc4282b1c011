"""The register of models, and the input of a model: term frequencies and statistics.

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
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import numpy as np

from leadline.errors import InputError, nearest
from leadline.options import checked
from leadline.register import Register

# The input of a model: term frequencies, and statistics of the terms, the documents and the collection.
#
# Arrays have one entry per posting. Where several fields are searched as one text, all numbers are those of that text:
# a word in a field of weight 2 counts as two words, and a document's length is the weighted sum of its fields' lengths.


if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
else:
    Array = np.ndarray  # numpy.typing takes 8 ms to import


@dataclass(frozen=True)
class InField:
    """The statistics of the same postings in one field; tf is 0 where a document has the term only in other fields."""

    weight: float
    tf: Array
    length: Array
    df: Array
    average_length: float


@dataclass(frozen=True)
class Postings:
    """Postings of any number of terms."""

    tf: Array  # how often the term occurs in the document
    length: Array  # terms of the document
    df: Array  # documents that have the term
    cf: Array  # how often the term occurs in all documents
    documents: int  # number of documents that have any term
    tokens: float  # terms of all documents
    fields: Mapping[str, InField] = field(default_factory=dict)  # for models with `by_field`

    @classmethod
    def of(
        cls, *, tf: ArrayLike, length: ArrayLike, documents: int, tokens: float, df: ArrayLike = 1, cf: ArrayLike = 1
    ) -> Postings:
        """Postings from a few numbers, for examples."""
        arrays = np.broadcast_arrays(*(np.atleast_1d(np.asarray(each, np.float64)) for each in (tf, length, df, cf)))
        return cls(arrays[0], arrays[1], arrays[2], arrays[3], documents, tokens)

    @property
    def average_length(self) -> float:
        return self.tokens / self.documents if self.documents else 1.0  # without documents there is no posting


def once_a_term(formula: Callable[[Array], Array], values: Array) -> Array:
    """A formula of a statistic that all postings of a term share, computed once for each run of equal values.

    >>> once_a_term(np.log2, np.array([8.0, 8.0, 2.0]))
    array([3., 3., 1.])
    """
    if len(values) < 2:
        return formula(values)
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return np.repeat(formula(values[first]), np.diff(first, append=len(values)))


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
                problem = f"has no option {name!r}{nearest(name, self.parameters)} (it has: {known})"
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
