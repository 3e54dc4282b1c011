"""The sources of a collection: files, folders, archives and datasets, opened as streams of bytes."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import stat
import struct
import tarfile
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Self, cast

from leadline.collections.documents.fields.record_fields import OTHER_TEXTS
from leadline.collections.documents.registry import head_lines
from leadline.errors import InputError, LeadlineWarning, system_reason
from leadline.records.other_packages import dataset_of, rows_of
from leadline.text.owned_files import read_identity
from leadline.text.source import MAX_EXPANSION_RATIO, NOT_A_FILE, RATIO_CHECK_MIN_BYTES, pieces_of, within_ratio

MAX_ARCHIVE_DEPTH = 3  # offices pack weekly zips into yearly ones
IN_MEMORY = 64 << 20  # bytes of an archive inside an archive; a larger one is unpacked to a temporary file
# What the archive modules raise for damaged archives, besides errors of their own.
_DAMAGE = (OSError, EOFError, zlib.error, struct.error, ValueError, OverflowError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Stream:
    """The bytes of one file, or of one member of an archive, in pieces."""

    name: str
    pieces: Iterator[bytes]
    position: Callable[[], int] = lambda: 0  # bytes of the source read so far, for a progress bar


@dataclass(frozen=True)
class FileSource:
    """A file on disk, which may be an archive."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def folder(self) -> Path:
        return self.path.parent

    @cached_property
    def size(self) -> int:
        return self.path.stat().st_size

    def fingerprint(self) -> str:
        return fingerprint(self.path)

    def streams(self) -> Iterator[Stream]:
        return open_streams(self.path)


# Endings of files that stand beside pages in a folder and are no documents.
BESIDE_PAGES = frozenset({
    ".png", ".jpg", ".jpeg", ".gif", ".svg", ".svgz", ".webp", ".ico", ".bmp", ".avif", ".css", ".js", ".mjs", ".map",
    ".woff", ".woff2", ".ttf", ".otf", ".eot",
})  # fmt: skip


