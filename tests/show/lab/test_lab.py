"""A lab keeps what was added, says what changed, and removes only what is its own."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path

import pytest
from tests.at_once import CommandsAtOnce

from leadline.cli import main
from leadline.errors import InputError
from leadline.judge.journal import Event, JudgingJournal
from leadline.records.manifest import write_manifest
from leadline.show.check import check
from leadline.show.lab.kinds import kind_of, kind_of_text
from leadline.show.lab.lab import Lab
from leadline.text.owned_folder import OwnedFolder

RUN = "1 Q0 d1 1 9.5 bm25\n1 Q0 d2 2 8.5 bm25\n2 Q0 d1 1 7.5 bm25\n"
QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n"
TOPICS = "id\ttitle\n1\tbrake disc\n2\tbicycle\n"


def test_a_lab_whose_making_was_stopped_is_made_by_the_next_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk the store was there, and the next attempt was told that there is a lab already."""

    def full(*_: object) -> None:
        raise InputError("lab", "cannot be written: the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Lab, "refresh", full)
        with pytest.raises(InputError, match="disk is full"):
            Lab.create(tmp_path / "lab", "Brakes")
    assert Lab.create(tmp_path / "lab", "Valves").title == "Valves"
    with pytest.raises(InputError, match="a lab already"):
        Lab.create(tmp_path / "lab")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "bm25.run").write_text(RUN)
    (folder / "bm25.run.manifest.json").write_text(json.dumps({"what": "a run", "leadline": "0.1.0"}))
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "topics.tsv").write_text(TOPICS)
    (folder / "page.html").write_text("<!DOCTYPE html>")
    return folder


@pytest.fixture
def lab(tmp_path: Path, files: Path) -> Lab:
    made = Lab.create(tmp_path / "lab", "Brakes")
    for name in ("bm25.run", "qrels.txt", "topics.tsv", "page.html"):
        made.add(files / name)
    return made


def test_what_was_added_is_there_by_kind_and_name(lab: Lab) -> None:
    again = Lab.open(lab.folder)
    assert again.title == "Brakes"
    found = [(each.kind, each.name, each.state) for each in again.entries()]
    assert found == [
        ("topics", "topics", "sound"), ("qrels", "qrels", "sound"), ("run", "bm25", "sound"),
        ("report", "page.html", "sound"),
    ]  # fmt: skip
    assert again.get("run", "bm25").made_from()["leadline"] == "0.1.0"
    assert check(lab.folder) == []


def test_the_same_file_is_added_once(lab: Lab, files: Path) -> None:
    first = lab.get("run", "bm25")
    assert lab.add(files / "bm25.run") == first


def test_another_file_of_the_same_name_needs_to_be_asked_for(lab: Lab, files: Path) -> None:
    (files / "bm25.run").write_text(RUN.replace("9.5", "9.6"))
    with pytest.raises(InputError, match="another run bm25 already"):
        lab.add(files / "bm25.run")
    assert lab.get("run", "bm25").path.read_text() == RUN
    lab.add(files / "bm25.run", replaced=True)
    assert "9.6" in lab.get("run", "bm25").path.read_text()
    lab.add(files / "bm25.run", name="mine")
    assert {each.name for each in lab.entries("run")} == {"bm25", "mine"}


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("wrong.run", "1 Q0 d1 1 high bm25\n", "high"),
        ("twice.run", "1 Q0 d1 1 2 x\n1 Q0 d1 2 1 x\n", "twice"),
        ("?.txt", "nothing that is known\n", "--as"),
        ("a b.run", RUN, "--name"),
        ("empty.run", "", "is empty"),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_stored(
    lab: Lab, files: Path, name: str, content: str, problem: str
) -> None:
    (files / name).write_text(content)
    before = sorted(lab.folder.rglob("*"))
    with pytest.raises(InputError, match=problem):
        lab.add(files / name)
    assert sorted(lab.folder.rglob("*")) == before


@pytest.mark.parametrize("name", ["../out", "a/b", ".hidden", "leadline.jsonl", "", "x" * 300])
def test_a_name_cannot_leave_the_lab(lab: Lab, files: Path, name: str) -> None:
    with pytest.raises(InputError):
        lab.add(files / "page.html", name=name)


def test_what_a_command_writes_into_the_lab_belongs_to_it(lab: Lab) -> None:
    (lab.folder / "runs" / "found.run").write_text(RUN)
    (lab.folder / "runs" / "found.run.manifest.json").write_text("{}")
    found = lab.get("run", "found")
    assert found.state == "found"
    lab.add(found.path)
    assert lab.get("run", "found").state == "sound"


def test_changed_and_missing_files_are_said(lab: Lab) -> None:
    lab.get("run", "bm25").path.write_text(RUN + "3 Q0 d1 1 1 bm25\n")
    lab.get("qrels", "qrels").path.unlink()
    assert {(each.kind, each.state) for each in lab.entries()} >= {("run", "changed"), ("qrels", "missing")}
    problems = [each.problem for each in check(lab.folder)]
    assert problems == ["the qrels qrels is gone", "the run bm25 is not what was added"]


