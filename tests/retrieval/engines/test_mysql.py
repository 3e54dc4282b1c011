"""MariaDB and Sphinx, through MySQL's protocol: a simulated office is loaded, asked, and set beside our BM25."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from getpass import getuser
from pathlib import Path

import pytest
from real_service import Office, answers, asked, file_of_the_page, free_port, place_for, program, running

from leadline.errors import InputError
from leadline.retrieval.engines.asking import read_engine
from leadline.retrieval.engines.engine import AskingFailedError
from leadline.retrieval.engines.kinds.sql import DatabaseAddress, address_of

pymysql = pytest.importorskip("pymysql")
PASSWORD = "s3cret-%:@/of-the-reader"
SPHINX = """
index patents {{
  type = rt
  path = {place}/patents
  rt_field = text
  rt_attr_string = number
}}
searchd {{
  listen = 127.0.0.1:{port}:mysql41
  log = {place}/log
  pid_file = {place}/pid
  binlog_path =
}}
"""
STEPS = 'steps = [{step = "best_terms", n = 20}]\n'


@pytest.fixture(scope="module")
def mariadb(office: Office) -> Iterator[int]:
    """The port of a MariaDB of our own, with the documents of the office and a user who has a password."""
    server, install = program("mariadbd"), program("mariadb-install-db")
    with place_for(in_memory=True) as place:  # where its hundred tables take a second, not seven
        common = ["--no-defaults", f"--datadir={place}/data", f"--user={getuser()}", "--innodb-log-file-size=4M"]
        make = [install, *common, "--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(make, check=True, capture_output=True)
        port, path = free_port(), place / "socket"
        where = ["--bind-address=127.0.0.1", f"--port={port}", f"--socket={path}", f"--pid-file={place}/pid"]
        with running([server, *common, *where], path.exists, place):
            with closing(pymysql.connect(unix_socket=str(path), user="root", autocommit=True)) as loading:
                cursor = loading.cursor()
                cursor.execute("CREATE DATABASE patents CHARACTER SET utf8mb4")
                cursor.execute("USE patents")
                cursor.execute("CREATE TABLE documents (id VARCHAR(40) PRIMARY KEY, text LONGTEXT, FULLTEXT (text))")
                cursor.executemany("INSERT INTO documents VALUES (%s, %s)", list(office.texts()))
                cursor.execute("CREATE USER reader@'%%' IDENTIFIED BY %s", (PASSWORD,))
                cursor.execute("GRANT ALL ON patents.* TO reader@'%'")
            yield port


@pytest.fixture(scope="module")
def sphinx(office: Office) -> Iterator[int]:
    """The port of a Sphinx of our own, with the documents of the office."""
    server = program("searchd")
    with place_for() as place:
        port = free_port()
        (place / "sphinx.conf").write_text(SPHINX.format(place=place, port=port))
        with running([server, "--nodetach", "--config", place / "sphinx.conf"], lambda: answers(port), place):
            with closing(pymysql.connect(host="127.0.0.1", port=port, user="", autocommit=True)) as loading:
                rows = [(row, *each) for row, each in enumerate(office.texts(), start=1)]
                loading.cursor().executemany("INSERT INTO patents (id, number, text) VALUES (%s, %s, %s)", rows)
            yield port


@pytest.fixture
def maria_file(mariadb: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of the documentation, with the address of our server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PASSWORD", PASSWORD)
    return file_of_the_page('driver = "mysql"', {"@localhost/": f"@127.0.0.1:{mariadb}/"})


@pytest.fixture
def sphinx_file(sphinx: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return file_of_the_page('driver = "sphinx"', {"127.0.0.1:9306": f"127.0.0.1:{sphinx}"})


def test_mariadb_beside_our_own_search(maria_file: str, office: Office, capsys: pytest.CaptureFixture[str]) -> None:
    office.beside_ours(f"{maria_file}[query]\n{STEPS}", capsys)


def test_sphinx_beside_our_own_search(sphinx_file: str, office: Office, capsys: pytest.CaptureFixture[str]) -> None:
    office.beside_ours(sphinx_file.replace("[query]\n", f"[query]\n{STEPS}"), capsys)


def with_statement(engine: str, sql: str, seconds: float = 5) -> str:
    """The file with another statement, and without retries."""
    head = engine[: engine.index("sql =")]
    return f'{head}sql = """{sql}"""\n[limits]\nretries = 0\nseconds = {seconds}\n'


def test_statements_of_mariadb(maria_file: str) -> None:
    def reason(sql: str, seconds: float = 5) -> str:
        return asked(with_statement(maria_file, sql, seconds), "x").failed["x"]

    assert reason("SELECT :query, :k FROM nowhere") == "ProgrammingError: Table 'patents.nowhere' doesn't exist"
    late = "no answer within 0.5 s: the statement was interrupted"
    assert reason("SELECT SLEEP(9), :query, :k", 0.5) == late
    locking = "SELECT id FROM documents WHERE :query = 'x' LIMIT :k FOR UPDATE"
    assert reason(locking) == "OperationalError: Cannot execute statement in a READ ONLY transaction"
    unlimited = "SELECT id FROM documents WHERE :query = 'x' AND id LIKE '%A1' AND :k > 0"
    assert len(asked(with_statement(maria_file, unlimited), "x", k=3).answers.found["x"][0]) == 3
    signs = """a'b\\'_"%s_é\\"""
    assert asked(with_statement(maria_file, "SELECT :query, :k"), signs).answers.found[signs][0] == [signs]


