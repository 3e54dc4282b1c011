"""Runs sent to the leaderboard: right ones are placed, wrong ones are refused with their line, nothing else stored."""

from __future__ import annotations

import gzip
import random
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.show.serve.laboratory.boards import HOSTILE, copied_lab, run_text

from leadline.judge.journal import People
from leadline.records.qrels import read_qrels
from leadline.show.check import check
from leadline.show.lab.boards import LARGEST_UNPACKED
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import AuditLog
from leadline.show.serve.laboratory import uploads
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.security import Address


@pytest.fixture
def lab(small_lab: Path, tmp_path: Path) -> Lab:
    return Lab.open(copied_lab(small_lab, tmp_path))


@pytest.fixture
def good(lab: Lab) -> bytes:
    qrels = read_qrels(lab.get("qrels", "qrels.true").path)
    return run_text(list(qrels.topics), [qrels.documents[place] for place in range(0, 30, 3)], HOSTILE)


def stored(lab: Lab) -> set[str]:
    return {path.name for path in (lab.folder / "runs").iterdir()}


def sent(client: Any, content: bytes, name: str, qrels: str = "qrels.true", token: str | None = None) -> Any:
    known = client.get("/api/csrf").json().get("csrf", "") if token is None else token
    return client.post(
        "/api/runs", params={"name": name, "qrels": qrels}, content=content, headers={"X-CSRF-Token": known}
    )


