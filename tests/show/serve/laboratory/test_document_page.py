"""One document: claims as a tree, citations both ways, family, near-duplicates, judgements."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.show.serve.laboratory.searching_labs import STRANGE, odd_lab

from leadline.collections.documents.collection import Collection
from leadline.records.qrels import read_qrels
from leadline.show.lab.lab import Lab

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def client(visit: Visit, small_lab: Path) -> Any:
    return visit(small_lab)


@pytest.fixture
def collection(small_lab: Path) -> Collection:
    return Collection.open(Lab.open(small_lab).get("collection", "office").path)


def test_citations_go_both_ways(client: Any, collection: Collection) -> None:
    citing, cited = collection.citations.drop_nulls(["citing", "cited"]).select("citing", "cited").row(0)
    names = collection.records["id"]
    one = client.get(f"/api/document/office/{names[citing]}").json()
    other = client.get(f"/api/document/office/{names[cited]}").json()
    assert names[cited] in [row["document"] for row in one["cites"]]
    assert names[citing] in [row["document"] for row in other["cited_by"]]
    page = client.get(f"/document/office/{names[citing]}").text
    assert f"/document/office/{names[cited]}" in page
    assert f"/prior-art?index=words&amp;patent={names[citing]}" in page
    page = client.get(f"/document/office/{names[citing]}").text
    assert all(f"/table.{ending}?table=cites" in page for ending in ("csv", "tsv", "json", "parquet", "tex", "md"))
    rows = client.get(f"/document/office/{names[citing]}/table.csv?table=cites").text.splitlines()
    assert len(rows) == 1 + len(one["cites"])


def test_the_whole_document_is_there(client: Any, collection: Collection) -> None:
    name = next(n for n, c in collection.records.select("id", "claims").iter_rows() if c > 3)
    document = collection.document(name)
    data = client.get(f"/api/document/office/{name}").json()
    assert {claim["number"] for claim in data["claims"]} == {claim.number for claim in document.claims}
    assert data["document_title"] == document.title
    assert [each["title"] for each in data["sections"]][:1] == ["BACKGROUND"]
    page = client.get(f"/document/office/{name}").text
    for paragraph in data["paragraphs"]:
        assert f'id="p{paragraph["number"]}"' in page
    members = {row["document"] for row in data["family"]}
    row = int(collection.rows([name])[0])
    same = collection.records["family"] == collection.records["family"][row]
    assert members == set(collection.records.filter(same)["id"]) - {name}


def test_a_number_in_another_spelling_and_one_that_is_not_there(client: Any, collection: Collection) -> None:
    name = str(collection.records.filter(collection.records["office"] == "EP")["id"][0])
    spelled = f"{name[:2]} {name[2:-2]} {name[-2:]}"
    assert client.get(f"/document/office/{quote(spelled)}").status_code == 200
    missing = client.get("/document/office/EP99999999")
    assert missing.status_code == 404
    assert "is not in the collection office" in missing.text
    other = client.get(f"/document/offise/{name}")
    assert other.status_code == 404
    assert "did you mean office?" in other.text
    assert client.get(f"/document/office/{name}?topic=1&qrels=none").status_code == 404


def test_who_judged_it_how(client: Any, small_lab: Path) -> None:
    qrels = read_qrels(Lab.open(small_lab).get("qrels", "qrels.citations").path)
    topic = qrels.topics[0]
    document = next(iter(qrels.judgements(topic)))
    data = client.get(f"/api/document/office/{document}", params={"topic": topic, "qrels": "qrels.citations"}).json()
    said = {row["judgements"]: row for row in data["judged"]}
    assert said["qrels.citations"]["means"] == "relevant"
    assert said["qrels.citations"]["why"].startswith("cited by ")
    assert "qrels.true" in said
    page = client.get(f"/document/office/{document}", params={"topic": topic}).text
    assert "✓ relevant (1)" in page
    assert "No judgements in the lab have this topic" in client.get(f"/document/office/{document}?topic=nothing").text


def test_odd_documents(visit: Visit, tmp_path: Path) -> None:
    client = visit(odd_lab(tmp_path))
    strange = client.get(f"/document/odd/{quote(STRANGE, safe='')}")
    assert strange.status_code == 200
    assert not re.search(r"<script>alert|<img|\x1b|\u202e", strange.text)
    assert "not in the collection" in strange.text  # the patent that it cites
    data = client.get(f"/api/document/odd/{quote(STRANGE, safe='')}").json()
    assert [claim["number"] for claim in data["claims"]] == [1, 2, 3]
    assert client.get(f"/document/odd/{quote(STRANGE, safe='')}/table.csv?table=cites").status_code == 200
    bare = client.get("/document/odd/D2").text
    assert bare.count("It has none.") == 2
    assert "Near-duplicates" in bare
    assert "/document/odd/D3" in bare
    many = client.get("/api/document/odd/D4").json()
    assert many["claim_count"] == 1499
    assert max(claim["depth"] for claim in many["claims"]) == 6
    assert "The first 1000 of 1499 are shown" in client.get("/document/odd/D4").text
