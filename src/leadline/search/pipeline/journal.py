"""What a long run has found so far, on disk: one that is stopped, or killed, goes on behind the last topic done."""

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
    """A file beside the run, `RUN.unfinished`, with a line for each topic that is done.

    Its first line says what the run is made of; a journal of anything else is begun anew.
    """

    def __init__(self, path: Path, made_of: Any) -> None:
        self.path = path
        self.key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
        self._done = self._read()
        self._file: IO[str] | None = None

    def _read(self) -> dict[str, TopicResult]:
        """The topics that are done; a last line that was cut short is not among them."""
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
        if done and lines[-1]:  # cut short: what is added must begin a line of its own
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
        """The run is written: nothing is left to go on with."""
        if self._file is not None:
            self._file.close()
        self.path.unlink(missing_ok=True)
