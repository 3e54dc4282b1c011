"""What the public functions take as judgements, runs and topics, and the small tables beside them.

These are types only; `Qrels.of` and `Run.of` turn the objects into our own, `read_qrels` and `read_run` the files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from leadline.errors import InputError, visible
from leadline.records.other_packages import OtherQrels, OtherRun
from leadline.text.sheet import DOCUMENT, label, read_columns, read_sheet
from leadline.text.source import read_text

if TYPE_CHECKING:
    from leadline.records.qrels import Qrels
    from leadline.records.runs import Run

Path: TypeAlias = str | os.PathLike[str]
QrelsLike: TypeAlias = "Path | Qrels | OtherQrels"
RunLike: TypeAlias = "Path | Run | OtherRun"
RunsLike: TypeAlias = "RunLike | Sequence[RunLike] | Mapping[str, RunLike]"  # one run, several, or several by name


class HasGroups(Protocol):
    """What `duplicates` returns: the group of each document that has a near-duplicate."""

    @property
    def group_of(self) -> Mapping[str, int]: ...


DuplicatesLike: TypeAlias = "Path | Mapping[str, int] | Mapping[str, str] | HasGroups"


# The small tables beside runs and judgements: topics to keep, document lengths, attributes of runs.


_WORDS = ("words", "length")


def read_topics(path: str | os.PathLike[str]) -> list[str]:
    """Return the ids in a topic file: TREC's markup, a table with a header, or the first field of each line."""
    from leadline.records.topics import TOPIC_ID, topic_sheet

    sheet = topic_sheet(read_text(path))
    return sheet.labels(sheet.find(TOPIC_ID) or 0)


def read_lengths(path: str | os.PathLike[str]) -> dict[str, float]:
    """Return the words of each document: two columns, document and words, with or without a header."""
    sheet = read_columns(path, DOCUMENT, _WORDS)
    return dict(zip(sheet.labels(sheet.pick(DOCUMENT)), sheet.amounts(sheet.pick(_WORDS)), strict=True))


def read_runs_info(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """Return the attributes of runs from a table with a header; the column `run`, or else the first, names the run."""
    sheet = read_sheet(path)
    key = sheet.find(("run",)) or 0
    if len(sheet.columns) < 2:
        problem = f"one column ({sheet.columns[key]}), expected a table with a header: run,team,..."
        raise InputError(sheet.name, problem, line=1)
    others = [(c, name) for c, name in enumerate(sheet.columns) if c != key]
    found: dict[str, dict[str, str]] = {}
    for number, row in enumerate(sheet.rows):
        if (run := label(row[key])) in found:
            raise sheet.error(number, f"run {visible(run)} is given twice")
        found[run] = {name: label(row[c]) for c, name in others}
    return found


def read_groups(duplicates: DuplicatesLike) -> dict[str, str]:
    """Return the group of each document that has a duplicate: from a table of groups, a mapping, or Duplicates."""
    if not isinstance(duplicates, (str, os.PathLike)):
        known = getattr(duplicates, "group_of", duplicates)
        if not isinstance(known, Mapping):
            problem = f"must be a table, a mapping from documents to groups or Duplicates, got {type(known).__name__}"
            raise InputError("duplicates", problem)
        return {str(document): str(group) for document, group in known.items()}
    sheet = read_columns(duplicates, ("group",), DOCUMENT)
    groups, documents = sheet.labels(sheet.pick(("group",))), sheet.labels(sheet.pick(DOCUMENT))
    found: dict[str, str] = {}
    for row, (group, document) in enumerate(zip(groups, documents, strict=True)):
        if found.setdefault(document, group) != group:
            raise sheet.error(row, f"{document} is in group {found[document]} and in group {group}")
    return found
