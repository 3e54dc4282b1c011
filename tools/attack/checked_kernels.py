"""A pytest plugin that runs every kernel with bounds checks: `make test-bounds`.

    PYTHONPATH=tools/attack LEADLINE_ENGINE=compiled pytest -p checked_kernels tests/text/test_two_engines.py

The shipped kernels get addresses, whose bounds no compiler knows. Here the same functions are compiled for the arrays
themselves, with an IndexError for every index below 0 or beyond the array. The eight and 64 bytes that `load64` and
`where_within` load at once must lie in the array too, so the padding behind a text counts and nothing behind that does.
Nothing is read from the cache or written to it. Processes that a test starts use the shipped kernels.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np


def _refuse_negative_indexes() -> None:
    """Let index -1 fail: in the shipped kernels it is the element before the array, not the last one."""
    from numba.np import arrayobj

    def as_it_is(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
        from numba import types

        return context.cast(builder, index, kind, types.intp)

    def without_wraparound(context: Any, builder: Any, kind: Any, array: Any, indexes: Any, **options: Any) -> Any:
        return item_pointer(context, builder, kind, array, indexes, **{**options, "wraparound": False})

    item_pointer = arrayobj.cgutils.get_item_pointer
    arrayobj.fix_integer_index = as_it_is
    arrayobj.cgutils.get_item_pointer = without_wraparound


def _checked_loads() -> None:
    """Replace the two loads of several bytes by ones that check, before the kernels that use them are imported."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    from leadline.text import kernels as primitives

    def address(context: Any, builder: Any, kind: Any, array: Any, offset: Any, width: int) -> Any:
        made = context.make_array(kind)(context, builder, array)
        last = builder.add(offset, offset.type(width - 1))
        wrong = builder.or_(
            builder.icmp_signed("<", offset, offset.type(0)), builder.icmp_signed(">=", last, made.nitems)
        )
        with cgutils.if_unlikely(builder, wrong):
            context.call_conv.return_user_exc(builder, IndexError, (f"a load of {width} bytes is out of bounds",))
        return builder.gep(made.data, [offset])

    @intrinsic
    def load64(_context: Any, text: Any, _offset: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = address(context, builder, signature.args[0], args[0], args[1], 8)
            word = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
            word.align = 1
            return word

        return types.uint64(text, types.int64), generate

    @intrinsic
    def where_within(_context: Any, text: Any, _offset: Any, _low: Any, _span: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place = address(context, builder, signature.args[0], args[0], args[1], 64)
            vector = ir.VectorType(ir.IntType(8), 64)
            same = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)

            def everywhere(byte: Any) -> Any:
                one = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
                return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), same)

            content = builder.load(builder.bitcast(place, vector.as_pointer()))
            content.align = 1
            inside = builder.icmp_unsigned("<", builder.sub(content, everywhere(args[2])), everywhere(args[3]))
            return builder.bitcast(inside, ir.IntType(64))

        return types.uint64(text, types.int64, types.uint8, types.uint8), generate

    primitives.load64, primitives.where_within = load64, where_within


def checked_kernels(package: str) -> Mapping[str, Any]:
    """The kernels of a package, compiled for arrays and with bounds checks."""
    import numba

    from leadline.text.engine import _kernel_functions

    def checked(function: Any) -> Any:
        compiled = numba.njit(error_model="numpy", boundscheck=True)(function)
        unsigned = [name for name, kind in function.__annotations__.items() if kind == "UInt64"]
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        wide = [name in unsigned for name in names]

        def call(*values: Any) -> int:
            return int(compiled(*(np.uint64(v) if u else _flat(v) for v, u in zip(values, wide, strict=True))))

        return call

    return {function.__name__: checked(function) for function in _kernel_functions(package)}


def _flat(value: Any) -> Any:
    """An array as the kernels see it, in one dimension; groups member by member."""
    if isinstance(value, tuple):
        return type(value)(*map(_flat, value))  # type: ignore[call-arg]
    return value.reshape(-1) if isinstance(value, np.ndarray) else value


def install() -> None:
    """Let every engine of this process use the checked kernels."""
    numba = importlib.import_module("numba")
    numba.config.BOUNDSCHECK = 1  # also for the functions that are inlined
    _refuse_negative_indexes()
    _checked_loads()
    from leadline.text import engine as compiled

    compiled.KernelLibrary.is_cached = lambda _self: True  # type: ignore[method-assign]
    compiled.KernelLibrary.load = lambda self: (checked_kernels(self.module), None)  # type: ignore[method-assign]


install()