def test_only_our_copy_is_removed(lab: Lab, files: Path) -> None:
    (lab.folder / "runs" / "found.run").write_text(RUN)
    lab.remove("run", "bm25")
    assert [each.name for each in lab.entries("run")] == ["found"]
    assert not (lab.folder / "runs" / "bm25.run").exists()
    assert not (lab.folder / "runs" / "bm25.run.manifest.json").exists()
    assert (files / "bm25.run").exists()
    with pytest.raises(InputError, match="not removed"):
        lab.remove("run", "found")
    assert (lab.folder / "runs" / "found.run").exists()


def test_a_lab_can_be_moved_with_what_lies_beside_it(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    moved = lab.folder.rename(tmp_path / "elsewhere" / "lab")
    assert all(each.state == "sound" for each in Lab.open(moved).entries())


def test_a_damaged_record_is_one_line(lab: Lab) -> None:
    with contextlib.closing(sqlite3.connect(lab.store.path)) as raw, raw:
        raw.execute("update records set value = replace(value, 'Brakes', 'Breaks')")
    with pytest.raises(InputError, match="is damaged, the record title was changed"):
        Lab.open(lab.folder)
    assert "was changed" in check(lab.folder)[0].problem


def test_a_lab_whose_store_is_gone_says_so(lab: Lab) -> None:
    lab.store.path.unlink()
    with pytest.raises(InputError, match="is missing: make the lab again"):
        Lab.open(lab.folder)
    (finding,) = check(lab.folder)
    assert finding.path == str(lab.store.path)


def test_files_that_several_processes_add_at_once_are_all_kept(tmp_path: Path) -> None:
    lab = Lab.create(tmp_path / "lab")  # without judgements, of which each of them would compute the first page
    names = [f"of{number}" for number in range(6)]
    for name in names:
        (tmp_path / f"{name}.run").write_text(RUN)
    lines = [["lab", "add", str(lab.folder), str(tmp_path / f"{name}.run")] for name in names]
    added = CommandsAtOnce(lines, ["leadline.commands.lab.add", "leadline.show.lab.boards"]).ended()
    assert [status for status, _, _ in added] == [0] * 6, added
    assert {each.name for each in Lab.open(lab.folder).entries("run") if each.sha256} >= set(names)
    assert not check(lab.folder)


def test_the_list_of_names_is_not_read_again_for_each_of_many_files(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list that grows with every file, read for every file, took a third of the time for 143 runs."""
    locked, times = OwnedFolder.locked, list[str]()

    def counted(
        path: Path, kind: str, format: int, *, patience: float
    ) -> contextlib.AbstractContextManager[OwnedFolder]:
        times.append(kind)
        return locked(path, kind, format, patience=patience)

    monkeypatch.setattr(OwnedFolder, "locked", counted)
    for number in range(5):
        (tmp_path / f"r{number}.run").write_text(f"1 Q0 d{number} 1 1.0 r{number}\n")
    added = lab.add_all([tmp_path / f"r{number}.run" for number in range(5)])
    assert [entry.path.exists() for entry in added] == [True] * 5
    assert len(times) == 1


def test_a_folder_of_somebody_else_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    with pytest.raises(InputError):
        Lab.create(tmp_path / "letters")
    with pytest.raises(InputError, match="not a lab"):
        Lab.open(tmp_path / "letters")
    assert [each.name for each in (tmp_path / "letters").iterdir()] == ["a.txt"]


def test_kinds_are_recognised(files: Path, tmp_path: Path) -> None:
    assert [kind_of(files / name) for name in ("bm25.run", "qrels.txt", "topics.tsv", "page.html")] == [
        "run", "qrels", "topics", "report",
    ]  # fmt: skip
    assert kind_of_text(b"<top>\n<num>1") == "topics"
    with pytest.raises(InputError, match="not made by leadline"):
        kind_of(tmp_path)


def test_the_commands(tmp_path: Path, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "new")
    main(["lab", "init", place, "--title", "Autumn"])
    main(["lab", "add", place, str(files / "*.run"), str(files / "qrels.txt")])
    assert "run        bm25" in capsys.readouterr().out
    main(["lab", "status", place, "--format", "json"])
    rows = json.loads(capsys.readouterr().out)
    assert [(row["kind"], row["name"], row["made_by"]) for row in rows] == [
        ("qrels", "qrels", ""), ("run", "bm25", "leadline 0.1.0"),
    ]  # fmt: skip
    noise = tmp_path / "noise"
    noise.write_bytes(bytes(range(256)))
    for wrong, problem in (
        (["add", place, str(files / "*.nothing")], "no such file"),
        (["add", place, str(files / "qrels.tx")], "no such file or folder; did you mean qrels.txt?"),
        (["add", place, str(noise)], "is not text"),
        (["init", place], "a lab already"),
        (["status", str(noise)], "is not a lab but a file; make one with `leadline lab init`"),
        (["status", f"{place}w"], "is not a lab, there is no such folder; did you mean new?"),
        (["people", place, "add", "anna", "--url", "junk"], "--url: must be like https://"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(["lab", *wrong])
        assert stopped.value.code == 1
        assert problem in capsys.readouterr().err


def test_nothing_is_added_if_one_path_is_wrong(lab: Lab, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "new.run").write_text(RUN)
    (files / "wrong.run").write_text("1 Q0 d1 1 9.5 tag\n1 Q0 d2\n")
    (files / "other").mkdir()
    (files / "other" / "new.run").write_text(RUN.replace("9.5", "9.6"))
    before = [(each.kind, each.name) for each in lab.entries()]
    for bad, said in (("gone.run", "no such file"), ("wrong.run", "2: "), ("other/new.run", "has the same name as")):
        with pytest.raises(SystemExit):
            main(["lab", "add", str(lab.folder), str(files / "new.run"), str(files / bad)])
        errors = capsys.readouterr().err
        assert len(errors.splitlines()) == 1
        assert str(files / bad) in errors
        assert said in errors
        assert [(each.kind, each.name) for each in lab.entries()] == before
    main(["lab", "add", str(lab.folder), str(files / "new.run"), str(files / "bm25.run")])
    assert f"1 added, 5 things in {lab.folder}; " in capsys.readouterr().out


def test_status_counts_entries(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    (lab.folder / "runs" / "one.run").write_text(RUN)
    (lab.folder / "runs" / "two.run").write_text(RUN)
    main(["lab", "status", str(lab.folder)])
    assert "2 entries found there, not added" in capsys.readouterr().err


def test_the_journal_of_a_pool_is_copied_while_people_judge(lab: Lab, files: Path) -> None:
    """Its last events are in a file beside it as long as a server has it open."""
    main(["pool", str(files / "bm25.run"), "--strata", "10:1", "-o", str(files / "pool.txt"), "-q"])
    with contextlib.closing(JudgingJournal(files / "pool.txt.journal", create=True)) as journal:
        journal.append(Event("event-0001", "anna", "assessor", "mark", "1", "d1", "1"))
        entry = lab.add(files / "pool.txt")
        with contextlib.closing(JudgingJournal(f"{entry.path}.journal", write=False)) as copy:
            assert len(copy) == 1
    assert Path(f"{entry.path}.journal").stat().st_mode & 0o777 == 0o600


def test_another_pool_with_a_journal_does_not_replace_the_journal_of_the_lab(lab: Lab, files: Path) -> None:
    for folder, depth in (("mine", "10:1"), ("theirs", "1:1")):
        (files / folder).mkdir()
        main(["pool", str(files / "bm25.run"), "--strata", depth, "-o", str(files / folder / "pool.txt"), "-q"])
        with contextlib.closing(JudgingJournal(files / folder / "pool.txt.journal", create=True)) as journal:
            journal.append(Event(f"event-{folder}", "anna", "assessor", "mark", "1", "d1", "1"))
    entry = lab.add(files / "mine" / "pool.txt")
    pool = entry.path.read_bytes()
    with pytest.raises(InputError, match="would replace that of the lab, with its marks: give --name"):
        lab.add(files / "theirs" / "pool.txt", replaced=True)
    assert entry.path.read_bytes() == pool
    with contextlib.closing(JudgingJournal(f"{entry.path}.journal", write=False)) as journal:
        assert [event.uid for event in journal.events()] == ["event-mine"]
    assert lab.add(files / "theirs" / "pool.txt", name="theirs").state == "sound"


def test_logs_of_databases_are_no_things_of_a_lab(tmp_path: Path) -> None:
    lab = Lab.create(tmp_path / "lab")
    for name in ("pools/gone.txt.journal-wal", "pools/gone.txt.people-shm", "runs/x-wal", "qrels/y-shm"):
        (lab.folder / name).write_bytes(b"7 Q0 d1 1 1 tag\n")
    assert lab.entries() == []


def test_a_run_that_is_replaced_by_one_without_a_manifest_has_none(tmp_path: Path) -> None:
    lab, run = Lab.create(tmp_path / "lab"), tmp_path / "a.run"
    run.write_text("7 Q0 d1 1 1 tag\n")
    write_manifest(run, {"what": "a run", "leadline": "0.2"})
    lab.add(run)
    run.write_text("7 Q0 d2 1 1 tag\n")
    Path(f"{run}.manifest.json").unlink()
    lab.add(run, replaced=True)
    assert not (lab.folder / "runs" / "a.run.manifest.json").exists()
    assert check(lab.folder) == []
