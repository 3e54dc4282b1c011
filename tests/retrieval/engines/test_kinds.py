"""Programs, functions and databases as search services."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest
from search_service import DOCUMENTS, leadline

from leadline.retrieval.engines.asking import EngineAnswers, EngineQuery, ask_topics, read_engine
from leadline.retrieval.engines.kinds.python import _ONE_AT_A_TIME


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(text: str, *queries: str, k: int = 5) -> EngineAnswers:
    Path("e.toml").write_text(text)
    service = read_engine("e.toml", run_code=True)
    return ask_topics(service, [EngineQuery(query, query) for query in queries], k)


def found(done: EngineAnswers) -> dict[str, list[str]]:
    assert not done.failed
    return {topic: list(ids) for topic, (ids, _) in done.answers.found.items()}


def program(code: str) -> str:
    Path("p.py").write_text(code)
    return f'kind = "command"\ncommand = ["{sys.executable}", "p.py", "{{k}}"]\n[limits]\nseconds = 20\nretries = 0\n'


def test_a_program(folder: Path) -> None:
    printed = (
        "import sys\nprint(sys.stdin.read().split(';')[0], 9)\nfor n in range(1, int(sys.argv[1])): print(n, 9 - n)"
    )
    assert found(asked(program(printed), "x;$(touch y)", k=3)) == {"x;$(touch y)": ["x", "1", "2"]}
    assert not Path("y").exists()  # no shell reads it
    done = asked(program('print(\'[["a", 2], ["b", 1]]\')'), "q")
    assert done.answers.found["q"] == (["a", "b"], [2.0, 1.0])


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit('no index')", "exit status 1: no index"),
        ("print('a b c')", "a line of the answer is not an id, or an id and a score"),
        ("print('[1')", "the answer is not JSON"),
        ('print(\'{"a": "x"}\')', "the answer is not a list of ids"),
    ],
)
def test_programs_that_fail(folder: Path, code: str, reason: str) -> None:
    assert asked(program(code), "q").failed["q"].startswith(reason)


def test_a_program_that_hangs_is_ended(folder: Path) -> None:
    text = program("import time; time.sleep(100)").replace("seconds = 20", "seconds = 0.5")
    assert asked(text, "q").failed["q"] == "no answer within 0.5 s"


def test_a_program_that_is_not_there(folder: Path) -> None:
    assert "cannot be run: no such file" in asked('kind = "command"\ncommand = ["./none"]', "q").failed["q"]


def test_a_function(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("my_engine.py").write_text(
        "def search(query, k):\n    return {f'{query}-{n}': 1 / (n + 1) for n in range(k)}\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    text = 'kind = "python"\nfunction = "my_engine:search"'
    assert found(asked(text, "a", k=2)) == {"a": ["a-0", "a-1"]}
    Path("topics.tsv").write_text("topic\ttitle\n1\tfilm\n")
    assert leadline("run --engine e.toml topics.tsv -o out.run -q") == 1
    assert leadline("run --engine e.toml topics.tsv -o out.run -q --run-code") == 0
    assert Path("out.run").read_text().startswith("1 Q0 film-0 1 1.0 e")


def test_a_pipeline_of_pyterrier(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transformer as PyTerrier defines it: a table of queries in, a table of documents out."""
    pytest.importorskip("pandas")
    Path("my_pipeline.py").write_text(
        "import pandas as pd\n"
        "class Pipeline:\n"
        "    def transform(self, queries):\n"
        "        found = pd.DataFrame({'docno': ['a', 'b'], 'score': [1.0, 2.0]})\n"
        "        return queries.merge(found, how='cross')\n"
        "best = Pipeline()\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    assert found(asked('kind = "pyterrier"\npipeline = "my_pipeline:best"', "q")) == {"q": ["b", "a"]}


def test_a_pipeline_that_does_not_come_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    Path("my_hanging.py").write_text(
        "import threading\n"
        "go = threading.Event()\n"
        "class Pipeline:\n"
        "    def transform(self, queries):\n"
        "        go.wait(60)\n"
        "        return queries\n"
        "best = Pipeline()\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    limits = "[limits]\nseconds = 0.3\nretries = 0\n"
    failed = asked(f'kind = "pyterrier"\npipeline = "my_hanging:best"\n{limits}', "a", "b").failed
    sys.modules["my_hanging"].go.set()
    with _ONE_AT_A_TIME:  # it has come back, so that other tests can ask a pipeline
        assert failed["a"] == "no answer within 0.3 s: the call was given up"
        assert failed["b"] == "the pipeline has not come back from an earlier query"


SQLITE = """
kind = "sql"
driver = "sqlite"
database = "d.db"
sql = "SELECT id, -bm25(documents) FROM documents WHERE documents MATCH :query ORDER BY bm25(documents) LIMIT :k"
[limits]
retries = 0
"""


def test_sqlite(folder: Path) -> None:
    with sqlite3.connect("d.db") as database:
        database.execute("CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, text)")
        database.executemany("INSERT INTO documents VALUES (?, ?)", DOCUMENTS.items())
    assert found(asked(SQLITE, "7 AND metal")) == {"7 AND metal": ["D007"]}
    assert read_engine("e.toml").at_once == 1
    failed = asked(SQLITE, '"').failed['"']
    assert failed.startswith("OperationalError: ")
    writing = SQLITE.replace("SELECT id, -bm25", "DELETE FROM documents WHERE :query = :k --")
    assert "readonly" in asked(writing, "x").failed["x"]


def test_a_statement_that_takes_too_long(folder: Path) -> None:
    sqlite3.connect("d.db").close()
    Path("d.db").touch()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) + :k || :query FROM n"
    text = f'kind = "sql"\ndatabase = "d.db"\nsql = "{endless}"\n[limits]\nseconds = 0.3\nretries = 0\n'
    assert "interrupted" in asked(text, "x").failed["x"]


def test_duckdb(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect("d.duckdb") as database:
        database.execute("CREATE TABLE documents (id VARCHAR, text VARCHAR)")
        database.executemany("INSERT INTO documents VALUES (?, ?)", list(DOCUMENTS.items()))
    text = (
        'kind = "sql"\ndriver = "duckdb"\ndatabase = "d.duckdb"\n'
        'sql = "SELECT id FROM documents WHERE contains(text, :query) ORDER BY id LIMIT :k"\n[limits]\nretries = 0\n'
    )
    assert found(asked(text, "number 7", "number 1", k=2)) == {"number 7": ["D007"], "number 1": ["D001", "D010"]}
    outside = text.replace("FROM documents", "FROM read_text('e.toml')")
    assert "disabled" in asked(outside, "x").failed["x"]


def duckdb_statement(sql: str, seconds: float = 60) -> str:
    duckdb = pytest.importorskip("duckdb")
    if not Path("d.duckdb").exists():
        with duckdb.connect("d.duckdb") as database:
            database.execute("CREATE TABLE documents AS SELECT 'D' || range AS id FROM range(3000)")
    limits = f"[limits]\nretries = 0\nseconds = {seconds}\n"
    return f'kind = "sql"\ndriver = "duckdb"\ndatabase = "d.duckdb"\nsql = """{sql}"""\n{limits}'


def test_a_statement_of_duckdb_needs_no_limit(folder: Path) -> None:
    text = duckdb_statement(
        "SELECT id, length(id) FROM documents WHERE :query = 'x' AND :k > 0 ORDER BY id DESC; -- all"
    )
    assert found(asked(text, "x", k=2)) == {"x": ["D999", "D998"]}


@pytest.mark.parametrize("value", ["repeat('a', 100000000)", "repeat(id, 100000000)"])
def test_a_statement_of_duckdb_has_a_limit_of_memory(folder: Path, value: str) -> None:
    if pytest.importorskip("duckdb").__version__.startswith("1."):
        pytest.skip("DuckDB 1 may end the process where it finds no memory")
    resource = pytest.importorskip("resource", reason="no count of memory")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = duckdb_statement(f"SELECT {value} FROM documents WHERE :query = 'x' LIMIT :k")
    failed = asked(text, "x", k=3000).failed["x"]
    assert "a value is longer than 65536 bytes" in failed or "OutOfMemoryException" in failed
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2_500_000  # KiB
    assert [path.name for path in folder.iterdir() if "tmp" in path.name] == []


def test_a_statement_of_duckdb_that_takes_too_long(folder: Path) -> None:
    endless = "SELECT count(*) FROM range(10000000000000) AS n(i) WHERE i % length(:query) < :k"
    text = duckdb_statement(endless, seconds=0.3)
    assert asked(text, "xx").failed["xx"] == "no answer within 0.3 s: the statement was interrupted"
