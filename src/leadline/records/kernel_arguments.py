"""What the kernels of runs take; see `text/kernel_arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Floats, Int32s, Int64s, UInt64s

LEFT_TO_PYTHON = 3  # where `state` counts the numbers that Python must read


class RunTopics(NamedTuple):
    """The topics of a run in the order of first sight, and a hash table of them: a slot holds a number plus 1, or 0."""

    slots: Int32s
    mask: int
    starts: Int64s
    lengths: Int32s
    hashes: UInt64s


class RunLines(NamedTuple):
    """A run's lines: the number of the topic, where the document's id stands, its hash, and the sorting key."""

    topic: Int32s
    starts: Int64s
    lengths: Int32s
    hashes: UInt64s
    keys: Floats


class LineOrder(NamedTuple):
    """Lines in order, with room for a merge sort and for a hash table of four slots a line."""

    sequence: Int32s
    spare: Int32s
    slots: Int32s
