"""The bytes of a file, compressed or not, of standard input, or from memory; and files in TOML."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import stat
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, system_reason
from leadline.text.files import readable_size
from leadline.text.memory import NEW_ARRAYS, NewArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

PADDING = 64  # line feeds beyond the end, so that kernels may load eight bytes anywhere
LARGEST = 64 * 2**30  # bytes after decompression: more than any real run, and a limit for files made to fill a disk
MAX_EXPANSION_RATIO = 200  # ten times that of compressed XML, a fifth of that of an archive bomb
RATIO_CHECK_MIN_BYTES = 256 << 20  # unpacked size up to which the ratio is not checked
PIPE_WAIT = 5.0  # seconds in which somebody must begin to write to a named pipe

NOT_A_FILE = "is not a file (a pipe, a device, or a link that leads nowhere)"
COMPRESSED = (".gz", ".xz", ".zst", ".bz2")  # endings of names
_OPENINGS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "lzma", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstandard"}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PIECE = 1 << 20
_SMALL_PIECE = 1 << 16  # of zstandard, where one byte can hold thousands


@dataclass(frozen=True)
class SourceText:
    """A text in memory, with the name to call it in messages."""

    name: str
    buffer: NDArray[np.uint8]  # longer than the text by PADDING line feeds
    begin: int  # past a byte order mark
    end: int
    line_in_file: Callable[[int], int] | None = None  # of a part of a file: from the number of a line here

    @classmethod
    def of(cls, content: bytes, name: str) -> SourceText:
        """Text from bytes in memory.

        >>> SourceText.of(b"\\xef\\xbb\\xbf1 Q0 d1 1 0.5 tag", "memory").bytes()
        b'1 Q0 d1 1 0.5 tag'
        """
        buffer = np.empty(len(content) + PADDING, np.uint8)
        buffer[: len(content)] = np.frombuffer(content, np.uint8)
        return cls._checked(buffer, len(content), name)

    @classmethod
    def _checked(cls, buffer: NDArray[np.uint8], size: int, name: str) -> SourceText:
        buffer[size : size + PADDING] = ord("\n")
        head = buffer[: min(size, 4)].tobytes()
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise InputError(name, "is UTF-16 text; save it as UTF-8")
        begin = 3 if head.startswith(_BYTE_ORDER_MARK) else 0
        text = cls(name, buffer, begin, size)
        if size == begin:
            raise InputError(name, "is empty")
        opening = buffer[: min(size, _PIECE)].tobytes()
        is_text = not opening.startswith(b"PAR1")
        if is_text and b"\r" in opening and b"\n" not in opening and not (buffer[:size] == ord("\n")).any():
            buffer[:size][buffer[:size] == ord("\r")] = ord("\n")  # lines ended as on old Macintoshes
        return text

    def bytes(self) -> bytes:
        return self.buffer[self.begin : self.end].tobytes()

    def line_number(self, position: int) -> int:
        """The line of the file, counted from 1, of the byte at `position`."""
        return self.file_line(int(np.count_nonzero(self.buffer[:position] == ord("\n"))) + 1)

    def file_line(self, line: int) -> int:
        """The number in the file of a line of this text, both counted from 1."""
        return line if self.line_in_file is None else self.line_in_file(line)

    def size(self) -> int:
        return self.end - self.begin


def read_text(path: str | os.PathLike[str], memory: NewArrays = NEW_ARRAYS) -> SourceText:
    """Read a file, decompressed if necessary; `-` is standard input."""
    name = os.fspath(path)
    if name == "-":
        return SourceText.of(_decompressed(_standard_input(), "standard input"), "standard input")
    try:
        with open(name, "rb", buffering=0, opener=open_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # such as a pipe: no size, no seeking
                return SourceText.of(_decompressed(_whole_stream(file, name), name), name)
            if _decompressor(file.read(6)) is not None:
                file.seek(0)
                return SourceText.of(_decompressed(file.read(), name), name)
            file.seek(0)
            size = os.fstat(file.fileno()).st_size
            buffer = memory.take("text", size + PADDING, np.uint8)
            filled = _fill(file, buffer, size)
    except OSError as error:
        raise InputError(name, _reason(error, name)) from None
    except MemoryError:
        raise InputError(name, f"does not fit into memory: {readable_size(size_of(name))} are needed") from None
    return SourceText._checked(buffer, filled, name)


def read_text_between(path: str, begin: int, end: int, size: int, memory: NewArrays = NEW_ARRAYS) -> SourceText:
    """Read the bytes from `begin` up to `end` of a file that is not packed; InputError unless it still has its size."""
    try:
        with open(path, "rb", buffering=0, opener=open_without_waiting) as file:
            if os.fstat(file.fileno()).st_size != size:
                raise InputError(path, "has changed since the command began: start it again")
            buffer = memory.take("text", end - begin + PADDING, np.uint8)
            file.seek(begin)
            filled = _fill(file, buffer, end - begin)
    except OSError as error:
        raise InputError(path, _reason(error, path)) from None
    buffer[filled : filled + PADDING] = ord("\n")
    has_mark = not begin and buffer[:3].tobytes() == _BYTE_ORDER_MARK
    return SourceText(path, buffer, 3 if has_mark else 0, filled)


def is_packed(path: str) -> bool:
    """Whether a file is compressed, by its first bytes."""
    with open(path, "rb", opener=open_without_waiting) as file:
        return _decompressor(file.read(6) or b"") is not None


@cache
def _standard_input() -> bytes:
    """All of standard input, kept: measures may read a run twice, in different orders."""
    return _whole_stream(sys.stdin.buffer, "standard input")


def open_without_waiting(path: str, flags: int) -> int:
    """Open a file; a named pipe that nobody writes to is opened too, and does not stop the program."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _whole_stream(file: IO[bytes], name: str) -> bytes:
    """All bytes of a pipe, a terminal or a device that ends; InputError for one that has no end."""
    pieces: list[bytes] = []
    with contextlib.suppress(OSError):  # a stream from memory has no descriptor
        descriptor = file.fileno()
        mode = os.fstat(descriptor)
        if stat.S_ISDIR(mode.st_mode):
            raise InputError(name, "is a folder, expected a file")
        endless = stat.S_ISCHR(mode.st_mode) and not os.isatty(descriptor)
        if (endless and mode.st_rdev != os.stat(os.devnull).st_rdev) or stat.S_ISBLK(mode.st_mode):
            raise InputError(name, "is a device, expected a file")
        if hasattr(os, "set_blocking"):
            if stat.S_ISFIFO(mode.st_mode) and not os.get_blocking(descriptor):
                pieces.append(_wait_for_writer(descriptor, name))
            os.set_blocking(descriptor, True)
    most = min(LARGEST, physical_memory())
    total = 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        total += len(piece)
        if total > most:
            raise InputError(name, f"holds more than {most >> 30} GiB, which do not fit into memory")
    return b"".join(pieces)


