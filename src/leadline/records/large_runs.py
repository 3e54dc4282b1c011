"""A run larger than memory, as texts that hold some of its topics each, and where it can be cut between topics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import IO

import numpy as np

from leadline.errors import InputError
from leadline.text import sheet
from leadline.text.fields import is_skipped, shown
from leadline.text.files import readable_size, reported
from leadline.text.memory import NewArrays
from leadline.text.source import (
    COMPRESSED,
    PADDING,
    SourceText,
    is_packed,
    open_without_waiting,
    pieces_of,
    read_text_between,
    size_of,
    within_ratio,
)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HEAD = 1 << 16
_EXPANSION = 8  # a compressed run is taken to hold so many times its bytes


def text_size(path: str) -> int:
    """The bytes of a run's text: exact for plain text, an estimate for a compressed file."""
    return size_of(path) * (_EXPANSION if path.endswith(COMPRESSED) else 1)


def has_parts(path: str) -> bool:
    """Whether a file can be read in parts: lines of text, and neither a table nor a pipe."""
    if path == "-" or not os.path.isfile(path):
        return False
    with open(path, "rb", opener=open_without_waiting) as file:
        head = next(iter(pieces_of(file, path)), b"")[:_HEAD]
    if sheet.named_kind(path, head) is not None or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return False
    return b"\n" in head or len(head) < _HEAD


