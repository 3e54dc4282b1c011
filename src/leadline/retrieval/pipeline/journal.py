"""The finished topics of a long run, on disk, so that an interrupted run continues after the last finished topic."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from leadline.errors import InputError

TopicResult = tuple[Sequence[str], Sequence[float], Sequence[str]]  # documents, their scores, notes


class Journal:
    """A file beside the run, `RUN.unfinished`, with a line for each finished topic.

    Its first line identifies what the run is made of; a journal of another run is started again.
    """

    def __init__(self, path: Path, made_of: Any) -> None:
        self.path = path
        self.key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
        self._done = self._read()
        self._file: IO[str] | None = None

    def _read(self) -> dict[str, TopicResult]:
        """The finished topics; an incomplete last line is ignored."""
        done: dict[str, TopicResult] = {}
        try:
            content = self.path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return done
        opening, *lines = content.split("\n")
        if opening != json.dumps([self.key]):
            return done
        for line in lines:
            with contextlib.suppress(ValueError, TypeError):
                topic, documents, scores, notes = json.loads(line)
                done[topic] = documents, scores, notes
        if done and lines[-1]:  # incomplete: the next line must start on its own
            self.path.write_text(content.rpartition("\n")[0] + "\n", encoding="utf-8")
        return done

    def __len__(self) -> int:
        return len(self._done)

    def get(self, topic: str) -> TopicResult | None:
        return self._done.get(topic)

    def add(self, topic: str, found: TopicResult) -> None:
        if self._file is None:
            self._file = self._opened()
        self._file.write(json.dumps([topic, *map(list, found)]) + "\n")
        self._file.flush()

    def _opened(self) -> IO[str]:
        try:
            file = self.path.open("a" if self._done else "w", encoding="utf-8")
        except OSError as error:
            raise InputError(str(self.path), f"cannot be written: {(error.strerror or str(error)).lower()}") from None
        if not self._done:
            file.write(json.dumps([self.key]) + "\n")
        return file

    def finish(self) -> None:
        """Delete the journal: the run is written."""
        if self._file is not None:
            self._file.close()
        self.path.unlink(missing_ok=True)
