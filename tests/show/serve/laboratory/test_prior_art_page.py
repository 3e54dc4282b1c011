"""Prior art: a patent by its number, pasted or uploaded; claim ticks; what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.cli import main
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.fields.record_fields import to_record
from leadline.show.lab.lab import Lab
from leadline.show.lab.searches import LARGEST, MOST_PATENTS

Visit = Callable[..., Any]
TEXT = "A method for coating\n\nDevices.\n\nClaims\n1. A method comprising a device.\n2. The method of claim 1."


@pytest.fixture(scope="module")
def client(visit: Visit, small_lab: Path) -> Any:
    return visit(small_lab)


@pytest.fixture
def patent(small_lab: Path) -> str:
    """A late patent with claims, for which there is prior art."""
    records = Collection.open(Lab.open(small_lab).get("collection", "office").path).records
    return str(records.filter(records["claims"] > 2).sort("known")["id"][-1])


def csrf(client: Any) -> str:
    return str(client.get("/api/csrf").json()["csrf"])


def paste(client: Any, text: str = "", file: bytes | None = None, **fields: str) -> Any:
    values = {"csrf": csrf(client), "text": text, **fields}
    files = {"file": ("patent.xml", file, "text/xml")} if file is not None else {"file": ("", b"")}
    return client.post("/prior-art", data=values, files=files, follow_redirects=False)


def test_the_page_and_the_command_find_the_same(
    client: Any, small_lab: Path, patent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = client.get("/api/prior-art", params={"patent": patent, "k": 5}).json()
    main(["prior-art", str(small_lab.parent / "index"), patent, "-k", "5", "--format", "json", "-q"])
    told = json.loads(capsys.readouterr().out)
    assert [hit["document"] for hit in told["hits"]] == [card["document"] for card in data["cards"]]
    assert [[one["rank"] for one in claim["hits"]] for claim in told["claims"]] == [
        claim["ranks"] for claim in data["claims"]
    ]
    assert data["system"] == told["system"]
    page = client.get("/prior-art", params={"patent": patent, "k": 5}).text
    ticks = re.findall(r'aria-label="hit (\d+) bears on claim (\d+): (strong|weak), \d+ % of such marks right"', page)
    assert len(ticks) == sum(len(claim["ranks"]) for claim in data["claims"])
    grades = {(claim["claim"], one["rank"]): one["grade"] for claim in told["claims"] for one in claim["hits"]}
    assert {(int(claim), int(hit)): grade for hit, claim, grade in ticks} == grades
    for claim in data["claims"]:
        for each in claim["passages"]:
            assert f'id="c{claim["number"]}h{each["rank"]}"' in page
            assert each["pieces"]
    csv = client.get("/prior-art.csv", params={"patent": patent, "k": 5, "table": "bearing"}).text
    assert len(csv.splitlines()) >= 1 + len(ticks)


def test_a_system_is_chosen_among_those_that_an_index_can_run(client: Any, patent: str) -> None:
    found = client.get("/api/prior-art", params={"patent": patent, "k": 3, "system": "bm25"}).json()
    assert found["system"] == "System: bm25, as asked."
    assert found["systems"][0] == "best"
    assert {"bm25", "scai"} <= set(found["systems"])
    assert "bm25+dense" not in found["systems"]  # it loads a model
    assert '<option value="bm25" selected>' in client.get(f"/prior-art?patent={patent}&k=3&system=bm25").text
    for wrong in ("bm2", "bm25+dense", "scai.toml", "/etc/passwd.toml"):
        answer = client.get("/api/prior-art", params={"patent": patent, "system": wrong})
        assert (answer.status_code, "system" in answer.json()["error"]) == (400, True)
    link = paste(client, TEXT, system="bm25").headers["location"]
    assert link.endswith("&system=bm25")
    assert client.get(f"/api{link}").json()["system"] == "System: bm25, as asked."


def test_a_pasted_text_gets_a_link_of_its_own(client: Any) -> None:
    answer = paste(client, TEXT, date="2005")
    assert answer.status_code == 303
    link = answer.headers["location"]
    assert re.fullmatch(r"/prior-art\?pasted=[0-9a-f]{24}", link)
    page = client.get(link)
    assert page.status_code == 200
    assert "A method for coating" in page.text
    assert "filed 2005-01-01" in page.text
    assert "2 claims" in page.text
    assert client.get(link).text == page.text
    assert paste(client, TEXT, date="2005").headers["location"] == link


def test_a_file_in_a_form_that_readers_know(client: Any, small_lab: Path, patent: str) -> None:
    document = Collection.open(Lab.open(small_lab).get("collection", "office").path).document(patent)
    record = to_record(document) | {"id": "XX1", "serial": "", "office": "", "kind": "text"}
    answer = paste(client, file=json.dumps(record).encode())
    assert answer.status_code == 303, answer.text
    data = client.get("/api" + answer.headers["location"]).json()
    assert data["patent_facts"]["claims"] == len(document.claims)
    # The same by JSON, as a program sends it.
    kept = client.post("/api/prior-art", json={"text": TEXT}, headers={"x-csrf-token": csrf(client)})
    assert kept.status_code == 200
    assert client.get("/prior-art", params=kept.json()).status_code == 200


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "is empty"),
        (b" \n\t ", "is empty"),
        (b"... --- ...", "has no words"),
        (b"\0\1\2 binary", "is not text"),
        (b"PK\x03\x04 and more", "is not text"),
        (b"%PDF-1.7", "is not text"),
        (b"{not json", ""),
        (b"<a><b></a>", ""),
        (b'[{"id": "A", "title": "x"}, {"id": "B", "title": "y"}]', ""),
    ],
)
def test_what_is_not_a_patent_is_refused_in_one_line(client: Any, content: bytes, line: str) -> None:
    answer = paste(client, file=content) if content.strip() else paste(client, content.decode())
    assert answer.status_code == 400, answer.headers
    (said,) = re.findall(r'role="alert">([^<]*)<', answer.text)
    assert said.startswith("patent:")
    assert line in said
    assert "/tmp" not in said


def test_entities_are_not_expanded(client: Any) -> None:
    bomb = b"""<?xml version="1.0"?><!DOCTYPE us-patent-grant [<!ENTITY a "aaaaaaaaaa">
    <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">    <!ENTITY c "&b;&b;&b;&b;&b;&b;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
    <us-patent-grant><invention-title>&c; &f;</invention-title></us-patent-grant>"""
    answer = paste(client, file=bomb)
    assert answer.status_code in (303, 400)
    shown = client.get(answer.headers["location"]).text if answer.status_code == 303 else answer.text
    assert "root:" not in shown
    assert "aaaaaaaaaaaaaaaaaaaa" not in shown


def test_sizes_dates_and_forged_forms(client: Any) -> None:
    assert "at most" in paste(client, file=b"word " * (LARGEST // 4)).text
    assert "date:" in paste(client, TEXT, date="someday").text
    assert paste(client, TEXT, k="many").status_code == 400
    for token in ("", "0" * 64):
        forged = client.post("/prior-art", data={"csrf": token, "text": TEXT}, files={"file": ("", b"")})
        assert forged.status_code == 403
    assert client.post("/prior-art", data={"csrf": csrf(client), "text": TEXT}).status_code == 400  # not with parts
    assert client.post("/api/prior-art", json={"text": TEXT}).status_code == 403
    wrong = client.post("/api/prior-art", json={"text": 7}, headers={"x-csrf-token": csrf(client)})
    assert wrong.status_code == 400


def test_wrong_numbers_and_links_that_are_gone(client: Any) -> None:
    answer = client.get("/prior-art", params={"patent": "EP99"})
    assert answer.status_code == 400
    assert "is not a patent of the collection" in answer.text
    gone = client.get("/prior-art", params={"pasted": "0" * 24})
    assert gone.status_code == 400
    assert "paste it again" in gone.text
    assert client.get("/prior-art", params={"patent": "EP99", "k": 0}).status_code == 400
    assert client.get("/prior-art").status_code == 200


def test_only_the_last_patents_are_kept(visit: Visit, small_lab: Path) -> None:
    client = visit(small_lab)
    token = csrf(client)
    keys = [
        client.post("/api/prior-art", json={"text": f"Coating number {n}"}, headers={"x-csrf-token": token}).json()
        for n in range(MOST_PATENTS + 1)
    ]
    assert client.get("/prior-art", params=keys[0]).status_code == 400
    assert client.get("/prior-art", params=keys[-1]).status_code == 200
