"""The pages of cases: who may do what, what they show, forms and JSON, exports, and hostile texts."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from tests.show.lab.desks import nail_lab
from tests.show.serve.laboratory.searching_labs import HOSTILE, STRANGE, odd_lab

from leadline.records.qrels import read_qrels
from leadline.show.check import check, examine
from leadline.show.lab.case import Cases
from leadline.show.lab.lab import Lab

PATENT = "EP0000009A1"
DESK = f"/case/{PATENT}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    Cases(nail_lab(folder)).begin("olga", "organiser", index="words", patent=PATENT, title="The bent nail")
    return folder


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Lab:
    shutil.copytree(made, tmp_path / "nails")
    return Lab.open(tmp_path / "nails" / "lab")


def csrf_of(client: Any) -> str:
    return str(client.get("/api/csrf").json()["csrf"])


def do(client: Any, kind: str, path: str = DESK, **said: Any) -> Any:
    return client.post(f"/api{path}/do", json={"kind": kind, **said}, headers={"x-csrf-token": csrf_of(client)})


def test_the_menu_has_cases_where_there_is_an_index(visit: Callable[..., Any], lab: Lab, tmp_path: Path) -> None:
    assert 'href="/cases"' in visit(lab).get("/").text
    assert 'href="/cases"' not in visit(Lab.create(tmp_path / "empty")).get("/").text


def test_a_case_is_begun_and_worked_on_by_forms_alone(visit: Callable[..., Any], lab: Lab) -> None:
    client = visit(lab)
    asked = {"csrf": csrf_of(client), "question": "Which nails are bent?", "index": "words"}
    answer = client.post("/cases", data=asked, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/case/which-nails-are-bent")
    form = {"csrf": csrf_of(client), "kind": "query", "text": "nail", "back": "/case/which-nails-are-bent#queries"}
    answer = client.post("/case/which-nails-are-bent/do", data=form, follow_redirects=False)
    assert answer.headers["location"] == "/case/which-nails-are-bent#queries"
    for back in ("//evil.example", "https://evil.example", "/people", "/case\\..\\x", "javascript:x"):
        answer = client.post("/case/which-nails-are-bent/do", data={**form, "back": back}, follow_redirects=False)
        assert answer.headers["location"] == "/case/which-nails-are-bent"
    answer = client.post("/case/which-nails-are-bent/do", data={**form, "text": "title:("})
    assert (answer.status_code, "That was not done" in answer.text) == (400, True)
    answer = client.post("/cases", data={**asked, "question": "", "patent": "EP12345"}, follow_redirects=False)
    assert (answer.status_code, "is not a patent of the index" in answer.text) == (400, True)
    assert client.post("/case/which-nails-are-bent/do", data={**form, "csrf": "x"}).status_code == 403


@pytest.mark.parametrize(("role", "may"), [("reader", False), ("runner", True), ("assessor", True), (None, False)])
def test_who_may_work_on_a_case(visit: Callable[..., Any], lab: Lab, role: Any, may: bool) -> None:
    client = visit(lab, role)
    answer = client.get(DESK)
    assert answer.status_code == (401 if role is None else 200)
    assert ('/do"' in answer.text) is may
    if role is not None:
        assert do(client, "note", text="One.").status_code == (200 if may else 403)
        assert client.get("/api/case/nothing").status_code == 404


def test_a_hit_is_graded_and_a_query_saved_from_the_search(visit: Callable[..., Any], lab: Lab) -> None:
    client = visit(lab)
    page = client.get("/search", params={"case": PATENT, "q": "nail", "class": "F16B"}).text
    assert "Save the query in" in page
    assert 'value="(nail) AND class:F16B"' in page
    assert "Nagel AG" in page
    assert "Applicant" in page
    assert do(client, "query", text="(nail) AND class:F16B").json()["saved"]
    assert do(client, "read", documents=["EP0000001A1"]).json()["saved"]
    assert do(client, "grade", document="EP0000001A1", grade="X").json()["saved"]
    page = client.get("/prior-art", params={"case": PATENT, "patent": PATENT}).text
    assert f"{DESK}/read?document=EP0000001A1" in page
    assert '<span class="badge decided">X</span>' in page
    page = client.get("/search", params={"case": PATENT, "q": "nail"}).text
    assert "read: anna" in page
    assert '<span class="badge decided">X</span> <span class="small soft">anna' in page
    shown = client.get(f"/api{DESK}").json()
    assert [(row["number"], row["new"]) for row in shown["queries"]] == [(1, 0)]
    assert [row["document"] for row in shown["shortlist"]] == ["EP0000001A1"]
    facets = client.get("/api/search", params={"q": "nail"}).json()["facets"]
    assert {each["words"] for each in facets["applicants"]} >= {"Nagel AG"}
    assert {each["words"] for each in facets["inventors"]} >= {"Anna Stift"}
    answer = do(client, "grade", document="EP0000001A1", grade="Z")
    assert (answer.status_code, answer.json()["error"]) == (400, "grade: 'Z' is not one of X, Y, A, 0.")
    assert do(client, "undo").json()["saved"]
    assert client.get(f"/api{DESK}").json()["shortlist"] == []


def test_the_chart_tells_people_from_machines(visit: Callable[..., Any], lab: Lab) -> None:
    client = visit(lab)
    assert "and it is empty" in client.get(f"{DESK}/chart").text
    do(client, "grade", document="EP0000001A1", grade="X")
    page = client.get(f"{DESK}/chart").text
    assert "◎ strong 65 %" in page
    assert "65 % of strong and 23 % of weak suggestions" in page
    rows = client.get(f"/api{DESK}/chart").json()["rows"]
    offered = rows[0]["cells"][0]["suggestion"]
    tick = {"feature": "1", "document": "EP0000001A1", "suggested": offered["grade"]}
    do(client, "tick", **tick, where=offered["where"], passage=offered["passage"])
    page = client.get(f"{DESK}/chart").text
    assert re.search(r'badge decided">● .*?anna, 20\d\d-\d\d-\d\d \d\d:\d\d, suggested', page, re.DOTALL)
    assert "1a: A nail comprising" in client.get(f"{DESK}/chart?split=1").text
    page = client.get(f"{DESK}/read?document=EP0000001A1").text
    assert "of its words" in page
    assert "document-map" in page
    do(client, "sign", statement="Searched.")
    page = client.get(f"{DESK}/chart").text
    assert "signed</span> by <strong>anna</strong>" in page
    assert ">accept<" not in page
    assert do(client, "tick", **tick, on=False).status_code == 400
    assert client.get(f"{DESK}/chart/table.csv?table=ticks").text.startswith("feature,document,where")


def test_searches_stand_beside_each_other_with_how_little_is_judged(visit: Callable[..., Any], lab: Lab) -> None:
    client = visit(lab)
    answer = client.get(f"{DESK}/compare")
    assert (answer.status_code, "nobody graded" in answer.text) == (400, True)
    do(client, "grade", document="EP0000001A1", grade="X")
    do(client, "grade", document="EP0000003A1", grade="0")
    do(client, "query", text="nail")
    shown = client.get(f"/api{DESK}/compare?run=present").json()
    names = [row["search"] for row in shown["systems"]]
    assert names == ["your search, line #1", "all your lines together", "your present system, present", "ours, best"]
    assert {row["search"]: row["relevant in 10"] for row in shown["systems"]}["your present system, present"] == 1
    assert shown["says"][0] == "2 documents judged, 1 of them relevant, by anna."
    assert "very few" in " ".join(shown["says"])
    assert client.get(f"/api{DESK}/compare?run=present&topic=x").status_code == 400


def test_every_export_is_what_it_says(visit: Callable[..., Any], lab: Lab, tmp_path: Path) -> None:
    client = visit(lab)
    assert client.get(f"{DESK}/export.qrels").status_code == 400  # nobody graded anything yet
    do(client, "query", text="nail & <b>")
    do(client, "strategy", text="1. tin.ti,ab.\n2. nail.ti.\n3. 1 and 2", syntax="ovid")
    do(client, "grade", document="EP0000001A1", grade="X")
    do(client, "tick", feature="1", document="EP0000001A1", where="¶ 1", passage="A <nail> & \x0b more")
    do(client, "tag", document="EP0000001A1", tag="tin")
    do(client, "sign", statement="All <of> it.")
    found = {}
    for form in ("docx", "pdf", "ris", "csv", "qrels", "strategy", "zip"):
        answer = client.get(f"{DESK}/export.{form}")
        assert answer.status_code == 200
        assert f'filename="{PATENT}.{form}"' in answer.headers["content-disposition"]
        found[form] = answer.content
    assert client.get(f"{DESK}/export.exe").status_code == 404
    with zipfile.ZipFile(io.BytesIO(found["docx"])) as word:
        assert all(etree.fromstring(word.read(name)) is not None for name in word.namelist())
        text = "".join(etree.fromstring(word.read("word/document.xml")).itertext())
    assert "A <nail> & \\x0b more" in text
    assert "Signed by anna" in text
    assert found["pdf"].startswith(b"%PDF-")
    assert found["ris"].decode().splitlines()[:2] == ["TY  - PAT", "ID  - EP0000001A1"]
    assert "KW  - tin" in found["ris"].decode()
    assert found["qrels"] == b"EP0000009A1 0 EP0000001A1 2\n"
    assert found["strategy"].decode().splitlines()[-1] == "4. #2 AND #3"
    assert found["zip"] == client.get(f"{DESK}/export.zip").content  # the same case, the same bytes
    path = tmp_path / "case.zip"
    path.write_bytes(found["zip"])
    assert (examine(path).kind, check(path)) == ("archive of a case", [])
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        (tmp_path / "judged.txt").write_bytes(files["judgements.qrels"])
    assert read_qrels(tmp_path / "judged.txt").judgements(PATENT) == {"EP0000001A1": 2}
    assert json.loads(files["events.jsonl"].splitlines()[0])["patent"] == PATENT
    files["judgements.csv"] += b"\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert "judgements.csv is not what was written" in check(path)[0].problem


def test_an_export_without_what_it_needs_says_so(visit: Callable[..., Any], lab: Lab) -> None:
    answer = visit(lab).get(f"{DESK}/export.strategy")
    assert (answer.status_code, "has no query" in answer.text) == (400, True)


def test_hostile_documents_stay_text(visit: Callable[..., Any], tmp_path: Path) -> None:
    lab = Lab.open(odd_lab(tmp_path))
    case = Cases(lab).begin("anna", "organiser", index="words", question=HOSTILE, name="odd").name
    client = visit(lab)
    for said in (
        {"kind": "query", "text": "coating"}, {"kind": "note", "document": STRANGE, "text": HOSTILE},
        {"kind": "grade", "document": STRANGE, "grade": "X"}, {"kind": "tag", "document": STRANGE, "tag": HOSTILE[:40]},
        {"kind": "grades", "text": f"<b> 1 {HOSTILE}"},
    ):  # fmt: skip
        assert do(client, path=f"/case/{case}", **said).status_code == 200
    for page in ("", "/chart", "/read", "/compare"):
        answer = client.get(f"/case/{case}{page}")
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
    for form in ("docx", "ris", "csv"):
        assert client.get(f"/case/{case}/export.{form}").status_code == 200


WRONG: tuple[dict[str, Any], ...] = (
    {}, {"kind": 7}, {"kind": "query", "text": 7}, {"kind": "query", "text": " "}, {"kind": "strategy", "text": ""},
    {"kind": "looked", "number": "9" * 40}, {"kind": "looked", "number": 3}, {"kind": "read", "documents": 7},
    {"kind": "read", "documents": [7]}, {"kind": "grade", "document": ["x"], "grade": "X"},
    {"kind": "note", "id": 7}, {"kind": "note", "id": "short", "text": "x"}, {"kind": "undo"},
    {"kind": "tick", "feature": "9", "document": "x", "where": "x"}, {"kind": "grades", "text": 7},
    {"kind": "features", "text": "x"}, {"kind": "sign", "statement": 7},
)  # fmt: skip


def test_what_is_wrong_is_answered_in_a_line(visit: Callable[..., Any], lab: Lab) -> None:
    client = visit(lab)
    headers = {"x-csrf-token": csrf_of(client)}
    for said in WRONG:
        answer = client.post(f"/api{DESK}/do", json=said, headers=headers)
        assert answer.status_code == 400, (said, answer.text)
        assert "\n" not in answer.json()["error"]


def test_a_case_whose_index_is_gone_can_still_be_read(visit: Callable[..., Any], lab: Lab) -> None:
    client = visit(lab)
    do(client, "query", text="nail")
    do(client, "grade", document="EP0000001A1", grade="X")
    lab.remove("index", "words")
    page = visit(lab).get(DESK)
    assert (page.status_code, "is not among the indexes" in page.text) == (200, True)
    assert "EP0000001A1" in page.text
    path = lab.folder / "cases" / f"{PATENT}.case"
    path.write_bytes(path.read_bytes()[:5000])
    Cases(lab).begin("anna", "organiser", index=lab.add(lab.folder.parent / "index", name="words").name, question="?")
    page = visit(lab).get("/cases").text
    assert "is damaged" in page
    assert visit(lab).get("/search?q=nail").status_code == 200
