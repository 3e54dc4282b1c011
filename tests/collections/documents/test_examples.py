"""The mappings in `examples/` read the real records they were written for."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leadline.collections.documents.document import Citation
from leadline.collections.documents.fields.mapping import read_mapping

EXAMPLES = Path(__file__).parents[3] / "examples"


def records(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def test_us_patents_with_tables_beside(shared: Path) -> None:
    folder = shared / "patents" / "us_api"
    mapping = read_mapping(EXAMPLES / "us_api.toml")
    documents = [mapping.read(record) for record in records(folder / "fulltext_300.jsonl.xz")]
    assert len(documents) == 300
    assert all(document.office == "US" and document.application for document in documents)
    tables = mapping.side_tables(folder)
    assert tables["citations"]["category"].value_counts(sort=True).rows() == [("I", 859), ("R", 633)]
    assert set(tables["citations"]["origin"]) == {"applicant"}
    assert (tables["families"]["family"].n_unique(), len(tables["families"])) == (2200, 5620)


def test_an_export_of_a_database(shared: Path) -> None:
    mapping = read_mapping(EXAMPLES / "patsnap.toml")
    sources = list(records(shared / "patents" / "patsnap" / "docs.jsonl.xz"))
    documents = {document.id: document for document in map(mapping.read, sources)}
    assert len(documents) == 2244
    assert sum(len(document.citations) for document in documents.values()) == 64_817
    assert sum(not citation.number for document in documents.values() for citation in document.citations) == 12_172
    assert sum(len(document.citers) for document in documents.values()) == 2267
    assert not any("一" <= letter <= "龥" for document in documents.values() for letter in document.title)
    wet = documents["EP0049154B2"]
    assert (wet.serial, wet.kind, wet.priority, wet.ipc) == ("0049154", "B2", "1980-11-04", ("B08B5/00", "C02F3/20"))
    assert Citation("EP0047956A") in wet.citations


def test_first_claims_and_texts_encoded_twice(shared: Path) -> None:
    mapping = read_mapping(EXAMPLES / "synbio.toml")
    documents = [mapping.read(record) for record in records(shared / "patents" / "synbio" / "docs.jsonl.xz")]
    assert len(documents) == 644
    texts = [text for d in documents for text in (d.title, d.abstract, *(claim.text for claim in d.claims))]
    assert not any("Ã" in text or "â€" in text for text in texts)
    assert "décrit" in documents[0].abstract
    assert (documents[0].id, documents[0].serial) == ("EP784692A1", "0784692")
    assert documents[1].ipc == ("A61K39/00", "C07K14/09", "C12N7/04")
