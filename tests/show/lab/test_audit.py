"""The audit log keeps its lines in order, and shows when one was changed; those of version 0.1 are taken over."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.mounting import read_only

from leadline.cli import main
from leadline.errors import InputError
from leadline.show.check import check, examine
from leadline.show.lab.job_plans import pool_plan
from leadline.show.lab.jobs import Jobs, work
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import AuditLog

GOLDEN = Path(__file__).parents[2] / "golden" / "version-0.1" / "lab"
OLDER_LINES = [
    ("anna", "organiser", "asked for job: pool"), ("ben", "runner", "added the run ä"),
    ("anna", "organiser", "ended the link of ben"),
]  # fmt: skip
DONE, CANCELLED, WAITING = "61f5f8f20b0cc4c7", "119cdca784df980a", "358c71fffe96f5c5"


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A lab as version 0.1 made it, with an audit log, three jobs and people."""
    shutil.copytree(GOLDEN, tmp_path / "older")
    for name in ("collections", "indexes", "topics", "reviews", "duplicates", "reports"):
        (tmp_path / "older" / name).mkdir()
    return tmp_path / "older"


def said(log: AuditLog) -> list[tuple[str, str, str]]:
    return [(line.person, line.role, line.did) for line in log.lines()]


def test_lines_of_several_threads_are_all_there(tmp_path: Path) -> None:
    Lab.create(tmp_path / "lab")
    logs = [AuditLog(Lab.open(tmp_path / "lab").store) for _ in range(2)]

    def write(log: AuditLog, name: str) -> None:
        for number in range(20):
            log.add(name, "runner", f"did {number}")

    threads = [threading.Thread(target=write, args=(log, name)) for log, name in zip(logs, "ab", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = list(logs[0].lines())
    assert len(lines) == 40
    assert [line.did for line in lines if line.person == "a"] == [f"did {number}" for number in range(20)]


@pytest.mark.parametrize(
    "change", ["update events set person = 'ben' where seq = 2", "delete from events where seq = 3"]
)
def test_a_changed_log_is_recognised(tmp_path: Path, change: str) -> None:
    lab = Lab.create(tmp_path / "lab")
    for did in ("added a run", "opened the results\n", "revoked ben"):
        AuditLog(lab.store).add("anna", "organiser", did)
    assert [line.did for line in AuditLog(lab.store).lines()] == ["added a run", "opened the results\\n", "revoked ben"]
    path = lab.store.path
    assert path.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(path) as database:
        database.execute(change)
    database.close()
    with pytest.raises(InputError, match=r"lab\.store: is damaged"):
        list(AuditLog(Lab.open(tmp_path / "lab").store).lines())
    assert [finding.path for finding in check(tmp_path / "lab")] == [str(path)]


def test_a_lab_of_version_0_1_is_read_as_it_is(older: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in older.rglob("*") if path.is_file()}
    with read_only(older, tmp_path / "mounted"):
        lab = Lab.open(tmp_path / "mounted")
        assert said(AuditLog(lab.store)) == OLDER_LINES
        states = {job.id: job.state for job in Jobs(lab).all()}
        assert states == {DONE: "done", CANCELLED: "cancelled", WAITING: "waiting"}
        assert check(lab.folder) == []
        main(["lab", "people", str(lab.folder), "list", "-f", "tsv"])
        assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["anna", "ben"]
    assert {path: path.read_bytes() for path in older.rglob("*") if path.is_file()} == before


def test_a_lab_of_version_0_1_is_taken_over_by_the_first_change(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab.open(older)
    hashes = [line.rpartition('"sha256": "')[2][:64] for line in (older / "audit.jsonl").read_text().splitlines()]
    AuditLog(lab.store).add("anna", "organiser", "went on")
    assert said(AuditLog(lab.store)) == [*OLDER_LINES, ("anna", "organiser", "went on")]
    with lab.store.view() as now:
        stored = [event.said["line"] for event in now.events.all() if event.said["kind"] == "line"]
    assert [line.rpartition('"sha256": "')[2][:64] for line in stored] == hashes
    left = sorted(path.name for path in [*older.glob("audit*"), *older.glob("jobs/*")])
    assert left == [f"{DONE}.log", "leadline.jsonl"]
    jobs = Jobs(lab)
    assert jobs.log(DONE)
    monkeypatch.setattr(jobs, "start_worker", lambda: None)
    jobs.update(WAITING, arguments=pool_plan(lab, ["a"], 1, "second").arguments, output=str(older / "pools/second.txt"))
    work(older)
    assert {job.id: job.state for job in jobs.all()} == {DONE: "done", CANCELLED: "cancelled", WAITING: "done"}
    found = examine(older)
    assert (found.findings, [path for path in found.strangers if path.parent.name != "pools"]) == ([], [])


def _changed(log: bytes) -> bytes:
    return log.replace(b"ben", b"hans", 1)


def _one_less(log: bytes) -> bytes:
    first, _, *rest = log.splitlines(keepends=True)
    return first + b"".join(rest)


def _other_bytes(log: bytes) -> bytes:
    first, *rest = log.splitlines(keepends=True)
    return first + b"\0\xff\n" + b"".join(rest)


@pytest.mark.parametrize("change", [_changed, _one_less, _other_bytes])
def test_a_changed_log_of_version_0_1_is_told_before_and_after_and_stops_nobody(
    older: Path, change: Callable[[bytes], bytes]
) -> None:
    log = older / "audit.jsonl"
    log.write_bytes(change(log.read_bytes()))
    written = log.read_bytes()
    for _ in range(2):
        assert [(each.path, each.problem[:11]) for each in check(older)] == [(f"{log}:2", "was changed")]
        AuditLog(Lab.open(older).store).add("anna", "organiser", "went on")
    assert log.read_bytes() == written  # what is damaged is not removed


@pytest.mark.parametrize("left", [1, 60, 250])
def test_half_a_last_line_of_version_0_1_is_kept(older: Path, left: int) -> None:
    log = older / "audit.jsonl"
    torn = log.read_text().splitlines()[0][:left]
    log.write_text(log.read_text() + torn)
    assert check(older) == []
    lab = Lab.open(older)
    AuditLog(lab.store).add("eve", "runner", "went on")
    assert sorted(said(AuditLog(lab.store))) == sorted(
        [
            *OLDER_LINES, ("eve", "runner", "went on"),
            ("leadline", "", f"took over audit.jsonl, which ended with a line that was not written whole: {torn}"),
        ]
    )  # fmt: skip


def test_only_the_end_of_the_last_line_of_version_0_1_is_missing(older: Path) -> None:
    (older / "audit.jsonl").write_bytes((older / "audit.jsonl").read_bytes().rstrip(b"\n"))
    lab = Lab.open(older)
    AuditLog(lab.store).add("ben", "runner", "went on")
    assert said(AuditLog(lab.store)) == [*OLDER_LINES, ("ben", "runner", "went on")]


def test_a_damaged_job_of_version_0_1_stays_and_is_told(older: Path) -> None:
    path = older / "jobs" / f"{DONE}.json"
    path.write_bytes(path.read_bytes().replace(b"anna", b"hans"))
    for _ in range(2):
        assert [each.path for each in check(older)] == [str(path)]
        assert {job.id for job in Jobs(Lab.open(older)).all()} == {CANCELLED, WAITING}
        AuditLog(Lab.open(older).store).add("anna", "organiser", "went on")
    assert path.exists()
