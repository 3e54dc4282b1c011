"""Read a project of ASReview (version 2 or 3): its records, and the labels given so far.

A project is a zip archive with databases of SQLite in it: one has the table `record`, one (the same since version 3)
the table `results`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.review_record import identifier, record_document
from leadline.errors import InputError, system_reason

ENDING = ".asreview"
_DATABASES = (".db", ".sql", ".sqlite")
_LARGEST = 4 << 30  # bytes of a database: more records than anybody screens


@dataclass(frozen=True)
class AsreviewProject:
    """What a project has."""

    documents: tuple[Document, ...]
    labels: dict[str, int]  # by document: 1 or 0


def read_asreview_project(path: str | os.PathLike[str]) -> AsreviewProject:
    """Read the records and labels of an .asreview file."""
    name = os.fspath(path)
    records: list[dict[str, Any]] = []
    results: list[tuple[int, int]] = []
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            for place, entry in enumerate(archive.infolist()):
                if not entry.filename.endswith(_DATABASES) or entry.is_dir():
                    continue
                if entry.file_size > _LARGEST:
                    raise InputError(name, f"{entry.filename} is larger than {_LARGEST >> 30} GiB")
                copy = Path(folder) / f"{place}.db"
                with archive.open(entry) as source, copy.open("wb") as target:
                    shutil.copyfileobj(source, target)
                _read_database(copy, records, results)
    except (zipfile.BadZipFile, sqlite3.DatabaseError, EOFError, ValueError) as error:
        raise InputError(name, f"is not a project of ASReview that can be read: {error}") from None
    except OSError as error:
        raise InputError(name, f"cannot be read: {system_reason(error)}") from None
    if not records:
        raise InputError(name, "has no records: export the dataset of the project as RIS or CSV instead")
    ids = {record["record_id"]: _identifier(record) for record in records}
    documents = tuple(_document(record, ids[record["record_id"]]) for record in records)
    labels = {ids[number]: int(label) for number, label in results if label in (0, 1) and number in ids}
    return AsreviewProject(documents, labels)


def _read_database(path: Path, records: list[dict[str, Any]], results: list[tuple[int, int]]) -> None:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
        if "record" in tables:
            database.row_factory = sqlite3.Row
            records += [dict(row) for row in database.execute("select * from record order by record_id")]
            database.row_factory = None
        if "results" in tables:
            results += database.execute("select record_id, label from results where label is not null").fetchall()


def _identifier(record: dict[str, Any]) -> str:
    return identifier("", "", record.get("doi") or "", "", int(record["record_id"]) + 1)


def _document(record: dict[str, Any], name: str) -> Document:
    authors = record.get("authors") or "[]"
    names = json.loads(authors) if isinstance(authors, str) else []
    return record_document(
        name, title=record.get("title") or "", abstract=record.get("abstract") or "",
        authors=[str(each) for each in names] if isinstance(names, list) else [str(names)],
        published=str(record.get("year") or ""),
    )  # fmt: skip
