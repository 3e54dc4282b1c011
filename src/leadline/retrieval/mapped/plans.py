"""Where the arrays of an index are for one formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.retrieval.index.packing import Frequencies, PackedArray
from leadline.retrieval.index.segment import Field
from leadline.retrieval.index.tombstones import LiveField
from leadline.retrieval.mapped import kernel_arguments as at
from leadline.retrieval.models.weights import Recipe, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

USUAL = 1024  # numbers of documents of terms for which factors are computed at first
EXACT_PARTS = 1024  # of a field's weight, which is a whole number of them: sums of frequencies are exact in any order
MOST_WEIGHT = 1 << 20
PIECE = 32 << 20  # bytes of memory that lists are kept in; of it only what is used is taken


def plan_of(weights: Weights, recipe: Recipe) -> QueryPlan | None:
    """The plan for a recipe; None where its weights are not computed by the search, or lists are not as stored."""
    model = recipe.model
    if model.saturation is None or model.lacking is not None or model.by_field or not len(weights.index):
        return None
    if not all(_is_exact(weight) for _, weight in recipe.fields):
        return None
    fields = [
        [segment.field(weights.index.field(name)) for name, _ in recipe.fields] for segment in weights.index.segments
    ]
    if not all(is_as_stored(field) for of_segment in fields for field in of_segment):
        return None
    lengths = weights.document_lengths(recipe.fields)
    having = int(np.count_nonzero(lengths))
    norms = recipe.norms(lengths, float(lengths.sum()) / having if having else 1.0)
    if not (np.isfinite(norms).all() and float(norms.min(initial=0.0)) >= 0.0):
        return None
    return QueryPlan(weights, recipe, fields, having, norms)


def _is_exact(weight: float) -> bool:
    """Whether frequencies times the weight add up without rounding."""
    return weight > 0 and (weight * EXACT_PARTS).is_integer() and weight <= MOST_WEIGHT


def _stored(field: Field) -> Field:
    return field.stored if isinstance(field, LiveField) else field


def is_as_stored(field: Field) -> bool:
    """Whether the lists of a field are in a file, and not made."""
    stored = _stored(field)
    return type(stored) is Field and type(stored.documents) is PackedArray and type(stored.frequencies) is Frequencies


class WeighedList(NamedTuple):
    """The documents that have a term, ascending, and its weight in each."""

    rows: NDArray[np.int32]
    weights: NDArray[np.float64]
    bits: NDArray[np.uint64]  # one for each document of the index, where one in LONG_SHARE has the term; else none
    before: NDArray[np.int32]  # how many are set before each word of them

    @classmethod
    def of(cls, rows: NDArray[np.int32], weights: NDArray[np.float64], documents: int) -> WeighedList:
        """The list with its bits."""
        words = words_for(len(rows), documents)
        if not words:
            return cls(rows, weights, np.empty(0, np.uint64), np.empty(0, np.int32))
        has = np.zeros(64 * words, np.bool_)
        has[rows] = True
        before = np.zeros(words, np.int32)
        np.cumsum(np.count_nonzero(has.reshape(-1, 64), axis=1)[:-1], out=before[1:])
        return cls(rows, weights, np.packbits(has, bitorder="little").view("<u8"), before)


def words_for(having: int, documents: int) -> int:
    """How many words have a bit for each document; 0 where so few have the term that they take too much memory."""
    return documents // 64 + 1 if having * at.LONG_SHARE >= documents else 0


class Pieces:
    """Arrays in few large pieces of memory, which the system gives in large pages: that takes a quarter of the time."""

    def __init__(self) -> None:
        self._pieces: list[NDArray[np.uint8]] = []
        self._taken = PIECE

    def address_of(self, array: NDArray[Any]) -> int:
        """The address of a copy of an array."""
        size = -(-array.nbytes // 64) * 64
        if self._taken + size > (len(self._pieces[-1]) if self._pieces else 0):
            self._pieces.append(np.empty(max(PIECE, size), np.uint8))
            self._taken = 0
        copy = self._pieces[-1][self._taken : self._taken + array.nbytes]
        copy[:] = array.view(np.uint8)
        self._taken += size
        return copy.ctypes.data


class QueryPlan:
    """The addresses of what a formula reads in an index, and the arrays that are at them."""

    def __init__(
        self,
        weights: Weights,
        recipe: Recipe,
        fields: Sequence[Sequence[Field]],
        having: int,
        norms: NDArray[np.float64],
    ) -> None:
        index = weights.index
        self.recipe, self._having = recipe, having
        self._held: list[NDArray[Any]] = []  # arrays live as long as their addresses are used
        self._kept = Pieces()
        self.kept_lists: list[NDArray[np.int64]] = []  # of each record: where the lists of its terms are, 0 for none
        self.factors = np.full(len(index) + 1, np.nan)
        self.add_factors(np.arange(1, min(USUAL, len(index)) + 1))
        # Rows of the index, and documents of a segment with those that are dead.
        self.room = max(len(index), *(each.documents.mapped()[0].modulus for each in map(_stored, chain(*fields))))
        self.records = len(fields) * len(recipe.fields)
        head = np.zeros(at.HEAD, np.int64)
        head[at.DOCUMENTS], head[at.SEGMENTS], head[at.FIELDS] = len(index), len(fields), len(recipe.fields)
        head[at.FACTORS], head[at.NORMS], head[at.RANKS] = map(self._held_at, (self.factors, norms, index.ranks))
        head[at.IS_WEIGHTED] = [weight for _, weight in recipe.fields] != [1.0]
        records = [
            self._record(field, base, weight)
            for of_segment, base in zip(fields, index.bases.tolist(), strict=False)
            for field, (_, weight) in zip(of_segment, recipe.fields, strict=True)
        ]
        self.address = self._held_at(np.concatenate([head, *records]))

    def add_factors(self, documents: NDArray[np.integer[Any]]) -> None:
        """Compute the factors of terms that are in so many documents."""
        self.factors[documents] = self.recipe.factors(self._having, documents.astype(np.float64))

    def keep(self, record: int, number: int, weighed: WeighedList) -> int:
        """Keep the list of a term, by its number in the first dictionary that has it, while others may be searching.

        Returns how many weights are kept.
        """
        about = np.zeros(at.KEPT_LIST, np.int64)
        weights, documents = weighed.weights, len(self.factors) - 1
        if len(weighed.rows) * at.DENSE_SHARE >= documents:
            about[at.KEPT_IS_DENSE] = 1
            weights = np.full(documents, -0.0)
            weights[weighed.rows] = weighed.weights
        kept = self._kept.address_of
        about[at.KEPT_ROWS], about[at.KEPT_WEIGHTS] = kept(weighed.rows), kept(weights)
        about[at.KEPT_SIZE] = len(weighed.rows)
        about[at.KEPT_MOST] = weighed.weights.max(initial=0.0).view(np.int64)
        if len(weighed.bits):
            about[at.KEPT_BITS], about[at.KEPT_BEFORE] = kept(weighed.bits), kept(weighed.before)
        self.kept_lists[record][number] = self._held_at(about)  # last, when all that it leads to is there
        return len(weights)

    def _held_at(self, array: NDArray[Any]) -> int:
        """The address of an array, which is held."""
        held = np.ascontiguousarray(array)
        self._held.append(held)
        return held.ctypes.data

    def _record(self, field: Field, base: int, weight: float) -> NDArray[np.int64]:
        record = record_of(field, base, self._held_at)
        terms = int(record[at.TERMS])
        self.kept_lists.append(np.zeros(terms, np.int64))
        record[at.KEPT_LISTS] = self._held_at(self.kept_lists[-1])
        record[at.USES] = self._held_at(np.zeros(terms, np.uint8))
        record[at.FIELD_WEIGHT] = np.float64(weight).view(np.int64)
        return record


def record_of(field: Field, base: int, held_at: Callable[[NDArray[Any]], int]) -> NDArray[np.int64]:
    """Where the dictionary and the lists of a field of a segment are, whose first row is `base`.

    `held_at` gives the address of an array that it holds.
    """
    record = np.zeros(at.RECORD, np.int64)
    stored = _stored(field)
    if isinstance(field, LiveField):
        counts = np.zeros(len(stored.terms), np.int64)
        counts[field.kept] = np.diff(field.starts)
        new = np.where(field.live, field.new, np.int32(-1) - np.int32(base)).astype(np.int32)
        record[at.LIVE_COUNTS], record[at.NEW_ROWS] = held_at(counts), held_at(new)
        record[at.OLD_DOCUMENTS] = held_at(np.flatnonzero(field.live).astype(np.int32))
    names = stored.terms
    record[at.NAMES], record[at.NAME_ENDS] = held_at(names.buffer), held_at(names.offsets)
    record[at.TERMS], record[at.BASE] = len(names), base
    record[at.STARTS], record[at.TOTALS] = held_at(stored.starts), held_at(stored.totals)
    for of, values in ((at.OF_DOCUMENTS, stored.documents), (at.OF_FREQUENCIES, stored.frequencies)):
        record[of : of + at.GOOD + 1] = packed_record(values, held_at)
    record[at.MODULUS] = stored.documents.mapped()[0].modulus
    return record


def packed_record(values: PackedArray, held_at: Callable[[NDArray[Any]], int]) -> NDArray[np.int64]:
    """Where a packed array is, and what its checksums need."""
    blocks, sums, good = values.mapped()
    record = np.zeros(at.GOOD + 1, np.int64)
    record[at.WORDS], record[at.WIDTHS] = held_at(blocks.words), held_at(blocks.widths)
    record[at.OFFSETS], record[at.BASES] = held_at(blocks.offsets), held_at(blocks.bases)
    record[at.SUMMED], record[at.SUMMED_SIZE] = held_at(sums.words), sums.size
    record[at.KEYS], record[at.SUMS], record[at.GOOD] = held_at(sums.keys), held_at(sums.sums), held_at(good)
    return record
