"""Text with fields separated by blanks, as runs and qrels have it, read by the kernels or by plain Python alike.

Blanks are space, tab, carriage return, vertical tab and form feed. A line whose first field starts with `#` is
a comment. Empty lines are skipped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.text import compiled
from leadline.text.engine import use_kernels
from leadline.text.ids import SEED, Ids, encode_id
from leadline.text.source import SourceText

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOO_FEW_FIELDS, NOT_A_NUMBER, NAN = -1, -2, -3  # as the kernels report them


@dataclass(frozen=True)
class Coded:
    """A column as its distinct values, in the order in which they first occur, and the index of each line's value.

    >>> coded = Coded.of(["b", "a", "b"])
    >>> coded.names, coded.codes
    ([b'b', b'a'], array([0, 1, 0], dtype=int32))
    """

    ids: Ids
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, values: Iterable[str | bytes]) -> Coded:
        known: dict[bytes, int] = {}
        codes = [known.setdefault(encode_id(value), len(known)) for value in values]
        return cls(Ids.of(known), np.array(codes, np.int32))

    def __len__(self) -> int:
        """The number of distinct values."""
        return len(self.ids)

    @cached_property
    def names(self) -> list[bytes]:
        return self.ids.as_bytes()

    def pair(self, other: Coded) -> NDArray[np.int64]:
        """One number per line; two lines have the same number where both columns are equal."""
        return self.codes.astype(np.int64) * len(other) + other.codes

    def at(self, lines: NDArray[np.int64]) -> Coded:
        """Return only some of the lines."""
        return Coded(self.ids, self.codes[lines])


@dataclass(frozen=True)
class FieldTable:
    """The fields of every line. A missing field is empty."""

    text: SourceText
    columns: int  # fields of the longest line, at most as many as were asked for
    ids: tuple[Ids, ...]  # one for each column
    compiled: bool
    _coded: dict[int, Coded] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.ids[0])

    def coded(self, column: int) -> Coded:
        """Return a column as its distinct values."""
        if column not in self._coded:
            ids = self.ids[column]
            self._coded[column] = self._encode(ids) if self.compiled else Coded.of(ids.as_bytes())
        return self._coded[column]

    @staticmethod
    def _encode(ids: Ids) -> Coded:
        count = len(ids)
        mask = table_size(count) - 1
        first, hashes = np.empty(count, np.int64), np.empty(count, np.uint64)
        codes = np.empty(count, np.int32)
        slots = np.zeros(mask + 1, np.int32)
        known = compiled.kernel("encode")(
            ids.buffer, count, 1, ids.starts, ids.lengths, SEED, slots, mask, first, hashes, codes
        )
        return Coded(ids.take(first[:known]), codes)

    def integers(self, column: int, what: str) -> NDArray[np.int32]:
        """Return a column of whole numbers of at most nine digits."""
        ids = self.ids[column]
        values = np.empty(len(ids), np.int32)
        if self.compiled:
            wrong = compiled.kernel("whole_numbers")(ids.buffer, len(ids), 1, ids.starts, ids.lengths, values)
        else:
            wrong = _whole_numbers(ids, values)
        if wrong >= 0:
            raise self.error(wrong, f"{what} {self.show(wrong, column)} is not a whole number of at most nine digits")
        return values

    def floats(self, column: int, what: str) -> NDArray[np.float64]:
        """Return a column of numbers; NaN is an error."""
        values = np.empty(len(self))
        for line, written in enumerate(self.ids[column].as_bytes()):
            number = number_of(written)
            if number is None or math.isnan(number):
                raise self.error(line, f"{what} {self.show(line, column)} is not a number")
            values[line] = number
        return values

    def show(self, line: int, column: int) -> str:
        return shown(self.ids[column].at(line))

    def error(self, line: int, problem: str) -> InputError:
        """Return an error that names the line of the file."""
        return InputError(self.text.name, problem, line=self.line_number(line))

    def line_number(self, line: int) -> int:
        """Return the line of the file, from 1, of a line of the table."""
        for number, content in enumerate(self.text.bytes().split(b"\n"), start=1):
            if not is_skipped(content):
                if line == 0:
                    return number
                line -= 1
        raise IndexError(line)


def read_fields(text: SourceText, fewest: int, most: int, expected: Callable[[int], str]) -> FieldTable:
    """Read up to `most` fields of every line; one with fewer than `fewest` is an error, worded by `expected`."""
    scan = _scan_compiled if use_kernels(text.size()) else _scan_plain
    return scan(text, fewest, most, expected)


def _scan_compiled(text: SourceText, fewest: int, most: int, expected: Callable[[int], str]) -> FieldTable:
    capacity = text.size() // (2 * fewest) + 1  # a letter and a blank or line feed for each field
    starts, lengths = np.empty(capacity * most, np.int64), np.empty(capacity * most, np.int32)
    found = np.zeros(3, np.int64)
    count = compiled.kernel("scan_fields")(text.buffer, text.begin, text.end, fewest, most, starts, lengths, found)
    if count == TOO_FEW_FIELDS:
        raise InputError(text.name, expected(int(found[1])), line=text.line_number(int(found[0])))
    if count == 0:
        raise InputError(text.name, "is empty")
    by_column = starts[: count * most].reshape(-1, most).T.copy(), lengths[: count * most].reshape(-1, most).T.copy()
    ids = tuple(Ids(text.buffer, by_column[0][k], by_column[1][k]) for k in range(most))
    return FieldTable(text, min(int(found[0]), most), ids, compiled=True)


def _scan_plain(text: SourceText, fewest: int, most: int, expected: Callable[[int], str]) -> FieldTable:
    rows, widest = [], 0
    for number, line in enumerate(text.bytes().split(b"\n"), start=1):
        if is_skipped(line):
            continue
        fields = line.split(None, most)
        if len(fields) < fewest:
            raise InputError(text.name, expected(len(fields)), line=number)
        widest = max(widest, len(fields))
        rows.append((fields + [b""] * most)[:most])
    if not rows:
        raise InputError(text.name, "is empty")
    return FieldTable(text, min(widest, most), tuple(map(Ids.of, zip(*rows, strict=True))), compiled=False)


def is_skipped(line: bytes) -> bool:
    """Whether a line is blank or a comment."""
    content = line.lstrip()
    return not content or content.startswith(b"#")


def number_of(field: bytes) -> float | None:
    """Return the number in a field, None if it is not one. Python's underscores are not allowed.

    >>> number_of(b"1e-3"), number_of(b"-inf"), number_of(b"1_0"), number_of(b"ten")
    (0.001, -inf, None, None)
    """
    if b"_" in field:
        return None
    try:
        return float(field)
    except ValueError:
        return None


def _whole_numbers(ids: Ids, values: NDArray[np.int32]) -> int:
    for line, written in enumerate(ids.as_bytes()):
        digits = written[1:] if written[:1] in (b"+", b"-") else written
        if not digits.isdigit() or len(digits) > 9:
            return line
        values[line] = int(written)
    return -1


def shown(field: bytes) -> str:
    """Return a field for a message: readable, at most 40 letters."""
    text = field.decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


def table_size(entries: int) -> int:
    """Return the slots of a hash table that is at most a quarter full: a power of two."""
    return 1 << max(4, (4 * entries).bit_length())
