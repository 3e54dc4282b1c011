"""What the public functions take as judgements, runs and topics: files, our own records, and other packages' objects.

These are types only; `Qrels.of` and `Run.of` turn the objects into our own, `read_qrels` and `read_run` the files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from leadline.records.others import OtherQrels, OtherRun

if TYPE_CHECKING:
    from leadline.records.qrels.qrels import Qrels
    from leadline.records.runs.run import Run

Path: TypeAlias = str | os.PathLike[str]
QrelsLike: TypeAlias = "Path | Qrels | OtherQrels"
RunLike: TypeAlias = "Path | Run | OtherRun"
RunsLike: TypeAlias = "RunLike | Sequence[RunLike] | Mapping[str, RunLike]"  # one run, several, or several by name


class HasGroups(Protocol):
    """What `duplicates` returns: the group of each document that has a near-duplicate."""

    @property
    def group_of(self) -> Mapping[str, int]: ...


DuplicatesLike: TypeAlias = "Path | Mapping[str, int] | Mapping[str, str] | HasGroups"
