"""Lists of weights: a model's weights of a term's postings, computed once and kept for later queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.uniting import united
from leadline.retrieval.models.kernels.arguments import BLOCK
from leadline.retrieval.models.postings import InField, Postings
from leadline.retrieval.models.registry import Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

AT_ONCE = 1 << 14  # postings whose weights are computed together: the arrays of a formula stay in the cache
POSTINGS_KEPT = 200_000_000  # in memory, 10 bytes each; with more, all lists are cleared


@dataclass(frozen=True)
class Recipe:
    """A model with all its parameters, over fields with their weights."""

    model: Model
    parameters: tuple[tuple[str, Any], ...]
    fields: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, model: Model, given: Mapping[str, Any], fields: Mapping[str, float]) -> Recipe:
        values = model.checked_parameters(given)
        frozen = {n: tuple(value.items()) if isinstance(value, Mapping) else value for n, value in values.items()}
        return cls(model, tuple(frozen.items()), tuple(fields.items()))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:  # it is asked for at every search
        return hash((self.model.name, self.parameters, self.fields))

    def __call__(self, postings: Postings) -> NDArray[np.float64]:
        thawed = {name: dict(value) if isinstance(value, tuple) else value for name, value in self.parameters}
        # Adding 0 turns -0.0 into +0.0: to the search -0.0 means that a document lacks the term.
        weights = np.asarray(self.model.function(postings, **thawed), np.float64) + 0.0
        if weights.shape != postings.tf.shape:
            count = len(postings.tf)
            problem = f"must return one weight for each of {count} postings, got shape {weights.shape}"
            raise InputError(f"model {self.model.name}", problem)
        return weights

    def lacking(self, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """What every term adds to documents of these lengths, whether they have it or not."""
        if self.model.lacking is None:
            return np.zeros(len(lengths))
        return np.asarray(self.model.lacking(lengths, **dict(self.parameters)), np.float64)


class LengthShare(NamedTuple):
    """What the length of each document adds to its score for each term of a query: `above[document] + lowest`.

    The search adds `above`, which is never negative, so that it can leave out low scores, and `lowest` at the end.
    """

    above: NDArray[np.float64]
    lowest: float


class Weights:
    """The lists of weights of an index, computed on first use.

    A list's postings are grouped by blocks of documents: those of list l in block b are from directory[l, b] up to
    directory[l, b + 1]. A posting is a document's place within its block, and the weight.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.blocks = -(-len(index) // BLOCK)
        self._lengths: dict[Any, tuple[NDArray[np.float64], int, float]] = {}
        self._shares: dict[Any, LengthShare] = {}
        self.clear()

    def clear(self) -> None:
        self.places, self.values = np.empty(1 << 16, np.uint16), np.empty(1 << 16)
        self.directory = np.empty((64, self.blocks + 1), np.int64)
        self.lowest, self.highest, self.sizes = np.empty(64), np.empty(64), np.empty(64, np.int64)
        self.lists = self.used = 0
        self._numbers: dict[Recipe, dict[str, int]] = {}

    def as_now(self) -> Weights:
        """A snapshot of the lists. Arrays are never changed where they are in use, only extended or replaced."""
        now = object.__new__(Weights)
        now.__dict__.update(self.__dict__)
        return now

    def numbers(self, recipes: Sequence[Recipe], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """For each recipe the number of every term's list."""
        if self.used > POSTINGS_KEPT:
            self.clear()
        for recipe in recipes:
            numbers = self._numbers.setdefault(recipe, {})
            missing = [term for term in terms if term not in numbers]
            if missing:
                self._make(recipe, missing)
        return [self._numbers[recipe] for recipe in recipes]

    def length_share(self, recipes: Sequence[tuple[Recipe, float]]) -> LengthShare | None:
        """What a document's length adds to its score for each term of a query, over recipes with their weights."""
        if not any(recipe.model.lacking for recipe, _ in recipes):
            return None
        key = tuple(recipes)
        if key not in self._shares:
            values = np.zeros(len(self.index))
            for recipe, weight in recipes:
                values += weight * recipe.lacking(self._statistics(recipe.fields)[0])
            lowest = float(values.min(initial=0.0))
            self._shares = {key: LengthShare(values - lowest, lowest)}  # one is enough: searches rarely alternate
        return self._shares[key]

    def _make(self, recipe: Recipe, terms: Sequence[str]) -> None:
        lists = [self.index.lists(name, [term.encode() for term in terms]) for name, _ in recipe.fields]
        offsets, documents, frequencies = united(lists, len(self.index))
        df = np.diff(offsets)
        each = np.repeat(np.arange(len(terms)), df)
        weights = [weight for _, weight in recipe.fields]
        lengths, having, tokens = self._statistics(recipe.fields)
        cf = np.asarray(sum(w * part.occurrences for w, part in zip(weights, lists, strict=True)), np.float64)
        tf = frequencies[0] if weights == [1.0] else np.asarray(weights) @ frequencies
        values = np.empty(len(documents))
        for start in range(0, len(documents), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            of_terms, rows = each[part], documents[part]
            postings = Postings(
                tf=tf[part], length=lengths[rows], df=df[of_terms].astype(np.float64), cf=cf[of_terms],
                documents=having, tokens=tokens,
                fields={
                    name: self._in_field(name, weight, in_field[part], np.diff(of_field.offsets)[of_terms], rows)
                    for (name, weight), in_field, of_field in zip(recipe.fields, frequencies, lists, strict=True)
                    if recipe.model.by_field
                },
            )  # fmt: skip
            values[part] = recipe(postings)
        self._append(recipe, terms, offsets, documents, values)

    def _in_field(self, name: str, weight: float, tf: Any, df: Any, documents: Any) -> InField:
        lengths, having, tokens = self._statistics(((name, 1.0),))
        return InField(weight, tf, lengths[documents], df.astype(np.float64), tokens / having if having else 1.0)

    def _statistics(self, fields: tuple[tuple[str, float], ...]) -> tuple[NDArray[np.float64], int, float]:
        """The weighted length of each document in these fields, the number of nonempty documents, the total length."""
        if fields not in self._lengths:
            lengths = np.zeros(len(self.index))
            for name, weight in fields:
                lengths += weight * self.index.lengths(name)
            self._lengths[fields] = lengths, int(np.count_nonzero(lengths)), float(lengths.sum())
        return self._lengths[fields]

    def _append(
        self, recipe: Recipe, terms: Sequence[str], offsets: NDArray[np.int64], documents: NDArray[np.int32],
        values: NDArray[np.float64],
    ) -> None:  # fmt: skip
        """Store the weights of new lists, with their directory and their lowest and highest weights."""
        count, first, last = len(documents), self.lists, self.lists + len(terms)
        if self.used + count > len(self.places):
            room = max(2 * len(self.places), self.used + count)
            self.places, self.values = _longer(self.places, room), _longer(self.values, room)
        if last > len(self.directory):
            room = max(2 * len(self.directory), last)
            self.directory, self.lowest, self.highest, self.sizes = (
                _longer(array, room) for array in (self.directory, self.lowest, self.highest, self.sizes)
            )
        np.bitwise_and(documents, BLOCK - 1, out=self.places[self.used : self.used + count], casting="unsafe")
        self.values[self.used : self.used + count] = values
        in_block = np.repeat(np.arange(len(terms)) * self.blocks, np.diff(offsets)) + documents // BLOCK
        sizes = np.bincount(in_block, minlength=len(terms) * self.blocks).reshape(-1, self.blocks)
        self.directory[first:last, 0] = offsets[:-1] + self.used
        self.directory[first:last, 1:] = self.directory[first:last, :1] + np.cumsum(sizes, axis=1)
        filled = first + np.flatnonzero(np.diff(offsets))
        self.lowest[first:last] = self.highest[first:last] = 0
        self.sizes[first:last] = np.diff(offsets)
        if count:
            self.lowest[filled] = np.minimum.reduceat(values, offsets[filled - first])
            self.highest[filled] = np.maximum.reduceat(values, offsets[filled - first])
        self._numbers[recipe].update(zip(terms, range(first, last), strict=True))
        self.used, self.lists = self.used + count, last

    def postings(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The documents of a list and their weights."""
        row = self.directory[number]
        base = np.repeat(np.arange(self.blocks) * BLOCK, np.diff(row))
        return base + self.places[row[0] : row[-1]], self.values[row[0] : row[-1]]

    def weight(self, number: int, document: int) -> float | None:
        """The weight of one document in a list; None where the document lacks the term."""
        start, stop = self.directory[number, document // BLOCK :][:2]
        at = start + np.searchsorted(self.places[start:stop], document % BLOCK)
        return float(self.values[at]) if at < stop and self.places[at] == document % BLOCK else None


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.empty((size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
