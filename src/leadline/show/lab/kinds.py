"""What a lab holds: the kinds of things, how a file is recognised as one, and what else it could be read as."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.collections.documents.build_folder import KIND as COLLECTION
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.collection_files import MANIFEST as COLLECTION_MANIFEST
from leadline.collections.documents.fields.record_fields import OTHER_TEXTS
from leadline.collections.documents.registry import Raw, head_lines
from leadline.collections.documents.sources import Stream, beside_documents, open_streams, what_else
from leadline.collections.documents.splitting import FALLBACK_FORM, split
from leadline.errors import InputError, nearest
from leadline.judge.pools import Pool
from leadline.judge.review.project import KIND as REVIEW
from leadline.judge.review.project import SETTINGS, ReviewProject
from leadline.records.inputs import read_groups
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import counted
from leadline.records.runs import Run, read_run
from leadline.records.topics import Topics
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import KIND as INDEX
from leadline.retrieval.index.manifest import MANIFEST as INDEX_MANIFEST
from leadline.text import sheet
from leadline.text.files import readable_size
from leadline.text.owned_files import JOURNAL, RECORD
from leadline.text.owned_files import PEOPLE as PEOPLE_OF_POOL
from leadline.text.owned_folder import identity_of
from leadline.text.source import pieces_of, read_text

_HEAD = 65_536  # bytes of a file in which its kind is looked for
BESIDE = (".manifest.json", ".why.tsv")  # what commands write beside a run or judgements
DOCUMENTS = "documents"  # the sources of a collection or a review, which are no thing of a lab themselves
PAGES, ASREVIEW = (".html", ".htm"), ".asreview"


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
    if path.suffix.lower() not in PAGES:
        raise InputError(str(path), "is not a page: reports end in .html")


def _check_export(path: Path) -> None:
    if not path.is_file():
        raise InputError(str(path), "is not a file")


KINDS: Mapping[str, LabKind] = {
    kind.name: kind
    for kind in (
        LabKind("collection", "collections", "Collections", COLLECTION_MANIFEST, Collection.open),
        LabKind("index", "indexes", "Indexes", INDEX_MANIFEST, Index.open),
        LabKind("topics", "topics", "Topics", "", Topics.read, BESIDE),
        LabKind("qrels", "qrels", "Judgements", "", read_qrels, BESIDE),
        LabKind("run", "runs", "Runs", "", read_run, BESIDE),
        LabKind("pool", "pools", "Pools", "", Pool.read, (RECORD, JOURNAL, PEOPLE_OF_POOL)),
        LabKind("review", "reviews", "Reviews", SETTINGS, ReviewProject.open),
        LabKind("duplicates", "duplicates", "Near-duplicates", "", read_groups),
        LabKind("report", "reports", "Reports", "", _check_report),
        LabKind("export", "exports", "Exports and backups", "", _check_export),
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
    if Path(f"{place}{RECORD}").exists():
        return "pool"
    found = [kind for kind in likely_kinds(place) if kind != DOCUMENTS]
    if not found and not _head(place):
        read_text(place)  # which says that it is empty
    if not found and b"\0" in _head(place):
        raise InputError(str(path), "is not text: a lab takes files of runs, judgements and topics, and reports")
    if not found:
        raise InputError(str(path), f"is of a kind that cannot be guessed: name it with --as {'|'.join(KINDS)}")
    return found[0]


def likely_kinds(path: Path) -> list[str]:
    """What a file may be by its name and its beginning, the likeliest first; `documents` is a source of them."""
    name, head = path.name, _head(path)
    if name.lower().endswith(PAGES):
        return ["report", DOCUMENTS]
    if is_archive(path) or name.lower().endswith(ASREVIEW):
        return [DOCUMENTS]
    table = sheet.named_kind(name, head)
    if table is not None:
        return _kinds_of_table(name, _columns(path, table, head), table)
    if b"\0" in head:
        return []
    of_text, other = kind_of_text(head), _LAB_WORDS.get(what_else(head))
    kinds = [kind for kind in (of_text, other) if kind is not None]
    if of_text == "topics" and other is None:  # a table, JSON or markup: documents are written so too
        columns = _columns(path, "", head)
        kinds = _kinds_of_table(name, columns, "") if columns else [DOCUMENTS, "topics"]
    if of_text is None and other is None:
        form = _form_of_first(path)
        kinds = ["topics"] if form in ("", FALLBACK_FORM) and _is_list(head) else [DOCUMENTS] if form else []
    return list(dict.fromkeys(kinds))


_LAB_WORDS = {"topics": "topics", "judgements": "qrels", "a run": "run"}  # by the words of `what_else`
_OF_DOCUMENTS = {
    *OTHER_TEXTS,
    "abstract",
    "description",
    "claims",
    "authors",
    "doi",
    "pmid",
    "included",
    "label_included",
}


def _kinds_of_table(name: str, columns: set[str], kind: str) -> list[str]:
    """What a table may be, by its columns and by its name."""
    if {"group", "document"} <= columns:
        return ["duplicates"]
    if columns & set(sheet.TOPIC) and columns & set(sheet.DOCUMENT):
        graded = columns & (set(sheet.GRADE) - set(sheet.SCORE))
        ranked = columns & {"rank", "run"}
        by_name = "qrels" if "qrels" in name.lower() or columns == {"query-id", "corpus-id", "score"} else "run"
        first = "qrels" if graded else "run" if ranked else by_name
        both = columns & set(sheet.SCORE) and (graded or not ranked)
        return [first, *({"run", "qrels"} - {first} if both else ())]
    if kind == "parquet":
        return ["topics"]
    has_texts = bool(columns & _OF_DOCUMENTS) and not beside_documents(name)
    return [DOCUMENTS, "topics"] if has_texts else ["topics", DOCUMENTS]


def _columns(path: Path, table: str, head: bytes) -> set[str]:
    """The names of the columns of a table, in small letters; empty for what is no table."""
    if table == "parquet":
        import polars

        with contextlib.suppress(polars.exceptions.PolarsError, OSError):
            return {each.lower() for each in polars.read_parquet_schema(path)}
        return set()
    lines = head_lines(head.removeprefix(b"\xef\xbb\xbf"), 1)
    first = lines[0].decode("utf-8", "replace").strip() if lines else ""
    if first.startswith(("{", "[")):
        with contextlib.suppress(ValueError, RecursionError):
            record = json.loads(first.rstrip(",").removeprefix("[") if first.startswith("[{") else first)
            return {str(each).lower() for each in record} if isinstance(record, dict) else set()
        return {"topic", "text"} if b'"topic"' in head else set()
    if first.startswith("<"):
        return set()
    separator = "\t" if "\t" in first else ","
    return {word.strip().strip('"').lower() for word in first.split(separator)} if separator in first else set()


_ID = re.compile(rb"[\w.-]*\d[\w.-]*")


def _is_list(head: bytes) -> bool:
    """Whether a text has short lines only, as a list of topics has: a number or another id, and perhaps a title."""
    lines = [line for line in head_lines(head, 50) if line.strip()]
    return bool(lines) and all(len(line) <= 300 and _ID.fullmatch(line.split()[0]) for line in lines)


def _head(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is compressed."""
    if is_archive(path):
        with path.open("rb") as file:
            return file.read(_HEAD)
    try:
        with path.open("rb") as file:
            found = b""
            for piece in pieces_of(file, str(path)):
                found += piece
                if len(found) >= _HEAD:
                    break
            return found[:_HEAD]
    except OSError:
        return read_text(path).bytes()[:_HEAD]  # which says what is wrong


