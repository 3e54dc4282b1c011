"""PostgreSQL's full-text search as a service: a simulated office is loaded, asked, and set beside our BM25."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from real_service import Office, asked, file_of_the_page, place_for, running

from leadline.retrieval.engines.asking import read_engine
from leadline.retrieval.engines.engine import AskingFailedError

MORE = """
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
        pytest.skip("PostgreSQL is not installed: make services")
    user = ""  # it refuses to run as root
    if os.geteuid() == 0:
        user = "postgres"
        if subprocess.run(["id", user], check=False, capture_output=True).returncode:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    with place_for(user) as place:
        making = [programs[-1] / "initdb", "-D", place / "data", "-U", "postgres", "-A", "trust", "--no-sync"]
        subprocess.run(making, check=True, cwd=place, capture_output=True, **({"user": user} if user else {}))
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={place}", "-c", "fsync=off"]
        command = [programs[-1] / "postgres", "-D", place / "data", *options]
        is_ready = [programs[-1] / "pg_isready", "-q", "-h", place]
        with running(command, lambda: subprocess.run(is_ready, check=False).returncode == 0, place, user):
            yield f"postgresql://postgres@{quote(str(place), safe='')}/postgres"


def test_a_database_beside_our_own_search(
    database: str, office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import pg8000.native

    monkeypatch.chdir(tmp_path)
    place = unquote(database.split("@")[1].split("/", maxsplit=1)[0])
    with pg8000.native.Connection("postgres", unix_sock=f"{place}/.s.PGSQL.5432", database="postgres") as loading:
        loading.run("CREATE TABLE documents (id text PRIMARY KEY, words tsvector)")
        for name, text in office.texts():
            loading.run("INSERT INTO documents VALUES (:id, to_tsvector('english', :text))", id=name, text=text)
        loading.run("CREATE INDEX ON documents USING gin (words)")
    theirs = {"postgresql://reader:${PASSWORD}@localhost/patents": database}
    office.beside_ours(file_of_the_page('driver = "postgresql"', theirs) + MORE, capsys)


def test_a_statement_that_is_wrong(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def reason(sql: str) -> str:
        where = f'kind = "sql"\ndriver = "postgresql"\ndatabase = "{database}"\nsql = "{sql}"\n'
        return asked(f"{where}[limits]\nseconds = 1\nretries = 0\n", "x").failed["x"]

    assert reason("SELECT :query, :k FROM nowhere") == 'DatabaseError: relation "nowhere" does not exist'
    assert "read-only transaction" in reason("CREATE TABLE t AS SELECT :query AS a, :k AS b")
    assert reason("SELECT pg_sleep(9), :query, :k") == "no answer within 1 s: the statement was interrupted"


def test_a_connection_that_the_server_ends(database: str, tmp_path: Path) -> None:
    import pg8000.native

    path = tmp_path / "e.toml"
    path.write_text(f'kind = "sql"\ndriver = "postgresql"\ndatabase = "{database}"\nsql = "SELECT :query, :k"\n')
    connection = read_engine(str(path)).engine.connect(5)
    assert connection.ask("x", 1).ids == ["x"]
    place = unquote(database.split("@")[1].split("/", maxsplit=1)[0])
    with pg8000.native.Connection("postgres", unix_sock=f"{place}/.s.PGSQL.5432", database="postgres") as other:
        other.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    with pytest.raises(AskingFailedError) as ended:
        connection.ask("x", 1)
    assert ended.value.passes  # so that it is asked again, on a new connection
