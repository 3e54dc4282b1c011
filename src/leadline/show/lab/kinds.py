"""What a lab holds: the kinds of things, and how a file or a folder is recognised as one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.collections.documents.manifest import MANIFEST as COLLECTION_MANIFEST
from leadline.collections.documents.staging import KIND as COLLECTION
from leadline.collections.documents.store import Collection
from leadline.errors import InputError, nearest
from leadline.judge.pools.pool import RECORD, Pool
from leadline.judge.review.project import KIND as REVIEW
from leadline.judge.review.project import SETTINGS, ReviewProject
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.runs.read_runs import read_run
from leadline.records.side_tables import read_groups
from leadline.records.topics.topic import Topics
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import KIND as INDEX
from leadline.retrieval.index.manifest import MANIFEST as INDEX_MANIFEST
from leadline.text.owned_folder import identity_of
from leadline.text.source import read_text

_HEAD = 65_536  # bytes of a file in which its kind is looked for
BESIDE = (".manifest.json", ".why.tsv")  # what commands write beside a run or judgements


@dataclass(frozen=True)
class LabKind:
    """One kind of thing in a lab."""

    name: str
    folder: str  # in the lab
    title: str  # of several of them, as a heading
    manifest: str  # of a folder: the file that says what is in it; empty for a kind that is a file
    check: Callable[[Path], Any]  # reads one, and raises InputError where it is wrong
    beside: tuple[str, ...] = ()  # endings of files that belong to it

    @property
    def is_folder(self) -> bool:
        return bool(self.manifest)


def _check_report(path: Path) -> None:
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(str(path), "is not a page: reports end in .html")


KINDS: Mapping[str, LabKind] = {
    kind.name: kind
    for kind in (
        LabKind("collection", "collections", "Collections", COLLECTION_MANIFEST, Collection.open),
        LabKind("index", "indexes", "Indexes", INDEX_MANIFEST, Index.open),
        LabKind("topics", "topics", "Topics", "", Topics.read, BESIDE),
        LabKind("qrels", "qrels", "Judgements", "", read_qrels, BESIDE),
        LabKind("run", "runs", "Runs", "", read_run, BESIDE),
        LabKind("pool", "pools", "Pools", "", Pool.read, (RECORD, ".journal", ".people")),
        LabKind("review", "reviews", "Reviews", SETTINGS, ReviewProject.open),
        LabKind("duplicates", "duplicates", "Near-duplicates", "", read_groups),
        LabKind("report", "reports", "Reports", "", _check_report),
    )
}
_FOLDERS = {COLLECTION: "collection", INDEX: "index", REVIEW: "review"}  # by the kind in their identity files


def missing_file(path: Path) -> InputError:
    """The error for a file that is not there, with the nearest one that is."""
    beside: list[str] = []
    with contextlib.suppress(OSError):
        beside = [entry.name for entry in path.absolute().parent.iterdir()]
    return InputError(str(path), f"no such file or folder{nearest(path.name, beside)}")


def kind_of(path: str | os.PathLike[str]) -> str:
    """The kind of a file or folder; InputError where it cannot be told."""
    place = Path(path)
    if not place.exists():
        raise missing_file(place)
    if place.is_dir():
        owned = identity_of(place)
        if owned is not None and owned.kind in _FOLDERS:
            return _FOLDERS[owned.kind]
        known = "a collection, an index or a review"
        what = "was not made by leadline" if owned is None else f"is a {owned.kind}"
        raise InputError(str(path), f"{what}: a lab takes {known}, or files of runs, judgements and topics")
    if place.suffix.lower() in (".html", ".htm"):
        return "report"
    if Path(f"{place}{RECORD}").exists():
        return "pool"
    head = read_text(place).bytes()[:_HEAD]
    if b"\0" in head:
        raise InputError(str(path), "is not text: a lab takes files of runs, judgements and topics, and reports")
    kind = kind_of_text(head)
    if kind is None:
        raise InputError(str(path), f"cannot be told apart: name its kind with --as {'|'.join(KINDS)}")
    return kind


def kind_of_text(head: bytes) -> str | None:
    """The kind of a file from its beginning: a run, judgements, near-duplicates or topics; None where it is neither.

    >>> kind_of_text(b"1 Q0 d7 1 9.5 bm25"), kind_of_text(b"1 0 d7 1"), kind_of_text(b"topic,text"), kind_of_text(b"?")
    ('run', 'qrels', 'topics', None)
    >>> kind_of_text(b"group,document,resemblance,kept")
    'duplicates'
    """
    line = next((each.strip() for each in head.splitlines() if each.strip() and not each.startswith(b"#")), b"")
    fields = line.split()
    if len(fields) == 6 and fields[1].upper() == b"Q0":
        return "run"
    if len(fields) in (4, 5) and _is_grade(fields[3 if len(fields) == 4 else 4]):
        return "qrels"
    if line.replace(b",", b"\t").split(b"\t")[:2] == [b"group", b"document"]:
        return "duplicates"
    if line.startswith((b"<", b"{", b"[")) or b"\t" in line or b"," in line:
        return "topics"
    return None


def _is_grade(field: bytes) -> bool:
    return field.removeprefix(b"-").isdigit()
