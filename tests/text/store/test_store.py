"""The rules of a store: locks, crashes, formats, damage, read-only media, copies."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.damage import damages
from tests.mounting import mounted, read_only

from leadline.errors import InputError
from leadline.text.owned_files import OURS
from leadline.text.store.events import begin_chain
from leadline.text.store.kind import Execute, OlderFormat, StoreKind
from leadline.text.store.store import Store, StoreView

KIND = StoreKind("a store of tests", "TEST", repair="restore a backup")
OTHER = StoreKind("another store", "ELSE")
HEADER = """
    import os, sys, time
    from leadline.text.store.kind import StoreKind
    from leadline.text.store.store import Store
    KIND = StoreKind("a store of tests", "TEST")
    path, name = sys.argv[1:3]
"""


def started(code: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Another process that has the store's names at hand."""
    program = textwrap.dedent(HEADER) + textwrap.dedent(code)
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], text=True, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with ten events, some records and a queue, which nobody has open."""
    (tmp_path / "in").mkdir()
    with Store.open(tmp_path / "in" / "s", KIND, write=True, create=True) as store:
        for number in range(10):
            with store.change() as now:
                now.events.append("mark", person="anna", document=f"d{number}", grade=number % 3)
                now.records("people").put(f"person {number}", {"revoked": False})
                now.queue("jobs").put({"what": "report", "number": number})
        with store.change() as now:
            now.records("people").remove("person 3")
            now.records("people").put("person 4", {"revoked": True})
    return tmp_path / "in" / "s"


def content(path: Path, kind: StoreKind = KIND) -> Any:
    """Everything in a store, read by one who only reads."""
    with Store.open(path, kind) as store, store.view() as now:
        return (
            now.events.all(), now.events.head(), dict(now.records("people").items()), list(now.queue("jobs").all()),
        )  # fmt: skip


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def change_raw(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        for statement in statements:
            raw.execute(statement)


# ---- locks ----------------------------------------------------------------------------------------------------------


def test_eight_processes_keep_everything(tmp_path: Path) -> None:
    """They make the store, append, count in one record, and add work, all at once."""
    code = """
        for number in range(25):
            with Store.open(path, KIND, write=True, create=True) as store, store.change() as now:
                now.events.append("did", person=name, number=number)
                count = now.records("counts")
                count.put("all", count.get("all", 0) + 1)
                now.queue("jobs").put([name, number])
    """
    writers = [started(code, tmp_path / "s", f"p{number}") for number in range(8)]
    assert [writer.wait(120) for writer in writers] == [0] * 8
    with Store.open(tmp_path / "s", KIND) as store, store.view() as now:
        done = [(each.said["person"], each.said["number"]) for each in now.events.all()]
        assert sorted(done) == sorted((f"p{writer}", number) for writer in range(8) for number in range(25))
        assert now.records("counts").get("all") == 200
        assert [tuple(value) for _, value, _ in now.queue("jobs").all()] == done
    assert names(tmp_path / "s") == ["s"]


def test_threads_share_a_store(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", KIND, write=True, create=True) as store:

        def work(name: str) -> None:
            for _ in range(20):
                with store.change() as now:
                    now.events.append("did", person=name)
                    now.records("counts").put("all", now.records("counts").get("all", 0) + 1)
                with Store.open(tmp_path / "s", KIND) as reader, reader.view() as seen:
                    assert len(seen.events) == seen.records("counts").get("all")

        threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with store.view() as now:
            assert len(now.events) == now.records("counts").get("all") == 120
        assert store.check() == ""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_reader_that_stands_still_keeps_nobody_waiting(path: Path) -> None:
    """A view is of one moment, however long it is open."""
    with Store.open(path, KIND, write=True) as store:
        reader = started(
            """
            with Store.open(path, KIND) as store, store.view() as now:
                before = len(now.events)
                print("reading", flush=True)
                sys.stdin.readline()
                print(before, len(now.events), flush=True)
            """,
            path, "reader", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        began = time.monotonic()
        for _ in range(20):
            with store.change() as now:
                now.events.append("did")
        assert time.monotonic() - began < 60
        said, _ = reader.communicate("go on\n", timeout=60)
        assert said == "10 10\n"


def test_a_writer_that_does_not_let_go_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.text.store.opening.PATIENCE", 0.1)
    with (
        Store.open(path, KIND, write=True) as first,
        Store.open(path, KIND, write=True) as second,
        first.change(),
        pytest.raises(InputError, match="is held by another process"),
        second.change(),
    ):
        pass


def test_the_error_of_a_caller_stays_what_it_is(path: Path) -> None:
    with Store.open(path, KIND, write=True) as store:
        with pytest.raises(PermissionError), store.change() as now:  # noqa: PT012
            now.events.append("did")
            raise PermissionError(13, "Permission denied", "elsewhere")
        with store.change() as now:
            assert len(now.events) == 10
            now.events.append("did")
        assert store.check() == ""


# ---- crashes --------------------------------------------------------------------------------------------------------


def test_what_was_told_survives_a_kill(tmp_path: Path, soak: bool) -> None:
    """A writer tells each change once it is stored, and is killed: all it told is there, whole, and nothing is torn."""
    code = """
        store = Store.open(path, KIND, write=True, create=True)
        while True:
            with store.change() as now:
                number = now.records("counts").get("all", 0) + 1
                now.events.append("did", number=number)
                now.records("counts").put("all", number)
                now.queue("jobs").put(number)
            print(number, flush=True)
    """
    told = 0
    for turn in range(60 if soak else 4):
        writer = started(code, tmp_path / "s", "w", stdout=subprocess.PIPE)
        assert writer.stdout is not None
        for _ in range(3 + 7 * turn % 40):
            told = int(writer.stdout.readline())
        writer.kill()
        told = max([told, *(int(line) for line in writer.stdout if line.endswith("\n"))])
        writer.wait()
        if turn % 2:  # with its log beside it, by one who only reads and then leaves everything as it was
            before = names(tmp_path / "s")
        with Store.open(tmp_path / "s", KIND) as store, store.view() as now:
            stored = [each.said["number"] for each in now.events.all()]
            assert stored == list(range(1, len(stored) + 1))
            assert told <= len(stored) <= told + 1
            assert now.records("counts").get("all") == len(now.queue("jobs")) == len(stored)
        if turn % 2:
            assert names(tmp_path / "s") == before
    with Store.open(tmp_path / "s", KIND, write=True) as store:
        assert store.check() == ""


def test_what_is_not_waited_for_survives_a_kill_and_goes_to_the_disk_with_the_next_change(path: Path) -> None:
    code = """
        import signal
        with Store.open(path, KIND, write=True) as store:
            with store.change(flushed=False) as now:
                now.records("desks").put("anna", [name])
            os.kill(os.getpid(), signal.SIGKILL)
    """
    assert started(code, path, "d7").wait() == -signal.SIGKILL
    with Store.open(path, KIND, write=True) as store:
        with store.view() as now:
            assert now.records("desks").get("anna") == ["d7"]
        with pytest.raises(PermissionError), store.change(flushed=False):
            raise PermissionError(13, "Permission denied", "elsewhere")
        assert store._connection.execute("pragma synchronous").fetchone() == (2,)  # full
        assert store.check() == ""


def test_the_work_of_a_killed_worker_comes_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
        store = Store.open(path, KIND, write=True)
        with store.change() as now:
            lease = now.queue("jobs").take(seconds=600)
        print(lease.value["number"], flush=True)
        time.sleep(60)
    """
    worker = started(code, path, "w", stdout=subprocess.PIPE)
    assert worker.stdout is not None
    assert worker.stdout.readline() == "0\n"
    worker.kill()
    worker.wait()
    with Store.open(path, KIND, write=True) as store:
        with store.change() as now:
            taken = now.queue("jobs").take(seconds=900)
            assert taken is not None
            assert taken.value["number"] == 1  # nobody knows yet that the worker of the first is dead
        later = time.time() + 700
        monkeypatch.setattr("leadline.text.store.queue.time.time", lambda: later)
        with store.change() as now:
            back = now.queue("jobs").take(seconds=60)
            assert back is not None
            assert (back.value["number"], back.taken) == (0, 2)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=256k", "tmpfs"):
        stored = 0
        with Store.open(tmp_path / "disk" / "s", KIND, write=True, create=True) as store:
            with pytest.raises(InputError, match="full"):  # noqa: PT012
                for _ in range(5000):
                    with store.change() as now:
                        now.events.append("note", text="x" * 2000)
                    stored += 1
            with store.view() as now:
                assert len(now.events) == stored > 0
        with Store.open(tmp_path / "disk" / "s", KIND) as store, store.view() as now:
            assert len(now.events) == stored


