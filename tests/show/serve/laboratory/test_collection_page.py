"""Collections and their directory of classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.laboratory.searching_labs import odd_lab

from leadline.collections.documents.collection import Collection, counts
from leadline.show.lab.lab import Lab

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def client(visit: Visit, small_lab: Path) -> Any:
    return visit(small_lab)


def test_the_counts_are_those_of_the_command(client: Any, small_lab: Path) -> None:
    collection = Collection.open(Lab.open(small_lab).get("collection", "office").path)
    data = client.get("/api/collection/office").json()
    for view in ("office", "year", "subclass", "origin", "category"):
        rows = [(row[view], row["count"]) for row in data[f"by_{view}"]]
        assert rows == counts(collection, view).rows()
    assert data["hash"] == collection.manifest["hash"]
    assert {row["sha256"] for row in data["files"]} >= {part["sha256"] for part in collection.manifest["parts"]}
    assert [row["index"] for row in data["indexes"]] == ["words"]
    page = client.get("/collection/office").text
    assert collection.manifest["hash"] in page
    assert "<svg" in page
    assert "style=" not in page
    assert "Citations by origin" in page
    for table in ("summary", "missing", "by_year", "by_origin", "files", "made_with"):
        answer = client.get(f"/collection/office/table.csv?table={table}")
        assert answer.status_code == 200, table
    assert client.get("/collection/office/table.csv?table=by_yeer").status_code == 404


def test_what_is_missing_is_counted(visit: Visit, tmp_path: Path) -> None:
    client = visit(odd_lab(tmp_path))
    missing = {row["without"]: row["documents"] for row in client.get("/api/collection/odd").json()["missing"]}
    assert missing["publication date"] == 2
    assert missing["class"] == 3
    assert missing["claims (patents)"] == 2
    assert missing["cited patents that are not in the collection"] == 1
    assert client.get("/collection/odd").status_code == 200


def test_the_list_of_collections_and_a_wrong_name(client: Any) -> None:
    (row,) = client.get("/api/collections").json()["collections"]
    assert (row["collection"], row["indexes"]) == ("office", "words")
    assert "/directory/office" in client.get("/collections").text
    wrong = client.get("/collection/ofice")
    assert wrong.status_code == 404
    assert "did you mean office?" in wrong.text
    assert client.get("/directory/ofice").status_code == 404


def test_the_directory_goes_down_to_documents(client: Any, small_lab: Path) -> None:
    collection = Collection.open(Lab.open(small_lab).get("collection", "office").path)
    top = client.get("/api/directory/office").json()
    assert top["count"] == 300
    code, seen = "", []
    while branches := client.get("/api/directory/office", params={"class": code}).json()["branches"]:
        code = branches[0]["class"]
        seen.append(code)
    assert len(seen) >= 3
    data = client.get("/api/directory/office", params={"class": code}).json()
    assert data["count"] == int(collection.select(classes=[code]).sum())
    assert len(data["documents"]) == min(50, data["count"])
    assert [each["code"] for each in data["way"]] == ["", *seen[:-1]]
    page = client.get("/directory/office", params={"class": code}).text
    assert f"/document/office/{data['documents'][0]['document']}" in page
    assert f"/search?index=words&amp;class={code}" in page


def test_pages_of_a_class_and_wrong_classes(client: Any) -> None:
    code = client.get("/api/directory/office").json()["branches"][0]["class"]
    first, second = (client.get("/api/directory/office", params={"class": code, "page": n}).json() for n in (1, 2))
    names = [row["document"] for row in (*first["documents"], *second["documents"])]
    assert len(set(names)) == len(names) > 50
    assert "no document on this page" in client.get(f"/directory/office?class={code}&page=900").text
    assert "is not a valid class" in client.get("/directory/office?class=??").text
    assert client.get("/directory/office?class=H99Z").status_code == 400
    assert "no document has the class H99Z" in client.get("/directory/office?class=H99Z").text


def test_documents_without_a_class_are_in_clusters(visit: Visit, tmp_path: Path) -> None:
    client = visit(odd_lab(tmp_path))
    data = client.get("/api/directory/odd").json()
    codes = [row["class"] for row in data["branches"]]
    assert codes == ["C", "none"]
    assert client.get("/directory/odd?class=none").status_code == 200
    assert client.get("/directory/odd?class=cluster+1").status_code == 200