def is_archive(path: Path) -> bool:
    """Whether a file is a zip or a tar, which have other files in them."""
    if path.name.lower().endswith((".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2")):
        return True
    with path.open("rb") as file:
        return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


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


# What a file can be read as: each reading was tried, so that what a page offers is possible.


LARGEST_COUNTED = 16 << 20  # bytes of documents that are read to count them


@dataclass(frozen=True)
class FileReading:
    """One thing that a file can be read as."""

    kind: str  # of KINDS, or `documents`
    what: str  # how much of it there is, in words
    is_screened: bool = False  # documents in a form of databases that reviews search


@dataclass(frozen=True)
class Recognised:
    """What a file can be read as, the likeliest first; or why it cannot be used, in a line."""

    readings: tuple[FileReading, ...] = ()
    problem: str = ""


def recognised(path: Path) -> Recognised:
    """Read a file as everything that it may be."""
    readings, problems = [], []
    try:
        kinds = likely_kinds(path)
    except InputError as error:
        return Recognised(problem=_line(error))
    for kind in kinds:
        try:
            readings.append(_documents(path) if kind == DOCUMENTS else FileReading(kind, _measured(kind, path)))
        except InputError as error:
            problems.append(_line(error))
    if readings:
        return Recognised(tuple(readings))
    unknown = "is none of what Leadline reads: documents, runs, judgements, topics, near-duplicates or a report"
    return Recognised(problem=problems[0] if problems else unknown)


