"""Faults that services of every kind have: each ends in a record that says why, and a state from which to continue."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from real_service import Office
from search_service import Handler, SearchService, leadline

RUN = "run --engine e.toml topics.tsv -o out.run --run-code"
TOPICS = ["good", "twice", "slow", "error", "broken", "stops"]
LIMITS = "[limits]\nseconds = 1\nretries = 0\nat_once = 6\n"
# What a program or a function does for each topic, until a file says that it is mended.
CODE = """
import os, time

def found(query):
    faulty = not os.path.exists("mended")
    if faulty and query == "slow":
        time.sleep(60)
    if faulty and query == "error":
        raise ValueError("no such index")
    if query == "twice":
        return [("a", 3.0), ("b", 2.0), ("a", 1.0)]
    return [("a", "x" if faulty and query == "broken" else 2.0), ("b", 1.0)]
"""
PROGRAM = """
import os, signal, sys
query = sys.stdin.read()
for name, score in found(query):
    print(name, score, flush=True)
    if query == "stops" and not os.path.exists("mended"):
        os.kill(os.getpid(), signal.SIGKILL)
"""
FUNCTION = """
def search(query, k):
    for pair in found(query):
        yield pair
        if query == "stops" and not os.path.exists("mended"):
            raise ConnectionResetError("gone")
"""
ENDLESS = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)"
REASONS = {
    "http": ["no answer within", "HTTP status 500", "the answer is not JSON", "the answer broke off"],
    "sql": ["no answer within", "OperationalError: malformed JSON", "the second column is not a score", ""],
    "command": ["no answer within", "exit status 1: ValueError: no such index", "not a list of ids", "exit status -9"],
    "python": ["no answer within", "ValueError: no such index", "not a list of ids", "ConnectionResetError: gone"],
}


def over_http(service: SearchService) -> tuple[str, Callable[[], None]]:
    def fault(handler: Handler, query: str, _: int) -> bool:
        if query in ("slow", "stops"):
            handler.be_slow(1.2) if query == "slow" else handler.break_off()
        elif query == "broken":
            handler.answer(b'{"hits": {"hits": [', 200)
        else:
            return other(handler, query, _)
        return True

    def other(handler: Handler, query: str, _: int) -> bool:
        hits = [{"_id": name, "_score": 1.0} for name in ("a", "b", "a")[: 3 if query == "twice" else 2]]
        content = (
            {"error": "no such index"} if query == "error" and service.fault is fault else {"hits": {"hits": hits}}
        )
        handler.answer(content, 500 if "error" in content else 200)
        return True

    service.fault = fault
    text = (
        f'kind = "http"\nurl = "{service.url}/search?q={{query}}"\nhits = "hits.hits"\nid = "_id"\nscore = "_score"\n'
    )
    return text, lambda: setattr(service, "fault", other)


def as_sql(_: SearchService) -> tuple[str, Callable[[], None]]:
    def view(late: str, error: str, broken: str) -> None:
        rows = ["'good', 'a', 2.0", "'twice', 'a', 2.0", "'twice', 'b', 1.0", "'twice', 'a', 0.5", "'stops', 'a', 2.0"]
        rows += [f"'slow', 'a', {late}", f"'error', 'a', {error}", f"'broken', 'a', {broken}"]
        with sqlite3.connect("d.db") as database:
            database.execute("DROP VIEW IF EXISTS answers")
            table = " UNION ALL ".join(f"SELECT {row}" for row in rows)
            database.execute(f"CREATE VIEW answers (query, id, score) AS {table}")

    view(ENDLESS, "json_extract('{', '$')", "'x'")
    statement = "SELECT id, score FROM answers WHERE query = :query LIMIT :k"
    return f'kind = "sql"\ndatabase = "d.db"\nsql = "{statement}"\n', lambda: view("2.0", "2.0", "2.0")


def as_command(_: SearchService) -> tuple[str, Callable[[], None]]:
    Path("p.py").write_text(CODE + PROGRAM)
    return f'kind = "command"\ncommand = ["{sys.executable}", "p.py"]\n', Path("mended").touch


def as_python(_: SearchService) -> tuple[str, Callable[[], None]]:
    Path("faulty_engine.py").write_text(CODE + FUNCTION)
    return 'kind = "python"\nfunction = "faulty_engine:search"\n', Path("mended").touch


@pytest.mark.skipif(sys.platform == "win32", reason="the program ends itself with a signal")
@pytest.mark.parametrize("kind", [over_http, as_sql, as_command, as_python], ids=list(REASONS))
def test_faults_are_recorded_and_the_rest_is_asked_again(
    kind: Callable[[SearchService], tuple[str, Callable[[], None]]],
    service: SearchService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "faulty_engine", raising=False)
    text, mend = kind(service)
    limits = LIMITS.replace("seconds = 1", "seconds = 3") if kind is as_command else LIMITS  # programs have to start
    Path("e.toml").write_text(text + limits)
    Path("topics.tsv").write_text("topic\ttitle\n" + "".join(f"{word}\t{word}\n" for word in TOPICS))
    assert leadline(RUN) == 1
    said = capsys.readouterr().err
    assert "out.run.failed.tsv lists them; " in said
    assert "the same command asks only these again" in said
    assert ("mend the cause, then" in said) == (kind is not over_http)  # whose faults may all pass
    assert not Path("out.run").exists()
    failed = dict(line.split("\t") for line in Path("out.run.failed.tsv").read_text().splitlines()[1:])
    name = text.split('"')[1]
    expected = {topic: why for topic, why in zip(TOPICS[2:], REASONS[name], strict=True) if why}
    assert failed.keys() == expected.keys()
    assert all(why in failed[topic] for topic, why in expected.items())
    mend()
    assert leadline(RUN) == 0
    said = capsys.readouterr().err
    assert f"continues after {6 - len(expected)} finished topics" in said
    assert "1 topic with documents that the service named twice: the first place counts: twice" in said
    assert not Path("out.run.failed.tsv").exists()
    assert not Path("out.run.unfinished").exists()
    assert {line.split()[0] for line in Path("out.run").read_text().splitlines()} == set(TOPICS)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_command_that_is_killed_continues(
    engine_file: Path, service: SearchService, capsys: pytest.CaptureFixture[str]
) -> None:
    engine_file.write_text(engine_file.read_text().replace("seconds = 1", "seconds = 60\nat_once = 1"))
    reached, released = threading.Event(), threading.Event()

    def third(_: Handler, query: str, __: int) -> bool:
        if query == "nothing":
            reached.set()
            released.wait(60)
        return False

    service.fault = third
    words = ["run", "--engine", "service.toml", "topics.tsv", "-o", "out.run"]
    running = subprocess.Popen([sys.executable, "-m", "leadline.cli", *words])
    assert reached.wait(60)
    running.send_signal(signal.SIGKILL)
    running.wait(60)
    released.set()
    service.fault = None
    before = service.asked.copy()
    assert leadline(*words) == 0
    assert "continues after 2 finished topics" in capsys.readouterr().err
    assert service.asked - before == {"nothing": 1, "number 7": 1}


def test_documents_that_the_index_does_not_have(
    engine_file: Path, office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    assert leadline(f"run --engine service.toml {office.folder}/office.index topics.tsv -k 5 -o out.run") == 0
    said = capsys.readouterr().err
    assert "NOT ONE of the 15 documents found is in the index, such as D001: " in said
    assert Path("out.run").read_text().count(" D001 ") == 3  # what was found stays in the run
