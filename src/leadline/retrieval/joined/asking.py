"""The best documents for joined words in one foreign call, with the results of the search by lists to the last bit.

Words joined by AND, phrases and truncated words, in one field, for formulas of which the search computes the weights;
and words of which some documents are allowed. All other queries are searched by lists, and so is everything without
machine code.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.index import AnyTerm, Index, Part, Words
from leadline.retrieval.index.segment import Field
from leadline.retrieval.index.tombstones import LiveField
from leadline.retrieval.joined import kernel_arguments as at
from leadline.retrieval.mapped import kernel_arguments as mapped
from leadline.retrieval.mapped.kernel_arguments import PER_BLOCK, Plans
from leadline.retrieval.mapped.plans import is_as_stored, packed_record, record_of
from leadline.retrieval.models.kernel_arguments import BINS
from leadline.retrieval.models.ranking import EMPTY_RANKING, CountedRanking, Ranking
from leadline.retrieval.one_call.ranking import BYTES_A_DOCUMENT, TRIES, OneCall, PlannedQuery, Wanted
from leadline.text.engine import Kernel, compiled_job, prepared
from leadline.text.fields import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Postings = tuple[NDArray[np.int32], NDArray[np.int32]]  # rows, and how often each has it
    Found = tuple[Ranking, int]
    Rows = NDArray[np.int32] | None

FEW_SHARE = 8  # one document in so many: up to then each of them is looked up in the lists


class JoinedSpace:
    """The arrays that a thread searches with, and what they have room for."""

    def __init__(self, documents: int, numbers: int, text: int) -> None:
        self.documents, self.numbers, self.text_size = documents, numbers, text
        self.room = (-(-documents // PER_BLOCK) + 3) * PER_BLOCK
        lists = (at.MOST_PARTS + 2) * self.room
        terms, block = at.MOST_TERMS, at.MOST_TERMS * PER_BLOCK
        self.said = np.zeros(at.SAID_SIZE, np.int64)
        self.said[at.STAMPED] = self.said[at.ROOM] = self.room
        self.rows, self.scores = np.empty(self.room, np.int32), np.empty(self.room)
        self.list_rows, self.list_counts = np.empty(lists, np.int32), np.empty(lists, np.int32)
        self.summed = np.zeros(self.room, np.int32)
        parts, sequence = np.zeros(at.PART * terms, np.int64), np.zeros(terms, np.int64)
        content, multipliers = np.empty(text, np.uint8), np.ones(terms)
        self.text = memoryview(content)  # type: ignore[arg-type]
        self.parts = memoryview(parts)  # type: ignore[arg-type]
        self.sequence = memoryview(sequence)  # type: ignore[arg-type]
        self.multipliers = memoryview(multipliers)  # type: ignore[arg-type]
        self.has_only_terms = False  # whether every part is the term of its number
        arrays: dict[int, NDArray[Any]] = {
            at.TEXT: content,
            at.NUMBERS: np.empty(numbers, np.int64),
            at.PARTS: parts,
            at.SEQUENCE: sequence,
            at.MULTIPLIERS: multipliers,
            at.PART_FACTORS: np.empty(terms),
            at.SAID: self.said,
            at.STAMPS: np.zeros(self.room, np.int32),
            at.LISTS: np.empty(terms, np.int64),
            at.LIST_ROWS: self.list_rows,
            at.LIST_COUNTS: self.list_counts,
            at.DOCUMENTS_AT: np.empty(PER_BLOCK, np.int32),
            at.EACH_DOCUMENTS: np.empty(block, np.int32),
            at.EACH_COUNTS: np.empty(block, np.int32),
            at.EACH_SUMS: np.empty(block, np.int64),
            at.EACH_GAPS: np.empty(block, np.int32),
            at.POSTINGS: np.empty(block, np.int64),
            at.STARTS_HERE: np.empty(at.MOST_PLACED, np.int32),
            at.NEXT_HERE: np.empty(at.MOST_PLACED, np.int32),
            at.ROWS: self.rows,
            at.KEYS: self.scores,
            at.SPARE_ROWS: np.empty(self.room, np.int32),
            at.SPARE_KEYS: np.empty(self.room, np.uint64),
            at.HISTOGRAM: np.empty(BINS, np.int32),
            at.SUMMED_UP: self.summed,
            at.TIMES_AT: np.empty(PER_BLOCK),
            at.NORMS_AT: np.empty(PER_BLOCK),
        }
        for place in (at.ORDER, at.CURSORS, at.LOADED, at.LOADED_COUNTS, at.LOADED_GAPS, at.SEEN_GAPS):
            arrays[place] = np.empty(terms, np.int64)
        self._held = arrays
        addresses = np.zeros(at.WORK, np.int64)
        for place, array in arrays.items():
            addresses[place] = array.ctypes.data
        self.addresses = prepared(at.Joined(addresses))

    def describe_terms(self) -> None:
        """Every part is a term."""
        if not self.has_only_terms:
            for number in range(at.MOST_TERMS):
                struct.pack_into(_PART, self.parts, 8 * at.PART * number, at.TERM, number, 1, 0, 0, 0, 0)
            self.has_only_terms = True

    def describe(self, parts: Sequence[Part]) -> list[bytes] | None:
        """Write what the parts are; returns their terms, or None where they are too many."""
        self.has_only_terms = False
        terms: list[bytes] = []
        words = 0
        for number, part in enumerate(parts):
            place = 8 * at.PART * number
            if isinstance(part, AnyTerm):
                union = part.numbers.ctypes.data, part.ends.ctypes.data
                struct.pack_into(_PART, self.parts, place, at.UNION, 0, 0, 0, 0, *union)
                continue
            own = list(dict.fromkeys(each for each in part.terms if each is not None))
            if len(terms) + len(own) > at.MOST_TERMS or words + len(part.terms) > at.MOST_TERMS:
                return None
            kind = at.TERM if len(part.terms) == 1 else at.PHRASE
            struct.pack_into(_PART, self.parts, place, kind, len(terms), len(own), words, len(part.terms), 0, 0)
            for each in part.terms:
                self.sequence[words] = -1 if each is None else own.index(each)
                words += 1
            terms += own
        return terms


_PART = f"{at.PART}q"
_memory = threading.local()


def joined_space(documents: int, numbers: int, text: int) -> JoinedSpace:
    """The arrays of this thread, which are used again."""
    known: JoinedSpace | None = getattr(_memory, "known", None)
    if known is None or known.documents < documents or known.numbers < numbers or known.text_size < text:
        if known is not None:
            documents, numbers = max(known.documents, documents), max(known.numbers, numbers)
        known = _memory.known = JoinedSpace(documents, max(at.MOST_TERMS, numbers), max(4096, 2 * text))
    return known


class FieldPlan:
    """The addresses of the lists and the positions of a field of an index."""

    def __init__(self, index: Index, name: str) -> None:
        fields = [segment.field(name) for segment in index.segments]
        self._held: list[NDArray[Any]] = []  # arrays live as long as their addresses are used
        head = np.zeros(mapped.HEAD, np.int64)
        head[mapped.DOCUMENTS], head[mapped.SEGMENTS], head[mapped.FIELDS] = len(index), len(fields), 1
        records = [
            record_of(field, base, self._held_at) for field, base in zip(fields, index.bases.tolist(), strict=False)
        ]
        self.room = max(len(index), *(int(record[mapped.MODULUS]) for record in records))
        plan = self._held_at(np.concatenate([head, *records]))
        self.lists = prepared(Plans(1, np.array([plan], np.int64)))
        has_positions = all(len(_stored(field).positions) for field in fields)
        self.places = self._held_at(np.concatenate([self._places(field) for field in fields])) if has_positions else 0

    def _held_at(self, array: NDArray[Any]) -> int:
        """The address of an array, which is held."""
        held = np.ascontiguousarray(array)
        self._held.append(held)
        return held.ctypes.data

    def _places(self, field: Field) -> NDArray[np.int64]:
        stored, record = _stored(field), np.zeros(at.PLACE_RECORD, np.int64)
        record[: at.POSITION_STARTS] = packed_record(stored.positions, self._held_at)
        record[at.POSITION_STARTS] = self._held_at(stored.position_starts)
        record[at.BLOCK_STARTS] = self._held_at(np.zeros(len(stored.documents) // PER_BLOCK + 2, np.int64))
        record[at.POSITIONS] = len(stored.positions)
        return record


def _stored(field: Field) -> Field:
    return field.stored if isinstance(field, LiveField) else field


_lock = Lock()


def field_plan(index: Index, name: str) -> FieldPlan | None:
    """Where the lists and positions of a field are; None where they are not as stored."""
    key = "field plan", name
    if key not in index.kept:
        with _lock:
            fields = [segment.field(name) for segment in index.segments]
            known = bool(fields) and len(index) > 0 and all(map(is_as_stored, fields))
            index.kept[key] = FieldPlan(index, name) if known else None
    found: FieldPlan | None = index.kept[key]
    return found


def postings(index: Index, field: str, part: Part, otherwise: Callable[[], Postings]) -> Postings:
    """The documents of a phrase, or of any of several terms, ascending, and how often each has it."""
    return _listed.choose(_size(_listed, index))(index, field, part, otherwise)


class JoinedCall:
    """Ranks documents of an index in one foreign call a query."""

    def __init__(self, one_call: OneCall) -> None:
        self.one_call = one_call
        self.index = one_call.weights.index

    def best_having_all(self, terms: Mapping[str, float], wanted: Wanted, by_lists: Callable[[], Found]) -> Found:
        """The best of the documents that have every term, and how many there are."""
        return _joined.choose(_size(_joined, self.index))(self, terms, wanted, by_lists)

    def best_among(
        self, terms: Mapping[str, float], wanted: Wanted, rows: Rows, otherwise: Callable[[], CountedRanking]
    ) -> CountedRanking:
        """The best of a few rows, or of those of a mask, that have any term, and how many there are."""
        return _among.choose(_size(_among, self.index))(self, terms, wanted, rows, otherwise)

    def plan(self, wanted: Wanted) -> PlannedQuery | None:
        """What a query in one field needs; None where it is in several, or is one for lists."""
        ((recipe, _, factor), *others) = wanted.recipes
        if others or factor != 1.0 or len(recipe.fields) > 1 or recipe.fields[0][1] != 1.0:
            return None
        return self.one_call.prepared(wanted.recipes)


def _size(job: Any, index: Index) -> int:
    return 0 if job.engine.kernels is not None else int(BYTES_A_DOCUMENT * len(index))


def _plain_best(joined: JoinedCall, terms: Mapping[str, float], wanted: Wanted, by_lists: Callable[[], Found]) -> Found:
    return by_lists()


@compiled_job("leadline.retrieval.joined.kernels.rank_joined", plain=_plain_best)
def _joined(
    kernel: Kernel, joined: JoinedCall, terms: Mapping[str, float], wanted: Wanted, by_lists: Callable[[], Found]
) -> Found:
    known, parts = joined.plan(wanted), len(terms)
    if known is None or parts > at.MOST_TERMS:
        return by_lists()
    try:
        content = "\0".join(terms).encode()
    except UnicodeEncodeError:
        return by_lists()
    k, mask = min(wanted.k, len(joined.index)), wanted.mask
    places, count, written = 0, parts, content.split(b"\0")
    if joined.index.are_stored(written):
        work = joined_space(known.room, parts * known.stride, len(content) + 1)
        work.describe_terms()
    else:
        name = wanted.recipes[0][0].fields[0][0]
        described = [part for term in written if (part := joined.index.part_of(term, name)) is not None]
        plan = field_plan(joined.index, name)
        if len(described) < parts or plan is None or not (plan.places or not any(map(_is_phrase, described))):
            return by_lists()
        work = joined_space(known.room, at.MOST_TERMS * known.stride, len(content) + 1)
        own = work.describe(described)
        if own is None:
            return by_lists()
        content, count, places = b"\0".join(own), len(own), plan.places
    size = len(content) + 1 if count else 0
    if count:
        work.text[:size] = content + b"\0"
    struct.pack_into(f"{parts}d", work.multipliers, 0, *terms.values())
    allowed = 0 if mask is None else mask.ctypes.data
    found = _with_factors(
        known, lambda: kernel(known.addresses, work.addresses, places, count, size, parts, k, allowed), work
    )
    return by_lists() if found is None else found


def _is_phrase(part: Part | None) -> bool:
    return isinstance(part, Words) and len(part.terms) > 1


def _with_factors(known: PlannedQuery, asked: Callable[[], int], work: JoinedSpace) -> Found | None:
    """What a kernel found, which is asked again where it lacked factors; None where lists have to say."""
    for _ in range(TRIES):
        found = asked()
        if found >= 0:
            matches = int(work.said[at.MATCHES])
            if not found:
                return EMPTY_RANKING, matches
            return Ranking(work.rows[:found].copy(), work.scores[:found].copy()), matches
        if found != at.NO_FACTOR:
            break
        missing = distinct(work.said[at.SAID_FROM : at.SAID_FROM + int(work.said[at.MISSING])])
        for plan in known.plans:
            plan.add_factors(missing)
    work.summed[:] = 0
    return None


def _plain_among(
    joined: JoinedCall,
    terms: Mapping[str, float],
    wanted: Wanted,
    rows: Rows,
    otherwise: Callable[[], CountedRanking],
) -> CountedRanking:
    return otherwise()


@compiled_job("leadline.retrieval.joined.kernels.rank_among", plain=_plain_among)
def _among(
    kernel: Kernel,
    joined: JoinedCall,
    terms: Mapping[str, float],
    wanted: Wanted,
    rows: Rows,
    otherwise: Callable[[], CountedRanking],
) -> CountedRanking:
    known = joined.plan(wanted)
    if known is None or len(terms) > at.MOST_TERMS or joined.index.has_dead:
        return otherwise()
    if rows is None:
        assert wanted.mask is not None
        rows = np.flatnonzero(wanted.mask).astype(np.int32)
    if len(rows) * FEW_SHARE > len(joined.index):
        return otherwise()
    try:
        content = "\0".join(terms).encode() + b"\0"
    except UnicodeEncodeError:
        return otherwise()
    if not joined.index.are_stored(content[:-1].split(b"\0")):
        return otherwise()
    work = joined_space(known.room, len(terms) * known.stride, len(content))
    work.text[: len(content)] = content
    struct.pack_into(f"{len(terms)}d", work.multipliers, 0, *terms.values())
    k, count, size = min(wanted.k, len(joined.index)), len(terms), len(content)
    found = _with_factors(known, lambda: kernel(known.addresses, work.addresses, count, size, k, rows, len(rows)), work)
    if found is None:
        return otherwise()
    return CountedRanking(*found, has_every_term=not work.said[at.ABSENT])


def _plain_listed(index: Index, field: str, part: Part, otherwise: Callable[[], Postings]) -> Postings:
    return otherwise()


@compiled_job("leadline.retrieval.joined.kernels.list_joined", plain=_plain_listed)
def _listed(kernel: Kernel, index: Index, field: str, part: Part, otherwise: Callable[[], Postings]) -> Postings:
    plan = field_plan(index, field)
    if plan is None or not (plan.places or not _is_phrase(part)):
        return otherwise()
    size = sum(len(each) + 1 for each in part.terms if each is not None) if isinstance(part, Words) else 0
    work = joined_space(plan.room, at.MOST_TERMS * len(index.segments), size)
    terms = work.describe([part])
    if terms is None:
        return otherwise()
    content = b"".join(term + b"\0" for term in terms)
    work.text[: len(content)] = content
    found = kernel(plan.lists, work.addresses, plan.places, len(terms), len(content))
    if found < 0:
        work.summed[:] = 0
        return otherwise()
    rows, counts = work.list_rows[:found].copy(), work.list_counts[:found].copy()
    if isinstance(part, AnyTerm):
        order = np.argsort(rows)
        rows, counts = rows[order], counts[order]
    return rows, counts