def _line(error: InputError) -> str:
    return error.problem if error.line is None else f"line {error.line}: {error.problem}"


def _measured(kind: str, path: Path) -> str:
    """How much a file has as a kind, in words; InputError where it cannot be read so."""
    found = KINDS[kind].check(path)
    if isinstance(found, Run):
        return f"{counted(len(found.topics), 'topic')}, {counted(len(found), 'document')} listed"
    if isinstance(found, Qrels):
        return f"{counted(len(found.topics), 'topic')}, {counted(len(found), 'judgement')}"
    if isinstance(found, Topics):
        return counted(sum(1 for _ in found), "topic")
    return counted(len(found), "document") if isinstance(found, Mapping) else readable_size(path.stat().st_size)


def _documents(path: Path) -> FileReading:
    """A file as documents, with their number, at least that of its beginning; InputError where it has none."""
    if path.name.lower().endswith(ASREVIEW):
        from leadline.judge.review.exchange import read_asreview_project

        records = counted(len(read_asreview_project(path).documents), "record")
        return FileReading(DOCUMENTS, f"{records} of ASReview", is_screened=True)
    forms: dict[str, int] = {}
    problem, whole = "", path.stat().st_size <= LARGEST_COUNTED
    for stream in open_streams(path):
        form, number, why, ended = _documents_of(stream)
        problem, whole = problem or why, whole and ended
        if number:
            forms[form] = forms.get(form, 0) + number
        if not whole and forms:
            break
    if not forms:
        raise InputError(str(path), problem or "has no documents")
    kinds = ", ".join(f"{counted(number, 'record')} of {_form_words(form)}" for form, number in forms.items())
    said = kinds if whole else f"at least {kinds}"
    is_screened = forms.keys() <= {"ris", "nbib", "review"}
    return FileReading(DOCUMENTS, f"{said}; broken: {problem}" if problem else said, is_screened)


def _documents_of(stream: Stream) -> tuple[str, int, str, bool]:
    """Form and number of the documents in a stream, the first problem, and whether all of it was read."""
    number, read, form, problem = 0, 0, "", ""
    for each in split(stream.pieces, name=stream.name):
        if isinstance(each, Raw):
            number, form, read = number + 1, form or each.form, read + len(each.content)
            if read > LARGEST_COUNTED:
                return form, number, problem, False
        elif each.records:
            problem = problem or f"{Path(stream.name.rpartition('!')[2]).name} at byte {each.offset}: {each.reason}"
    return form, number, problem, True


_FORMS = {
    "ris": "RIS",
    "nbib": "nbib (PubMed)",
    "csv": "a table",
    "tsv": "a table",
    "json": "JSON",
    "review": "a table of a review",
    "trec": "the markup of TREC",
}


def _form_words(form: str) -> str:
    return _FORMS.get(form, form)


def _form_of_first(path: Path) -> str:
    """The form of the document at the beginning of a file; empty where there is none."""
    with contextlib.suppress(InputError):
        for stream in open_streams(path):
            found = _some(split(stream.pieces, name=stream.name))
            return next((each.form for each in found if isinstance(each, Raw)), "")
    return ""


def _some(found: Iterable[Any]) -> list[Any]:
    return [each for each, _ in zip(found, range(20), strict=False)]
