"""A check of a lab reads what people marked and did: journals, people, records, audit log and jobs."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.judge.journal import People
from leadline.show.check import check, examine
from leadline.show.lab.job_plans import pool_plan
from leadline.show.lab.jobs import Jobs, work
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import AuditLog
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.security import Address, Guard


@pytest.fixture(scope="module")
def made(example_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab with a pool that two people judged, a review, people, an audit log and a job that was done."""
    folder = tmp_path_factory.mktemp("checked")
    lab = Lab.create(folder / "lab")
    for name in ("patents", "asthma"):
        shutil.copytree(example_files / name, folder / name)
        lab.add(folder / name)
    for name in ("topics.tsv", "runs/bm25.run", "pool.txt"):
        lab.add(example_files / name)
    People(lab.people_file()).add("olga", "organiser")
    AuditLog(lab.store).add("olga", "organiser", "opened the results")
    jobs = Jobs(lab)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "start_worker", lambda: None)
        jobs.submit(pool_plan(lab, ["bm25"], 5, "second"), "olga")
    work(lab.folder)
    return folder


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Lab:
    shutil.copytree(made, tmp_path / "copy")
    return Lab.open(tmp_path / "copy" / "lab")


def states(lab: Lab, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    main(["lab", "status", str(lab.folder), "-f", "json"])
    return {row["name"]: row["state"] for row in json.loads(capsys.readouterr().out)}


def garbled(path: Path) -> None:
    content = path.read_bytes()
    third = len(content) // 3
    path.write_bytes(content[:third] + bytes(each ^ 1 for each in content[third : 2 * third]) + content[2 * third :])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_a_sound_lab(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(lab.folder) == []
    assert set(states(lab, capsys).values()) == {"sound"}


@pytest.mark.parametrize("damage", [garbled, cut, Path.unlink])
@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("lab/pools/pool.txt.journal", "pool"), ("lab/pools/pool.txt.people", "pool"),
        ("lab/pools/pool.txt.json", "pool"), ("asthma/journal", "asthma"),
    ],
)  # fmt: skip
def test_damage_to_what_people_marked_is_told(
    lab: Lab, name: str, entry: str, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    path = lab.folder.parent / name
    damage(path)
    if name.endswith(".people") and damage is Path.unlink:
        assert check(lab.folder) == []  # links can be made again, and nobody needs to have any
        return
    assert [finding.path for finding in check(lab.folder)] == [str(path)]
    assert {each for each, state in states(lab, capsys).items() if state == "damaged"} == {entry}
    with pytest.raises(SystemExit):
        main(["check", str(lab.folder)])
    assert f"the lab {lab.folder} is damaged: 1 problem" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["people", "lab.store"])
def test_damage_to_what_the_lab_keeps_of_itself_is_told(
    lab: Lab, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = lab.folder.glob(name)
    garbled(path)
    (finding,) = check(lab.folder)
    assert finding.path.startswith(str(path))
    with contextlib.suppress(SystemExit):  # without its store there is no lab
        main(["lab", "status", str(lab.folder)])
    assert f"{finding.path}: {finding.problem}" in capsys.readouterr().err


def test_what_was_made_inside_a_lab_and_added_is_no_other_file(lab: Lab) -> None:
    write_collection([Document("X1", title="Nail")], lab.folder / "collections" / "nails", {})
    (lab.folder / "collections" / "notes.txt").write_text("mine")
    lab.add(lab.folder / "collections" / "nails")
    assert [path.name for path in examine(lab.folder).strangers if path.parent.name == "collections"] == ["notes.txt"]


def test_a_journal_that_the_pages_began_belongs_to_the_lab_and_is_missed_when_it_is_gone(lab: Lab) -> None:
    people = People(lab.people_file())
    address = Address.of("127.0.0.1", 8397)

    def visit() -> TestClient:
        client = TestClient(Guard(lab_app(lab, people, address), address), base_url=address.url)
        client.get(f"/in/{people.add('olga', 'organiser')}")
        return client

    journal = lab.folder / "pools" / "second.txt.journal"
    assert not journal.exists()
    assert visit().get("/judge/second/").status_code == 200
    assert Path(f"{journal}-wal").exists()
    assert [entry.name for entry in lab.entries("pool")] == ["pool", "second"]
    found = examine(lab.folder)
    assert found.findings == []
    assert [path for path in found.strangers if "journal" in path.name] == []
    for path in lab.folder.glob("pools/second.txt.journal*"):
        path.unlink()
    (finding,) = check(lab.folder)
    assert finding.path == str(journal)
    answer = visit().get("/judge/second/")
    assert (answer.status_code, journal.exists()) == (409, False)
    assert "is missing, with the marks of the pool" in answer.text
    lab.remove("pool", "second")
    assert check(lab.folder) == []
