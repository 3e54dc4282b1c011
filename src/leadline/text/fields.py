"""Text with fields separated by blanks, by the kernels or by plain Python alike; many identifiers in one buffer.

Blanks are space, tab, carriage return, vertical tab and form feed. A line whose first field starts with `#` is
a comment. Empty lines are skipped.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.text.engine import Kernel, compiled_job
from leadline.text.kernel_arguments import FieldSlices, HashTable
from leadline.text.source import PADDING, SourceText

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Many identifiers in one buffer, so that millions of them cost no Python objects.


# Random in each process, so that nobody can prepare a file whose identifiers all fall into one slot.
SEED = int.from_bytes(os.urandom(8), "little")


@dataclass(frozen=True)
class Ids:
    """Identifiers as slices of a buffer. They are bytes in UTF-8; what is not UTF-8 survives a round trip.

    >>> ids = Ids.of(["EP-1", "WO-22"])
    >>> ids[1], ids.names(), len(ids)
    ('WO-22', ['EP-1', 'WO-22'], 2)
    """

    buffer: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    known_hashes: NDArray[np.uint64] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, names: Iterable[str | bytes]) -> Ids:
        encoded = [encode_id(name) for name in names]
        content = b"".join(encoded)
        buffer = np.full(len(content) + PADDING, ord("\n"), np.uint8)
        buffer[: len(content)] = np.frombuffer(content, np.uint8)
        lengths = np.fromiter(map(len, encoded), np.int32, len(encoded))
        starts = np.zeros(len(encoded), np.int64)
        np.cumsum(lengths[:-1], out=starts[1:])
        return cls(buffer, starts, lengths)

    def __len__(self) -> int:
        return len(self.starts)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: hashes are not, since another process has another seed."""
        return {**self.__dict__, "known_hashes": None}

    def __getitem__(self, place: int) -> str:
        return decode_id(self.at(place))

    def at(self, place: int) -> bytes:
        start = int(self.starts[place])
        return self.buffer[start : start + int(self.lengths[place])].tobytes()

    def as_bytes(self) -> list[bytes]:
        if len(self) * 64 < len(self.buffer):  # a few of a large text: do not copy it all
            return [self.at(place) for place in range(len(self))]
        content = self.buffer.tobytes()
        return [content[a : a + n] for a, n in zip(self.starts.tolist(), self.lengths.tolist(), strict=True)]

    def names(self) -> list[str]:
        return [decode_id(name) for name in self.as_bytes()]

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Ids:
        hashes = None if self.known_hashes is None else self.known_hashes[places]
        return Ids(self.buffer, self.starts[places], self.lengths[places], hashes)

    def compact(self) -> Ids:
        """The same identifiers side by side in a buffer of their own: quicker to compare, and the text can go."""
        buffer = np.full(int(self.lengths.sum()) + PADDING, ord("\n"), np.uint8)
        _gather.choose(len(buffer))(self, buffer)
        starts = np.zeros(len(self), np.int64)
        np.cumsum(self.lengths[:-1], out=starts[1:])
        return Ids(buffer, starts, self.lengths, self.known_hashes)

    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each identifier."""
        if self.known_hashes is None:
            hashes = _hash.choose(int(self.lengths.sum()))(self, SEED)
            object.__setattr__(self, "known_hashes", hashes)
        assert self.known_hashes is not None
        return self.known_hashes


def fields_of(ids: Ids) -> FieldSlices:
    """Identifiers as a kernel takes them."""
    return FieldSlices(ids.buffer, ids.starts, ids.lengths)


def ranges(starts: NDArray[np.int64], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers from each start on, as many as its length says, one range behind the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(int(ends[-1]) if len(ends) else 0)


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The values that occur, ascending. NumPy's `unique` loads masked arrays when it is first called: 14 ms.

    >>> distinct(np.array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    """
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def _gather_plain(ids: Ids, into: NDArray[np.uint8]) -> None:
    content = ids.buffer[ranges(ids.starts, ids.lengths)]
    into[: len(content)] = content