# ---- formats and kinds ----------------------------------------------------------------------------------------------


def _unchained(do: Execute) -> str:
    chained = do("select count(*) from sqlite_master where name like 'chain%'").fetchone()[0]
    return "it has a chain" if chained else ""


NEWER = StoreKind(
    "a store of tests", "TEST", format=2, older={1: OlderFormat(_unchained, lambda do: begin_chain(do, NEWER))}
)


def test_an_older_format_is_read_as_it_is_and_changed_when_it_is_written(path: Path) -> None:
    change_raw(path, "drop table chain", "drop table chain_head")
    before = path.read_bytes()
    events, head, *_ = content(path, NEWER)
    assert (len(events), head.unchained) == (10, 10)
    with Store.open(path, NEWER, write=True) as store, store.view() as now:
        assert now.events.head() == head
    assert path.read_bytes() == before
    with Store.open(path, NEWER, write=True) as store:
        for number in (11, 12):
            with store.change() as now:
                now.events.append("mark")
                assert (now.events.head().events, now.events.head().unchained) == (number, 10)
                assert now.events.count_at(head.hash) == 10
        assert store.check() == ""
    with pytest.raises(InputError, match="has format 2, this version reads up to 1: update leadline"):
        Store.open(path, KIND)


def test_a_format_that_changes_while_a_store_is_open(path: Path) -> None:
    with Store.open(path, KIND, write=True) as store:
        change_raw(path, "pragma user_version = 7")
        with pytest.raises(InputError, match="has format 7"), store.change():
            pass


