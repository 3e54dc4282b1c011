"""Integers packed in blocks of 128, each block with as many bits a value as its largest needs.

    the number of values    in 64 bits
    widths                  of each block, in bytes, 0 to 32
    bases                   of each block in 32 bits, where the array has them
    blocks                  4 · width words of 32 bits each

Value 4 · row + lane of a block is in bits row · width up to (row + 1) · width of the lane, which are words
lane, lane + 4, lane + 8 and so on of the block; so machine code unpacks four values at once. A block is unpacked when
one of its values is first read. An array is of one of these kinds:

    plain       the values
    based       their difference from the base of their block, its least value
    ascending   lists of documents: each value's distance from the one before it, less 1, modulo the number of
                documents, so that no bits give a value that is out of range; the base is the value before, plus 1
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.arrays import CheckedArray
from leadline.retrieval.index.kernel_arguments import BlockSums, PackedBlocks
from leadline.text.engine import Kernel, compiled_job, prepared
from leadline.text.fields import distinct, ranges
from leadline.text.files import reported

if TYPE_CHECKING:
    from numpy.typing import NDArray

PER_BLOCK, LANES = 128, 4
ROWS = PER_BLOCK // LANES
_HEADER = 2  # words
IN_MEMORY = 32 << 20  # bytes of a new array, before a file is needed
_COPIED = 1 << 20  # bytes at a time
_LARGEST = 2**31 - 1
_BYTES_A_VALUE = 1  # NumPy unpacks a value in the time in which plain Python reads so many bytes of text
_BYTES_A_LIST = 50  # the same for a list whose blocks are checked
_BLOCKS_AT_ONCE = 128  # so few that what is made of them stays in the processor's cache
_NO_BASES = np.empty(0, np.int32)
NOT_IN_ORDER = ", the documents of a term are not in order"
BEYOND_END = ", a list is beyond its end"
NOT_ADDING_UP = ", the frequencies of a term do not add up to its occurrences"


@dataclass(frozen=True)
class Kind:
    """How the values of an array are stored."""

    has_bases: bool = False
    modulus: int = 0  # of lists of documents: the number of documents


PLAIN, BASED = Kind(), Kind(has_bases=True)


def ascending(documents: int) -> Kind:
    return Kind(has_bases=True, modulus=max(documents, 1))


class PackedWriter:
    """A new packed array, filled by any number of calls of `append`; a large one is in a temporary file meanwhile."""

    def __init__(self, kind: Kind = PLAIN, folder: Path | None = None, in_memory: int = IN_MEMORY) -> None:
        self.kind, self._folder = kind, folder
        self._file = SpooledTemporaryFile(in_memory, dir=None if folder is None else str(folder))  # noqa: SIM115 - closed with the object
        self._rest, self._count, self._next = np.empty(0, np.int32), 0, 0
        self._widths: list[NDArray[np.uint8]] = []
        self._bases: list[NDArray[np.int32]] = []

    def __del__(self) -> None:
        self._file.close()

    def append(self, values: NDArray[Any]) -> None:
        """Add values: integers of 32 bits, signed or not."""
        given = np.asarray(values).astype(np.int32, copy=False)
        self._count += len(given)
        joined = np.concatenate([self._rest, given]) if len(self._rest) else given
        whole = len(joined) // PER_BLOCK * PER_BLOCK
        self._pack(joined[:whole])
        self._rest = joined[whole:].copy()

    def finish(self) -> int:
        """Pack what is left of the values, and return the number of words of the array."""
        if len(self._rest):
            missing = -len(self._rest) % PER_BLOCK
            following = np.repeat(self._rest[-1:], missing)  # which needs no more bits
            if self.kind.modulus:
                following = ((following + 1 + np.arange(missing)) % self.kind.modulus).astype(np.int32)
            self._pack(np.concatenate([self._rest, following]))
            self._rest = self._rest[:0]
        blocks = -(-self._count // PER_BLOCK)
        return _first_word(blocks, self.kind) + self._file.tell() // 4

    def write(self, into: NDArray[np.int32]) -> None:
        """Write the array; `into` has as many words as `finish` returned."""
        blocks = -(-self._count // PER_BLOCK)
        into[:_HEADER] = np.array([self._count], "<i8").view(np.int32)
        widths = into[_HEADER : _HEADER + -(-blocks // 4)].view(np.uint8)
        widths[:] = 0
        widths[:blocks] = np.concatenate([np.empty(0, np.uint8), *self._widths])
        first = _first_word(blocks, self.kind)
        if self.kind.has_bases:
            into[first - blocks : first] = np.concatenate([_NO_BASES, *self._bases])
        bytes_of = into[first:].view(np.uint8)
        self._file.seek(0)
        for start in range(0, len(bytes_of), _COPIED):
            part = self._file.read(_COPIED)
            bytes_of[start : start + len(part)] = np.frombuffer(part, np.uint8)

    def _pack(self, values: NDArray[np.int32]) -> None:
        if not len(values):
            return
        rows = values.reshape(-1, PER_BLOCK)
        if self.kind.modulus:
            found, bases, widths, self._next = _measured.choose(_BYTES_A_VALUE * len(values))(
                values, self.kind.modulus, self._next
            )
            self._bases.append(bases)
            self._write(found, widths)
            return
        if self.kind.has_bases:
            bases = rows.view(np.uint32).min(axis=1).astype(np.uint32).view(np.int32)
            self._bases.append(bases)
            rows = (rows.view(np.uint32) - bases.view(np.uint32)[:, None]).view(np.int32)
        self._write(rows.reshape(-1), _widths(rows))

    def _write(self, values: NDArray[np.int32], widths: NDArray[np.uint8]) -> None:
        """Write blocks of values, each of which needs so many bits."""
        self._widths.append(widths)
        words = _packed.choose(_BYTES_A_VALUE * len(values))(values, widths)
        with reported(self._folder or "temporary file", words.nbytes):
            self._file.write(words.tobytes())


def packed(values: NDArray[Any], kind: Kind = PLAIN) -> NDArray[np.int32]:
    """A packed array in memory.

    >>> len(packed(np.arange(1000) % 8))  # 2 words of the number, 2 of widths, and 8 blocks of 12
    100
    """
    writer = PackedWriter(kind)
    writer.append(values)
    into = np.empty(writer.finish(), np.int32)
    writer.write(into)
    return into


class PackedArray:
    """A packed array in a file. It is read by slices, or by several ranges at once, and checked as it is read."""

    def __init__(self, words: CheckedArray, kind: Kind = PLAIN, add: int = 0) -> None:
        """`add` is added to every value."""
        self._words, self._kind, self._add = words, kind, add
        if len(words) < _HEADER:
            raise words.damaged(", it is too short")
        self._size = int(words[:_HEADER].view("<i8")[0])
        if not 0 <= self._size <= (len(words) - _HEADER) * 4 * PER_BLOCK:
            raise words.damaged(", it has too many values")

    def __len__(self) -> int:
        return self._size

    @cached_property
    def _blocks(self) -> PackedBlocks:
        """The places of the blocks; an error where they do not fit the array."""
        blocks = -(-self._size // PER_BLOCK)
        first = _first_word(blocks, self._kind)
        before = self._words[:first]
        if len(before) == first:
            widths = before[_HEADER : _HEADER + -(-blocks // 4)].view(np.uint8)[:blocks]
            offsets = np.empty(blocks + 1, np.int64)
            offsets[0] = first
            np.cumsum(widths, dtype=np.int64, out=offsets[1:])
            offsets[1:] = offsets[1:] * LANES + first
            # The sum of a value and what is added to it must fit 31 bits, except for columns of any numbers.
            most = 32 if self._kind == BASED else 31 - bool(self._add)
            if offsets[-1] == len(self._words) and (not blocks or int(widths.max()) <= most):
                bases = before[first - blocks :] if self._kind.has_bases else _NO_BASES
                has_bases, modulus = int(self._kind.has_bases), self._kind.modulus
                return prepared(PackedBlocks(self._words.values, widths, offsets, has_bases, bases, modulus, self._add))
        raise self._words.damaged(", its blocks do not fit together")

    def __getitem__(self, key: slice) -> NDArray[np.int32]:
        start, stop, _ = key.indices(self._size)
        return self.ranges(np.array([start]), np.array([max(start, stop)]))

    def checked_blocks(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> PackedBlocks:
        """The blocks, after a check of those that have values of these ranges."""
        blocks = self._blocks
        if self._words.is_checked:
            _check_bounds(self._words, self._size, starts, stops)
            return blocks
        _checked.choose(_BYTES_A_LIST * len(starts))(self._words, blocks, self._size, starts, stops)
        return blocks

    def mapped(self) -> tuple[PackedBlocks, BlockSums, NDArray[np.uint8]]:
        """The blocks, the checksums of their words, and which of these were compared: for kernels that compare them."""
        return self._blocks, *self._words.compared()

    def ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        """The values of ranges, one range behind the other."""
        if not len(starts):
            return np.empty(0, np.int32)
        blocks = self.checked_blocks(starts, stops)
        count = int((stops - starts).sum())
        return _unpacked.choose(_BYTES_A_VALUE * count)(blocks, starts, stops, count)

    def damaged(self, where: str) -> InputError:
        """The error for this array; `where` continues "is damaged"."""
        return self._words.damaged(where)

    def lists(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
        """The values of ascending lists that are stored as gaps, one list behind the other."""
        values = self.ranges(starts, starts + lengths)
        summed.choose(_BYTES_A_VALUE * len(values))(lengths, values)
        return values


class Frequencies(PackedArray):
    """Frequencies of terms, of which those of each term must add up to its occurrences."""

    def __init__(self, words: CheckedArray, starts: NDArray[np.int64], totals: NDArray[np.int64]) -> None:
        super().__init__(words, add=1)
        self._starts = starts  # of each term's postings
        self._sums = np.concatenate([[0], np.cumsum(totals)])

    def ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        """The frequencies of terms, or of runs of terms, one range behind the other."""
        values = super().ranges(starts, stops)
        found = np.zeros(len(values) + 1, np.int64)
        np.cumsum(values, dtype=np.int64, out=found[1:])
        ends = np.cumsum(stops - starts)
        first, last = np.searchsorted(self._starts, starts), np.searchsorted(self._starts, stops)
        if not np.array_equal(found[ends] - found[ends - (stops - starts)], self._sums[last] - self._sums[first]):
            raise self.damaged(NOT_ADDING_UP)
        return values


def gaps(values: NDArray[Any], first: NDArray[np.int64]) -> NDArray[np.int32]:
    """Ascending lists as `PackedArray.lists` reads them; `first` are the places of the first values of lists."""
    found = np.empty(len(values), np.int32)
    found[1:] = values[1:] - values[:-1] - 1
    found[first] = values[first]
    return found


def _check_bounds(words: CheckedArray, size: int, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
    """Raise InputError for a range that is not within an array of `size` values."""
    if len(starts) and (int(starts.min()) < 0 or int((stops - starts).min()) < 0 or int(stops.max()) > size):
        raise words.damaged(BEYOND_END)


def _checked_plain(
    words: CheckedArray, blocks: PackedBlocks, size: int, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> None:
    _check_bounds(words, size, starts, stops)
    filled = stops > starts
    first, last = starts[filled] // PER_BLOCK, (stops[filled] - 1) // PER_BLOCK + 1
    words.check_ranges(blocks.offsets[first], blocks.offsets[last])


@compiled_job("leadline.retrieval.index.kernels.check_lists", plain=_checked_plain)
def _checked(
    kernel: Kernel,
    words: CheckedArray,
    blocks: PackedBlocks,
    size: int,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> None:
    """Check the blocks of a file that have values of lists."""
    if words.check_by(lambda array, good: kernel(array, good, blocks, size, starts, stops, len(starts))) < 0:
        raise words.damaged(BEYOND_END)


def _first_word(blocks: int, kind: Kind) -> int:
    """The place of the first block."""
    return _HEADER + -(-blocks // 4) + (blocks if kind.has_bases else 0)


def _widths(rows: NDArray[np.int32]) -> NDArray[np.uint8]:
    """How many bits the values of each row need."""
    return np.frexp(rows.view(np.uint32).max(axis=1).astype(np.float64))[1].astype(np.uint8)


_Measured = tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.uint8]", int]


def _measured_plain(values: NDArray[np.int32], modulus: int, first: int) -> _Measured:
    before = np.empty(len(values), np.int64)  # what would come next after the value before
    before[0], before[1:] = first, values[:-1] + np.int64(1)
    before[before >= modulus] -= modulus
    found = values - before
    found[found < 0] += modulus
    small = found.astype(np.int32)
    bases, widths = before[::PER_BLOCK].astype(np.int32), _widths(small.reshape(-1, PER_BLOCK))
    return small, bases, widths, (int(values[-1]) + 1) % modulus


@compiled_job("leadline.retrieval.index.kernels.measure_gaps", plain=_measured_plain)
def _measured(kernel: Kernel, values: NDArray[np.int32], modulus: int, first: int) -> _Measured:
    """The gaps between values, what comes before each block of them, its bits, and what would come next."""
    blocks = len(values) // PER_BLOCK
    found, bases, widths = np.empty_like(values), np.empty(blocks, np.int32), np.empty(blocks, np.uint8)
    following = kernel(np.ascontiguousarray(values), blocks, modulus, first, found, bases, widths)
    return found, bases, widths, following


def _packed_plain(values: NDArray[np.int32], widths: NDArray[np.uint8]) -> NDArray[np.int32]:
    ends = np.cumsum(widths, dtype=np.int64) * LANES
    words = np.zeros(int(ends[-1]), np.uint32)
    blocks = values.view(np.uint32).reshape(-1, ROWS, LANES).astype(np.uint64)
    for width in distinct(widths[widths > 0]).tolist():
        chosen = np.flatnonzero(widths == width)
        into = np.zeros((len(chosen), width + 1, LANES), np.uint64)
        for row in range(ROWS):
            word, shift = divmod(row * width, 32)
            shifted = blocks[chosen, row] << np.uint64(shift)
            into[:, word] |= shifted & np.uint64(0xFFFFFFFF)
            into[:, word + 1] |= shifted >> np.uint64(32)
        places = ranges(ends[chosen] - width * LANES, np.full(len(chosen), width * LANES))
        words[places] = into[:, :width].reshape(-1)
    return words.view(np.int32)


@compiled_job("leadline.retrieval.index.kernels.pack_blocks", plain=_packed_plain)
def _packed(kernel: Kernel, values: NDArray[np.int32], widths: NDArray[np.uint8]) -> NDArray[np.int32]:
    """The words of blocks of values."""
    ends = np.cumsum(widths, dtype=np.int64) * LANES
    words = np.zeros(int(ends[-1]), np.int32)
    kernel(np.ascontiguousarray(values), len(widths), widths, ends - widths.astype(np.int64) * LANES, words)
    return words


def _unpacked_plain(
    blocks: PackedBlocks, starts: NDArray[np.int64], stops: NDArray[np.int64], count: int
) -> NDArray[np.int32]:
    first = starts // PER_BLOCK
    covering = distinct(ranges(first, np.where(stops > starts, (stops - 1) // PER_BLOCK + 1 - first, 0)))
    values = np.zeros((len(covering), ROWS, LANES), np.uint32)
    widths = blocks.widths[covering]
    for width in distinct(widths[widths > 0]).tolist():
        of_width = np.flatnonzero(widths == width)
        # All rows at once: a value begins in one word and may go on in the next, of which a shift by 32 is not defined.
        word, shift = np.divmod(np.arange(ROWS, dtype=np.uint32) * np.uint32(width), np.uint32(32))
        shift = shift[:, None]
        for start in range(0, len(of_width), _BLOCKS_AT_ONCE):
            chosen = of_width[start : start + _BLOCKS_AT_ONCE]
            places = blocks.offsets[covering[chosen]][:, None] + np.arange(width * LANES)
            words = np.zeros((len(chosen), width + 1, LANES), np.uint32)
            words[:, :width] = blocks.words[places].view(np.uint32).reshape(len(chosen), width, LANES)
            low, high = words[:, word], words[:, word + np.uint32(1)]
            both = low >> shift | high << np.uint32(1) << (np.uint32(31) - shift)
            values[chosen] = both & np.uint32((1 << width) - 1)
    flat = values.reshape(-1, PER_BLOCK)
    bases = blocks.bases[covering].view(np.uint32)[:, None] if blocks.has_bases else np.uint32(0)
    if blocks.modulus:
        sums = bases + np.cumsum(flat, axis=1, dtype=np.int64) + np.arange(PER_BLOCK)
        flat = (sums % blocks.modulus).astype(np.uint32)
    else:
        flat += bases
        flat += np.uint32(blocks.add)
    if len(starts) == 1:  # as when an array is read whole
        at = int(starts[0]) % PER_BLOCK
        return flat.reshape(-1)[at : at + count].view(np.int32)
    wanted = ranges(starts, stops - starts)
    rows = np.searchsorted(covering, wanted // PER_BLOCK)
    return flat[rows, wanted % PER_BLOCK].view(np.int32)


@compiled_job("leadline.retrieval.index.kernels.unpack_ranges", plain=_unpacked_plain)
def _unpacked(
    kernel: Kernel, blocks: PackedBlocks, starts: NDArray[np.int64], stops: NDArray[np.int64], count: int
) -> NDArray[np.int32]:
    into = np.empty(count, np.int32)
    kernel(blocks, starts, stops, len(starts), np.empty(PER_BLOCK, np.int64), into)
    return into


def _summed_plain(lengths: NDArray[np.int64], values: NDArray[np.int32]) -> None:
    ends = np.cumsum(lengths)
    sums = np.cumsum(values.view(np.uint32) + np.int64(1))
    before = np.concatenate([[0], sums])[ends - lengths]
    values[:] = np.minimum(sums - np.repeat(before, lengths) - 1, _LARGEST)


@compiled_job("leadline.retrieval.index.kernels.sum_lists", plain=_summed_plain)
def summed(kernel: Kernel, lengths: NDArray[np.int64], values: NDArray[np.int32]) -> None:
    """Turn the gaps of lists into their values, where they are."""
    kernel(lengths, len(lengths), values, _LARGEST)
