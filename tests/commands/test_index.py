"""`leadline index`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
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
    assert office.run("index", collection, "-o", index, "--add", "-q")[0].startswith("0 added, 2 deleted, 5 documents")
    assert Index.open(index).ids == [document.id for document in office.documents[2:]]


def test_index_follows_a_collection_that_was_updated(office: Any, tmp_path: Path) -> None:
    collection, index, new = str(tmp_path / "c"), str(tmp_path / "i"), tmp_path / "new.jsonl"
    write_collection(office.documents, collection, {"made": "first"})
    office.run("index", collection, "-o", index, "--positions", "-q")
    records = [
        {"id": "JP1990001A", "title": "Bent screw", "abstract": "A screw.", "claims": ["A screw."]},
        {"id": "EP2000002A1", "title": "Screw driver", "abstract": "For a screw.", "claims": ["A driver."]},
    ]
    new.write_text("".join(json.dumps(record) + "\n" for record in records))
    office.run("collection", "update", collection, str(new), "--delete", "US5000001A", "-q")
    fix = f"`leadline index {collection} -o {index} --update` brings the index up to date"
    for command in (["search", index, "film"], ["prior-art", index, "EP1000001B1"]):
        notes = office.run(*command)[1]
        assert f"{collection} has changed since it was indexed" in notes
        assert fix in notes
    assert "1 changed" in office.run("search", index, "nail")[1]
    out = office.run("index", collection, "-o", index, "--update", "-q")[0]
    assert out.startswith("1 added, 1 changed, 1 deleted, 7 documents")
    assert office.run("search", index, "film")[1].count("has changed") == 0
    assert office.rows("search", index, "nail") == []
    assert [row["document"] for row in office.rows("search", index, "screw")] == ["JP1990001A", "EP2000002A1"]
    office.run("index", collection, "-o", str(tmp_path / "again"), "--positions", "-q")
    for query in ("screw", '"polymer film"', "particle* NOT nail", "class:C08J film", "zeolite"):
        asked = ("search", "{}", query, "--why", "-f", "json")
        both = [office.run(*(word.format(folder) for word in asked))[0] for folder in (index, str(tmp_path / "again"))]
        assert both[0] == both[1]
    assert office.run("index", collection, "-o", index, "--update", "-q")[0].startswith("0 added, 7 documents")


def test_index_refuses_in_one_line(office: Any, tmp_path: Path) -> None:
    new = str(tmp_path / "new")
    assert "did you mean title?" in office.error("index", office.collection, "-o", new, "--fields", "titel", status=2)
    assert "is not an index" in office.error("index", office.collection, "-o", office.collection)
    missing = "is not a collection, there is no such folder; `leadline collection build` makes one"
    assert office.error("index", new, "-o", new).endswith(missing)
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
    assert "has format 99, this version reads up to 6" in office.error("search", str(index), "film")
    (index / "manifest.json").write_bytes(sealed(manifest))
    segment = next(index.glob("segment-*"))
    segment.write_bytes(segment.read_bytes()[:-100])
    assert office.error("search", str(index), "film").endswith(": build the index again")
    assert "is not an index" in office.error("search", str(tmp_path / "nothing"), "film")


def test_index_keeps_a_scheme_and_a_thesaurus(office: Any, tmp_path: Path) -> None:
    index, mesh, scheme = str(tmp_path / "i"), tmp_path / "mesh.bin", tmp_path / "scheme.xml"
    mesh.write_text("*NEWRECORD\nMH = Nails\nENTRY = Pins, Bent|T1\nMN = J01\n*NEWRECORD\nMH = Films\nMN = J01.2\n")
    item = '<classification-item level="{}"><classification-symbol>{}</classification-symbol>{}</classification-item>'
    groups = item.format(8, "C08J5/00", item.format(9, "C08J5/12", item.format(10, "C08J5/18", "")))
    scheme.write_text(f"<class-scheme>{groups}</class-scheme>")
    office.run("index", office.collection, "-o", index, "--positions", "-q")
    out, err = office.run("index", office.collection, "-o", index, "--update", "--thesaurus", str(mesh))
    assert out.startswith("0 added, 7 documents")
    assert err == "  keeps mesh.bin, thesaurus of 2 headings\n"
    office.run("index", office.collection, "-o", index, "--update", "--scheme", str(scheme), "-q")
    found = office.rows("search", index, "mesh:nails -polymer")
    assert {row["document"] for row in found} == {"WO9700001A1", "JP1990001A"}
    assert len(office.rows("search", index, "class:C08J5/12")) == 2
    err = office.run("index", office.collection, "-o", index, "--positions", "--scheme", str(scheme))[1]
    assert f"replaces the index of 7 documents in {index}; its thesaurus is not kept: name it with --thesaurus" in err
    assert Index.open(index).kept_trees == ["scheme"]


def test_an_update_says_that_korean_words_stay_whole(office: Any, tmp_path: Path) -> None:
    collection = tmp_path / "c"
    write_collection([Document("KR1", language="ko", title="전지용 전극")], collection, {"made": "here"})
    older = Analysis(syllables="whole")
    Index.build(Collection.open(collection), tmp_path / "i", fields=["title"], analysis=older, origin=str(collection))
    err = office.run("index", str(collection), "-o", str(tmp_path / "i"), "--update")[1]
    assert "Korean words stay whole, as before format 6: leave out --update to find them in longer words" in err
    err = office.run("index", str(collection), "-o", str(tmp_path / "i"))[1]
    assert "Korean" not in err
    assert [row["document"] for row in office.rows("search", str(tmp_path / "i"), "전지")] == ["KR1"]
