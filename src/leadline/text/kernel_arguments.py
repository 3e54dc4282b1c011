"""What kernels take: arrays of one type, whole numbers, and named groups of them.

A kernel is a function marked `kernel`. Its annotations declare it: an array type below, `int`, `UInt64` for a hash
seed, or a NamedTuple of these. `engine.py` reads them, and every call is checked against them. This module imports
no Numba, so that callers can build groups without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    # mypy must not apply NumPy's rules for scalars to code that Numba compiles.
    Bytes: TypeAlias = Any
    UInt16s: TypeAlias = Any
    Int32s: TypeAlias = Any
    Int64s: TypeAlias = Any
    UInt64s: TypeAlias = Any
    Floats: TypeAlias = Any
    Float32s: TypeAlias = Any
    UInt64: TypeAlias = Any
else:

    class Array:
        """A contiguous array of `dtype`."""

        dtype = None

    class Bytes(Array):
        dtype = np.uint8

    class UInt16s(Array):
        dtype = np.uint16

    class Int32s(Array):
        dtype = np.int32

    class Int64s(Array):
        dtype = np.int64

    class UInt64s(Array):
        dtype = np.uint64

    class Floats(Array):
        dtype = np.float64

    class Float32s(Array):
        dtype = np.float32

    UInt64 = np.uint64

_Function = TypeVar("_Function", bound=Callable[..., int])


def kernel(function: _Function) -> _Function:
    """Mark a function as a kernel: it is compiled, and can be called from Python by its name."""
    function.__dict__["is_kernel"] = True
    return function


class FieldSlices(NamedTuple):
    """Fields as slices of a buffer."""

    buffer: Bytes
    starts: Int64s
    lengths: Int32s


class HashTable(NamedTuple):
    """Numbers of distinct values by their hash: a slot holds a number plus 1, or 0."""

    slots: Int32s
    mask: int  # number of slots - 1
    hashes: UInt64s  # of each value, by its number
