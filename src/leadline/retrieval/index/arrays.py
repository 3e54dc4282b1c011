"""A file of named arrays, memory-mapped: its table, checksums of its blocks, and arrays checked as they are read.

    leadline arrays 2       what the file is, and its format
    a length, a table       in JSON: for each array its name, its type, its size and its offset
    the arrays              each aligned to 64 bytes
    64 zeros
    checksums of blocks     of every array, see `block_sums`
    checksums of arrays     one per array, of the checksums of its blocks
    the root                the checksum of the table and of the checksums of arrays

Opening a file reads only its table and its end; an array, or a part of it, is checked when it is first read.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError, system_reason
from leadline.retrieval.index.kernel_arguments import BlockSums
from leadline.text.checksums import open_stored
from leadline.text.engine import Kernel, compiled_job, prepared
from leadline.text.fields import distinct, ranges
from leadline.text.files import reported, reserve_space

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The table at the start of an array file: the arrays, their places in the file, and their checksums.


FORMAT = 2
REBUILD = "build the index again"
_KIND = b"leadline arrays "
OPENING = _KIND + b"%d\n" % FORMAT
_ALIGNED = 64  # bytes: a line of the processor's cache
_TYPES = {"|u1": 1, "<u2": 2, "<f2": 2, "<i4": 4, "<f4": 4, "<i8": 8, "<u8": 8, "<f8": 8}  # and their bytes

Layout = Mapping[str, tuple[Any, int]]  # the type and the size of each array


def damaged(path: str, problem: str = "", fix: str = REBUILD) -> InputError:
    """The error for a damaged file."""
    return InputError(path, f"is damaged{', ' * bool(problem)}{problem}: {fix}")


def newer_format(path: str, found: int, known: int) -> InputError:
    """The error for a file of a later version of Leadline."""
    return InputError(path, f"has format {found}, this version reads up to {known}: update leadline")


def header_of(layout: Layout) -> tuple[bytes, int]:
    """The first bytes of a file with these arrays, and the size of the file."""
    table, at, sums = {}, 0, 0
    for name, (dtype, size) in layout.items():
        kind = np.dtype(dtype).newbyteorder("<").str
        table[name] = {"type": kind, "size": size, "at": at}
        padded = _aligned(size * _TYPES[kind])
        at, sums = at + padded, sums + -(-padded // BLOCK)
    written = json.dumps({"arrays": table}).encode()
    header = OPENING + len(written).to_bytes(8, "little") + written
    header += bytes(_aligned(len(header)) - len(header))
    return header, len(header) + at + _ALIGNED + 8 * (sums + len(table) + 1)


@dataclass(frozen=True)
class ArrayPlace:
    """The place of an array in a file, and the number of its first block among all checksums."""

    number: int
    type: str
    size: int
    start: int
    first_sum: int

    @property
    def padded(self) -> int:
        """The size in the file in bytes, with padding; the checksums cover it."""
        return _aligned(self.size * _TYPES[self.type])

    @property
    def blocks(self) -> int:
        return -(-self.padded // BLOCK)

    def values(self, whole: NDArray[np.uint8]) -> NDArray[Any]:
        return whole[self.start : self.start + self.size * _TYPES[self.type]].view(self.type)

    def words(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        return whole[self.start : self.start + self.padded].view("<u8")


class ArrayTable:
    """The table at the start of a file, with every number checked against the size of the file."""

    def __init__(self, whole: NDArray[np.uint8], path: str, fix: str = REBUILD) -> None:
        described, begin = _described(whole, path, fix)
        self.places: dict[str, ArrayPlace] = {}
        end, sums = begin, 0
        for number, (name, about) in enumerate(described.items()):
            place = _place(number, about, end, begin, sums)
            if place is None:
                raise damaged(path, f"its table is wrong at {name!r}", fix)
            self.places[name] = place
            end, sums = end + place.padded, sums + place.blocks
        self.header = begin
        self._sums_at = end + _ALIGNED  # after zeros, because kernels may load a few bytes beyond the last array
        self._checks_at = self._sums_at + 8 * sums
        self._root_at = self._checks_at + 8 * len(self.places)
        if len(whole) != self._root_at + 8:
            raise damaged(path, f"it has {len(whole)} bytes, not {self._root_at + 8}", fix)

    def sums(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """The checksums of all blocks."""
        return whole[self._sums_at : self._checks_at].view("<u8")

    def checks(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """For each array, the checksum of its blocks' checksums."""
        return whole[self._checks_at : self._root_at].view("<u8")

    def root(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """The checksum of the table and of the checksums of arrays, as an array of one."""
        return whole[self._root_at :].view("<u8")


def _described(whole: NDArray[np.uint8], path: str, fix: str) -> tuple[dict[str, Any], int]:
    """The table as parsed JSON, and the offset of the first array."""
    opening = whole[: len(OPENING)].tobytes()
    if opening != OPENING:
        kind, number = opening[: len(_KIND)], opening[len(_KIND) :].strip()
        if kind != _KIND or not number.isdigit():
            raise InputError(path, f"is not a file of an index, or damaged: {fix}")
        if int(number) < FORMAT:
            raise InputError(path, f"has format {int(number)}, which has no checksums: {fix}")
        raise newer_format(path, int(number), FORMAT)
    start = len(OPENING) + 8
    length = min(int.from_bytes(whole[len(OPENING) : start].tobytes(), "little"), len(whole))
    try:
        described = json.loads(whole[start : start + length].tobytes())["arrays"]
    except (ValueError, TypeError, KeyError, RecursionError):
        described = None
    if not isinstance(described, dict):
        raise damaged(path, "its table cannot be read", fix)
    return described, _aligned(start + length)


def _place(number: int, about: Any, end: int, begin: int, sums: int) -> ArrayPlace | None:
    """The place of an array; None where its entry is invalid, or does not follow the array before it."""
    if not isinstance(about, dict) or about.get("type") not in list(_TYPES):
        return None
    size = about.get("size")
    if type(size) is not int or not 0 <= size < 1 << 48 or about.get("at") != end - begin:
        return None
    return ArrayPlace(number, about["type"], size, end, sums)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


# An array on disk. Each block is checked when it is first read: its checksum, and the bounds of its values.


class ValueBounds(NamedTuple):
    """Bounds of the values of an array; None where there is none."""

    least: int | None = None
    most: int | None = None
    total: int | None = None  # upper bound of their sum


ANY = ValueBounds()


class CheckedArray:
    """An array that is read by slices or by arrays of indices; every block is checked when it is first read."""

    def __init__(
        self,
        whole: NDArray[np.uint8],
        place: ArrayPlace,
        sums: NDArray[np.uint64],
        bounds: ValueBounds,
        names: tuple[str, str, str],
    ) -> None:
        """`names` are the path, the name of the array, and the fix, for errors."""
        self._values, self._words = place.values(whole), place.words(whole)
        self._sums, self._start = sums, place.start
        self._bounds, self._total = bounds, 0
        self._path, self._name, self._fix = names
        self._per_block = BLOCK // self._values.itemsize
        self._good = np.zeros(len(sums), np.bool_)
        self._left = len(sums)  # blocks that are not checked yet
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._values.dtype

    def __getitem__(self, key: slice | NDArray[np.integer[Any]]) -> NDArray[Any]:
        if self._left:
            if isinstance(key, slice):
                start, stop, _ = key.indices(len(self))
            elif len(key):
                start, stop = int(key.min()), int(key.max()) + 1
            else:
                start = stop = 0
            if start < 0 or stop > len(self):
                raise self.damaged("")
            if start < stop:
                first, last = start // self._per_block, -(-stop // self._per_block)
                if not self._good[first:last].all():
                    self._check(first + np.flatnonzero(~self._good[first:last]))
        elif not isinstance(key, slice) and len(key) and (int(key.min()) < 0 or int(key.max()) >= len(self)):
            raise self.damaged("")
        return self._values[key]

    @property
    def values(self) -> NDArray[Any]:
        """All values, also those that are not checked yet."""
        return self._values

    def check_ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """Check the blocks of several ranges within the array."""
        if self._left:
            first = starts // self._per_block
            covering = ranges(first, np.where(stops > starts, (stops - 1) // self._per_block - first + 1, 0))
            missing = covering[~self._good[covering]]
            if len(missing):
                self._check(distinct(missing))

    @property
    def is_checked(self) -> bool:
        """Whether all blocks have been checked."""
        return not self._left

    def check_by(self, kernel: Callable[[BlockSums, NDArray[np.uint8]], int]) -> int:
        """Check blocks by a kernel, and return what it does; see `kernels.py`. The array has no bounds."""
        assert self._bounds is ANY
        with self._lock:
            found = kernel(self._block_sums, self._good.view(np.uint8))
            if found < -1:
                raise self.damaged(f" at byte {self._start + (-2 - found) * BLOCK}")
            self._left -= max(found, 0)
        return found

    def compared(self) -> tuple[BlockSums, NDArray[np.uint8]]:
        """The checksums, and which were compared: a kernel that compares one says so there. The array has no bounds."""
        assert self._bounds is ANY
        return self._block_sums, self._good.view(np.uint8)

    @cached_property
    def _block_sums(self) -> BlockSums:
        return prepared(sums_of(self._words, self._sums))

    def _check(self, blocks: NDArray[np.int64]) -> None:
        """Check ascending blocks: their checksums, and the bounds of their values."""
        with self._lock:  # a block is added to the total once
            blocks = blocks[~self._good[blocks]]
            whole = self._values.dtype != np.int32 and self._bounds is not ANY  # such arrays are always read in full
            values = self._values if self._bounds is not ANY and not whole else None
            found = check_blocks(self._words, self._sums, blocks, values)
            if isinstance(found, int):
                raise self.damaged(f" at byte {self._start + found * BLOCK}")
            if whole:
                found = Extent(int(self._values.min()), int(self._values.max()), 0)
            least, most, total = self._bounds
            self._total += found.total
            if (least is not None and found.least < least) or (most is not None and found.most > most):
                raise self.damaged(", a value is out of range")
            if total is not None and self._total > total:
                raise self.damaged(", its values add up to more than they can")
            self._good[blocks] = True
            self._left -= len(blocks)

    def damaged(self, where: str) -> InputError:
        """The error for this array; `where` continues "is damaged"."""
        return InputError(self._path, f"is damaged{where} ({self._name}): {self._fix}")


@contextlib.contextmanager
def create(path: str | os.PathLike[str], layout: Layout) -> Iterator[dict[str, NDArray[Any]]]:
    """A new file of memory-mapped arrays to fill; its checksums are written at the end."""
    try:
        yield begin_file(path, layout)
        finish_file(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(path).unlink()
        raise


def write(path: str | os.PathLike[str], content: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays that are in memory as a new file."""
    with create(path, {name: (array.dtype, len(array)) for name, array in content.items()}) as into:
        for name, array in content.items():
            into[name][:] = array


def begin_file(path: str | os.PathLike[str], layout: Layout) -> dict[str, NDArray[Any]]:
    """A new file of arrays to fill, without checksums until `finish_file` is called."""
    header, size = header_of(layout)
    with reported(path, size), open(path, "wb", opener=open_stored) as file:
        reserve_space(file.fileno(), size)
        file.write(header)
    return _filled(path)


def resume_file(path: str | os.PathLike[str], layout: Layout) -> dict[str, NDArray[Any]] | None:
    """The arrays of an unfinished file; None where there is none with this layout."""
    header, size = header_of(layout)
    try:
        with open(path, "rb", opener=open_stored) as file:
            same = os.fstat(file.fileno()).st_size == size and file.read(len(header)) == header
    except OSError:
        return None
    return _filled(path) if same else None


def finish_file(path: str | os.PathLike[str]) -> None:
    """Write the checksums of a filled file."""
    whole = _mapped(path, "r+")
    table = ArrayTable(whole, os.fspath(path))
    sums, checks = table.sums(whole), table.checks(whole)
    for place in table.places.values():
        array_sums = sums[place.first_sum : place.first_sum + place.blocks]
        array_sums[:] = block_sums(place.words(whole))
        checks[place.number] = zlib.crc32(array_sums.data)
    table.root(whole)[0] = _root(table, whole)


def sync_file(path: str | os.PathLike[str]) -> None:
    """Flush a file to disk, with everything written through memory maps."""
    with reported(path), open(path, "rb+", opener=open_stored) as file:
        os.fsync(file.fileno())


def _mapped(path: str | os.PathLike[str], mode: Any) -> NDArray[np.uint8]:
    with open(path, "rb" if mode == "r" else "rb+", opener=open_stored) as file:
        return np.memmap(file, np.uint8, mode).view(np.ndarray)  # a plain array: memmap's own slices are slow


def _filled(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """The arrays of a file that is being written."""
    whole = _mapped(path, "r+")
    return {name: place.values(whole) for name, place in ArrayTable(whole, os.fspath(path)).places.items()}


def _root(table: ArrayTable, whole: NDArray[np.uint8]) -> int:
    return zlib.crc32(whole[: table.header].data) << 32 | zlib.crc32(table.checks(whole).data)


class ArrayFile:
    """The arrays of a file, checked against their checksums when they are first read."""

    def __init__(self, whole: NDArray[np.uint8], path: str, fix: str = REBUILD) -> None:
        self.path, self._whole, self._fix = path, whole, fix
        self._table = ArrayTable(whole, path, fix)
        if int(self._table.root(whole)[0]) != _root(self._table, whole):
            raise damaged(path, "the checksum of its table does not fit", fix)
        self._arrays: dict[str, CheckedArray] = {}

    @property
    def root(self) -> str:
        """The checksum of all checksums of the file."""
        return f"{int(self._table.root(self._whole)[0]):016x}"

    def names(self) -> list[str]:
        return list(self._table.places)

    def size(self, name: str) -> int:
        """The number of values of an array, without reading them."""
        return self._place(name).size

    def checked(self, name: str, dtype: Any = None, bounds: ValueBounds = ANY, what: str = "") -> CheckedArray:
        """An array whose parts are checked when they are read; `what` names it in errors."""
        place = self._place(name)
        if dtype is not None and np.dtype(dtype) != np.dtype(place.type):
            raise damaged(self.path, f"{name} has the type {place.type}", self._fix)
        if name not in self._arrays:
            sums = self._table.sums(self._whole)[place.first_sum : place.first_sum + place.blocks]
            if int(self._table.checks(self._whole)[place.number]) != zlib.crc32(sums.data):
                raise damaged(self.path, f"the checksums of {what or name} do not fit", self._fix)
            names = self.path, what or name, self._fix
            self._arrays[name] = CheckedArray(self._whole, place, sums, bounds, names)
        return self._arrays[name]

    def whole(self, name: str, dtype: Any = None, bounds: ValueBounds = ANY, what: str = "") -> NDArray[Any]:
        """An array, checked in full."""
        return self.checked(name, dtype, bounds, what)[:]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.whole(name)

    def _place(self, name: str) -> ArrayPlace:
        if name not in self._table.places:
            raise damaged(self.path, f"it has no {name}", self._fix)
        return self._table.places[name]


def read(path: str | os.PathLike[str], fix: str = REBUILD) -> ArrayFile:
    """The memory-mapped arrays of a file; `fix` is the advice in the error for a damaged file."""
    name = os.fspath(path)
    try:
        return ArrayFile(_mapped(path, "r"), name, fix)
    except ValueError:  # an empty file cannot be mapped
        raise damaged(name, "it is empty", fix) from None
    except FileNotFoundError:
        raise InputError(name, f"is missing: {fix}") from None
    except OSError as error:
        raise InputError(name, f"cannot be read: {system_reason(error)}") from None


def from_bytes(content: bytes, name: str) -> ArrayFile:
    """The arrays of a file whose bytes are in memory."""
    return ArrayFile(np.frombuffer(content, np.uint8), name)


# Checksums of the blocks of an array, so that a part of a large file can be checked without reading all of it.
#
# A block is 4096 bytes: 1024 integers of 32 bits. Each is multiplied by its own odd 32-bit key, and the products are
# added up in 64 bits, with a term for the number of the block. A product does not overflow, so a change of one integer,
# or of any two bits, is always detected; any other change is missed with a probability of about 2⁻³¹. NumPy computes
# this faster than zlib's CRC-32, and machine code as fast as memory is read.


BLOCK = 4096  # bytes
WORDS = BLOCK // 8
_LOW_HALF, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_EMPTY_EXTENT = (2**31 - 1, -(2**31), 0)
_NONE = np.empty(0, np.int32)
_BYTES_A_BYTE = 0.05  # NumPy sums a byte in the time in which plain Python reads so many bytes of text


@cache
def block_keys() -> NDArray[np.uint64]:
    """The keys of the low halves of 64-bit words, then those of the high halves."""
    # Steele and others, Fast splittable pseudorandom number generators, OOPSLA 2014: the numbers of SplitMix64.
    mixed = np.arange(1, 2 * WORDS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> _HALF) | np.uint64(1)


@dataclass(frozen=True)
class Extent:
    """The minimum, the maximum and the sum of values."""

    least: int
    most: int
    total: int


def block_sums(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The checksum of each block of an array; the last block may be shorter than the others.

    >>> block_sums(np.array([0, 1], np.uint64)).tolist() == [int(block_keys()[0] + block_keys()[1])]
    True
    """
    return _summed.choose(int(_BYTES_A_BYTE * words.nbytes))(words)


def check_blocks(
    words: NDArray[np.uint64], sums: NDArray[np.uint64], numbers: NDArray[np.int64], values: NDArray[np.int32] | None
) -> int | Extent:
    """Check blocks: the number of the first whose checksum does not fit, or the extent of the values if all do.

    `values` is the array as 32-bit integers, or None where the extent is not needed.
    """
    return _checked.choose(int(_BYTES_A_BYTE * BLOCK * len(numbers)))(words, sums, numbers, values)


def sums_of(words: NDArray[np.uint64], sums: NDArray[np.uint64]) -> BlockSums:
    """An array and the checksums of its blocks, as the argument of a kernel."""
    return BlockSums(words, len(words), WORDS, block_keys(), sums)


def _rows(words: NDArray[np.uint64], numbers: NDArray[np.int64]) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
    """The words of blocks, one row per block, 64 blocks at a time so that they stay in the processor's cache."""
    full = len(words) // WORDS
    rows = words[: full * WORDS].reshape(-1, WORDS)
    whole = int(np.searchsorted(numbers, full))
    for start in range(0, whole, 64):
        part = slice(start, min(start + 64, whole))
        yield part, rows[numbers[part]]
    if whole < len(numbers):
        yield slice(whole, whole + 1), words[full * WORDS :].reshape(1, -1)


def _sum_rows(rows: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    keys, width = block_keys(), rows.shape[1]
    products = (rows & _LOW_HALF) @ keys[:width] + (rows >> _HALF) @ keys[WORDS : WORDS + width]
    return products + keys[0] * (numbers + 1).astype(np.uint64)


def _summed_plain(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    numbers = np.arange(-(-len(words) // WORDS))
    return np.concatenate(
        [np.empty(0, np.uint64), *(_sum_rows(rows, numbers[part]) for part, rows in _rows(words, numbers))]
    )


@compiled_job("leadline.retrieval.index.kernels.sum_blocks", plain=_summed_plain)
def _summed(kernel: Kernel, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    sums = np.empty(-(-len(words) // WORDS), np.uint64)
    kernel(sums_of(words, sums), len(sums))
    return sums


def _checked_plain(
    words: NDArray[np.uint64], sums: NDArray[np.uint64], numbers: NDArray[np.int64], values: NDArray[np.int32] | None
) -> int | Extent:
    least, most, total = _EMPTY_EXTENT
    for part, rows in _rows(words, numbers):
        wrong = np.flatnonzero(_sum_rows(rows, numbers[part]) != sums[numbers[part]])
        if len(wrong):
            return int(numbers[part][wrong[0]])
        if values is not None:
            read = rows.reshape(-1).view(np.int32)
            end = 2 * (int(numbers[part][-1]) * WORDS + rows.shape[1])
            read = read[: len(read) - max(0, end - len(values))]  # without the padding after the array
            least, most = min(least, int(read.min())), max(most, int(read.max()))
            total += int(read.sum(dtype=np.int64))
    return Extent(least, most, total)


@compiled_job("leadline.retrieval.index.kernels.check_blocks", plain=_checked_plain)
def _checked(
    kernel: Kernel,
    words: NDArray[np.uint64],
    sums: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    values: NDArray[np.int32] | None,
) -> int | Extent:
    extent = np.array(_EMPTY_EXTENT, np.int64)
    checked = _NONE if values is None else values
    wrong = kernel(sums_of(words, sums), numbers, len(numbers), checked, len(checked), extent)
    return int(numbers[wrong]) if wrong >= 0 else Extent(*extent.tolist())
