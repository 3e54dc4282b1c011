"""Where a large run can be cut between topics, without reading it: only lines near each cut are looked at.

Processes that see the same file can then read its pieces. In a run whose topics come back further down, pieces have
topics in common; whoever joins them must look.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import IO

from leadline.records.runs.run_parts import has_parts, topic_of
from leadline.text.memory import NewArrays
from leadline.text.source import SourceText, is_packed, open_without_waiting, read_text_between, size_of

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