def test_only_a_store_of_its_kind_is_opened(path: Path, tmp_path: Path) -> None:
    folder = path.parent
    (folder / "text").write_text("not a database, but long enough to be read as one" * 50)
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    (folder / "link").symlink_to(path)
    (folder / "nowhere").symlink_to(folder / "elsewhere")
    change_raw(folder / "other.sqlite", "create table t (x)")
    cases = {"s": "is not another store", "text": "is not another store", "empty": "is not another store",
             "folder": "is not a plain file", "link": "is not a plain file", "nowhere": "is not a plain file",
             "other.sqlite": "is not another store", "missing": "no such file"}  # fmt: skip
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
        cases["pipe"] = "is not a plain file"
    for name, problem in cases.items():
        for write in (False, True):
            before = (folder / name).read_bytes() if (folder / name).is_file() else b""
            with pytest.raises(InputError, match=problem) as error:
                Store.open(folder / name, OTHER, write=write)
            assert str(error.value).startswith(f"{folder / name}: ")
            assert not before or (folder / name).read_bytes() == before
    with pytest.raises(InputError, match="is not a plain file"):
        Store.open(folder / "nowhere", OTHER, write=True, create=True)
    with pytest.raises(InputError, match="no such folder"):
        Store.open(folder / "not" / "there", OTHER, write=True, create=True)
    assert not (folder / "elsewhere").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "create trigger t after insert on events begin delete from events; end",
        "create trigger sqlite_t after insert on events begin delete from events; end",
        "create view v as select * from events",
        "create table more (x)",
        "create index i on events (hex(uid))",
        "create table t (x, y as (hex(x)))",
    ],
)
def test_nothing_in_a_file_is_run(path: Path, statement: str) -> None:
    """What anyone may have added to a file: it is refused before anything in it is used."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as raw:
        name = statement.split()[2]
        raw.execute(statement.replace("sqlite_t", "other_t"))
        if name == "sqlite_t":
            raw.execute("pragma writable_schema = on")
            raw.execute("update sqlite_master set name = 'sqlite_t', sql = ? where name = 'other_t'", (statement,))
    for write in (False, True):
        with pytest.raises(InputError, match=f"it has {name}, which is not as this version made it"):
            Store.open(path, KIND, write=write)


# ---- damage ---------------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_damage_is_never_another_answer(path: Path, soak: bool) -> None:
    expected, whole = content(path), path.read_bytes()
    refused = 0
    for turn in range(40 if soak else 20):
        for what, damaged in damages(whole, soak=soak, seed=f"store {turn}"):
            path.write_bytes(damaged)
            os.utime(path, (0, 0))  # as if it had lain there for long
            try:
                assert content(path) == expected, f"{what}: other answers in silence"
            except InputError as error:
                refused += 1
                assert "\n" not in str(error)  # noqa: PT017
                assert str(path) in str(error)  # noqa: PT017
    assert refused > 20


@pytest.mark.parametrize(
    "statement",
    [
        "delete from events where seq = 4",
        "delete from events where seq = 10",
        "update events set content = '{}' where seq = 4",
        "update events set uid = x'ff' where seq = 4",
        "insert into events select 11, 'forged-uid', kind, person, content, at, machine from events where seq = 1",
        "update chain set hash = zeroblob(32) where seq = 10",
        "delete from chain",
        "delete from chain_head",
        "drop table chain",
        "update chain_head set events = 9",
        "delete from records where key = 'person 4'",
        "update records set key = 'person x' where key = 'person 4'",
        "update records set digest = zeroblob(32) where key = 'person 4'",
        "update records set value = x'ff' where key = 'person 4'",
        "insert into records values ('people', 'eve', zeroblob(32), '{}')",
        "update records set name = 'foes' where name = 'people'",
        "delete from record_sums",
        "drop table records",
        "drop table record_sums",
    ],
)
def test_what_was_changed_is_found(path: Path, statement: str) -> None:
    change_raw(path, statement)
    for write in (False, True):
        with pytest.raises(InputError, match=r"is damaged.*: restore a backup|no such table"):
            Store.open(path, KIND, write=write)


def test_a_value_that_was_changed_is_found_when_it_is_read_and_by_a_check(path: Path) -> None:
    change_raw(path, "update records set value = '{\"revoked\":false}' where key = 'person 4'")
    with Store.open(path, KIND) as store:
        assert store.check() == "the record person 4 of people was changed"
        with store.view() as now:
            assert now.records("people").get("person 5") == {"revoked": False}
            with pytest.raises(InputError, match="the record person 4 was changed: restore a backup"):
                now.records("people").get("person 4")


def test_events_that_vanish_while_a_store_is_open(path: Path) -> None:
    with Store.open(path, KIND, write=True) as store:
        with store.change() as now:
            now.events.append("mark")
        change_raw(  # as whoever makes the file sound again
            path,
            "delete from events where seq = 11",
            "delete from chain where seq = 11",
            "update chain_head set events = 10, hash = (select hash from chain where seq = 10)",
        )
        with pytest.raises(InputError, match="was changed by another program"), store.change() as now:
            now.events.append("mark")


# ---- reading where nothing can be written ---------------------------------------------------------------------------


HOT = """
    store = Store.open(path, KIND, write=True)
    with store.change() as now:
        now.events.append("mark", person="ben")
        now.records("people").put("ben", {})
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("state", ["closed", "copied", "killed", "killed without -shm", "in use"])
def test_archived_evidence_is_read_and_checked(path: Path, tmp_path: Path, state: str) -> None:
    """On a disk that is mounted read-only, also where the last writer was killed or is still at work elsewhere."""
    expected = content(path)
    with contextlib.ExitStack() as opened:
        if state == "copied":
            with Store.open(path, KIND) as store:
                store.copy_to(path.parent / "copy")
            (path.parent / "copy").replace(path)
        elif state.startswith("killed"):
            assert started(HOT, path, "w").wait(60) == -signal.SIGKILL
            assert names(path) == ["s", "s-shm", "s-wal"]
            if state.endswith("-shm"):
                Path(f"{path}-shm").unlink()
        elif state == "in use":
            writer = opened.enter_context(Store.open(path, KIND, write=True))
            with writer.change() as now:
                now.events.append("mark", person="ben")
                now.records("people").put("ben", {})
        files = {name: (path.parent / name).read_bytes() for name in names(path) if not name.endswith("-shm")}
        with read_only(path.parent, tmp_path / "archive"):
            found = content(tmp_path / "archive" / "s")
            with Store.open(tmp_path / "archive" / "s", KIND) as store:
                assert store.check() == ""
                store.copy_to(tmp_path / "copy")
            with pytest.raises(InputError, match="cannot be written") as error:
                Store.open(tmp_path / "archive" / "s", KIND, write=True)
            assert "damaged" not in str(error.value)
        assert content(tmp_path / "copy") == found
        if state in ("closed", "copied"):
            assert found == expected
        else:
            assert [each.said["person"] for each in found[0]] == ["anna"] * 10 + ["ben"]
            assert found[2] == {**expected[2], "ben": {}}
        assert {name: (path.parent / name).read_bytes() for name in files} == files


