"""A file of named arrays, which are read where they lie: nothing is copied into memory until it is looked at.

The file opens with a line that says what it is, the length of a table in JSON, and the table: for each array its name,
its type, its size and where it begins. So a file that was cut short is known at once.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPENING = b"leadline arrays 1\n"
_ALIGNED = 64  # bytes: a line of the processor's cache

Layout = Mapping[str, tuple[Any, int]]  # the type and the size of each array


def create(path: str | os.PathLike[str], layout: Layout) -> dict[str, NDArray[Any]]:
    """A new file of arrays to be filled: they are in the file, not in memory."""
    table, at = {}, 0
    for name, (dtype, size) in layout.items():
        kind = np.dtype(dtype).newbyteorder("<")
        table[name] = {"type": kind.str, "size": size, "at": at}
        at += -(-size * kind.itemsize // _ALIGNED) * _ALIGNED
    written = json.dumps({"arrays": table, "bytes": at}).encode()
    opening = OPENING + len(written).to_bytes(8, "little") + written
    begin = -(-len(opening) // _ALIGNED) * _ALIGNED
    with open(path, "wb") as file:
        file.write(opening)
        file.truncate(begin + at + _ALIGNED)  # the kernels may load a few bytes beyond the last array
    return _mapped(path, table, begin, "r+")


def read(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """The arrays of a file, not yet in memory."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            table, begin = _table(file, os.fstat(file.fileno()).st_size, name)
    except FileNotFoundError:
        raise InputError(name, "is missing: build the index again") from None
    except OSError as error:
        raise InputError(name, f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    return _mapped(path, table, begin, "r")


def from_bytes(content: bytes, name: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file whose bytes are in memory."""
    table, begin = _table(io.BytesIO(content), len(content), name)
    return _views(np.frombuffer(content, np.uint8), table, begin)


def _table(file: IO[bytes], size: int, name: str) -> tuple[Mapping[str, Any], int]:
    """What the opening of a file says of its arrays, and where they begin."""
    if file.read(len(OPENING)) != OPENING:
        raise InputError(name, "is not a file of an index")
    length = int.from_bytes(file.read(8), "little")
    try:
        table = json.loads(file.read(length)) if length < size else None
    except ValueError:
        table = None
    begin = -(-(len(OPENING) + 8 + length) // _ALIGNED) * _ALIGNED
    if table is None or size != begin + table["bytes"] + _ALIGNED:
        raise InputError(name, "is cut short or damaged: build the index again")
    return table["arrays"], begin


def _mapped(path: str | os.PathLike[str], table: Mapping[str, Any], begin: int, mode: Any) -> dict[str, NDArray[Any]]:
    whole = np.memmap(path, np.uint8, mode).view(np.ndarray)  # a plain array: memmap's own slices are slow
    return _views(whole, table, begin)


def _views(whole: NDArray[np.uint8], table: Mapping[str, Any], begin: int) -> dict[str, NDArray[Any]]:
    return {
        name: whole[begin + about["at"] :][: about["size"] * np.dtype(about["type"]).itemsize].view(about["type"])
        for name, about in table.items()
    }