def find_sources(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files that paths, folders and patterns name, each once; those of a folder sorted by name."""
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            if (owner := read_identity(path)) is not None:
                problem = f"is a {owner.kind} of Leadline, not a source: name the files with its documents"
                raise InputError(str(path), problem)
            entries = sorted(each for each in path.rglob("*") if not each.is_dir() and not each.name.startswith("."))
            files = [each for each in entries if each.is_file()]
            for other in sorted(set(entries) - set(files)):
                warnings.warn(f"{other}: left out: {NOT_A_FILE}", LeadlineWarning, stacklevel=2)
            if not files:
                raise InputError(str(path), "is an empty folder")
            files = _without_topics(files, path)
            documents = [each for each in files if each.suffix.lower() not in BESIDE_PAGES]
            if left := len(files) - len(documents):
                what = f"{path}: {left:,} images, styles, scripts and fonts left out"
                warnings.warn(what, LeadlineWarning, stacklevel=2)
            if not documents:
                raise InputError(str(path), "has no documents, only images, styles, scripts or fonts")
            files = documents
        elif path.exists():
            if not stat.S_ISREG(path.stat().st_mode):
                raise InputError(str(path), "is not a regular file; save the stream to a file first")
            files = [path]
        elif os.fspath(given) == "-":
            raise InputError("-", "standard input cannot be a source, since a build may be resumed: save it to a file")
        else:
            files = [Path(match) for match in sorted(glob.glob(str(given), recursive=True)) if Path(match).is_file()]
            if not files:
                raise InputError(str(given), "no such file")
        found.update(dict.fromkeys(files))
    return list(found)


def _without_topics(files: list[Path], folder: Path) -> list[Path]:
    """The files of a folder without those whose names say that they hold topics or judgements, which are noted."""
    beside = [each for each in files if beside_documents(each.relative_to(folder).as_posix())]
    if not beside or len(beside) == len(files):
        return files
    _note_beside(str(folder), [each.relative_to(folder).as_posix() for each in beside])
    return [each for each in files if each not in set(beside)]


def _note_beside(source: str, names: list[str]) -> None:
    if names:
        listed = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
        what = f"{source}: topics and judgements left out, by their names: {listed}"
        warnings.warn(what, LeadlineWarning, stacklevel=3)


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file on disk."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(str(path), system_reason(error)) from None


def open_streams(path: Path, *, beside: bool = False) -> Iterator[Stream]:
    """The streams of a file: itself, or the members of an archive and of archives inside it.

    Members that stand beside documents, such as topics, are among them only with `beside`.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            unpacked = _Unpacked(str(path), size)
            for stream in _streams(file, str(path), size, MAX_ARCHIVE_DEPTH, beside=beside):
                yield replace(stream, pieces=unpacked.counted(stream.pieces), position=file.tell)
    except OSError as error:
        raise InputError(str(path), system_reason(error)) from None


class _Unpacked:
    """How much a file has been unpacked to: many members that are each within the limits may be a bomb together."""

    def __init__(self, name: str, size: int) -> None:
        self.name, self.most, self.total = name, max(RATIO_CHECK_MIN_BYTES, MAX_EXPANSION_RATIO * size), 0

    def counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.total += len(piece)
            if self.total > self.most:
                problem = f"its members unpack to more than {MAX_EXPANSION_RATIO} times its size"
                raise InputError(self.name, f"{problem}; refused as an archive bomb")
            yield piece


def _streams(file: IO[bytes], name: str, packed: int, depth_left: int, *, beside: bool = False) -> Iterator[Stream]:
    # Checked at the beginning: a tar whose last member is a zip ends like a zip.
    begins_as_zip = file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    file.seek(0)
    if begins_as_zip:
        yield from _of_zip(file, name, depth_left, all_members=beside)
        return
    if _is_tar(name):
        yield from _of_tar(file, name, all_members=beside)
        return
    yield Stream(name, within_ratio(pieces_of(file, name), name, packed))


def _is_tar(name: str) -> bool:
    return name.lower().endswith((".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2"))


def _of_zip(file: IO[bytes], name: str, depth_left: int, *, all_members: bool) -> Iterator[Stream]:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, *_DAMAGE) as error:
        raise InputError(name, f"is a damaged archive: {_words(error)}") from None
    members = [member for member in archive.infolist() if not member.is_dir()]
    beside = [member.filename for member in members if beside_documents(member.filename)]
    beside = beside if len(beside) < len(members) and not all_members else []
    _note_beside(name, beside)
    for member in members:
        inside = f"{name}!{member.filename}"
        if member.filename in beside:
            continue
        try:
            if member.flag_bits & 1:
                raise InputError(inside, "is encrypted")
            pieces = within_ratio(_zip_member(archive, member, inside), inside, member.compress_size)
            if not member.filename.lower().endswith(".zip"):
                yield Stream(inside, pieces)
                continue
            if not depth_left:
                raise InputError(inside, f"is an archive more than {MAX_ARCHIVE_DEPTH} deep")
            with _rewindable(pieces) as content:
                yield from _streams(content, inside, member.file_size, depth_left - 1, beside=all_members)
        except InputError as error:
            yield Stream(inside, _unreadable(error))


def _rewindable(pieces: Iterator[bytes]) -> IO[bytes]:
    """The pieces as a file that can be read from the beginning, closed by the caller."""
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
    file.writelines(pieces)
    file.seek(0)
    return cast("IO[bytes]", file)


def _unreadable(error: InputError) -> Iterator[bytes]:
    """The pieces of a member that cannot be read: raises the error when they are read."""
    raise error
    yield b""


def _zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Iterator[bytes]:
    try:
        with archive.open(member) as file:
            yield from pieces_of(file, name)
    except (zipfile.BadZipFile, *_DAMAGE) as error:
        raise InputError(name, f"is damaged: {_words(error)}") from None


