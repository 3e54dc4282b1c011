"""The finished topics of a long run, on disk, so that an interrupted run continues after the last finished topic."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Any

from leadline.errors import InputError
from leadline.text.files import reported, write_whole
from leadline.text.lock import try_lock

TopicResult = tuple[Sequence[str], Sequence[float], Sequence[str]]  # documents, their scores, notes


def _without_links(path: str, flags: int) -> int:
    """Open a file, but not through a link: its name can be guessed, so anyone may have put one there."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


class Journal:
    """A file beside the run, `RUN.unfinished`, with a line for each finished topic.

    Its first line identifies what the run is made of; a journal of another run is started again.
    """

    def __init__(self, path: Path, made_of: Any) -> None:
        self.path = path
        self.key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
        self._done = self._read()
        self._file: FileIO | None = None

    def _read(self) -> dict[str, TopicResult]:
        """The finished topics; an incomplete last line is ignored."""
        done: dict[str, TopicResult] = {}
        try:
            with open(self.path, encoding="utf-8", errors="replace", opener=_without_links) as file:
                content = file.read()
        except FileNotFoundError:
            return done
        except OSError as error:
            raise InputError(str(self.path), f"cannot be read: {(error.strerror or str(error)).lower()}") from None
        opening, *lines = content.split("\n")
        if content and not re.fullmatch(r'\["[0-9a-f]{64}"\]', opening):
            raise InputError(str(self.path), "is not an unfinished run: move it, or name another file for the run")
        if opening != json.dumps([self.key]):
            return done
        for line in lines:
            with contextlib.suppress(ValueError, TypeError):
                topic, documents, scores, notes = json.loads(line)
                done[topic] = documents, scores, notes
        if done and lines[-1]:  # incomplete: the next line must start on its own
            write_whole(self.path, (content.rpartition("\n")[0] + "\n").encode())
        return done

    def __len__(self) -> int:
        return len(self._done)

    def get(self, topic: str) -> TopicResult | None:
        return self._done.get(topic)

    def add(self, topic: str, found: TopicResult) -> None:
        if self._file is None:
            self._file = self._opened()
        self._file.write((json.dumps([topic, *map(list, found)]) + "\n").encode())

    def _opened(self) -> FileIO:
        """The file to append to, locked until this process closes it."""
        opening = (json.dumps([self.key]) + "\n").encode()
        with reported(self.path):
            file = FileIO(self.path, "a+", opener=_without_links)
            if not try_lock(file):
                file.seek(0)
                same = file.read(len(opening)) == opening
                file.close()
                if same:
                    raise InputError(str(self.path), "another process is making this run; wait, or name another file")
                self.path.unlink()  # of another run, whose process keeps its own file
                file = FileIO(self.path, "x", opener=_without_links)
                try_lock(file)
            if not self._done:
                file.truncate(0)
                file.write(opening)
        return file

    def finish(self) -> None:
        """Delete the journal: the run is written."""
        if self._file is not None:
            self._file.close()
        self.path.unlink(missing_ok=True)
