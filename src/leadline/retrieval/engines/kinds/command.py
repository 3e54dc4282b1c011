"""A program that reads the query and prints what it found."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import Any, ClassVar

from leadline.errors import InputError, system_reason
from leadline.retrieval.engines.engine import AskingFailedError, Connection, EngineHits, SearchEngine, engine, hits_of

LARGEST_ANSWER = 64 << 20  # bytes


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
            process = subprocess.Popen(arguments, start_new_session=os.name == "posix", **streams)
        except OSError as error:
            raise AskingFailedError(f"{arguments[0]} cannot be run: {system_reason(error)}") from None
        with process:
            try:
                printed, errors = process.communicate(given, timeout=self.seconds)
            except subprocess.TimeoutExpired:
                raise AskingFailedError(f"no answer within {self.seconds:g} s", passes=True) from None
            finally:
                if process.poll() is None:
                    _kill(process)
        if process.returncode:
            said = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise AskingFailedError(f"exit status {process.returncode}{''.join(f': {line[:200]}' for line in said)}")
        if len(printed) > LARGEST_ANSWER:
            raise AskingFailedError("the answer is larger than 64 MiB")
        return parsed(printed.decode("utf-8", "replace"))

    def close(self) -> None:
        pass


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program with the programs it started."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


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
    if any(len(line) > 2 for line in lines) or len({len(line) for line in lines}) > 1:
        raise AskingFailedError("a line of the answer is not an id, or an id and a score")
    if lines and len(lines[0]) == 1:
        return EngineHits([name for (name,) in lines])
    return hits_of([tuple(line) for line in lines])