def _words(error: Exception) -> str:
    return " ".join(str(error).lower().split()) or "it cannot be read"


def _of_tar(file: IO[bytes], name: str, *, all_members: bool) -> Iterator[Stream]:
    """The members in their order, so that an archive of any size can be streamed; links and devices are skipped."""
    packed = os.fstat(file.fileno()).st_size if hasattr(file, "fileno") else RATIO_CHECK_MIN_BYTES
    reading = _Tar(name)
    skipped = 0
    beside: list[str] = []
    try:
        with tarfile.open(fileobj=file, mode="r|*", tarinfo=reading.member_type()) as archive:
            for member in archive:
                opened = archive.extractfile(member) if member.isreg() else None
                if opened is None:
                    skipped += not member.isdir()
                    continue
                if beside_documents(member.name) and not all_members:
                    beside.append(member.name)
                    continue
                inside = f"{name}!{member.name}"
                pieces = within_ratio(reading.pieces(opened, inside), inside, packed)
                if member.name.lower().endswith((".zip", ".gz", ".xz", ".zst", ".bz2")):
                    try:
                        with _rewindable(pieces) as content:
                            yield from _streams(content, inside, member.size, MAX_ARCHIVE_DEPTH - 1, beside=all_members)
                    except InputError as error:
                        yield Stream(inside, _unreadable(error))
                else:
                    yield Stream(inside, pieces)
                if reading.is_damaged:  # as the member has reported
                    return
        if not reading.has_end:
            raise InputError(name, f"is a damaged archive: it breaks off after {reading.last or 'its first byte'}")
    except (tarfile.TarError, *_DAMAGE) as error:
        if not reading.is_damaged:
            raise InputError(name, f"is a damaged archive: {_words(error)}") from None
    finally:
        _note_beside(name, beside)
        if skipped:
            what = f"{skipped:,} link{'s' * (skipped > 1)} or device{'s' * (skipped > 1)}"
            warnings.warn(f"{name}: {what} skipped: only regular files are read", LeadlineWarning, stacklevel=2)


class _Tar:
    """How far a tar has been read. The module takes a damaged header for the end, and the rest would be lost."""

    def __init__(self, name: str) -> None:
        self.name, self.last = name, ""
        self.is_damaged = False
        self.has_end = False  # whether the empty block after the last member was read

    def member_type(self) -> type[tarfile.TarInfo]:
        reading = self

        class Member(tarfile.TarInfo):
            @classmethod
            def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
                reading.has_end = len(buf) == tarfile.BLOCKSIZE and not any(buf)
                return super().frombuf(buf, encoding, errors)

        return Member

    def pieces(self, file: IO[bytes], name: str) -> Iterator[bytes]:
        self.last = name
        try:
            while piece := file.read(1 << 20):
                yield piece
        except (tarfile.TarError, *_DAMAGE) as error:
            self.is_damaged = True
            problem = f"is damaged: {_words(error)}; nothing after it in {self.name} was read"
            raise InputError(name, problem) from None


# Texts that are not documents but stand beside them: topics, judgements and runs, told by their first lines.


_TOPICS = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*|<!--.{0,5000}?-->\s*)*(?:<topics\b[^<>]{0,200}>\s*)?<(?:topic|top)\b[^<>]{0,200}>",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(rb"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_GRADE = re.compile(rb"[+-]?\d{1,3}")
_SAMPLE = 20
_FILE = re.compile(
    r"(?:queries|topics|qrels)(?:[._-][^/]*)?\.(?:jsonl?|tsv|csv|txt|qrels)(?:\.(?:gz|xz|zst|bz2))?", re.IGNORECASE
)
_FOLDER = re.compile(r"(?:^|/)qrels/[^/]+\.(?:tsv|txt|qrels)(?:\.(?:gz|xz|zst|bz2))?$", re.IGNORECASE)
_BEIR = {b"query-id", b"corpus-id", b"score"}


