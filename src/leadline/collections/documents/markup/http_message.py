"""HTTP messages as WARC files hold them: headers, chunks, and bodies unpacked within limits."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Protocol

MAX_BODY = 64 << 20  # bytes of a body after unpacking


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer of a server. Names of headers are in small letters; of several with a name all are kept."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    cut: bool = False  # the body was longer than the limit

    @property
    def named(self) -> dict[str, str]:
        """The first header of each name."""
        return dict(reversed(self.headers))

    def all(self, name: str) -> list[str]:
        """Every header of a name."""
        return [value for each, value in self.headers if each == name]


class _Unpacker(Protocol):
    """What zlib's decompressors do."""

    @property
    def unconsumed_tail(self) -> bytes: ...

    def decompress(self, piece: bytes, most: int, /) -> bytes: ...


class LimitedBody:
    """A body that arrives in pieces, unpacked as it comes and cut at a limit, so that no bomb is ever unpacked."""

    def __init__(self, encoding: str, limit: int) -> None:
        """`encoding` is the header Content-Encoding; ValueError for one that is not read."""
        self.limit, self.cut = limit, False
        self._pieces: list[bytes] = []
        self._size = 0
        self._unpackers = [_unpacker(name) for name in reversed(encoding.lower().replace(" ", "").split(",")) if name]

    def add(self, piece: bytes) -> bool:
        """Take a piece; False once the limit is reached. ValueError for damaged compression."""
        room = self.limit - self._size
        try:
            for unpack in self._unpackers:
                piece = unpack.decompress(piece, room + 1)
        except zlib.error as error:
            raise ValueError(f"its compression is damaged: {error}") from None
        if len(piece) > room or any(unpack.unconsumed_tail for unpack in self._unpackers):
            self.cut = True
            piece = piece[:room]
        self._pieces.append(piece)
        self._size += len(piece)
        return not self.cut

    def content(self) -> bytes:
        return b"".join(self._pieces)


class _Deflate:
    """Deflate with or without the header of zlib: servers send both under one name."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj()
        self._first = True

    @property
    def unconsumed_tail(self) -> bytes:
        return self._inner.unconsumed_tail

    def decompress(self, piece: bytes, most: int) -> bytes:
        if self._first and piece:
            self._first = False
            try:
                return self._inner.decompress(piece, most)
            except zlib.error:
                self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
        return self._inner.decompress(piece, most)


def _unpacker(name: str) -> _Unpacker:
    if name in ("gzip", "x-gzip"):
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if name == "deflate":
        return _Deflate()
    if name == "identity":
        return _Plain()
    raise ValueError(f"its Content-Encoding is {name[:40]}, which is not read")


class _Plain:
    """No compression, in the form of a decompressor."""

    unconsumed_tail = b""

    def decompress(self, piece: bytes, _most: int) -> bytes:
        return piece


def parse_answer(message: bytes, limit: int = MAX_BODY) -> HttpAnswer:
    """The answer in a response record; ValueError where it is none."""
    head, _, body = message.partition(b"\r\n\r\n") if b"\r\n\r\n" in message[: 1 << 20] else message.partition(b"\n\n")
    lines = head.decode("latin-1").splitlines()
    words = lines[0].split(None, 2) if lines else []
    if len(words) < 2 or not words[0].upper().startswith("HTTP/") or not words[1].isdigit():
        raise ValueError("is not an HTTP response")
    headers = tuple(parse_headers(lines[1:]))
    named = dict(reversed(headers))
    if "chunked" in named.get("transfer-encoding", "").lower():
        body = _unchunked(body)
    limited = LimitedBody(named.get("content-encoding", "") if _looks_packed(body) else "", limit)
    limited.add(body)
    return HttpAnswer(int(words[1]), headers, limited.content(), limited.cut)


def _looks_packed(body: bytes) -> bool:
    """Whether a body is still compressed; some archives keep the header of what they have unpacked."""
    return body[:2] == b"\x1f\x8b" or (body[:1] == b"\x78" and body[1:2] in b"\x01\x5e\x9c\xda")


def parse_headers(lines: list[str]) -> list[tuple[str, str]]:
    """Headers with their names in small letters; a line that begins with a blank continues the one before."""
    found: list[tuple[str, str]] = []
    for line in lines:
        if line[:1] in " \t" and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        elif ":" in line:
            name, _, value = line.partition(":")
            found.append((name.strip().lower(), value.strip()))
    return found


def _unchunked(body: bytes) -> bytes:
    """The chunks of a body joined; a body that is not in chunks as it is."""
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at, at + 64)
        if end < 0:
            return b"".join(pieces) or body
        try:
            size = int(body[at:end].split(b";")[0].strip() or b"x", 16)
        except ValueError:
            return b"".join(pieces) or body
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
