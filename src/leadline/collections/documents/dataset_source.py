"""The documents of a dataset of ir_datasets as a source of a collection: a stream of JSON lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.collections.documents.records import OTHER_TEXTS
from leadline.collections.documents.sources import Stream
from leadline.records.dataset_handles import dataset_of, rows_of

BYTES_OF_DOCUMENT = 1000  # for a progress bar: the size of a dataset is known only as its number of documents
_PIECE = 1 << 20
# Where the text is there without its markup as well.
_MARKUP = frozenset({"marked_up_doc", "raw_doc", "http_headers", "body_content_type"})


@dataclass(frozen=True)
class DatasetSource:
    """The documents of `ir_datasets:NAME`."""

    name: str
    folder: Path = Path()

    @classmethod
    def of(cls, handle: str) -> DatasetSource:
        """The source of a handle; InputError where there is no such dataset, or it has no documents."""
        dataset_of(handle, "docs")
        return cls(handle)

    @property
    def size(self) -> int:
        return BYTES_OF_DOCUMENT * (dataset_of(self.name, "docs").docs_count() or 0)

    def fingerprint(self) -> str:
        """The name of a dataset stands for its content, which the package checks."""
        return hashlib.sha256(self.name.encode()).hexdigest()

    def streams(self) -> Iterator[Stream]:
        done = [0]
        yield Stream(self.name, self._pieces(done), lambda: done[0] * BYTES_OF_DOCUMENT)

    def _pieces(self, done: list[int]) -> Iterator[bytes]:
        lines: list[bytes] = []
        size = 0
        for row in rows_of(self.name, "docs"):
            lines.append(json.dumps(record_of(row), default=str).encode() + b"\n")
            size += len(lines[-1])
            done[0] += 1
            if size > _PIECE:
                yield b"".join(lines)
                lines, size = [], 0
        yield b"".join(lines)


def record_of(row: Any) -> dict[str, Any]:
    """A document of ir_datasets as a record; one without a text under a name we know gets its default text."""
    record = {name: value for name, value in row._asdict().items() if name not in _MARKUP}
    if not any(isinstance(record.get(name), str) for name in (*OTHER_TEXTS, "abstract", "description")):
        record = {name: value for name, value in record.items() if not isinstance(value, bytes)}
        record["contents"] = row.default_text() if hasattr(row, "default_text") else ""
    return record