def test_a_connection_that_the_server_ends(maria_file: str, mariadb: int) -> None:
    Path("e.toml").write_text(with_statement(maria_file, "SELECT :query, :k"))
    connection = read_engine("e.toml").engine.connect(5)
    assert connection.ask("x", 1).ids == ["x"]
    with closing(pymysql.connect(host="127.0.0.1", port=mariadb, user="reader", password=PASSWORD)) as other:
        cursor = other.cursor()
        cursor.execute("SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND user = 'reader'")
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {number}")
    with pytest.raises(AskingFailedError) as ended:
        connection.ask("x", 1)
    assert ended.value.passes  # so that it is asked again, on a new connection


def test_a_password_that_is_wrong(maria_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "another-s3cret")
    reason = asked(with_statement(maria_file, "SELECT :query, :k"), "x").failed["x"]
    assert reason == "OperationalError: Access denied for user 'reader'@'localhost' (using password: YES)"


def test_statements_of_sphinx(sphinx_file: str) -> None:
    plain = "SELECT number FROM patents WHERE MATCH(:query) LIMIT :k"
    failed = asked(with_statement(sphinx_file, plain), '"film', "@film film").failed
    assert failed['"film'] == "ProgrammingError: index patents: syntax error, unexpected $end near ''"
    assert failed["@film film"] == "ProgrammingError: index patents: query error: no field 'film' found in schema"
    nowhere = plain.replace("patents", "nowhere")
    assert "unknown local index 'nowhere'" in asked(with_statement(sphinx_file, nowhere), "x").failed["x"]
    found = asked(sphinx_file, "film", '"film', "!(film~* @film", "film' \\ \\' \0", k=5).answers.found
    assert len({tuple(ids) for ids, _ in found.values()}) == 1


@pytest.mark.parametrize("driver", ["mysql", "sphinx"])
@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("DELETE FROM t WHERE a = :query AND b = :k", "must be one SELECT"),
        ("SELECT :query, :k; DROP TABLE t", "must be one SELECT"),
        ("SELECT :query, :k INTO OUTFILE '/x'", "must not write a file"),
        ("SELECT :query, :k /*!into outfile '/x'*/", "must not write a file"),
        ("SELECT ':query', :k", "must use :query and :k, without quotes around them"),
        (r"SELECT 'it\\'s :query', :k", "must use :query and :k"),
        ("SELECT :query -- :k", "must use :query and :k"),
    ],
    ids=["delete", "two", "outfile", "comment", "quotes", "backslash", "remark"],
)
def test_statements_that_are_refused(sql: str, problem: str, driver: str, tmp_path: Path) -> None:
    path = tmp_path / "e.toml"
    path.write_text(f'kind = "sql"\ndriver = "{driver}"\ndatabase = "mysql://127.0.0.1:1"\nsql = """{sql}"""\n')
    with pytest.raises(InputError, match=problem):
        read_engine(str(path))


@pytest.mark.parametrize("database", ["localhost/patents", "mysql://a:b:c/", "mysql://host:port/"])
def test_addresses_that_are_none(database: str, tmp_path: Path) -> None:
    path = tmp_path / "e.toml"
    path.write_text(f'kind = "sql"\ndriver = "mysql"\ndatabase = "{database}"\nsql = "SELECT :query, :k"\n')
    with pytest.raises(InputError, match="database must be an address such as"):
        read_engine(str(path))


def test_a_variable_is_one_part_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD", "a/b@c:%41")
    monkeypatch.setenv("WHOLE", "mysql://me:a%2Fb@[::1]:1/n")
    assert address_of("mysql://me:${PASSWORD}@Host:1/n") == DatabaseAddress("Host", 1, "me", "a/b@c:%41", "n")
    assert address_of("${WHOLE}") == DatabaseAddress("::1", 1, "me", "a/b", "n")
