"""A run that somebody sends: checked as the evaluator checks it, and added to the lab only if it is right."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import InputError
from leadline.records.runs.read_runs import read_run
from leadline.show.lab.boards import Boards
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import BESIDE_ENDINGS, LabEntry, check_file_name, fingerprint
from leadline.text import frames
from leadline.text.files import readable_size
from leadline.text.source import pieces_of, stem, within_ratio

LARGEST_SENT = 64 << 20  # bytes of an upload
LARGEST_UNPACKED = 256 << 20  # bytes: a run of two million lines has half of it
_one_at_a_time = threading.Lock()  # reading a run takes memory, and the lab is written by one at a time


class NameTakenError(InputError):
    """Another run has the name."""


@dataclass(frozen=True)
class Received:
    """What became of a run that was sent."""

    entry: LabEntry
    is_new: bool  # False: the same run was there already


def check_run_name(name: str) -> str:
    """The name of a file to store a run under; InputError for any other."""
    check_file_name(name, "name")
    if name.endswith(BESIDE_ENDINGS) or frames.named_kind(name, b"") is not None or name.lower().endswith(".parquet"):
        problem = f"{name!r} is not a name for a run in TREC's format: let it end in .run, .txt or .run.gz"
        raise InputError("name", problem)
    return name


def receive_run(boards: Boards, path: Path, sender: str, qrels: str = "") -> Received:
    """Add the run in a file to the lab under the file's name; InputError or MismatchError if it is wrong.

    With `qrels` it must share topics and documents with these judgements.
    """
    _check_size(path)
    with _one_at_a_time:
        sha256 = fingerprint(KINDS["run"], path)
        for entry in boards.lab.entries("run"):
            same_size = entry.path.is_file() and entry.path.stat().st_size == path.stat().st_size
            if same_size and fingerprint(KINDS["run"], entry.path) == sha256:
                return Received(entry, is_new=False)
        name = stem(path)
        if boards.lab.is_taken("run", name):
            raise NameTakenError("name", f"there is another run {name} in the lab: choose another name")
        if qrels:
            read_run(path)  # a wrong line before what does not fit the judgements
            boards.fits(path, name, qrels)
        return Received(boards.lab.add(path, kind="run", origin=f"uploaded by {sender}", owner=sender), is_new=True)


def _check_size(path: Path) -> None:
    """Raise InputError for a file that is no text, or that holds too much when it is unpacked."""
    total = 0
    with open(path, "rb") as file:
        for piece in within_ratio(pieces_of(file, path.name), path.name, path.stat().st_size):
            if not total and piece.startswith(b"PAR1"):
                raise InputError(path.name, "is a Parquet file: send the run as text in TREC's format")
            total += len(piece)
            if total > LARGEST_UNPACKED:
                raise InputError(path.name, f"holds more than {readable_size(LARGEST_UNPACKED)} when it is unpacked")
