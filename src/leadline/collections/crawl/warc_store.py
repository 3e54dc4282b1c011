"""The pages of a crawl as WARC files: each answer is one compressed record, appended and found again by its place."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import os
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from leadline.collections.documents.markup.http_message import HttpAnswer, parse_answer, parse_headers
from leadline.errors import InputError
from leadline.text.files import reported
from leadline.text.owned_folder import OwnedFolder
from leadline.text.stored import open_stored

FOLDER = "warc"
LARGEST_FILE = 1 << 30  # bytes of one WARC file
_LONGEST_RECORD = 1 << 30  # bytes of a record after unpacking


class WarcPlace(NamedTuple):
    """Where a record is."""

    file: int
    offset: int
    length: int


class StoredAnswer(NamedTuple):
    """An answer that was read back, with its address and time."""

    address: str
    at: str
    answer: HttpAnswer


class WarcStore:
    """The WARC files of a crawl. A process writes to files of its own, and never into one of another."""

    def __init__(self, owned: OwnedFolder, agent: str) -> None:
        self._owned, self._agent = owned, agent
        self.folder = owned.path / FOLDER
        owned.reserve(FOLDER)
        if self.folder.is_symlink():
            raise InputError(str(self.folder), "is a link: name a new folder for the crawl")
        with reported(self.folder):
            self.folder.mkdir(exist_ok=True)
        self._file: io.FileIO | None = None
        self._number = max(self.numbers(), default=0)

    def numbers(self) -> list[int]:
        """The numbers of the files that are there."""
        names = (
            path.name.removesuffix(".warc.gz").removeprefix("pages-") for path in self.folder.glob("pages-*.warc.gz")
        )
        return sorted(int(name) for name in names if name.isdigit())

    def path(self, number: int) -> Path:
        return self.folder / f"pages-{number:05}.warc.gz"

    def add(self, address: str, answer: HttpAnswer, reason: str, *, at: datetime, ip: str = "") -> WarcPlace:
        """Store an answer; when this returns, the system has its bytes."""
        from warcio.statusandheaders import StatusAndHeaders

        headers = [(_kept_name(name), value) for name, value in answer.headers]
        headers.append(("Content-Length", str(len(answer.body))))
        more = {"WARC-Date": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        if ip:
            more["WARC-IP-Address"] = ip
        if answer.cut:
            more["WARC-Truncated"] = "length"
        http = StatusAndHeaders(f"{answer.status} {reason}".strip(), headers, protocol="HTTP/1.1")
        return self._append("response", address, http, answer.body, more)

    def add_unchanged(self, address: str, digest: str, *, at: datetime, status: int) -> WarcPlace:
        """Store that a page is as it was."""
        from warcio.statusandheaders import StatusAndHeaders

        profile = "http://netpreserve.org/warc/1.0/revisit/" + (
            "server-not-modified" if status == 304 else "identical-payload-digest"
        )
        more = {
            "WARC-Date": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "WARC-Profile": profile,
            "WARC-Payload-Digest": payload_digest(digest),
        }  # fmt: skip
        http = StatusAndHeaders(f"{status} {'Not Modified' if status == 304 else 'OK'}", [], protocol="HTTP/1.1")
        return self._append("revisit", address, http, b"", more)

    def _append(self, kind: str, address: str, http: object, body: bytes, more: dict[str, str]) -> WarcPlace:
        from warcio.warcwriter import WARCWriter

        with reported(self.folder, len(body)):
            file = self._open()
            packed = io.BytesIO()
            writer = WARCWriter(packed, gzip=True)
            record = writer.create_warc_record(
                address, kind, payload=io.BytesIO(body), length=len(body), http_headers=http, warc_headers_dict=more
            )
            writer.write_record(record)
            offset = file.seek(0, os.SEEK_END)
            view = packed.getbuffer()
            done = 0
            while done < len(view):
                done += file.write(view[done:]) or 0
        return WarcPlace(self._number, offset, len(view))

    def _open(self) -> io.FileIO:
        """The file to append to; a new one for each process, and when one is full."""
        if self._file is not None and self._file.tell() < LARGEST_FILE:
            return self._file
        self.close()
        from warcio.warcwriter import WARCWriter

        self._number += 1
        path = self.path(self._number)
        self._owned.reserve(f"{FOLDER}/{path.name}")
        self._file = io.FileIO(path, "x", opener=open_stored)
        packed = io.BytesIO()
        writer = WARCWriter(packed, gzip=True)
        facts = {"software": self._agent, "format": "WARC File Format 1.0", "robots": "obey"}
        writer.write_record(writer.create_warcinfo_record(path.name, facts))
        self._file.write(packed.getvalue())
        return self._file

    def flush(self) -> None:
        """Flush the current file to the disk."""
        if self._file is not None:
            with reported(self.folder):
                os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self.flush()
            self._file.close()
            self._file = None

    def read(self, place: WarcPlace) -> StoredAnswer:
        """The answer at a place; InputError where it is damaged."""
        path = self.path(place.file)
        try:
            with open(path, "rb", opener=open_stored) as file:
                file.seek(place.offset)
                packed = file.read(place.length)
            found = _record(_unpacked(packed)[0])
        except (OSError, ValueError, zlib.error, EOFError) as error:
            where = f"{path} at byte {place.offset}"
            raise InputError(where, f"is damaged ({error}): crawl again with --again") from None
        return found

    def behind(self, number: int, end: int) -> Iterator[tuple[WarcPlace, StoredAnswer]]:
        """The complete responses behind a byte of a file: a killed process wrote them and could not note them.

        What is behind the last complete record is cut off.
        """
        path = self.path(number)
        with contextlib.suppress(FileNotFoundError), open(path, "rb+", opener=open_stored) as file:
            file.seek(end)
            rest = file.read()
            at = 0
            while at < len(rest):
                try:
                    content, size = _unpacked(rest[at:])
                except (ValueError, zlib.error, EOFError):
                    file.truncate(end + at)
                    return
                with contextlib.suppress(ValueError):
                    yield WarcPlace(number, end + at, size), _record(content)
                at += size


def payload_digest(sha256: str) -> str:
    """A digest as WARC writes it."""
    return f"sha256:{base64.b32encode(bytes.fromhex(sha256)).decode()}" if sha256 else ""


def body_digest(body: bytes) -> str:
    """The SHA-256 of a page."""
    return hashlib.sha256(body).hexdigest()


def _kept_name(name: str) -> str:
    """The name under which a header is kept: a body is stored as it was read, unpacked and in one piece."""
    changed = ("content-encoding", "transfer-encoding", "content-length")
    return f"X-Archive-Orig-{name.title()}" if name in changed else name.title()


def _unpacked(packed: bytes) -> tuple[bytes, int]:
    """One member of a gzip file, and its length there."""
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    content = unpack.decompress(packed, _LONGEST_RECORD)
    if not unpack.eof:
        raise EOFError("a record is not complete")
    return content, len(packed) - len(unpack.unused_data)


def _record(content: bytes) -> StoredAnswer:
    """The answer in a record; ValueError for a record of another kind."""
    head, _, block = content.partition(b"\r\n\r\n")
    headers = dict(reversed(parse_headers(head.decode("utf-8", "replace").splitlines()[1:])))
    if headers.get("warc-type") != "response":
        raise ValueError("is not a response")
    block = block[: int(headers.get("content-length", "0"))]
    answer = parse_answer(block, _LONGEST_RECORD)
    answer = HttpAnswer(answer.status, answer.headers, answer.body, cut="warc-truncated" in headers)
    return StoredAnswer(headers.get("warc-target-uri", ""), headers.get("warc-date", ""), answer)