@compiled_job("leadline.text.kernels.gather_fields", plain=_gather_plain)
def _gather(kernel: Kernel, ids: Ids, into: NDArray[np.uint8]) -> None:
    kernel(fields_of(ids), len(ids), into)


def _hash_plain(ids: Ids, seed: int) -> NDArray[np.uint64]:
    mix, shift, every_bit = np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(2**64 - 1)
    lengths = ids.lengths.astype(np.int64)
    state = np.uint64(seed) ^ lengths.astype(np.uint64)
    eight = np.arange(8)
    for word in range(-(-int(lengths.max(initial=0)) // 8)):  # eight bytes of every identifier that is so long
        left = np.flatnonzero(lengths > 8 * word)
        places = ids.starts[left, None] + 8 * word + eight
        bits = ids.buffer[np.minimum(places, len(ids.buffer) - 1)].view("<u8")[:, 0]
        beyond = np.maximum(8 - (lengths[left] - 8 * word), 0).astype(np.uint64) * np.uint64(8)
        mixed = (state[left] ^ (bits & (every_bit >> beyond))) * mix
        state[left] = mixed ^ (mixed >> shift)
    return state * mix


@compiled_job("leadline.text.kernels.hash_fields", plain=_hash_plain)
def _hash(kernel: Kernel, ids: Ids, seed: int) -> NDArray[np.uint64]:
    hashes = np.empty(len(ids), np.uint64)
    kernel(fields_of(ids), len(ids), seed, hashes)
    return hashes


def encode_id(name: str | bytes) -> bytes:
    if isinstance(name, bytes):
        return name
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, which only Python can hold
        return name.encode("utf-8", "surrogatepass")


def decode_id(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


_WHOLE = re.compile(rb"[+-]?[0-9]{1,9}(\.0+)?")
_HEADINGS = frozenset(
    b"topic topic_id query query_id qid document document_id doc doc_id docid docno rank score sim similarity grade rel"
    b" relevance label judgement judgment".split()
)
_FRACTION = re.compile(rb"[+-]?[0-9]*[.,][0-9]+")
TOO_FEW_FIELDS, NOT_A_NUMBER, NAN = -1, -2, -3  # as the kernels report them


@dataclass(frozen=True)
class Coded:
    """A column as its distinct values, in the order in which they first occur, and the index of each line's value.

    >>> coded = Coded.of(["b", "a", "b"])
    >>> coded.names, coded.codes
    ([b'b', b'a'], array([0, 1, 0], dtype=int32))
    """

    ids: Ids
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, values: Iterable[str | bytes]) -> Coded:
        known: dict[bytes, int] = {}
        codes = [known.setdefault(encode_id(value), len(known)) for value in values]
        return cls(Ids.of(known), np.array(codes, np.int32))

    def __len__(self) -> int:
        """The number of distinct values."""
        return len(self.ids)

    @cached_property
    def names(self) -> list[bytes]:
        return self.ids.as_bytes()

    def pair(self, other: Coded) -> NDArray[np.int64]:
        """One number per line; two lines have the same number where both columns are equal."""
        return self.codes.astype(np.int64) * len(other) + other.codes

    def at(self, lines: NDArray[np.int64]) -> Coded:
        """Return only some of the lines."""
        return Coded(self.ids, self.codes[lines])


@dataclass(frozen=True)
class FieldTable:
    """The fields of every line. A missing field is empty."""

    text: SourceText
    columns: int  # fields of the longest line, at most as many as were asked for
    ids: tuple[Ids, ...]  # one for each column
    compiled: bool
    _coded: dict[int, Coded] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.ids[0])

    def coded(self, column: int) -> Coded:
        """Return a column as its distinct values."""
        if column not in self._coded:
            ids = self.ids[column]
            self._coded[column] = _encode.version(self.compiled)(ids)
        return self._coded[column]

    def integers(self, column: int, what: str) -> NDArray[np.int32]:
        """Return a column of whole numbers of at most nine digits."""
        ids = self.ids[column]
        values = np.empty(len(ids), np.int32)
        wrong = _whole_numbers.version(self.compiled)(ids, values)
        return values if wrong < 0 else self._whole_numbers(column, what)

    def _whole_numbers(self, column: int, what: str) -> NDArray[np.int32]:
        """A column in which some whole numbers are written like 1.0."""
        coded = self.coded(column)
        for code, written in enumerate(coded.names):
            if not _WHOLE.fullmatch(written):
                line = int((coded.codes == code).argmax())
                fraction = _FRACTION.fullmatch(written) is not None
                hint = "; round it, or multiply all by the same number" if fraction else hint_of_header(line, written)
                problem = f"{what} {self.show(line, column)} is not a whole number of at most nine digits{hint}"
                raise self.error(line, problem)
        return np.array([int(float(written)) for written in coded.names], np.int32)[coded.codes]

    def floats(self, column: int, what: str) -> NDArray[np.float64]:
        """Return a column of numbers; NaN is an error."""
        values = np.empty(len(self))
        for line, written in enumerate(self.ids[column].as_bytes()):
            number = number_of(written)
            if number is None or math.isnan(number):
                raise self.error(line, f"{what} {self.show(line, column)} is not a number")
            values[line] = number
        return values

    def show(self, line: int, column: int) -> str:
        return shown(self.ids[column].at(line))

    def error(self, line: int, problem: str) -> InputError:
        """Return an error that names the line of the file."""
        return InputError(self.text.name, problem, line=self.line_number(line))

    def line_number(self, line: int) -> int:
        """Return the line of the file, from 1, of a line of the table."""
        for number, content in enumerate(self.text.bytes().split(b"\n"), start=1):
            if not is_skipped(content):
                if line == 0:
                    return number
                line -= 1
        raise IndexError(line)


def read_fields(text: SourceText, fewest: int, most: int, expected: Callable[[int], str]) -> FieldTable:
    """Read up to `most` fields of every line; one with fewer than `fewest` is an error, worded by `expected`."""
    return _scan.choose(text.size())(text, fewest, most, expected)


def _scan_plain(text: SourceText, fewest: int, most: int, expected: Callable[[int], str]) -> FieldTable:
    rows, widest = [], 0
    for number, line in enumerate(text.bytes().split(b"\n"), start=1):
        if is_skipped(line):
            continue
        fields = line.split(None, most)
        if len(fields) < fewest:
            raise InputError(text.name, expected(len(fields)), line=number)
        widest = max(widest, len(fields))
        rows.append((fields + [b""] * most)[:most])
    if not rows:
        raise InputError(text.name, "is empty")
    return FieldTable(text, min(widest, most), tuple(map(Ids.of, zip(*rows, strict=True))), compiled=False)


@compiled_job("leadline.text.kernels.scan_fields", plain=_scan_plain)
def _scan(kernel: Kernel, text: SourceText, fewest: int, most: int, expected: Callable[[int], str]) -> FieldTable:
    capacity = text.size() // (2 * fewest) + 1  # a letter and a blank or line feed for each field
    starts, lengths = np.empty(capacity * most, np.int64), np.empty(capacity * most, np.int32)
    found = np.zeros(3, np.int64)
    count = kernel(text.buffer, text.begin, text.end, fewest, most, starts, lengths, found)
    if count == TOO_FEW_FIELDS:
        raise InputError(text.name, expected(int(found[1])), line=text.line_number(int(found[0])))
    if count == 0:
        raise InputError(text.name, "is empty")
    by_column = starts[: count * most].reshape(-1, most).T.copy(), lengths[: count * most].reshape(-1, most).T.copy()
    ids = tuple(Ids(text.buffer, by_column[0][k], by_column[1][k]) for k in range(most))
    return FieldTable(text, min(int(found[0]), most), ids, compiled=True)


def hint_of_header(line: int, field: bytes) -> str:
    """The end of an error about a field of the first line, counted from 0, that is the name of a column."""
    return "; remove the header line" if line == 0 and field.lower() in _HEADINGS else ""


def is_skipped(line: bytes) -> bool:
    """Whether a line is blank or a comment."""
    content = line.lstrip()
    return not content or content.startswith(b"#")


def number_of(field: bytes) -> float | None:
    """Return the number in a field, None if it is not one. Python's underscores are not allowed.

    >>> number_of(b"1e-3"), number_of(b"-inf"), number_of(b"1_0"), number_of(b"ten")
    (0.001, -inf, None, None)
    """
    if b"_" in field:
        return None
    try:
        return float(field)
    except ValueError:
        return None


@compiled_job("leadline.text.kernels.encode", plain=lambda ids: Coded.of(ids.as_bytes()))
def _encode(kernel: Kernel, ids: Ids) -> Coded:
    count = len(ids)
    size = table_size(count)
    table = HashTable(slots=np.zeros(size, np.int32), mask=size - 1, hashes=np.empty(count, np.uint64))
    first, codes = np.empty(count, np.int64), np.empty(count, np.int32)
    known = kernel(fields_of(ids), count, SEED, table, first, codes)
    return Coded(ids.take(first[:known]), codes)


def _whole_numbers_plain(ids: Ids, values: NDArray[np.int32]) -> int:
    for line, written in enumerate(ids.as_bytes()):
        digits = written[1:] if written[:1] in (b"+", b"-") else written
        if not digits.isdigit() or len(digits) > 9:
            return line
        values[line] = int(written)
    return -1


@compiled_job("leadline.text.kernels.whole_numbers", plain=_whole_numbers_plain)
def _whole_numbers(kernel: Kernel, ids: Ids, values: NDArray[np.int32]) -> int:
    """Fill in the numbers; returns -1, or the first line whose field is not a whole number."""
    return kernel(fields_of(ids), len(ids), values)


def _index_hashes_plain(
    offsets: NDArray[np.int64], hashes: NDArray[np.uint64], table_starts: NDArray[np.int64], slots: NDArray[np.int32]
) -> None:
    filled = slots.tolist()
    wanted = (hashes >> np.uint64(20)).tolist()
    for group, (start, stop) in enumerate(pairwise(table_starts.tolist())):
        mask = stop - start - 1
        for place in range(int(offsets[group]), int(offsets[group + 1])):
            slot = wanted[place] & mask
            while filled[start + slot] >= 0:
                slot = (slot + 1) & mask
            filled[start + slot] = place
    slots[:] = filled


@compiled_job("leadline.text.kernels.index_hashes", plain=_index_hashes_plain)
def _index_hashes(
    kernel: Kernel,
    offsets: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    table_starts: NDArray[np.int64],
    slots: NDArray[np.int32],
) -> None:
    kernel(len(offsets) - 1, offsets, hashes, table_starts, slots)


def hash_tables(offsets: NDArray[np.int64], ids: Ids) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """A hash table for each group of identifiers, offsets[g]:offsets[g + 1]: where each starts, and all slots.

    A slot holds the place of an identifier, or -1.
    """
    sizes = [table_size(count) for count in np.diff(offsets).tolist()]
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    slots = np.full(int(starts[-1]), -1, np.int32)
    _index_hashes.choose(8 * len(ids))(offsets, ids.hashes(), starts, slots)
    return starts, slots


def shown(field: bytes) -> str:
    """Return a field for a message: readable, at most 40 letters."""
    text = field.decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


def table_size(entries: int) -> int:
    """Return the slots of a hash table that is at most a quarter full: a power of two."""
    return 1 << max(4, (4 * entries).bit_length())