def _wait_for_writer(descriptor: int, name: str) -> bytes:
    """Wait until somebody writes to a named pipe, and return what was read meanwhile; InputError if nobody does."""
    import select
    import time

    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    end = time.monotonic() + PIPE_WAIT
    while not poll.poll(50):
        try:
            if first := os.read(descriptor, 1):
                return first
        except BlockingIOError:  # somebody has opened the pipe, and has not written yet
            return b""
        if time.monotonic() > end:
            raise InputError(name, f"is a pipe, and nobody wrote to it within {PIPE_WAIT:g} seconds")
    return b""


def physical_memory() -> int:
    """The bytes of memory of this machine, or LARGEST where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return LARGEST


def size_of(path: str | os.PathLike[str]) -> int:
    """Return the size of a file in bytes, 0 if it is unknown."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _fill(file: io.FileIO, buffer: NDArray[np.uint8], size: int) -> int:
    filled = 0
    while filled < size:
        count = file.readinto(buffer[filled:size].data)
        if not count:
            break
        filled += count
    return filled


def _reason(error: OSError, path: str | os.PathLike[str]) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError) or os.path.isdir(path):  # Windows has a PermissionError for folders
        return "is a folder, expected a file"
    return system_reason(error)


def _decompressor(head: bytes) -> Any:
    """Return what opens a compressed stream, chosen by its first bytes; None for plain text."""
    for opening, module in _OPENINGS.items():
        if head.startswith(opening):
            return _open_zstandard if module == "zstandard" else importlib.import_module(module).open
    return None


