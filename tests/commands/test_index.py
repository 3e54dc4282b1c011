"""`leadline index`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from leadline.collections.documents.build import write_collection
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.text.checksums import sealed


def test_index_says_what_it_made(office: Any, tmp_path: Path) -> None:
    options = ["--fields", "title,abstract", "--stem", "none"]
    out, err = office.run("index", office.collection, "-o", str(tmp_path / "i"), *options)
    assert re.fullmatch(r"7 documents, [0-9]+ words in 2 fields, [0-9.]+ kB, in [0-9.]+ s\n", out)
    assert err == "  no positions are stored: use --positions for phrases and NEAR\n"
    index = Index.open(tmp_path / "i")
    assert index.analysis == Analysis(stemming="none")
    assert index.manifest["source"] == str(Path(office.collection).resolve())
    assert index.fields == ["title", "abstract"]


def test_index_adds_what_the_collection_gained(office: Any, tmp_path: Path) -> None:
    collection, index = str(tmp_path / "c"), str(tmp_path / "i")
    write_collection(office.documents[:4], collection, {"made": "first"})
    office.run("index", collection, "-o", index, "-q")
    assert office.run("index", collection, "-o", index, "--add", "-q")[0].startswith("0 added, 4 documents")
    write_collection(office.documents, collection, {"made": "then"})
    assert office.run("index", collection, "-o", index, "--add", "-q")[0].startswith("3 added, 7 documents")
    assert [row["document"] for row in office.rows("search", index, "nail")] == ["JP1990001A"]
    write_collection(office.documents[2:], collection, {"made": "last"})
    assert office.error("index", collection, "-o", index, "--add") == (
        f"{index}: EP1000001B1 is no longer in {collection}: build the index again"
    )


def test_index_refuses_in_one_line(office: Any, tmp_path: Path) -> None:
    new = str(tmp_path / "new")
    assert "did you mean title?" in office.error("index", office.collection, "-o", new, "--fields", "titel", status=2)
    assert "is not an index" in office.error("index", office.collection, "-o", office.collection)
    assert office.error("index", new, "-o", new).endswith("is not a collection; `leadline collection build` makes one")
    assert "needs --language de" in office.error("index", office.collection, "-o", new, "--stop", "german", status=2)
    assert "--stem" in office.error("index", office.collection, "-o", office.index, "--add", "--stem", "none", status=2)
    other = tmp_path / "other"
    write_collection(office.documents[:2], other, {"made": "elsewhere"})
    assert "was made from" in office.error("index", str(other), "-o", office.index, "--add")


def test_a_damaged_index_is_one_line(office: Any, tmp_path: Path) -> None:
    index = tmp_path / "i"
    office.run("index", office.collection, "-o", str(index), "-q")
    manifest = json.loads((index / "manifest.json").read_text())
    (index / "manifest.json").write_bytes(sealed(manifest | {"version": 99}))
    assert "has format 99, this version reads up to 5" in office.error("search", str(index), "film")
    (index / "manifest.json").write_bytes(sealed(manifest))
    segment = next(index.glob("segment-*"))
    segment.write_bytes(segment.read_bytes()[:-100])
    assert office.error("search", str(index), "film").endswith(": build the index again")
    assert "is not an index" in office.error("search", str(tmp_path / "nothing"), "film")
