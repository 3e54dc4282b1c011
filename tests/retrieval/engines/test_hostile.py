"""Services and engine files that would make a run say, store or send what it should not."""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from search_service import Handler, SearchService, leadline

from leadline.errors import InputError
from leadline.retrieval.engines.asking import EngineAnswers, EngineQuery, ask_topics, read_engine
from leadline.retrieval.engines.engine import without_secrets

SECRET = "s3cret-of-27-characters-xyz"
QUERY = "SELECT id, 1.0 FROM documents WHERE :query = :query LIMIT :k"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", SECRET)
    return tmp_path


def asked(text: str, k: int = 10) -> EngineAnswers:
    Path("e.toml").write_text(text)
    return ask_topics(read_engine("e.toml", run_code=True), [EngineQuery("1", "film")], k)


def http(service: SearchService, more: str = "", limits: str = "") -> str:
    return (
        f'kind = "http"\nurl = "{service.url}/search?q={{query}}"\nhits = "hits.hits"\nid = "_id"\n'
        f'headers = {{Authorization = "Bearer ${{TOKEN}}"}}\n{more}\n[limits]\nretries = 0\nseconds = 5\n{limits}'
    )


def always(service: SearchService, content: Any, status: int = 200) -> None:
    """Let the service give this answer to every query."""

    def fault(handler: Handler, query: str, tries: int) -> bool:
        handler.answer(content, status)
        return True

    service.fault = fault


def hits(*names: str) -> dict[str, Any]:
    return {"hits": {"hits": [{"_id": name, "_score": 10**400} for name in names]}}


def sql(statement: str) -> str:
    return f'kind = "sql"\ndatabase = "d.db"\nsql = "{statement}"\n[limits]\nseconds = 5\nretries = 0\n'


@pytest.mark.parametrize("status", [401, 500, 200])
def test_a_service_that_repeats_the_secret(
    folder: Path, service: SearchService, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def repeat(handler: Handler, query: str, _: int) -> bool:
        sent = handler.headers["Authorization"]
        handler.answer({sent: 1} if status == 200 else " " * 180 + sent, status)
        return True

    service.fault = repeat
    Path("e.toml").write_text(http(service))
    Path("topics.tsv").write_text("topic\ttitle\n1\tfilm\n")
    assert leadline("run --engine e.toml topics.tsv -o out.run") == 1
    said = capsys.readouterr().err
    assert "${TOKEN}" in said
    assert "127.0.0.1 is sent TOKEN of the environment" in said
    for text in (said, *(path.read_text() for path in folder.glob("out.run*"))):
        assert SECRET[:6] not in text


def test_a_secret_that_a_message_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    monkeypatch.setenv("SHORT", "ab")
    monkeypatch.setenv("EMPTY", "")
    texts = ["Bearer ${TOKEN}", "${SHORT}${EMPTY}"]
    assert without_secrets(f"no {SECRET[:20]}", texts) == "no ${TOKEN}"
    assert without_secrets("no key cab", texts) == "no key c${SHORT}"


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ('headers = {A = "a\\r\\nB: 1"}', "header A: its value has a line break"),
        ('headers = {A = "x ${BROKEN}"}', r"header A: \$\{BROKEN\} has a line break"),
        ('headers = {"A\\r\\nB" = "1"}', "is not the name of a header"),
        ('parameters = {key = "${TOKEN}"}', r"\$\{TOKEN\} is replaced in headers only"),
    ],
)
def test_headers_and_secrets_that_are_refused(
    folder: Path, service: SearchService, monkeypatch: pytest.MonkeyPatch, file: str, problem: str
) -> None:
    monkeypatch.setenv("BROKEN", f"{SECRET}\n")
    with pytest.raises(InputError, match=problem) as refused:
        asked(f'kind = "http"\nurl = "{service.url}?q={{query}}"\nhits = "hits"\n{file}\n')
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["http://[::1?q={query}", "http://a:99999/?q={query}", "http://a/\\r\\nX: y?q={query}", "http://a/ü?q={query}"],
)
def test_addresses_that_are_none(folder: Path, url: str) -> None:
    with pytest.raises(InputError, match="url "):
        asked(f'kind = "http"\nurl = "{url}"\nhits = "hits"\n')