def _open_zstandard(file: IO[bytes], _mode: str) -> _Stream:
    """Open a Zstandard file. Its own reader accepts a truncated file, so the end of every frame is checked here."""
    import zstandard

    def frames() -> Iterator[bytes]:
        left = file.read(_SMALL_PIECE)
        while left:
            frame = zstandard.ZstdDecompressor().decompressobj()
            while not frame.eof:
                if not left:
                    raise EOFError("the file ends in the middle")
                yield frame.decompress(left)
                left = frame.unused_data or file.read(_SMALL_PIECE)

    return _Stream(frames())


class _Stream(io.RawIOBase):
    """Pieces of bytes as a readable file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces

    def read(self, _size: int = -1) -> bytes:
        return next((piece for piece in self.pieces if piece), b"")


def _decompressed(content: bytes, name: str) -> bytes:
    if _decompressor(content[:6]) is None:
        return content
    return b"".join(within_ratio(pieces_of(io.BytesIO(content), name), name, len(content)))


def within_ratio(pieces: Iterator[bytes], name: str, packed: int) -> Iterator[bytes]:
    """Yield the pieces; InputError when they grow to far more than an honest file of `packed` bytes could hold."""
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > RATIO_CHECK_MIN_BYTES and total > MAX_EXPANSION_RATIO * max(packed, 1):
            problem = f"unpacks to more than {MAX_EXPANSION_RATIO} times its size; refused as an archive bomb"
            raise InputError(name, problem)
        yield piece


def pieces_of(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the bytes of an open, seekable file in pieces, decompressed if necessary."""
    opener = _decompressor(file.read(6))
    file.seek(0)
    total = 0
    try:
        with contextlib.nullcontext(file) if opener is None else opener(file, "rb") as stream:
            while piece := stream.read(_PIECE):
                total += len(piece)
                if total > LARGEST:
                    raise InputError(name, f"holds more than {LARGEST >> 30} GiB when decompressed")
                yield piece
    except InputError:
        raise
    except Exception as error:  # each of the four modules has its own errors, and is imported only when used
        raise InputError(name, f"is damaged: {' '.join(str(error).lower().split())}") from None


def stem(path: str | os.PathLike[str]) -> str:
    """Return a file's name without folder and endings: the name of a run.

    >>> stem("runs/bm25.run.gz"), stem("runs/sab20.1.meta.docs"), stem("-")
    ('bm25', 'sab20.1.meta.docs', 'stdin')
    """
    name = Path(path).name
    if name == "-":
        return "stdin"
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    for ending in (".txt", ".run", ".trec", ".res", ".out", ".parquet", ".csv", ".tsv", ".json", ".jsonl"):
        if name.endswith(ending) and name != ending:
            return name.removesuffix(ending)
    return name


# Files in TOML: pipelines, grids and mappings.


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of a TOML file; an error names the line."""
    text = read_text(path)
    try:
        return tomllib.loads(text.bytes().decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(text.name, "is not UTF-8 text") from None
    except RecursionError:
        raise InputError(text.name, "is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        problem = re.sub(r"\s*\(at .*\)", "", str(error))
        raise InputError(text.name, f"is not readable TOML: {problem}", line=int(place[1]) if place else None) from None
