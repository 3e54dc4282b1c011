"""Where the columns of a Parquet file begin, from its footer.

The footer is a Thrift structure in the compact protocol. Only files that were written a moment ago are read.
"""

from __future__ import annotations

import mmap
import struct
from typing import Any

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
# The numbers of the fields in Parquet's definition.
_ROW_GROUPS, _COLUMNS, _ROWS, _ABOUT_COLUMN, _DATA, _DICTIONARY = 4, 1, 3, 3, 9, 11


def chunk_starts(content: bytes | mmap.mmap) -> tuple[list[int], list[int]]:
    """The first byte of each column of each row group, in their order, and the number of rows of each row group."""
    length = struct.unpack_from("<I", content, len(content) - 8)[0]
    footer = _Reader(content[-8 - length : -8]).structure()
    starts, rows = [], []
    for group in footer.get(_ROW_GROUPS, []):
        rows.append(group[_ROWS])
        for column in group[_COLUMNS]:
            about = column[_ABOUT_COLUMN]
            starts.append(min(about[_DATA], about.get(_DICTIONARY) or about[_DATA]))
    if starts != sorted(starts):
        raise ValueError("the columns of a Parquet file must be in order")
    return starts, rows


class _Reader:
    """Values of the compact protocol, one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def structure(self) -> dict[int, Any]:
        """A structure as its fields by number."""
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            number = number + (kind >> 4) if kind >> 4 else self._integer()
            fields[number] = kind & 15 == _TRUE if kind & 15 in (_TRUE, _FALSE) else self._element(kind & 15)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE, _BYTE):  # in a list, a truth value is a byte
            return self._byte()
        if kind == _DOUBLE:
            self.place += 8
            return None
        if kind == _BINARY:
            length = self._unsigned()
            self.place += length
            return self.content[self.place - length : self.place]
        if kind in (_LIST, _SET):
            head = self._byte()
            count = self._unsigned() if head >> 4 == 15 else head >> 4
            return [self._element(head & 15) for _ in range(count)]
        if kind == _MAP:
            count = self._unsigned()
            kinds = self._byte() if count else 0
            return [(self._element(kinds >> 4), self._element(kinds & 15)) for _ in range(count)]
        return self._integer()

    def _element(self, kind: int) -> Any:
        return self.structure() if kind == _STRUCT else self._value(kind)

    def _byte(self) -> int:
        self.place += 1
        return self.content[self.place - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
