"""No answer of a lab says where on the machine anything is; what SQLite makes is none of a lab's things."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.show.serve.every_address import answers
from tests.show.serve.reviewing.conftest import ris

from leadline.judge.journal import JudgingJournal, People
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import ReviewSettings
from leadline.show.lab.job_plans import index_plan
from leadline.show.lab.jobs import Jobs, work
from leadline.show.lab.lab import Lab
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.security import Address, Guard

ADDRESS = Address.of("127.0.0.1", 8399)


@pytest.fixture
def broken(small_lab: Path, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab in which much is wrong: a pool without its record, a damaged journal, a job that fails, a review."""
    shutil.copytree(small_lab.parent, tmp_path / "secret" / "place")
    lab = Lab.open(tmp_path / "secret" / "place" / "lab")
    (tmp_path / "search.ris").write_text(ris(20))
    lab.add(begin_review(tmp_path / "twice", [tmp_path / "search.ris"], ReviewSettings("B"), known=["a0"]).folder)
    lab.add_all([files / "pool.txt", files / "one.run"])
    shutil.copy(files / "pool.txt", lab.folder / "pools" / "bad.txt")
    shutil.copy(files / "pool.txt", lab.folder / "pools" / "torn.txt")
    shutil.copy(f"{files / 'pool.txt'}.json", lab.folder / "pools" / "torn.txt.json")
    (lab.folder / "pools" / "torn.txt.journal").write_bytes(b"not a journal")
    monkeypatch.setattr(Jobs, "start_worker", lambda self: None)
    Jobs(lab).submit(index_plan(lab, "office", "again"), "olga")
    (lab.folder / "indexes" / "again").mkdir()
    (lab.folder / "indexes" / "again" / "mine.txt").write_text("not an index")
    work(lab.folder)
    return lab


def test_no_answer_says_where_the_lab_is(broken: Lab, tmp_path: Path) -> None:
    people = People(broken.people_file())
    client = TestClient(
        Guard(lab_app(broken, people, ADDRESS), ADDRESS),
        base_url=ADDRESS.url,
        headers={"authorization": f"Bearer {people.add('olga', 'organiser')}"},
    )
    app = lab_app(broken, people, ADDRESS)
    for desk in ("/judge/pool/", "/judge/torn/", "/judge/bad/", "/review/twice/"):
        client.get(desk)
    (job,) = Jobs(broken).all()
    assert job.state == "failed"
    assert "indexes/again: has other things in it" in job.problem
    Jobs(broken).update(job.id, problem=f"leadline: {broken.folder}/indexes/again: is in the way")  # as it was before
    values = {
        "token": ["wrong"], "name": ["office", "one", "nothing"], "id": ["D01", job.id], "ending": ["csv"],
        "figure": ["ranks"], "topic": ["T1", "abstract"], "document": ["D01", "a1"], "field": ["claims"],
        "words": ["brake"], "offer": ["none"], "q": ["(("],
        "index": ["words"], "patent": ["nothing"], "qrels": ["nothing"],
    }  # fmt: skip
    sent = [{"id": "something", "kind": "index", "collection": "office", "name": "again", "person": "nobody"}]
    found = answers(client, app, values, sent)
    assert {status for status, _, _ in found.values()} >= {200, 303, 400, 404}
    said = {key: f"{headers}{content.decode('utf-8', 'replace')}" for key, (_, headers, content) in found.items()}
    assert [key for key, text in said.items() if str(tmp_path) in text or "secret/place" in text] == []
    assert any("again: has other things in it" in text for text in said.values())  # what is wrong is said


def test_what_is_beside_a_pool_that_is_gone_is_no_pool(files: Path, tmp_path: Path) -> None:
    lab = Lab.create(tmp_path / "lab")
    lab.add(files / "pool.txt")
    place = lab.get("pool", "pool").path
    journal = JudgingJournal(f"{place}.journal", create=True)
    for end in (".people", ".people-wal", ".people-shm"):
        Path(f"{place}{end}").write_bytes(b"")
    assert Path(f"{place}.journal-wal").exists()
    assert [each.name for each in lab.entries("pool")] == ["pool"]
    place.unlink()
    listed = [each.path.name for each in Lab.open(lab.folder).entries("pool")]
    assert [name for name in listed if ".journal" in name or ".people" in name] == []
    journal.close()
