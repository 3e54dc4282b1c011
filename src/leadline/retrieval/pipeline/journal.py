"""The finished topics of a long run, on disk, so that an interrupted run continues after the last finished topic."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import zlib
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

from leadline.errors import InputError, system_reason, visible
from leadline.records.scores.result import counted
from leadline.text.files import is_trusted, reported
from leadline.text.lock import this_process, try_lock
from leadline.text.stored import open_stored

HOLDER = "written by"


class TopicResult(NamedTuple):
    """What was found for a topic."""

    documents: Sequence[str]
    scores: Sequence[float]
    notes: Sequence[str]
    seconds: float | None = None  # that it took
    requests: int | None = None  # that were sent for it, to another service


class Journal:
    """A file beside the run, `RUN.unfinished`, with a line for each finished topic and its checksum.

    Its first line has a digest of what the run depends on; the journal of another run is replaced. Each process that
    writes it adds a line with its name.
    """

    def __init__(self, path: Path, made_of: Any) -> None:
        self.path = path
        self.key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
        self._of_others = 0  # finished topics of another run, or of this one with other settings
        self._done = self._read()
        self._file: FileIO | None = None

    def _read(self) -> dict[str, TopicResult]:
        """The finished topics; a line that is incomplete or damaged is ignored, and its topic is made again."""
        done: dict[str, TopicResult] = {}
        try:
            with open(self.path, "rb", opener=open_stored) as file:
                about, content = os.fstat(file.fileno()), file.read()
        except FileNotFoundError:
            return done
        except OSError as error:
            raise InputError(str(self.path), f"cannot be read: {system_reason(error)}") from None
        opening, *lines = content.split(b"\n")
        if content and not re.fullmatch(rb'\["[0-9a-f]{64}"\]', opening):
            raise InputError(str(self.path), "is not an unfinished run: move it, or name another file for the run")
        if not is_trusted(about.st_uid):
            raise InputError(str(self.path), "was put there by another user: name another file for the run")
        if opening == self._opening.rstrip():
            done.update(filter(None, map(_parsed, lines)))
        else:
            self._of_others = sum(_parsed(line) is not None for line in lines)
        return done

    @property
    def notes(self) -> list[str]:
        """What becomes of the topics that were finished before."""
        if self._of_others:
            topics = counted(self._of_others, "finished topic")
            return [
                f"settings changed: {topics} of {self.path.name} {'is' if self._of_others == 1 else 'are'} not used"
            ]
        return [f"continues after {counted(len(self), 'finished topic')}"] if len(self) else []

    def __len__(self) -> int:
        return len(self._done)

    def get(self, topic: str) -> TopicResult | None:
        return self._done.get(topic)

    def add(self, topic: str, found: TopicResult) -> None:
        if self._file is None:
            self._file = self._opened()
        entry = [topic, list(found.documents), list(found.scores), list(found.notes), found.seconds]
        if found.requests is not None:
            entry.append(found.requests)
        self._write(self._file, json.dumps([*entry, _checksum(entry)]))

    def _write(self, file: FileIO, line: str) -> None:
        """Append a line; a partial write means that the disk is full."""
        encoded = f"{line}\n".encode()
        with reported(self.path, len(encoded)):
            if file.write(encoded) != len(encoded):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @property
    def _opening(self) -> bytes:
        return (json.dumps([self.key]) + "\n").encode()

    def _opened(self) -> FileIO:
        """The file to append to, locked until this process closes it."""
        with reported(self.path):
            file = FileIO(self.path, "a+", opener=open_stored)
            if not try_lock(file):
                file.seek(0)
                content = file.read()
                file.close()
                if content.startswith(self._opening):
                    problem = f"{_holder(content)} is making this run; wait, or name another file"
                    raise InputError(str(self.path), problem)
                self.path.unlink()  # the journal of another run, whose process keeps its open file
                file = FileIO(self.path, "x", opener=open_stored)
                try_lock(file)
            if not self._done:
                file.truncate(0)
                self._write(file, json.dumps([self.key]))
        # After a line break, because the last line may be incomplete.
        self._write(file, "\n" * bool(self._done) + json.dumps({HOLDER: this_process()}))
        return file

    def finish(self) -> None:
        """Close and delete the journal, after the run is written."""
        if self._file is not None:
            self._file.close()
        self.path.unlink(missing_ok=True)


def _checksum(entry: list[Any]) -> str:
    return f"{zlib.crc32(json.dumps(entry).encode()):08x}"


def _parsed(line: bytes) -> tuple[str, TopicResult] | None:
    """A finished topic; None for a line that is incomplete, damaged or about something else."""
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        *entry, checksum = json.loads(line)
        topic, documents, scores, notes, seconds, *requests = entry
        if checksum == _checksum(entry) and isinstance(topic, str) and len(documents) == len(scores):
            return topic, TopicResult(documents, scores, notes, seconds, *requests)
    return None


def _holder(content: bytes) -> str:
    """The name of the process that wrote the journal last."""
    for line in reversed(content.split(b"\n")):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            return visible(str(json.loads(line)[HOLDER])[:200])
    return "another process"
