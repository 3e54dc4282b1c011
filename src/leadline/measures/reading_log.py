"""Reading logs: the documents that a searcher opened, in order, with the seconds spent on each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from leadline.measures.hits import AGAIN
from leadline.records.runs.run import Run
from leadline.text.frames import DOCUMENT, TOPIC
from leadline.text.sheet import read_columns
from leadline.text.source import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SECONDS = ("seconds", "time", "duration")


def read_reading_log(path: str | os.PathLike[str]) -> tuple[Run, NDArray[np.float64]]:
    """Read a reading log as a run in the order read, and the seconds of each line of that run.

    A line holds topic, document and seconds, separated by blanks; `#` starts a comment. A CSV or TSV file needs a
    header with these names. A document opened again takes time but gains nothing, so the run has it under another,
    unjudged name.
    """
    sheet = read_columns(path, TOPIC, DOCUMENT, _SECONDS)
    topics, documents = sheet.labels(sheet.pick(TOPIC)), sheet.labels(sheet.pick(DOCUMENT))
    seconds = sheet.amounts(sheet.pick(_SECONDS))
    times: dict[tuple[str, str], int] = {}
    names = []
    for pair in zip(topics, documents, strict=True):
        times[pair] = times.get(pair, 0) + 1
        names.append(pair[1] if times[pair] == 1 else f"{pair[1]}{AGAIN}{times[pair]}")
    run = Run.from_columns(topics, names, np.zeros(len(names)), stem(path), order="file")
    return run, np.array(seconds)
