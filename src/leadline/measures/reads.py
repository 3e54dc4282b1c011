"""Reading logs: what a searcher opened, in which order and for how long, over all queries of a session."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.records.runs.run import Run
from leadline.text import frames
from leadline.text.ids import decode_id
from leadline.text.source import Text, read_text, stem
from leadline.text.table import read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

AGAIN = " again "  # between a document's name and a number; names in files of fields hold no blanks
_COLUMNS = "topic document seconds"
_SECONDS = ("seconds", "time", "duration")


def read_reads(path: str | os.PathLike[str]) -> tuple[Run, NDArray[np.float64]]:
    """A reading log as a run in the order read, and the seconds of each line of that run.

    A line holds topic, document and seconds, separated by blanks or tabs; `#` opens a comment. A CSV file needs a
    header with these names. A document opened again takes its time once more and brings nothing new, so in the run it
    goes by a name of its own, which nobody judged.
    """
    text = read_text(path)
    kind = frames.named_kind(text.name, text.buffer[text.begin : text.begin + 4096].tobytes())
    topics, documents, seconds = _blank_separated(text) if kind is None else _named(text, kind)
    times: dict[tuple[str, str], int] = {}
    names = []
    for pair in zip(topics, documents, strict=True):
        times[pair] = times.get(pair, 0) + 1
        names.append(pair[1] if times[pair] == 1 else f"{pair[1]}{AGAIN}{times[pair]}")
    run = Run.from_columns(topics, names, np.zeros(len(names)), stem(path), order="file")
    return run, np.array(seconds)


_Log = tuple[list[str], list[str], list[float]]


def _blank_separated(text: Text) -> _Log:
    table = read_table(text, 3, 4, _wrong_count)
    if table.columns == 4:
        line = int(np.flatnonzero(table.ids[3].lengths)[0])
        raise table.error(line, _wrong_count(4, " or more"))
    seconds = table.floats(2, "seconds")
    wrong = _not_a_time(seconds)
    if wrong is not None:
        raise table.error(wrong, f"seconds {table.show(wrong, 2)}: expected 0 or more")
    topics, documents = (list(map(decode_id, table.ids[column].as_bytes())) for column in (0, 1))
    return topics, documents, seconds.tolist()


def _wrong_count(found: int, more: str = "") -> str:
    return f"{found}{more} field{'s' * (found != 1)}, expected 3 ({_COLUMNS})"


def _named(text: Text, kind: str) -> _Log:
    frame = frames.frame_of_text(text, kind)
    topics = frames.strings(frame, frames.pick(frame, frames.TOPIC, text.name), text.name)
    documents = frames.strings(frame, frames.pick(frame, frames.DOCUMENT, text.name), text.name)
    seconds = list(frames.numbers(frame, frames.pick(frame, _SECONDS, text.name), text.name))
    if not seconds:
        raise InputError(text.name, "is empty")
    wrong = _not_a_time(np.array(seconds))
    if wrong is not None:
        raise InputError(text.name, f"row {wrong + 1}: seconds {seconds[wrong]:g}: expected 0 or more")
    return topics, documents, seconds


def _not_a_time(seconds: NDArray[np.float64]) -> int | None:
    wrong = np.flatnonzero((seconds < 0) | np.isinf(seconds))
    return int(wrong[0]) if len(wrong) else None
