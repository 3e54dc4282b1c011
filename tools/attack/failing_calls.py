"""Calls that write, counted in this process; one of them fails or ends the process. `fault_injection.py` uses this."""

from __future__ import annotations

import builtins
import errno
import functools
import hashlib
import io
import itertools
import mmap
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

KILLED = 99
_CALLS = ("fsync", "replace", "rename", "link", "mkdir", "unlink", "remove", "rmdir", "ftruncate", "posix_fallocate")


class Faults:
    """Counts the calls of this process that write, and spoils one of them."""

    def __init__(self, log: Path, at: int = -1, kind: str = "") -> None:
        self.log, self.at, self.kind, self.count = log, at, kind, 0

    def call(self, name: str, target: object) -> None:
        number, self.count = self.count, self.count + 1
        if self.at < 0:
            with self.real_open(self.log, "a") as log:
                log.write(f"{name} {target}\n")
        elif number == self.at:
            if self.kind == "kill":
                os._exit(KILLED)
            code = getattr(errno, self.kind)
            raise OSError(code, os.strerror(code), target if isinstance(target, str) else None)

    def install(self) -> None:
        """Put this between the program and the system, in this process."""
        self.real_open = io.open
        faults = self

        def opened(file: Any, mode: str = "r", *rest: Any, **options: Any) -> Any:
            writes = any(letter in mode for letter in "wax+")
            if writes and not isinstance(file, int):
                faults.call("open", os.fspath(file))
            real = faults.real_open(file, mode, *rest, **options)
            return WrittenFile(real, faults) if writes else real

        builtins.open = io.open = opened  # type: ignore[assignment]
        same_names("first")
        real_os_open = os.open

        def os_open(path: Any, flags: int, *rest: Any, **options: Any) -> int:
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                faults.call("os.open", os.fspath(path))
            return real_os_open(path, flags, *rest, **options)

        os.open = os_open
        for name in _CALLS:
            setattr(os, name, self._counted(name, getattr(os, name)))
        real_mmap = mmap.mmap

        class CountedMap(real_mmap):  # type: ignore[misc, valid-type]
            def __new__(cls, *arguments: Any, **options: Any) -> Any:
                faults.call("mmap", "")
                return super().__new__(cls, *arguments, **options)

        mmap.mmap = CountedMap  # type: ignore[misc]

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(real)
        def counted(*arguments: Any, **options: Any) -> Any:
            first = arguments[0] if arguments else ""
            self.call(name, os.fspath(first) if isinstance(first, (str, os.PathLike)) else first)
            return real(*arguments, **options)

        return counted


def same_names(attempt: str) -> None:
    """Let the random names of this process be the same in every case, but others in each attempt."""
    count = itertools.count()

    def token_hex(size: int = 32) -> str:
        return hashlib.sha256(f"{attempt} {next(count)}".encode()).hexdigest()[: 2 * size]

    secrets.token_hex = token_hex


class WrittenFile:
    """A file open for writing, whose writes and flushes count."""

    def __init__(self, real: Any, faults: Faults) -> None:
        self.__dict__.update(real=real, faults=faults)

    def write(self, content: Any) -> Any:
        self.faults.call("write", self.real.name)
        return self.real.write(content)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def truncate(self, *size: Any) -> Any:
        self.faults.call("truncate", self.real.name)
        return self.real.truncate(*size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __enter__(self) -> WrittenFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.real.close()

    def __iter__(self) -> Any:
        return iter(self.real)
