"""Lists of weights: a model's weights of a term's postings, read from the segments, computed once and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.index import Index, Lists, united
from leadline.retrieval.index.packing import NOT_ADDING_UP, NOT_IN_ORDER, Frequencies, PackedArray
from leadline.retrieval.index.terms import offsets_of
from leadline.retrieval.models.kernel_arguments import BLOCK, MOST_COUNT, TIMES_PAID, AskedLists, ReadLists, WeightLists
from leadline.retrieval.models.registry import InField, Model, Postings
from leadline.text.engine import Kernel, compiled_job, prepared
from leadline.text.fields import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weighed = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

AT_ONCE = 1 << 14  # postings whose weights are computed together: the arrays of a formula stay in the cache
POSTINGS_KEPT = 200_000_000  # postings of 4 bytes and weights of 8 in memory; with more, all lists are cleared
LONGEST = 1 << 20  # terms of a document, where a search computes weights: a norm is kept for each length
OF_LISTS = (
    "directory",
    "sizes",
    "spent",
    "value_at",
    "norm_at",
    "length_at",
    "factors",
    "lowest",
    "highest",
)

Fields = tuple[tuple[str, float], ...]  # with their weights


@dataclass(frozen=True)
class Recipe:
    """A model with all its parameters, over fields with their weights."""

    model: Model
    parameters: tuple[tuple[str, Any], ...]
    fields: Fields

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

    def factors(self, documents: int, df: NDArray[np.float64]) -> NDArray[np.float64]:
        """The factors of terms, for a model with `saturation`."""
        assert self.model.saturation is not None
        return np.asarray(self.model.saturation.factor(documents, df, **dict(self.parameters)), np.float64)

    def norms(self, lengths: NDArray[np.float64], average: float) -> NDArray[np.float64]:
        """The norms of documents of these lengths, for a model with `saturation`."""
        assert self.model.saturation is not None
        return np.asarray(self.model.saturation.norm(lengths, average, **dict(self.parameters)), np.float64)

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


class Totals(NamedTuple):
    """What is counted of all documents in some fields."""

    documents: int  # that are not empty
    tokens: float  # the length of all


class Norms(NamedTuple):
    """What the weights of a recipe are computed of, beside its factors."""

    norm_at: int  # where the norms of lengths begin
    length_at: int  # where the lengths of documents begin
    documents: int  # that are not empty
    least: float  # norm of a document


class TermUse(NamedTuple):
    """How often terms occur."""

    documents: NDArray[np.int64]  # that have each term in one of the fields
    by_field: Sequence[NDArray[np.int64]]  # that have it in each field
    occurrences: Sequence[NDArray[np.int64]]  # in each field

    @classmethod
    def of(cls, offsets: NDArray[np.int64], lists: Sequence[Lists]) -> TermUse:
        """The counts of lists, and of those united, which begin at `offsets`."""
        return cls(np.diff(offsets), [np.diff(each.offsets) for each in lists], [each.occurrences for each in lists])


class Weights:
    """The postings and weights of terms, by lists that are read on first use.

    A list's postings are grouped by blocks of documents: those of list l in block b are from directory[l, b] up to
    directory[l, b + 1]. A posting is a document's place within its block, and the weight, or the number of occurrences
    of which the search computes the weight. Where searches have computed as many weights of a list as it has postings,
    twice, they are stored.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.blocks = -(-len(index) // BLOCK)
        self._lengths: dict[Fields, NDArray[np.float64]] = {}
        self._totals: dict[Fields, Totals] = {}
        self._shares: dict[Any, LengthShare] = {}
        self.clear()

    def clear(self) -> None:
        self.places, self.counts = np.empty(1 << 16, np.uint16), np.empty(1 << 16, np.uint16)
        self.values = np.empty(1 << 16)
        self.directory = np.empty((64, self.blocks + 1), np.int64)
        self.sizes, self.spent = np.empty(64, np.int64), np.empty(64, np.int64)
        self.value_at, self.norm_at, self.length_at = (np.empty(64, np.int64) for _ in range(3))
        self.factors, self.lowest, self.highest = np.empty(64), np.empty(64), np.empty(64)
        self.norms, self.lengths = np.empty(0), np.empty(0, np.int32)
        self.lists = self.used = self.weighed = 0  # numbers of lists, of postings and of stored weights
        self.has_spent = Event()
        self._numbers: dict[Recipe, dict[str, int]] = {}
        self._norms: dict[Recipe, Norms | None] = {}
        self._length_at: dict[str, int] = {}
        self._arrays: WeightLists | None = None

    def snapshot(self) -> Weights:
        """A snapshot of the lists. Arrays are never changed where they are in use, only extended or replaced."""
        self.arrays()  # for all snapshots until lists are added
        now = object.__new__(Weights)
        now.__dict__.update(self.__dict__)
        return now

    def arrays(self) -> WeightLists:
        """The lists as the argument of a kernel."""
        now = WeightLists(
            self.directory,
            self.places,
            self.counts,
            self.values,
            self.value_at,
            self.factors,
            self.norm_at,
            self.length_at,
            self.lowest,
            self.highest,
            self.spent,
            self.norms,
            self.lengths,
            self.index.ranks,
        )
        # New lists are written into the same arrays as long as there is room.
        if self._arrays is None or not all(map(is_, now, self._arrays)):
            self._arrays = prepared(now)
        return self._arrays

    def numbers(self, recipes: Sequence[Recipe], terms: Sequence[str]) -> list[Mapping[str, int]]:
        """For each recipe the number of every term's list."""
        if self.used + self.weighed > POSTINGS_KEPT:
            self.clear()
        if self.has_spent.is_set():
            self.has_spent.clear()
            self._store_weights()
        for recipe in recipes:
            numbers = self._numbers.setdefault(recipe, {})
            missing = [term for term in terms if term not in numbers]
            if missing:
                self._make(recipe, missing)
        return [self._numbers[recipe] for recipe in recipes]

    def length_share(self, recipes: Sequence[tuple[Recipe, float]]) -> LengthShare | None:
        """What a document's length adds to its score for each term of a query, over recipes with their weights."""
        key = tuple(recipes)
        if key not in self._shares:
            values = self.length_values(recipes)
            if values is None:
                return None
            lowest = self._lowest_length_value(values)
            self._shares = {key: LengthShare(values - lowest, lowest)}  # one is enough: searches rarely alternate
        return self._shares[key]

    def length_values(self, recipes: Sequence[tuple[Recipe, float]]) -> NDArray[np.float64] | None:
        """What the length of each document adds for a term; None where no model has that."""
        if not any(recipe.model.lacking for recipe, _ in recipes):
            return None
        values = np.zeros(len(self.index))
        for recipe, weight in recipes:
            values += weight * recipe.lacking(self.document_lengths(recipe.fields))
        return values

    def _lowest_length_value(self, values: NDArray[np.float64]) -> float:
        return float(values.min(initial=0.0))

    def _make(self, recipe: Recipe, terms: Sequence[str]) -> None:
        """Add the lists of new terms."""
        norms = self._norms_of(recipe)
        segments = None if norms is None else stored_postings(self.index, recipe.fields[0][0], terms)
        if norms is None or segments is None or not self._read(recipe, norms, terms, segments):
            self._compute(recipe, terms)

    def _norms_of(self, recipe: Recipe) -> Norms | None:
        """What a search needs to compute the weights of a recipe; None where it cannot."""
        if recipe not in self._norms:
            self._norms[recipe] = None
            if recipe.model.saturation is not None and len(recipe.fields) == 1 and recipe.fields[0][1] == 1.0:
                name = recipe.fields[0][0]
                lengths = self.index.lengths(name)
                longest, having = int(lengths.max(initial=0)), int(np.count_nonzero(lengths))
                average = int(lengths.sum(dtype=np.int64)) / having if having else 1.0
                if longest < LONGEST:
                    of_length = recipe.norms(np.arange(longest + 1.0), average)
                    if name not in self._length_at:
                        self._length_at[name] = len(self.lengths)
                        self.lengths = np.concatenate([self.lengths, lengths])
                    least = float(of_length[int(lengths.min(initial=longest)) :].min())
                    self._norms[recipe] = Norms(len(self.norms), self._length_at[name], having, least)
                    self.norms = np.concatenate([self.norms, of_length])
        return self._norms[recipe]

    def _read(self, recipe: Recipe, norms: Norms, terms: Sequence[str], segments: Sequence[SegmentPostings]) -> bool:
        """Add lists whose weights searches compute; False where a frequency does not fit 16 bits."""
        df = sum((each.stops - each.starts for each in segments[1:]), segments[0].stops - segments[0].starts)
        offsets = offsets_of(df) + self.used
        first, last = self.lists, self.lists + len(terms)
        self._make_room(int(offsets[-1]), last)
        most = read_lists(segments, offsets, self.places, self.counts, self.directory[first:last])
        if int(most.max(initial=0)) > MOST_COUNT:
            return False
        self.factors[first:last] = recipe.factors(norms.documents, np.maximum(df, 1).astype(np.float64))
        self.norm_at[first:last], self.length_at[first:last] = norms.norm_at, norms.length_at
        # The weights grow with the frequency and fall with the length.
        bound = self.factors[first:last] * most / (most + norms.least) if norms.least else self.factors[first:last]
        self.lowest[first:last], self.highest[first:last] = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
        self.value_at[first:last] = self.spent[first:last] = 0
        self._enter(recipe, terms, df, int(offsets[-1]))
        return True

    def _compute(self, recipe: Recipe, terms: Sequence[str]) -> None:
        """Add lists with their weights."""
        lists = [self.index.lists(name, [term.encode() for term in terms]) for name, _ in recipe.fields]
        offsets, documents, frequencies = united(lists, len(self.index))
        each = np.repeat(np.arange(len(terms)), np.diff(offsets))
        df, df_of, occurrences = self._counts(recipe.fields, terms, offsets, lists)
        weights = [weight for _, weight in recipe.fields]
        lengths, (having, tokens) = self.document_lengths(recipe.fields), self._totals_of(recipe.fields)
        cf = np.asarray(sum(w * part for w, part in zip(weights, occurrences, strict=True)), np.float64)
        tf = frequencies[0] if weights == [1.0] else np.asarray(weights) @ frequencies
        values = np.empty(len(documents))
        for start in range(0, len(documents), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            of_terms, rows = each[part], documents[part]
            postings = Postings(
                tf=tf[part],
                length=lengths[rows],
                df=df[of_terms].astype(np.float64),
                cf=cf[of_terms],
                documents=having,
                tokens=tokens,
                fields={
                    name: self._in_field(name, weight, in_field[part], of_field[of_terms], rows)
                    for (name, weight), in_field, of_field in zip(recipe.fields, frequencies, df_of, strict=True)
                    if recipe.model.by_field
                },
            )
            values[part] = recipe(postings)
        self._append(recipe, terms, offsets, documents, values)

    def _counts(
        self, fields: Fields, terms: Sequence[str], offsets: NDArray[np.int64], lists: Sequence[Lists]
    ) -> TermUse:
        """How often terms occur, from their lists."""
        return TermUse.of(offsets, lists)

    def _in_field(self, name: str, weight: float, tf: Any, df: Any, documents: Any) -> InField:
        fields = ((name, 1.0),)
        lengths, (having, tokens) = self.document_lengths(fields), self._totals_of(fields)
        return InField(weight, tf, lengths[documents], df.astype(np.float64), tokens / having if having else 1.0)

    def document_lengths(self, fields: Fields) -> NDArray[np.float64]:
        """The weighted length of each document in these fields."""
        if fields not in self._lengths:
            lengths = np.zeros(len(self.index))
            for name, weight in fields:
                lengths += weight * self.index.lengths(name)
            self._lengths[fields] = lengths
        return self._lengths[fields]

    def _totals_of(self, fields: Fields) -> Totals:
        if fields not in self._totals:
            lengths = self.document_lengths(fields)
            self._totals[fields] = Totals(int(np.count_nonzero(lengths)), float(lengths.sum()))
        return self._totals[fields]

    def _append(
        self,
        recipe: Recipe,
        terms: Sequence[str],
        offsets: NDArray[np.int64],
        documents: NDArray[np.int32],
        values: NDArray[np.float64],
    ) -> None:
        """Store the weights of new lists, with their directory and their lowest and highest weights."""
        count, first, last = len(documents), self.lists, self.lists + len(terms)
        self._make_room(self.used + count, last)
        start = self._store_values(values)
        np.bitwise_and(documents, BLOCK - 1, out=self.places[self.used : self.used + count], casting="unsafe")
        self.directory[first:last] = directory_of(documents, offsets, self.blocks) + self.used
        self.value_at[first:last], self.norm_at[first:last], self.spent[first:last] = start - self.used, -1, 0
        filled = first + np.flatnonzero(np.diff(offsets))
        self.lowest[first:last] = self.highest[first:last] = 0
        if count:
            self.lowest[filled] = np.minimum.reduceat(values, offsets[filled - first])
            self.highest[filled] = np.maximum.reduceat(values, offsets[filled - first])
        self._enter(recipe, terms, np.diff(offsets), self.used + count)

    def _enter(self, recipe: Recipe, terms: Sequence[str], sizes: NDArray[np.int64], used: int) -> None:
        """Number lists whose arrays are filled."""
        first, last = self.lists, self.lists + len(terms)
        self.sizes[first:last] = sizes
        self._numbers[recipe].update(zip(terms, range(first, last), strict=True))
        self.used, self.lists = used, last

    def _make_room(self, postings: int, lists: int) -> None:
        if postings > len(self.places):
            room = max(2 * len(self.places), postings)
            self.places, self.counts = (_longer(array, self.used, room) for array in (self.places, self.counts))
        if lists > len(self.directory):
            room = max(2 * len(self.directory), lists)
            for name in OF_LISTS:
                setattr(self, name, _longer(getattr(self, name), self.lists, room))

    def _store_values(self, values: NDArray[np.float64]) -> int:
        """Store weights, and return where they begin."""
        start, stop = self.weighed, self.weighed + len(values)
        if stop > len(self.values):
            self.values = _longer(self.values, start, max(2 * len(self.values), stop))
        self.values[start:stop] = values
        self.weighed = stop
        return start

    def _store_weights(self) -> None:
        """Store the weights of the lists of which searches have computed enough."""
        known = slice(0, self.lists)
        due = np.flatnonzero(
            (self.norm_at[known] >= 0) & (self.spent[known] >= TIMES_PAID * self.sizes[known]) & (self.sizes[known] > 0)
        )
        if not len(due):
            return
        values, lowest, highest = weighed_lists(self, due)
        start = self._store_values(values)
        # A search may be reading these arrays.
        for name in ("value_at", "norm_at", "lowest", "highest"):
            setattr(self, name, getattr(self, name).copy())
        self.value_at[due] = offsets_of(self.sizes[due])[:-1] + start - self.directory[due, 0]
        self.norm_at[due], self.lowest[due], self.highest[due] = -1, lowest, highest

    def postings(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The documents of a list and their weights."""
        row = self.directory[number]
        documents = np.repeat(np.arange(self.blocks) * BLOCK, np.diff(row)) + self.places[row[0] : row[-1]]
        norms = self.norm_at[number]
        if norms < 0:
            start = self.value_at[number]
            return documents, self.values[start + row[0] : start + row[-1]]
        self.spent[number] += len(documents)
        self.has_spent.set()
        counts = self.counts[row[0] : row[-1]].astype(np.float64)
        norm = self.norms[norms + self.lengths[self.length_at[number] + documents]]
        return documents, self.factors[number] * counts / (counts + norm)

    def weight(self, number: int, document: int) -> float | None:
        """The weight of one document in a list; None where the document lacks the term."""
        documents, weights = self.postings(number)
        at = int(np.searchsorted(documents, document))
        return float(weights[at]) if at < len(documents) and documents[at] == document else None


def _longer(array: NDArray[Any], used: int, size: int) -> NDArray[Any]:
    longer = np.empty((size, *array.shape[1:]), array.dtype)
    longer[:used] = array[:used]
    return longer


# Read lists of postings from the segments of an index as the search needs them: places in blocks of documents.


BYTES_A_POSTING = 4  # NumPy reads or weighs a posting in the time in which plain Python reads so many bytes of text
PER_BLOCK = 128  # integers that are packed together
PROBLEMS = {1: NOT_IN_ORDER, 2: NOT_ADDING_UP}  # by what the kernel returns


class SegmentPostings(NamedTuple):
    """The stored lists of some terms in a segment: those of term t are starts[t]:stops[t]."""

    documents: PackedArray
    frequencies: PackedArray
    base: int  # the row of the segment's first document
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    occurrences: NDArray[np.int64]


def stored_postings(index: Index, field: str, terms: Sequence[str]) -> list[SegmentPostings] | None:
    """The lists of terms in each segment; None where a list is not as it is stored."""
    encoded = [term.encode() for term in terms]
    if not index.are_stored(encoded):
        return None
    found = []
    for segment, base in zip(index.segments, index.bases.tolist(), strict=False):
        part = segment.field(index.field(field))
        if type(part.documents) is not PackedArray or type(part.frequencies) is not Frequencies:
            return None
        numbers = part.terms.find(encoded)
        if len(numbers) and int(numbers.min()) >= 0:
            starts, stops, occurrences = part.starts[numbers], part.starts[numbers + 1], part.totals[numbers]
        else:
            there = numbers >= 0
            starts, stops, occurrences = np.zeros((3, len(numbers)), np.int64)
            starts[there], stops[there] = part.starts[numbers[there]], part.starts[numbers[there] + 1]
            occurrences[there] = part.totals[numbers[there]]
        found.append(SegmentPostings(part.documents, part.frequencies, base, starts, stops, occurrences))
    return found


def directory_of(documents: NDArray[np.integer[Any]], offsets: NDArray[np.int64], blocks: int) -> NDArray[np.int64]:
    """For each list the first of its postings in each block of documents, and its end.

    >>> directory_of(np.array([1, 4095, 4096, 5]), np.array([0, 3, 4]), 2).tolist()
    [[0, 2, 3], [3, 4, 4]]
    """
    lists = len(offsets) - 1
    in_block = np.repeat(np.arange(lists) * blocks, np.diff(offsets)) + documents // BLOCK
    directory = np.empty((lists, blocks + 1), np.int64)
    directory[:, 0] = offsets[:-1]
    sizes = np.bincount(in_block, minlength=lists * blocks).reshape(-1, blocks)
    directory[:, 1:] = offsets[:-1, None] + np.cumsum(sizes, axis=1)
    return directory


def read_lists(
    segments: Sequence[SegmentPostings],
    offsets: NDArray[np.int64],
    places: NDArray[np.uint16],
    counts: NDArray[np.uint16],
    directory: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Read lists into `places` and `counts`, from their offsets on; returns the highest frequency of each list."""
    size = int(BYTES_A_POSTING * (offsets[-1] - offsets[0]))
    return _read.choose(size)(segments, offsets, places, counts, directory)


def _read_plain(
    segments: Sequence[SegmentPostings],
    offsets: NDArray[np.int64],
    places: NDArray[np.uint16],
    counts: NDArray[np.uint16],
    directory: NDArray[np.int64],
) -> NDArray[np.int64]:
    lists = len(offsets) - 1
    sizes = np.array([each.stops - each.starts for each in segments])
    first = offsets[:-1] + np.cumsum(sizes, axis=0) - sizes  # of each list's postings in a segment
    documents = np.empty(int(offsets[-1] - offsets[0]), np.int64)
    most = np.zeros(lists, np.int64)
    for each, size, start in zip(segments, sizes, first, strict=True):
        found = each.documents.ranges(each.starts, each.stops).astype(np.int64)
        list_of = np.repeat(np.arange(lists), size)
        if ((found[1:] <= found[:-1]) & (list_of[1:] == list_of[:-1])).any():
            raise each.documents.damaged(NOT_IN_ORDER)
        frequencies = each.frequencies.ranges(each.starts, each.stops)
        into = ranges(start, size)
        documents[into - offsets[0]] = found + each.base
        counts[into] = np.minimum(frequencies, MOST_COUNT)
        np.maximum.at(most, list_of, frequencies)
    places[offsets[0] : offsets[-1]] = documents % BLOCK
    directory[:] = directory_of(documents, offsets - offsets[0], directory.shape[1] - 1) + offsets[0]
    return most


@compiled_job("leadline.retrieval.models.kernels.read_lists", plain=_read_plain)
def _read(
    kernel: Kernel,
    segments: Sequence[SegmentPostings],
    offsets: NDArray[np.int64],
    places: NDArray[np.uint16],
    counts: NDArray[np.uint16],
    directory: NDArray[np.int64],
) -> NDArray[np.int64]:
    lists, entries = directory.shape
    cursors, most, scratch = offsets[:-1].copy(), np.zeros(lists, np.int64), np.empty((2, PER_BLOCK), np.int32)
    directory[:, 0] = cursors
    reached = np.zeros(lists, np.int64)
    for number, each in enumerate(segments):
        wrong = kernel(
            each.documents.checked_blocks(each.starts, each.stops),
            each.frequencies.checked_blocks(each.starts, each.stops),
            AskedLists(lists, each.base, each.starts, each.stops, each.occurrences),
            ReadLists(cursors, reached, most, places, counts, directory, entries, number == len(segments) - 1),
            scratch[0],
            scratch[1],
        )
        if wrong:
            raise (each.documents if wrong == 1 else each.frequencies).damaged(PROBLEMS[wrong])
    return most


class ReadPostings(Protocol):
    """Lists that were read: `Weights`, which imports this module."""

    sizes: NDArray[np.int64]
    blocks: int

    def arrays(self) -> WeightLists: ...

    def postings(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...


def weighed_lists(weights: ReadPostings, numbers: NDArray[np.int64]) -> Weighed:
    """The weights of lists, one behind the other, and the lowest and highest of each."""
    return _weighed.choose(BYTES_A_POSTING * int(weights.sizes[numbers].sum()))(weights, numbers)


def _weighed_plain(weights: ReadPostings, numbers: NDArray[np.int64]) -> Weighed:
    found = [weights.postings(number)[1] for number in numbers.tolist()]
    bounds = np.array([(each.min(), each.max()) for each in found])
    return np.concatenate(found), bounds[:, 0].copy(), bounds[:, 1].copy()


@compiled_job("leadline.retrieval.models.kernels.weigh_lists", plain=_weighed_plain)
def _weighed(kernel: Kernel, weights: ReadPostings, numbers: NDArray[np.int64]) -> Weighed:
    values = np.empty(int(weights.sizes[numbers].sum()))
    lowest, highest = np.empty(len(numbers)), np.empty(len(numbers))
    kernel(weights.arrays(), weights.blocks, numbers, len(numbers), values, lowest, highest)
    return values, lowest, highest
