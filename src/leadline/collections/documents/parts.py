"""The parts of a collection: Parquet files of some thousand documents, with a column for each field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.column_sums import Written, write_table
from leadline.collections.documents.document import Citation, Claim, Document, Priority

if TYPE_CHECKING:
    import polars as pl

ROW_GROUP_BYTES = 1 << 20  # of text: the amount that is unpacked to show one document
_PLAIN = (
    "id", "office", "serial", "kind", "language", "title", "abstract", "description", "application", "publication",
    "application_number", "family",
)  # fmt: skip
_LISTS = ("ipc", "cpc", "national", "relatives", "citers", "applicants", "inventors")


def write_part(documents: Sequence[Document], path: Path) -> Written:
    """Write documents as one file with its sums, completely or not at all."""
    frame = frame_of(documents)
    weight = sum(len(document.description) + len(document.abstract) + 2000 for document in documents)
    rows = max(1, ROW_GROUP_BYTES * len(documents) // max(weight, 1))
    # Levels above 3 save 5 % of the size for twice the time. No filter would use statistics of texts.
    return write_table(frame, path, compression="zstd", compression_level=3, row_group_size=rows, statistics=False)


def frame_of(documents: Sequence[Document]) -> pl.DataFrame:
    """Documents as a table, one per row. Claims, citations and priorities are parallel lists."""
    import polars as pl

    text, texts = pl.String, pl.List(pl.String)
    columns: dict[str, pl.Series] = {
        name: pl.Series(name, [getattr(document, name) for document in documents], text) for name in _PLAIN
    }
    columns |= {name: pl.Series(name, [list(getattr(d, name)) for d in documents], texts) for name in _LISTS}
    columns["claims"] = pl.Series("claims", [[claim.text for claim in d.claims] for d in documents], texts)
    numbers = [[claim.number for claim in d.claims] for d in documents]
    columns["claim_numbers"] = pl.Series("claim_numbers", numbers, pl.List(pl.Int32))
    parents = [[list(claim.parents) for claim in d.claims] for d in documents]
    columns["claim_parents"] = pl.Series("claim_parents", parents, pl.List(pl.List(pl.Int32)))
    for field in ("number", "date"):
        name = f"priority_{field}"
        columns[name] = pl.Series(name, [[getattr(p, field) for p in d.priorities] for d in documents], texts)
    for field in ("number", "origin", "category", "date", "text"):
        name = f"cited_{field}"
        columns[name] = pl.Series(name, [[getattr(c, field) for c in d.citations] for d in documents], texts)
    words = [count_words(document) for document in documents]
    columns["words"] = pl.Series("words", words, pl.UInt32)
    return pl.DataFrame(columns)


def count_words(document: Document) -> int:
    """The number of words in all texts, as TBG and the Cube Test count them.

    >>> count_words(Document("X", title="A nail", claims=(Claim(1, "A bent nail."),)))
    5
    """
    texts = (document.title, document.abstract, document.description, *(claim.text for claim in document.claims))
    letters = np.frombuffer("\n".join(("", *texts)).encode("utf-8", "replace"), np.uint8) > ord(" ")
    return int(np.count_nonzero(letters[1:] > letters[:-1]))  # where a word begins


def document_of(row: dict[str, Any]) -> Document:
    """The document in one row of the table."""
    claims = zip(row["claim_numbers"], row["claims"], row["claim_parents"], strict=True)
    fields = ("number", "origin", "category", "date", "text")
    citations = zip(*(row[f"cited_{field}"] for field in fields), strict=True)
    fields_of_row: dict[str, Any] = {name: row[name] for name in _PLAIN}
    fields_of_row |= {name: tuple(row[name]) for name in _LISTS}
    return Document(
        **fields_of_row,
        claims=tuple(Claim(number, text, tuple(parents)) for number, text, parents in claims),
        priorities=tuple(map(Priority, row["priority_number"], row["priority_date"])),
        citations=tuple(Citation(**dict(zip(fields, values, strict=True))) for values in citations),
    )
