"""The order of the ids of documents, in arrays: no id becomes an object of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.terms import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BYTES = 8  # of a name that are compared at once
_AT_ONCE = 1 << 18  # names whose bytes are read together


def sorted_places(names: Terms) -> NDArray[np.int32]:
    """The rank of each name when all are sorted by their bytes; InputError where two are the same.

    They are sorted by their first eight bytes, as numbers; those that are the same so far by the next eight, and so on.

    >>> sorted_places(Terms.of([b"EP2", b"EP", b"WO199500123", b"WO199500101"])).tolist()
    [1, 0, 3, 2]
    """
    order = np.arange(len(names), dtype=np.int32)
    undecided = order.astype(np.int64)  # places of the order whose names are not told apart yet
    group = np.zeros(len(names), np.int32)  # the same for those that are the same so far
    depth = 0
    while len(undecided):
        rows = order[undecided]
        key, length = _bytes_of(names, rows, depth)
        sorted_by = np.lexsort((length, key, group))
        order[undecided], key, length = rows[sorted_by], key[sorted_by], length[sorted_by]
        group = group[sorted_by]
        same = np.zeros(len(undecided) + 1, np.bool_)  # as the one before
        same[1:-1] = (group[1:] == group[:-1]) & (key[1:] == key[:-1]) & (length[1:] == length[:-1])
        twice = np.flatnonzero(same[:-1] & (length < _BYTES))  # both names end here
        if len(twice):
            name = names[int(order[undecided[twice[0]]])].decode()
            raise InputError(name, "is in the index already: ids must be unique")
        left = np.flatnonzero(same[:-1] | same[1:])
        group = np.cumsum(~same[:-1][left], dtype=np.int32)
        undecided, depth = undecided[left], depth + _BYTES
    places = np.empty(len(names), np.int32)
    places[order] = np.arange(len(names), dtype=np.int32)
    return places


def _bytes_of(names: Terms, rows: NDArray[np.int32], depth: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """The next eight bytes of each name as a number, and how many of them it has."""
    key, length = np.zeros(len(rows), np.uint64), np.empty(len(rows), np.uint8)
    for first in range(0, len(rows), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        starts, ends = names.offsets[rows[part]] + depth, names.offsets[rows[part] + 1]
        length[part] = np.clip(ends - starts, 0, _BYTES)
        for place in range(_BYTES):
            here = length[part] > place
            values = np.zeros(len(here), np.uint64)
            values[here] = names.buffer[starts[here] + place]
            key[part] = key[part] << np.uint64(8) | values
    return key, length