def test_reading_leaves_nothing_beside_a_store(path: Path) -> None:
    about = path.parent.stat().st_mtime_ns
    with Store.open(path, KIND) as store, store.view() as now:
        assert len(now.events) == 10
        assert names(path) == ["s"]
    assert names(path) == ["s"]
    assert path.parent.stat().st_mtime_ns == about
    assert started(HOT, path, "w").wait(60) == -signal.SIGKILL
    Path(f"{path}-shm").unlink()
    assert len(content(path)[0]) == 11
    assert names(path) == ["s", "s-wal"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to become another user")
@pytest.mark.parametrize("state", ["closed", "killed"])
def test_a_folder_in_which_one_may_not_write(path: Path, state: str) -> None:
    if state == "killed":
        assert started(HOT, path, "w").wait(60) == -signal.SIGKILL
    before = names(path)
    for each in path.parent.iterdir():
        each.chmod(0o644)
    for folder in (path.parent, *path.parents):
        folder.chmod(folder.stat().st_mode | 0o055)
    code = """
        os.setuid(65534)
        with Store.open(path, KIND) as store, store.view() as now:
            print(len(now.events), now.events.head().events)
        try:
            Store.open(path, KIND, write=True)
        except Exception as error:
            print(error)
    """
    reader = started(code, path, "r", stdout=subprocess.PIPE)
    said = reader.communicate(timeout=60)[0].splitlines()
    count = "11 11" if state == "killed" else "10 10"
    assert said == [
        count,
        f"{path}: cannot be written: the file or its folder is read-only, or belongs to another user",
    ]
    assert names(path) == before


# ---- copies, and who may read ---------------------------------------------------------------------------------------


def test_a_copy_while_the_store_is_in_use(path: Path, tmp_path: Path) -> None:
    code = """
        store = Store.open(path, KIND, write=True)
        print("writing", flush=True)
        while True:
            with store.change() as now:
                now.events.append("did")
                now.records("counts").put("all", len(now.events))
    """
    writer = started(code, path, "w", stdout=subprocess.PIPE)
    try:
        assert writer.stdout is not None
        writer.stdout.readline()
        sizes = []
        for number in range(5):
            with Store.open(path, KIND, write=number % 2 == 0) as store:
                store.copy_to(tmp_path / f"copy {number}")
            with Store.open(tmp_path / f"copy {number}", KIND) as copy, copy.view() as now:
                sizes.append(len(now.events))
                assert now.records("counts").get("all", 10) == sizes[-1]
            with Store.open(tmp_path / f"copy {number}", KIND) as copy:
                assert copy.check() == ""
    finally:
        writer.kill()
        writer.wait()
    assert sizes == sorted(sizes)
    with Store.open(path, KIND) as store, pytest.raises(InputError, match="is there already"):
        store.copy_to(tmp_path / "copy 0")
    with Store.open(path, KIND) as store, pytest.raises(InputError, match="no such file or folder"):
        store.copy_to(tmp_path / "not" / "there")
    assert not list(tmp_path.glob(".leadline-*"))
    with Store.open(tmp_path / "copy 0", KIND, write=True) as store, store.change() as now:  # a copy can go on
        now.events.append("did")


@pytest.mark.skipif(os.name != "posix", reason="needs the modes of files")
def test_a_store_is_private(path: Path, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with Store.open(tmp_path / "s", KIND, write=True, create=True) as store, store.change() as now:
            now.records("people").put("anna", {})
            store_files = [each for each in tmp_path.iterdir() if each.is_file()]
            assert {each.name for each in store_files} >= {"s", "s-wal", "s-shm"}
            assert {each.stat().st_mode & 0o777 for each in store_files} == {0o600}
        with Store.open(tmp_path / "s", KIND) as store:
            store.copy_to(tmp_path / "copy")
        assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(old)
    (tmp_path / "s").chmod(0o664)  # as an archive was unpacked
    Store.open(tmp_path / "s", KIND, write=True).close()
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o660


def test_a_queue_that_was_forged_is_refused(path: Path) -> None:
    with Store.open(path, KIND, write=True) as store, store.change() as now:
        now.queue("jobs")._records.put("0000000000000000", {"value": 1, "until": "soon"})
    with Store.open(path, KIND, write=True) as store:
        uses: list[Callable[[Any], object]] = [lambda jobs: jobs.take(seconds=1), lambda jobs: list(jobs.all())]
        for use in uses:
            with pytest.raises(InputError, match="is no piece of work"), store.change() as now:
                use(now.queue("jobs"))


def test_values_are_stored_in_one_form(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", KIND, write=True, create=True) as store, store.change() as now:
        now.records("r").put("k", {"b": (1, 2), "a": "é\n"})
    with contextlib.closing(sqlite3.connect(tmp_path / "s")) as raw:
        (text,) = raw.execute("select value from records").fetchone()
    assert text == '{"a":"\\u00e9\\n","b":[1,2]}'
    assert json.loads(text) == {"a": "é\n", "b": [1, 2]}


def _three_words(now: StoreView) -> None:
    for word in ("one", "two", "three"):
        now.records("words").put(word, len(word))


def test_what_an_earlier_version_kept_is_read_and_taken_over_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.write_text("{}")
    with Store.open(path, KIND, older=_three_words) as store, store.view() as now:
        assert dict(now.records("words").items()) == {"one": 3, "two": 3, "three": 5}
        assert path.read_text() == "{}"
    with Store.open(path, KIND, write=True, create=True, older=_three_words) as store, store.change() as now:
        assert now.records("words").remove("one")
    with Store.open(path, KIND, write=True, create=True, older=_three_words) as store, store.view() as now:
        assert now.records("words").keys() == ["three", "two"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["store"]


def test_what_cannot_be_taken_over_stays_as_it_is(tmp_path: Path) -> None:
    def damaged(now: StoreView) -> None:
        now.records("words").put("one", 1)
        raise InputError("old", "is damaged")

    path = tmp_path / "store"
    path.write_text("{}")
    for create in (False, True):
        with pytest.raises(InputError, match="old: is damaged"):
            Store.open(path, KIND, write=create, create=create, older=damaged)
    assert path.read_text() == "{}"
    assert [each.name for each in tmp_path.iterdir()] == ["store"]


def test_processes_that_take_over_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.write_text("{}")
    code = (
        "import sys; from leadline.text.store.store import Store; from leadline.text.store.kind import StoreKind;"
        "old = lambda now: now.records('words').put('old', 1);"
        "store = Store.open(sys.argv[1], StoreKind('a store of tests', 'TEST'), write=True, create=True, older=old)\n"
        "with store.change() as now: now.records('words').put(sys.argv[2], 2)"
    )
    made = [subprocess.Popen([sys.executable, "-c", code, str(path), f"new{number}"]) for number in range(5)]
    assert [process.wait(60) for process in made] == [0] * 5
    with Store.open(path, StoreKind("a store of tests", "TEST")) as store, store.view() as now:
        assert now.records("words").keys() == ["new0", "new1", "new2", "new3", "new4", "old"]


@pytest.mark.parametrize("left", ["nothing", "half"])
def test_what_is_taken_over_while_it_is_read_is_read_from_the_store(tmp_path: Path, left: str) -> None:
    """Between the look for a store and the reading of the older files another process makes the store."""
    path, looks = tmp_path / "store", 0
    path.write_text("{}")
    code = """
        old = lambda now: now.records("words").put("old", 1)
        with Store.open(path, KIND, write=True, create=True, older=old) as store, store.change() as now:
            now.records("words").put(name, 2)
    """

    def older(now: StoreView) -> None:
        nonlocal looks
        looks += 1
        assert started(code, path, "new").wait(60) == 0
        if left == "nothing":
            raise InputError(str(path), "is damaged, it is not JSON")
        now.records("words").put("half", 1)

    with Store.open(path, KIND, older=older) as store, store.view() as now:
        assert dict(now.records("words").items()) == {"old": 1, "new": 2}
    assert looks == 1


def test_many_processes_open_a_copy_that_was_put_back(path: Path) -> None:
    """A copy needs no log beside it; the first that writes gives it one."""
    with Store.open(path, KIND) as store:
        store.copy_to(path.with_name("copy"))
    code = """
        with Store.open(path, KIND, write=True, create=True) as store, store.change() as now:
            now.events.append("did", person=name)
    """
    writers = [started(code, path.with_name("copy"), f"p{number}") for number in range(6)]
    assert [writer.wait(60) for writer in writers] == [0] * 6
    with Store.open(path.with_name("copy"), KIND) as store, store.view() as now:
        assert len(now.events) == 16


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_look_at_a_store_that_is_open_keeps_its_locks(path: Path) -> None:
    """Closing a file gives up all locks of a process on it: the next to close it would take away the log."""
    writer = started(
        """
        import signal
        from leadline.text.owned_files import OURS, owner_of
        OURS["TEST"] = "a store of tests"
        store = Store.open(path, KIND, write=True)
        with store.change() as now:
            now.events.append("did", person="before")
        with Store.open(path, KIND) as reader, reader.view() as now:
            assert len(now.events) == 11
        print(owner_of(path), flush=True)
        sys.stdin.readline()
        with store.change() as now:
            now.events.append("did", person="after")
        print(len(os.listdir(os.path.dirname(path))), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        path, "w", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert writer.stdout is not None
    assert writer.stdout.readline() == "a store of tests\n"
    with Store.open(path, KIND, write=True) as store, store.change() as now:
        now.events.append("did", person="another")
    said, _ = writer.communicate("go on\n", timeout=30)
    assert said == "3\n"
    with Store.open(path, KIND) as store, store.view() as now:
        assert [each.said["person"] for each in now.events.all()][10:] == ["before", "another", "after"]


def test_every_kind_of_store_is_known_as_ours() -> None:
    source = Path(__file__).parents[3] / "src" / "leadline"
    texts = "".join(path.read_text() for path in source.rglob("*.py"))
    made = set(re.findall(r'StoreKind\(\s*OURS\["(L[A-Z]{3})"\],\s*"(L[A-Z]{3})"', texts))
    assert made == {(letters, letters) for letters in OURS}
    assert len(re.findall(r"\bStoreKind\(", texts)) == len(OURS) + 1  # and one in a docstring
