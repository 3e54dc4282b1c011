"""A program that reads the query and prints what it found."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from typing import IO, Any, ClassVar

from leadline.errors import InputError, system_reason
from leadline.retrieval.engines.engine import (
    LARGEST_ANSWER,
    AskingFailedError,
    Connection,
    EngineHits,
    SearchEngine,
    engine,
    hits_of,
)
from leadline.text.processes import end_program


@engine("command")
class Command(SearchEngine):
    """The query is given on standard input, or in place of {query} in an argument; {k} is the number of documents.

    The program prints a line for each document, its id and perhaps a score; or a list in JSON.
    """

    runs_code: ClassVar[bool] = True
    command: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.command:
            raise InputError("command", 'name the program and its arguments: command = ["search", "-k", "{k}"]')

    def connect(self, seconds: float) -> Connection:
        return _Program(self.command, seconds)


class _Program:
    def __init__(self, command: tuple[str, ...], seconds: float) -> None:
        self.command, self.seconds = command, seconds

    def ask(self, query: str, k: int) -> EngineHits:
        arguments = [each.replace("{k}", str(k)).replace("{query}", query) for each in self.command]
        given = None if any("{query}" in each for each in self.command) else query.encode()
        streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        try:
            process = subprocess.Popen(arguments, start_new_session=True, **streams)
        except OSError as error:
            raise AskingFailedError(f"{arguments[0]} cannot be run: {system_reason(error)}") from None
        with process:
            printed, errors = self._answer(process, given)
        if process.returncode:
            said = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise AskingFailedError(f"exit status {process.returncode}{''.join(f': {line[:200]}' for line in said)}")
        return parsed(printed.decode("utf-8", "replace"))

    def _answer(self, process: subprocess.Popen[bytes], given: bytes | None) -> tuple[bytes, bytes]:
        """What the program printed on its two streams. One that takes too long or prints too much is ended."""
        printed, errors = bytearray(), bytearray()
        threads = [
            threading.Thread(target=_write, args=(process.stdin, given), daemon=True),
            threading.Thread(target=_read, args=(process.stdout, printed, process), daemon=True),
            threading.Thread(target=_read, args=(process.stderr, errors, process), daemon=True),
        ]
        deadline = time.monotonic() + self.seconds
        for thread in threads:
            thread.start()
        try:
            for reading in threads[1:]:
                reading.join(max(deadline - time.monotonic(), 0))
            if max(len(printed), len(errors)) > LARGEST_ANSWER:
                raise AskingFailedError("the answer is larger than 64 MiB")
            if any(reading.is_alive() for reading in threads[1:]):
                raise subprocess.TimeoutExpired(process.args, self.seconds)
            process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            raise AskingFailedError(f"no answer within {self.seconds:g} s", passes=True) from None
        finally:
            if process.poll() is None or any(thread.is_alive() for thread in threads):
                end_program(process.pid)  # with a program that it started, which may still have the streams
            for thread in threads:
                thread.join(1)
        return bytes(printed), bytes(errors)

    def close(self) -> None:
        pass


def _write(stream: IO[bytes], given: bytes | None) -> None:
    with contextlib.suppress(OSError), stream:  # a program need not read its query
        stream.write(given or b"")


def _read(stream: IO[bytes], kept: bytearray, process: subprocess.Popen[bytes]) -> None:
    """Read a stream to its end, or until it is longer than an answer may be."""
    with contextlib.suppress(OSError, ValueError):
        while chunk := os.read(stream.fileno(), 1 << 16):
            kept += chunk
            if len(kept) > LARGEST_ANSWER:
                end_program(process.pid)
                return


def parsed(printed: str) -> EngineHits:
    """The documents that a program printed.

    >>> parsed("EP1 2.5\\nEP2 1\\n").scores, parsed('["EP1", "EP2"]').ids
    ([2.5, 1.0], ['EP1', 'EP2'])
    """
    if printed.lstrip()[:1] in ("[", "{"):
        try:
            return hits_of(json.loads(printed))
        except (ValueError, RecursionError):
            raise AskingFailedError("the answer is not JSON") from None
    lines = [line.split() for line in printed.splitlines() if line.strip()]
    for line in lines:
        if len(line) > 2 or len(line) != len(lines[0]):
            unlike = f", while the first has {'a' if len(lines[0]) == 2 else 'no'} score" if len(line) <= 2 else ""
            shown = " ".join(line)[:60]
            raise AskingFailedError(f"a line of the answer is not an id, or an id and a score: {shown!r}{unlike}")
    if lines and len(lines[0]) == 1:
        return EngineHits([name for (name,) in lines])
    return hits_of([tuple(line) for line in lines])
