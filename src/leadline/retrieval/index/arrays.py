"""A file of named arrays, memory-mapped and checked against checksums when they are first read.

    leadline arrays 2       what the file is, and its format
    a length, a table       in JSON: for each array its name, its type, its size and its offset
    the arrays              each aligned to 64 bytes
    64 zeros
    checksums of blocks     of every array, see `blocks.py`
    checksums of arrays     one per array, of the checksums of its blocks
    the root                the checksum of the table and of the checksums of arrays

Opening a file reads only its table and its end; an array, or a part of it, is checked when it is first read.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, system_reason
from leadline.retrieval.index.array_table import REBUILD, ArrayPlace, ArrayTable, Layout, damaged, header_of
from leadline.retrieval.index.blocks import block_sums
from leadline.retrieval.index.checked_array import ANY, CheckedArray, ValueBounds
from leadline.text.files import reported, reserve_space
from leadline.text.stored import open_stored

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
