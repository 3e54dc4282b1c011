"""What the kernels of reviewing take; see `text/kernel_arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Float32s, Floats, Int32s, Int64s


class SparseRows(NamedTuple):
    """Row r has the values values[offsets[r]:offsets[r + 1]] in the columns of the same places."""

    offsets: Int64s
    columns: Int32s
    values: Float32s


class JudgedRows(NamedTuple):
    """The judged documents in the order of their judgements, and the state of the machine for each."""

    rows: Int32s
    signs: Floats  # 1 for relevant, -1 for not
    damping: Floats  # 1 / (2 · C · weight): large where an error costs little
    duals: Floats  # how much each holds the boundary; changed
    squares: Floats  # the product of each with itself, and 1 for the constant