def test_ids_with_control_characters(folder: Path, service: SearchService) -> None:
    names = ["a\x1b[2J", "b\nq1 Q0 c 1 9 x", "\u202ed", "\ud800", "e"]
    always(service, hits(*names))
    done = asked(http(service))
    assert done.answers.found["1"][0] == ["a\\x1b[2J", "b_q1_Q0_c_1_9_x", "\\u202ed", "\\ud800", "e"]
    assert any("control characters, which were replaced" in note for note in done.answers.notes)
    done.answers.run("x").to_bytes()


def test_a_service_that_gives_the_same_page_again(folder: Path, service: SearchService) -> None:
    more = 'page_size = 5\nparameters = {start = "{offset}"}'  # the service calls it `from`
    always(service, hits(*"abcde"))
    assert "the second page repeats the first" in asked(http(service, more)).failed["1"]


def test_a_service_that_never_begins_its_answer(folder: Path, service: SearchService) -> None:
    def interim(handler: Handler, query: str, tries: int) -> bool:
        with contextlib.suppress(OSError):
            for _ in range(600):
                handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                time.sleep(0.05)
        return True

    service.fault = interim
    assert asked(http(service).replace("seconds = 5", "seconds = 0.5")).failed["1"] == "no answer within 0.5 s"


def test_a_score_of_many_digits(folder: Path, service: SearchService) -> None:
    always(service, hits("a"))
    assert "more than 300 digits" in asked(http(service, 'score = "_score"')).failed["1"]


@pytest.mark.parametrize(
    "statement",
    [
        "VACUUM INTO 'planted' || :query || :k",
        "ATTACH 'file:planted?mode=rwc&x=' || :query || :k AS x",
        "CREATE TABLE planted AS SELECT :query, :k",
    ],
)
def test_a_statement_that_would_write(folder: Path, statement: str) -> None:
    with sqlite3.connect("d.db") as database:
        database.execute("CREATE TABLE documents(id)")
    before = Path("d.db").read_bytes()
    assert "1" in asked(sql(statement)).failed
    assert Path("d.db").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["d.db", "e.toml"]


def test_a_statement_with_a_large_answer(folder: Path) -> None:
    with sqlite3.connect("d.db") as database:
        database.execute("CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, text)")
        database.executemany("INSERT INTO documents VALUES (?, ?)", [(str(n), "film") for n in range(30)])
    assert len(asked(sql(QUERY)).answers.found["1"][0]) == 10
    fts = "SELECT id, -rank FROM documents WHERE documents MATCH :query AND :k = :k"  # no LIMIT
    assert len(asked(sql(fts)).answers.found["1"][0]) == 10
    large = "SELECT hex(zeroblob(400000000)), 1 WHERE :query = :query AND :k = :k"
    assert "too big" in asked(sql(large)).failed["1"]


@pytest.mark.skipif(sys.platform == "win32", reason="the program ends with a pipe")
def test_a_program_that_never_stops_printing(folder: Path) -> None:
    Path("p.py").write_text("while True: print('d 1' * 10000)")
    text = f'kind = "command"\ncommand = ["{sys.executable}", "p.py"]\n[limits]\nretries = 0\n'
    assert asked(text).failed["1"] == "the answer is larger than 64 MiB"


def test_a_program_with_scores_on_some_lines(folder: Path) -> None:
    Path("p.py").write_text("print('a 2'); print('b')")
    text = f'kind = "command"\ncommand = ["{sys.executable}", "p.py"]\n[limits]\nretries = 0\n'
    assert asked(text).failed["1"].endswith("'b', while the first has a score")


def test_a_function_that_exits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("leaving.py").write_text("def search(query, k): raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(str(folder))
    assert asked('kind = "python"\nfunction = "leaving:search"').failed["1"] == "SystemExit: 3"


def test_an_unknown_kind_is_named_with_its_file(folder: Path) -> None:
    with pytest.raises(InputError, match=r"e\.toml: 'htttp' is not one of .*did you mean http"):
        asked('kind = "htttp"')