class RunParts:
    """The topics of a run in parts of at most `limit` bytes of text.

    `in_order` reads the file once, and suits a run in which the lines of a topic stand together. `by_topic` collects
    the lines of each topic in a temporary file first; it has no name, so it is gone whenever the process ends.
    """

    def __init__(
        self, path: str, limit: int, arrays: NewArrays, memory_for: Callable[[int], int], folder: str | None = None
    ) -> None:
        """`memory_for` gives the memory that parts of so many bytes need, for the error; `folder` is for that file."""
        self.path, self.limit, self.arrays, self.memory_for, self.folder = path, limit, arrays, memory_for, folder
        self.topics: list[bytes] = []  # in the order of the run; known after `by_topic` has begun

    def in_order(self) -> Iterator[SourceText]:
        """Parts of the file as it stands, each cut where the topic changes."""
        buffer = self.arrays.take("text", self.limit + PADDING, np.uint8)
        filled = lines_before = 0
        pieces = self._pieces()
        piece = next(pieces, b"")
        while True:
            # Fill the buffer, then cut it behind the last line of the last topic that is complete.
            while piece and filled < self.limit:
                some = min(len(piece), self.limit - filled)
                buffer[filled : filled + some] = np.frombuffer(piece[:some], np.uint8)
                filled, piece = filled + some, piece[some:] or next(pieces, b"")
            if not filled:
                return
            cut = filled if not piece else _last_change(buffer, filled)
            if not cut:
                raise self._too_large(buffer[:filled], piece, pieces)
            rest = buffer[cut:filled].copy()
            buffer[cut : cut + PADDING] = ord("\n")
            if _first_topic(buffer, cut) is not None:
                before = lines_before
                yield SourceText(self.path, buffer, 0, cut, lambda line, before=before: line + before)  # type: ignore[misc]
            lines_before += int(np.count_nonzero(buffer[:cut] == ord("\n")))
            buffer[: len(rest)] = rest
            filled = len(rest)

    def by_topic(self) -> Iterator[SourceText]:
        """Parts of whole topics, in the order in which the run first names them, whatever the order of its lines."""
        sizes: dict[bytes, int] = {}
        for topic, line in self._lines():
            if topic is not None:
                sizes[topic] = sizes.get(topic, 0) + len(line) + 1
        self.topics = list(sizes)
        largest = max(sizes, key=sizes.__getitem__, default=b"")
        if sizes.get(largest, 0) > self.limit:
            raise self._refused(largest, sizes[largest])
        part_of, count, filled = dict[bytes, int](), 0, 0
        for topic, size in sizes.items():
            if filled + size > self.limit:
                count, filled = count + 1, 0
            part_of[topic] = count
            filled += size
        from tempfile import TemporaryFile, gettempdir  # which small work need not import

        folder = self.folder or gettempdir()
        with reported(folder), TemporaryFile(dir=folder) as file:
            extents = self._collect(file, part_of, count + 1)
            for part, places in enumerate(extents):
                yield self._part_text(file, part, places, part_of)

    def _collect(self, file: IO[bytes], part_of: dict[bytes, int], parts: int) -> list[list[tuple[int, int]]]:
        """Write the lines of each part behind each other, as far as the memory allows; return where they are."""
        waiting: list[list[bytes]] = [[] for _ in range(parts)]
        extents: list[list[tuple[int, int]]] = [[] for _ in range(parts)]
        size = 0

        def write_out() -> None:
            for lines, places in zip(waiting, extents, strict=True):
                if lines:
                    content = b"\n".join(lines) + b"\n"
                    places.append((file.tell(), len(content)))
                    file.write(content)
                    lines.clear()

        for topic, line in self._lines():
            if topic is not None:
                waiting[part_of[topic]].append(line)
                size += len(line) + _LINE_OBJECT
                if size > self.limit:
                    write_out()
                    size = 0
        write_out()
        return extents

    def _part_text(
        self, file: IO[bytes], part: int, places: list[tuple[int, int]], part_of: dict[bytes, int]
    ) -> SourceText:
        ends = list(accumulate(length for _, length in places))
        buffer = self.arrays.take("text", ends[-1] + PADDING, np.uint8)
        for (begin, length), end in zip(places, ends, strict=True):
            file.seek(begin)
            file.readinto(buffer[end - length : end].data)  # type: ignore[attr-defined]
        buffer[ends[-1] : ends[-1] + PADDING] = ord("\n")

        def line_in_file(wanted: int) -> int:
            """Read the run again: only an error asks for the number of a line."""
            seen = 0
            for number, (topic, _) in enumerate(self._lines(), start=1):
                seen += topic is not None and part_of[topic] == part
                if seen == wanted:
                    return number
            return 1

        return SourceText(self.path, buffer, 0, ends[-1], line_in_file)

    def _lines(self) -> Iterator[tuple[bytes | None, bytes]]:
        """Every line with its topic; None for a line that is blank or a comment."""
        rest = b""
        for piece in self._pieces():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield topic_of(line), line
        if rest:
            yield topic_of(rest), rest

    def _pieces(self) -> Iterator[bytes]:
        with open(self.path, "rb", opener=open_without_waiting) as file:
            pieces = pieces_of(file, self.path)
            if self.path.endswith(COMPRESSED):
                pieces = within_ratio(pieces, self.path, size_of(self.path))
            yield next(pieces, b"").removeprefix(_BYTE_ORDER_MARK)
            yield from pieces

    def _too_large(self, start: np.ndarray, piece: bytes, pieces: Iterator[bytes]) -> InputError:
        """The error for a topic with more lines than a part holds; its other lines are counted for it."""
        topic = _first_topic(start, len(start)) or b""
        size = len(start)
        while piece:
            *lines, _ = piece.split(b"\n")
            if any(topic_of(line) not in (topic, None) for line in lines[1:]):
                break
            size += len(piece)
            piece = next(pieces, b"")
        return self._refused(topic, size + len(piece))

    def _refused(self, topic: bytes, size: int) -> InputError:
        problem = (
            f"topic {shown(topic)} has {readable_size(size)} of lines, more than the {readable_size(self.limit)} of "
        )
        enough = -(-self.memory_for(size) // 1_000_000)
        return InputError(self.path, f"{problem}a part: the smallest --memory that would do is {enough}MB")


_LINE_OBJECT = 40  # bytes of a line in memory beside its text


def topic_of(line: bytes) -> bytes | None:
    fields = line.split(None, 1)
    return None if not fields or fields[0].startswith(b"#") else fields[0]


def _first_topic(buffer: np.ndarray, end: int) -> bytes | None:
    """The topic of the first line that has one."""
    start = 0
    while start < end:
        line = _line_at(buffer, start, end)
        if not is_skipped(line):
            return topic_of(line)
        start += len(line) + 1
    return None


def _line_at(buffer: np.ndarray, start: int, end: int) -> bytes:
    size = 256
    while start + size < end and b"\n" not in (piece := buffer[start : start + size].tobytes()):
        size *= 4
    piece = buffer[start : min(start + size, end)].tobytes()
    return piece.partition(b"\n")[0]


def _last_change(buffer: np.ndarray, end: int) -> int:
    """Where the last topic of a text begins that may go on behind `end`; 0 where the text has no other topic."""
    window = 1 << 16
    while True:
        low = max(0, end - window)
        lines = buffer[low:end].tobytes().split(b"\n")
        # The first line is cut off unless the window begins the text; the last one goes on behind `end`.
        place, last = end - len(lines[-1]), None
        for line in reversed(lines[1 if low else 0 : -1]):
            topic = topic_of(line)
            if topic is not None and last is not None and topic != last:
                return place
            last = topic if last is None else last
            place -= len(line) + 1
        if not low:
            return 0
        window *= 4


# Where a large run can be cut between topics, without reading it: only lines near each cut are looked at.
#
# Processes that see the same file can then read its pieces. In a run whose topics come back further down, pieces have
# topics in common; whoever joins them must look.


NEAR = 1 << 16  # bytes in which lines are looked at one by one


@dataclass(frozen=True)
class RunCut:
    """Whole lines of a file, from the byte `begin` up to the byte `end`."""

    path: str
    begin: int
    end: int
    size: int  # of the file when it was cut

    def text(self, arrays: NewArrays) -> SourceText:
        """These lines. They are counted from the first of them, and not as the lines of the file."""
        return read_text_between(self.path, self.begin, self.end, self.size, arrays)


def cuts(path: str, length: int) -> list[RunCut]:
    """A run in pieces of about `length` bytes, each cut where the topic changes; none where it is to be read whole.

    A piece is as long as its last topic needs. Tables, pipes and compressed runs are read whole, and so are runs that
    are not much longer than one piece.
    """
    size = size_of(path)
    if size < 2 * length:
        return []
    edges = [0]
    try:
        if is_packed(path) or not has_parts(path):
            return []
        with open(path, "rb", opener=open_without_waiting) as file:
            while size - edges[-1] >= 2 * length:
                edges.append(_next_change(file, edges[-1] + length, size))
    except OSError:  # reported where it is read
        return []
    if edges[-1] < size:
        edges.append(size)
    return [RunCut(path, begin, end, size) for begin, end in pairwise(edges)]


def _next_change(file: IO[bytes], place: int, size: int) -> int:
    """Where a line begins, behind `place`, that has another topic than the last line with a topic before it."""
    low, topic = _line_behind(file, place, size)
    if topic is None:
        return size
    # Look ever further for a line with another topic, then between it and the last that was seen with this one.
    step = NEAR
    high, other = _line_behind(file, low + step, size)
    while other == topic:
        low, step = high, 2 * step
        high, other = _line_behind(file, low + step, size)
    while high - low > NEAR:
        middle, other = _line_behind(file, (low + high) // 2, size)
        if middle >= high:  # only comments up to there
            break
        low, high = (middle, high) if other == topic else (low, middle)
    while low < high:
        low, other = _line_behind(file, low, size)
        if other != topic:
            return low
    return high


def _line_behind(file: IO[bytes], place: int, size: int) -> tuple[int, bytes | None]:
    """Where the first line with a topic begins behind the line at `place`, and its topic; at the end, None."""
    file.seek(place)
    file.readline()
    while True:
        start, line = file.tell(), file.readline()
        if not line:
            return size, None
        if (topic := topic_of(line)) is not None:
            return start, topic
