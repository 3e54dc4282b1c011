"""Raw documents, and the window over a stream of bytes from which they are cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from leadline.errors import InputError

MAX_DOCUMENT_BYTES = 256 << 20  # ten times the longest sequence listing printed


@dataclass(frozen=True, slots=True)
class Raw:
    """One document as its source holds it."""

    form: str  # the root element for XML, else the name of the reader
    offset: int  # of its first byte in the unpacked stream
    content: bytes
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Broken:
    """A place where a document should begin but cannot be read."""

    offset: int
    reason: str


class Window:
    """The bytes of a stream that are in memory. `begin` is the place of the first one in the stream."""

    def __init__(self, pieces: Iterator[bytes], name: str = "") -> None:
        self.pieces = pieces
        self.name = name  # of the stream, where a document has no id but its file's name
        self.buffer = b""
        self.begin = 0
        self.ended = False

    def fill(self, at_least: int = 1) -> bool:
        """Read more bytes; False at the end of the stream."""
        fresh, count = [self.buffer], 0
        while count < at_least and not self.ended:
            piece = next(self.pieces, None)
            self.ended = piece is None
            fresh.append(piece or b"")
            count += len(fresh[-1])
        self.buffer = b"".join(fresh)
        return count > 0

    def drop(self, count: int) -> None:
        """Drop the first bytes."""
        self.buffer = self.buffer[count:]
        self.begin += count

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line with the place where it begins."""
        self.buffer = self.buffer.removeprefix(b"\xef\xbb\xbf")
        while True:
            lines = self.buffer.split(b"\n")
            at = self.begin
            for line in lines[:-1]:
                yield at, line
                at += len(line) + 1
            self.drop(len(self.buffer) - len(lines[-1]))
            if len(lines[-1]) > MAX_DOCUMENT_BYTES:
                limit = f"{MAX_DOCUMENT_BYTES >> 20} MiB"
                raise InputError(f"byte {at}", f"the line at byte {at} is longer than {limit}; the rest was not read")
            if not self.fill(4 << 20):
                if lines[-1].strip():
                    yield at, lines[-1]
                return