def what_else(head: bytes) -> str:
    """What the first bytes of a text are, if they are not documents: "topics", "judgements" or "a run"; else empty.

    >>> what_else(b"301 0 FT911-3 1\\n301 0 FT911-4 0\\n"), what_else(b"1 Q0 FT911-3 1 9.5 bm25\\n")
    ('judgements', 'a run')
    >>> what_else(b"7\\tA nail.\\n8\\tA screw.\\n")
    ''
    """
    if _TOPICS.match(head):
        return "topics"
    rows = [line.split() for line in head_lines(head, _SAMPLE) if line.strip()]
    if not rows:
        return ""
    if set(rows[0]) == _BEIR:
        return "judgements"
    if all(len(row) == 6 and _GRADE.fullmatch(row[3]) and _NUMBER.fullmatch(row[4]) for row in rows):
        return "a run"
    if all(len(row) == 6 and row[1].upper() == b"Q0" for row in rows):
        return "a run"
    if all(len(row) in (4, 5) and row[1] in (b"0", b"Q0") and _GRADE.fullmatch(row[-1]) for row in rows):
        return "judgements"
    return ""


def beside_documents(name: str) -> bool:
    """Whether a file of a folder or an archive has the name of topics or judgements, as in the folders of BEIR.

    >>> [beside_documents(name) for name in ("nfcorpus/queries.jsonl", "nfcorpus/qrels/test.tsv", "corpus.jsonl")]
    [True, True, False]
    """
    return _FILE.fullmatch(name.rsplit("/", 1)[-1]) is not None or _FOLDER.search(name) is not None


# The documents of a dataset of ir_datasets as a source of a collection: a stream of JSON lines.


BYTES_OF_DOCUMENT = 1000  # for a progress bar: the size of a dataset is known only as its number of documents
_PIECE = 1 << 20
# Where the text is there without its markup as well.
_MARKUP = frozenset({"marked_up_doc", "raw_doc", "http_headers", "body_content_type"})


@dataclass(frozen=True)
class DatasetSource:
    """The documents of `ir_datasets:NAME`."""

    name: str
    folder: Path = Path()

    @classmethod
    def of(cls, handle: str) -> DatasetSource:
        """The source of a handle; InputError where there is no such dataset, or it has no documents."""
        dataset_of(handle, "docs")
        return cls(handle)

    @property
    def size(self) -> int:
        return BYTES_OF_DOCUMENT * (dataset_of(self.name, "docs").docs_count() or 0)

    def fingerprint(self) -> str:
        """The name of a dataset stands for its content, which the package checks."""
        return hashlib.sha256(self.name.encode()).hexdigest()

    def streams(self) -> Iterator[Stream]:
        done = [0]
        yield Stream(self.name, self._pieces(done), lambda: done[0] * BYTES_OF_DOCUMENT)

    def _pieces(self, done: list[int]) -> Iterator[bytes]:
        lines: list[bytes] = []
        size = 0
        for row in rows_of(self.name, "docs"):
            lines.append(json.dumps(record_of(row), default=str).encode() + b"\n")
            size += len(lines[-1])
            done[0] += 1
            if size > _PIECE:
                yield b"".join(lines)
                lines, size = [], 0
        yield b"".join(lines)


def record_of(row: Any) -> dict[str, Any]:
    """A document of ir_datasets as a record; one without a text under a name we know gets its default text."""
    record = {name: value for name, value in row._asdict().items() if name not in _MARKUP}
    if not any(isinstance(record.get(name), str) for name in (*OTHER_TEXTS, "abstract", "description")):
        record = {name: value for name, value in record.items() if not isinstance(value, bytes)}
        record["contents"] = row.default_text() if hasattr(row, "default_text") else ""
    return record