def test_a_right_run_is_placed_and_the_same_again_is_there_already(
    lab: Lab, good: bytes, visit: Callable[..., Any]
) -> None:
    client = visit(lab)
    answer = sent(client, good, "mine.run")
    assert (answer.status_code, answer.json()) == (201, {"saved": True, "stored": "new", "run": "mine"})
    assert lab.get("run", "mine").origin == "uploaded by anna"
    assert lab.get("run", "mine").state == "sound"
    page = client.get("/leaderboard?qrels=qrels.true&new=mine").text
    assert "mine is in the lab, at place" in page
    assert HOSTILE not in page
    for name in ("mine.run", "other.run"):
        again = sent(client, good, name)
        assert (again.status_code, again.json()) == (200, {"saved": True, "stored": "already", "run": "mine"})
    taken = sent(client, good + b"# another\n", "mine.txt")
    assert taken.status_code == 409
    assert "choose another name" in taken.json()["error"]
    packed = sent(client, gzip.compress(good.replace(b" 1 99 ", b" 1 99.5 ")), "packed.run.gz")
    assert packed.json()["run"] == "packed"
    assert stored(lab) == {"system0.run", "system1.run", "system2.run", "mine.run", "packed.run.gz"}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("mine.run", b"", "is empty"),
        ("mine.run", b"1 Q0 d1 1 0.5 tag\n1 Q0 d2 2\n", "line 2"),
        ("mine.run", b"1 Q0 d1 1 high tag\n", "line 1"),
        ("mine.run", b"1 Q0 d1 1 0.5 t\n1 Q0 d1 2 0.4 t\n", "listed twice"),
        ("mine.run", b"unknown Q0 d1 1 0.5 t\n", "no topic in common"),
        ("mine.run", random.Random(1).randbytes(3000), "line "),
        ("mine.run", b"PAR1" + b"\0" * 100, "not readable Parquet"),
        ("mine.run.gz", gzip.compress(b"1 Q0 d1 1 0.5 t\n", mtime=0)[:-9], "damaged"),
        ("../mine.run", b"1 Q0 d1 1 0.5 t\n", "must be at most 200 letters"),
        ("a/mine.run", b"1 Q0 d1 1 0.5 t\n", "must be at most 200 letters"),
        (".hidden", b"1 Q0 d1 1 0.5 t\n", "must be at most 200 letters"),
        ("<script>.run", b"1 Q0 d1 1 0.5 t\n", "must be at most 200 letters"),
        ("x\0y.run", b"1 Q0 d1 1 0.5 t\n", "must be at most 200 letters"),
        ("", b"1 Q0 d1 1 0.5 t\n", "must be at most 200 letters"),
        ("system0.run.manifest.json", b"{}", "not a name for a run"),
        ("system0.run.why.tsv", b"1 Q0 d1 1 0.5 t\n", "not a name for a run"),
        ("mine.csv", b"topic,document,score\nunknown,d1,1\n", "no topic in common"),
        ("mine.parquet", b"unknown Q0 d1 1 0.5 t\n", "no topic in common"),
    ],
)
def test_wrong_runs_are_refused_and_nothing_is_stored(
    lab: Lab, visit: Callable[..., Any], name: str, content: bytes, said: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before, entries = stored(lab), len(lab.entries())
    answer = sent(visit(lab), content, name)
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert str(tmp_path) not in answer.text
    assert stored(lab) == before
    assert len(lab.entries()) == entries
    assert not list(tmp_path.glob("leadline-upload-*"))


def test_a_bomb_is_refused_before_it_is_unpacked_whole(lab: Lab, visit: Callable[..., Any]) -> None:
    bomb = gzip.compress(b"1 Q0 d1 1 0.5 t\n" * 65536, 9, mtime=0) * (LARGEST_UNPACKED // (1 << 20) + 8)
    assert len(bomb) < 2 << 20
    answer = sent(visit(lab), bomb, "bomb.run.gz")
    assert answer.status_code == 400
    assert "when it is unpacked" in answer.json()["error"] or "archive bomb" in answer.json()["error"]
    assert "bomb.run.gz" not in stored(lab)


def test_only_some_may_upload(lab: Lab, good: bytes, visit: Callable[..., Any]) -> None:
    before = stored(lab)
    for role, status in (("assessor", 403), ("expert", 403), (None, 401)):
        assert sent(visit(lab, role), good, "mine.run", token="").status_code == status
    assert sent(visit(lab), good, "mine.run", token="forged").status_code == 403
    assert sent(visit(lab), good, "mine.run", qrels="qrels.tru").status_code == 400
    assert stored(lab) == before
    assert "data-upload" in visit(lab).get("/leaderboard").text
    assert "data-upload" not in visit(lab, "assessor").get("/leaderboard").text


def test_a_form_without_javascript_is_answered_with_a_page(lab: Lab, good: bytes, visit: Callable[..., Any]) -> None:
    client, before = visit(lab), stored(lab)

    def sent_form(content: bytes, file: str, name: str = "", csrf: str | None = None) -> Any:
        token = client.get("/api/csrf").json()["csrf"] if csrf is None else csrf
        fields = {"csrf": token, "qrels": "qrels.true", "measure": "AP", "name": name}
        return client.post("/leaderboard", data=fields, files={"file": (file, content)}, follow_redirects=False)

    assert 'action="/leaderboard" enctype="multipart/form-data"' in client.get("/leaderboard").text
    wrong = sent_form(good + b"7 Q0 d1\n", "mine.run")
    assert wrong.status_code == 400
    assert f"line {len(good.splitlines()) + 1}" in wrong.text
    assert "/leaderboard?qrels=qrels.true&amp;measure=AP#upload" in wrong.text
    for file, name, status in (("../mine.run", "", 400), ("mine.run", "../x", 400), ("system0.run", "", 409)):
        assert sent_form(good, file, name).status_code == status
    assert sent_form(b"", "mine.run").status_code == 400
    assert sent_form(good, "mine.run", csrf="x").status_code == 403
    assert stored(lab) == before
    right = sent_form(good, "mine.run")
    assert (right.status_code, right.headers["location"]) == (303, "/leaderboard?qrels=qrels.true&measure=AP&new=mine")
    assert "mine is in the lab, at place" in client.get(right.headers["location"]).text
    assert stored(lab) - before == {"mine.run"}


def test_nobody_takes_all_places_for_uploads(lab: Lab, good: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def slow(*args: Any) -> dict[str, Any]:
        begun.release()
        assert go_on.wait(30)
        return received(*args)

    received = uploads._received
    monkeypatch.setattr(uploads, "_received", slow)
    people, address = People(lab.people_file()), Address.of("127.0.0.1", 8399)
    app = lab_app(lab, people, address)
    tokens = {name: people.add(name, "runner") for name in ("anna", "ben")}

    def send(person: str, name: str) -> Any:
        client = TestClient(app, base_url=address.url, headers={"authorization": f"Bearer {tokens[person]}"})
        return sent(client, good + name.encode() + b" Q0 d 1 1 t\n", f"{name}.run", token="")

    with ThreadPoolExecutor(3) as threads:
        first = [threads.submit(send, "anna", f"mine{n}") for n in range(uploads.MOST_OF_ONE)]
        for _ in first:
            assert begun.acquire(timeout=30)
        more = send("anna", "mine9")
        assert (more.status_code, "uploads of yours are under way" in more.json()["error"]) == (503, True)
        other = threads.submit(send, "ben", "other")
        assert begun.acquire(timeout=30)
        go_on.set()
        assert [each.result().status_code for each in (*first, other)] == [201, 201, 201]
    assert send("anna", "mine9").status_code == 201  # the places are free again


def test_topics_that_are_not_judged_are_said_at_once(lab: Lab, visit: Callable[..., Any]) -> None:
    client = visit(lab)
    qrels = read_qrels(lab.get("qrels", "qrels.true").path)
    known, documents = list(qrels.topics), [qrels.documents[place] for place in range(0, 30, 3)]
    answer = sent(client, run_text([*known[:-2], "x1", "x2", "x3"], documents), "half.run").json()
    topics = len(known)
    said = (
        f"3 of {topics + 1} topics are not judged here and are left out; 2 of {topics} judged topics are not in it and "
        "score 0"
    )
    assert answer == {"saved": True, "stored": "new", "run": "half", "note": said}
    assert said in client.get("/leaderboard?qrels=qrels.true&new=half").text


def test_a_torn_audit_log_beside_the_store_does_not_stop_the_lab(
    lab: Lab, good: bytes, visit: Callable[..., Any]
) -> None:
    (lab.folder / "audit.jsonl").write_text('{"at": "2026-11-18T')
    client = visit(lab)
    assert sent(client, good, "first.run").status_code == 201
    assert [line.did[:9] for line in AuditLog(lab.store).lines()] == ["added the"]
    assert check(lab.folder) == []
