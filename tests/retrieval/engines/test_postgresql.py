"""PostgreSQL's full-text search as a service: a simulated office is loaded, asked, and set beside our BM25."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from search_service import leadline

from leadline.collections.documents.store import Collection

ENGINE = """
kind = "sql"
driver = "postgresql"
database = "DATABASE"
sql = '''
SELECT id, ts_rank(words, query) AS score
FROM documents, to_tsquery('english', replace(plainto_tsquery('english', :query)::text, '&', '|')) AS query
WHERE words @@ query ORDER BY score DESC, id LIMIT :k
'''
[query]
most_words = 60
steps = [{step = "best_terms", n = 20}]
[limits]
at_once = 2
retries = 1
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A PostgreSQL of our own in a temporary folder, reached by a socket there."""
    pytest.importorskip("pg8000")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin")) or [Path(shutil.which("initdb") or "none").parent]
    if not (programs[-1] / "initdb").exists():
        pytest.skip("PostgreSQL is not installed")
    # It refuses to run as root, and another user cannot reach pytest's folders.
    user: dict[str, str] = {}
    if os.geteuid() == 0:
        user = {"user": "postgres"}
        if subprocess.run(["id", "postgres"], check=False, capture_output=True).returncode:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    with tempfile.TemporaryDirectory(prefix="leadline-", ignore_cleanup_errors=True) as place:
        if user:
            shutil.chown(place, "postgres")
        data = f"{place}/data"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": place}
        making = [programs[-1] / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run(making, check=True, **quiet, **user)
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={place}", "-c", "fsync=off"]
        server = subprocess.Popen([programs[-1] / "postgres", "-D", data, *options], **quiet, **user)
        try:
            deadline = time.monotonic() + 60
            while not Path(f"{place}/.s.PGSQL.5432").exists():
                assert server.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield f"postgresql://postgres@{quote(place, safe='')}/postgres"
        finally:
            server.terminate()
            server.wait(60)


def test_a_database_beside_our_own_search(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pg8000.native

    monkeypatch.chdir(tmp_path)
    assert leadline("simulate office --patents 400 --topics 12 -o office -q") == 0
    assert leadline("index office/collection -o office.index -q") == 0
    place = unquote(database.split("@")[1].split("/", maxsplit=1)[0])
    with pg8000.native.Connection("postgres", unix_sock=f"{place}/.s.PGSQL.5432", database="postgres") as loading:
        loading.run("CREATE TABLE documents (id text PRIMARY KEY, words tsvector)")
        for document in Collection.open("office/collection").documents():
            text = " ".join([document.title, document.abstract, *(claim.text for claim in document.claims)])
            loading.run("INSERT INTO documents VALUES (:id, to_tsvector('english', :text))", id=document.id, text=text)
        loading.run("CREATE INDEX ON documents USING gin (words)")
    Path("postgresql.toml").write_text(ENGINE.replace("DATABASE", database))
    assert leadline("run --engine postgresql.toml office.index office/topics.tsv -k 100 -o postgresql.run") == 0
    errors = capsys.readouterr().err
    assert "a query took" in errors
    assert leadline("run office.index office/topics.tsv -k 100 -o ours.run -q") == 0
    command = "compare verdict office/qrels.true.txt postgresql.run ours.run -m AP"
    assert leadline(command) == 0
    assert "postgresql" in capsys.readouterr().out
    own = {line.split()[0]: line.split()[2] for line in Path("postgresql.run").read_text().splitlines()}
    assert len(own) == 12
    topics = set(Path("office/topics.tsv").read_text().split())
    found = {tuple(line.split()[:3:2]) for line in Path("postgresql.run").read_text().splitlines()}
    assert not {(topic, topic) for topic in topics} & found  # a patent does not find itself


def test_a_statement_that_is_wrong(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from leadline.retrieval.engines.asking import ask_topics
    from leadline.retrieval.engines.engine_file import read_engine
    from leadline.retrieval.engines.queries import EngineQuery

    monkeypatch.chdir(tmp_path)

    def reason(sql: str) -> str:
        text = f'kind = "sql"\ndriver = "postgresql"\ndatabase = "{database}"\nsql = "{sql}"\n[limits]\nseconds = 1\n'
        Path("e.toml").write_text(text)
        return ask_topics(read_engine("e.toml"), [EngineQuery("1", "x")], 5).failed["1"]

    assert reason("SELECT :query, :k FROM nowhere") == 'DatabaseError: relation "nowhere" does not exist'
    assert "read-only transaction" in reason("CREATE TABLE t AS SELECT :query AS a, :k AS b")
    assert "statement timeout" in reason("SELECT pg_sleep(9), :query, :k")
