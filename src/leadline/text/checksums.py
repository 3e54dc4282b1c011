"""Checksums of what is stored, and stored files opened only where they are plain.

A JSON file of ours carries the checksum of its own content: `sealed` adds it, `check_seal` compares it. Other files are
compared with the checksum of the whole file, which the manifest of their folder has.

    >>> written = sealed({"what": "an example", "size": 3})
    >>> check_seal(parsed_object(written, "manifest.json", "build it again"), "manifest.json", "build it again")
    >>> damaged = written.replace(b"3", b"2")
    >>> check_seal(parsed_object(damaged, "manifest.json", "build it again"), "manifest.json", "build it again")
    Traceback (most recent call last):
    leadline.errors.InputError: manifest.json: is damaged, its checksum does not fit: build it again
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import InputError, system_reason

# Open the files that we stored: their names are known, so anyone may have put a link, a pipe or a device there.


_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
_EXTRA = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_stored(path: str | os.PathLike[str], flags: int = os.O_RDONLY) -> int:
    """Open a regular file; OSError for a link, and at once, without waiting, for a pipe or a device.

    Also an `opener` for the built-in `open`.
    """
    try:
        descriptor = os.open(path, flags | _EXTRA, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK) and Path(path).is_symlink():
            raise OSError(errno.ELOOP, "it is a link, expected a file") from None
        if error.errno == errno.ENXIO:  # a pipe that nobody reads, opened for writing
            raise OSError(errno.ENXIO, "it is a pipe, expected a file") from None
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(stat.S_IFMT(mode), 'a device')}, expected a file")
    return descriptor


def stored_bytes(path: str | os.PathLike[str], most: int = -1) -> bytes:
    """The bytes of a regular file, or the first of them."""
    with open(path, "rb", opener=open_stored) as file:
        return file.read(most)


def is_stored(path: Path) -> bool:
    """Whether a regular file is there, not a link to one."""
    return path.is_file() and not path.is_symlink()


CHECKSUM = "checksum"  # the key of a JSON object's own checksum


@dataclass(frozen=True)
class Finding:
    """One problem that a check found, and how to mend it."""

    path: str
    problem: str
    mend: str

    @property
    def fix(self) -> str:
        """The earlier name of `mend`."""
        warnings.warn("Finding.fix is called Finding.mend now", DeprecationWarning, stacklevel=2)
        return self.mend


def check_file(path: Path, sha256: object, mend: str) -> Iterator[Finding]:
    """A finding if a file is missing or its SHA-256 is another."""
    try:
        if file_sha256(path) != sha256:
            yield Finding(str(path), "is damaged, its checksum does not fit", mend)
    except FileNotFoundError:
        yield Finding(str(path), "is missing", mend)
    except OSError as error:
        yield Finding(str(path), f"cannot be read: {system_reason(error)}", mend)


def intact(path: Path, sha256: object, mend: str) -> Path:
    """The path of a file that has this SHA-256; InputError for any other."""
    for found in check_file(path, sha256, mend):
        raise InputError(found.path, f"{found.problem}: {found.mend}")
    return path


def findings(check: Callable[[], object], mend: str) -> Iterator[Finding]:
    """The InputError that a function raises, as a finding; nothing if it raises none."""
    try:
        check()
    except InputError as error:
        yield finding_of(error, mend)


def finding_of(error: InputError, mend: str) -> Finding:
    """An error as a finding; the text after its last colon is how to mend it."""
    problem, _, ending = error.problem.rpartition(": ")
    return Finding(error.where, problem, ending) if problem else Finding(error.where, error.problem, mend)


def file_sha256(path: Path) -> str:
    """The SHA-256 checksum of a file, read in full."""
    with open(path, "rb", opener=open_stored) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def object_checksum(content: Mapping[str, Any]) -> str:
    """The CRC-32 of a JSON object without its own checksum: the same however the file is indented or ordered."""
    rest = {key: value for key, value in content.items() if key != CHECKSUM}
    return f"{zlib.crc32(json.dumps(rest, sort_keys=True, separators=(',', ':')).encode()):08x}"


def sealed(content: Mapping[str, Any]) -> bytes:
    """A JSON object with its checksum, as it is written to a file."""
    whole = {**content, CHECKSUM: object_checksum(content)}
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def check_seal(content: Mapping[str, Any], where: str, fix: str) -> None:
    """Raise InputError where an object lacks its checksum or does not fit it."""
    if CHECKSUM not in content:
        raise InputError(where, f"is damaged, its checksum is missing: {fix}")
    if content[CHECKSUM] != object_checksum(content):
        raise InputError(where, f"is damaged, its checksum does not fit: {fix}")


def read_sealed(
    path: Path, what: str, newest: int, fix: str, *, number: str = "format", unsealed: int = 0
) -> dict[str, Any] | None:
    """The object in a file that says what it is, its format and its checksum; None where there is no file.

    `number` is the key of the format; formats up to `unsealed` may lack the checksum.
    """
    try:
        written = stored_bytes(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    content = parsed_object(written, str(path), fix)
    if content.get("what") != what:
        raise InputError(str(path), f"is not {what}: {fix}")
    found = content.get(number)
    if type(found) is int and found > newest:
        raise InputError(str(path), f"has format {found}, this version reads up to {newest}: update leadline")
    if type(found) is not int or not 1 <= found <= unsealed or CHECKSUM in content:
        check_seal(content, str(path), fix)
    if type(found) is not int:
        raise InputError(str(path), f"is damaged, its format is not a number: {fix}")
    return content


def parsed_object(written: bytes, where: str, fix: str) -> dict[str, Any]:
    """The JSON object in the bytes of a file; InputError where they are anything else."""
    try:
        content = json.loads(written.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise InputError(where, f"is damaged, it is not JSON: {fix}") from None
    if not isinstance(content, dict):
        raise InputError(where, f"is damaged, it is not a JSON object: {fix}")
    return content
