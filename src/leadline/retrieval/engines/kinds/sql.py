"""Databases: any statement that returns ids, and scores where it has them; addresses, and a driver for each kind."""

from __future__ import annotations

import importlib
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import unquote, urlsplit

from leadline.errors import InputError
from leadline.retrieval.engines.engine import (
    LARGEST_ANSWER,
    AskingFailedError,
    Connection,
    EngineHits,
    SearchEngine,
    engine,
    with_environment,
)


class Database:
    """A connection whose driver raises errors of its own."""

    def ask(self, query: str, k: int) -> EngineHits:
        try:
            rows = self.rows(query, k)
        except AskingFailedError:
            raise
        except Exception as error:  # each driver has errors of its own
            raise AskingFailedError(reason_of(error), passes=self.passes(error)) from error
        if rows and len(rows[0]) < 2:
            return EngineHits([str(row[0]) for row in rows])
        try:
            return EngineHits([str(row[0]) for row in rows], [float(row[1]) for row in rows])
        except (TypeError, ValueError):
            raise AskingFailedError("the second column is not a score") from None

    def rows(self, query: str, k: int) -> list[Any]:
        raise NotImplementedError

    def passes(self, error: Exception) -> bool:
        """Whether another try may help after an error of the driver."""
        return isinstance(error, OSError)

    @staticmethod
    def first_rows(rows: Iterable[Any], k: int) -> list[Any]:
        """Rows up to the k-th different id: the statement need not have a LIMIT."""
        found, ids, size = [], set(), 0
        for row in rows:
            found.append(row)
            ids.add(row[0])
            size += len(str(row[0]))
            if size > LARGEST_ANSWER:
                raise AskingFailedError("the answer is larger than 64 MiB")
            if len(ids) >= k:
                break
        return found

    def close(self) -> None:
        raise NotImplementedError


def interrupted(seconds: float) -> AskingFailedError:
    """The failure of a statement that took too long."""
    return AskingFailedError(f"no answer within {seconds:g} s: the statement was interrupted", passes=True)


def reason_of(error: Exception) -> str:
    """One line of a driver's error: pg8000 gives a table of letters, of which M is the message, PyMySQL a number first.

    >>> reason_of(ValueError({"S": "ERROR", "M": "no such table"})), reason_of(ValueError(1146, "no such table"))
    ('ValueError: no such table', 'ValueError: no such table')
    """
    told: Any = error.args[0] if error.args else ""
    if isinstance(told, int) and len(error.args) > 1:
        told = error.args[1]
    text = told.get("M", "") if isinstance(told, dict) else str(told or error)
    return " ".join(f"{type(error).__name__}: {text}".replace("\0", " ").split())[:300]  # Sphinx ends texts with a zero


# The address of a database: `driver://user:${PASSWORD}@host:port/name`; the host may be the path of a socket.


_HOST_AND_PORT = re.compile(r"\[(?P<numbers>[^]]*)\](?::(?P<at>\d+))?|(?P<host>[^:]*)(?::(?P<port>\d+))?")


@dataclass(frozen=True)
class DatabaseAddress:
    """Where a database is, and who asks it."""

    host: str
    port: int | None
    user: str
    password: str
    name: str

    @property
    def is_socket(self) -> bool:
        return self.host.startswith("/")


def address_of(database: str) -> DatabaseAddress:
    """The parts of an address. A variable of the environment is one part, whatever signs it has, or the whole address.

    >>> address_of("postgresql://reader:a%2Fb@%2Frun%2Fpg:5433/patents")
    DatabaseAddress(host='/run/pg', port=5433, user='reader', password='a/b', name='patents')
    """
    is_whole = re.fullmatch(r"\$\{\w+\}", database) is not None
    parts = urlsplit(with_environment(database) if is_whole else database)

    def filled(part: str) -> str:
        return unquote(part) if is_whole else with_environment(unquote(part))

    who, _, where = parts.netloc.rpartition("@")
    user, _, password = who.partition(":")
    place = _HOST_AND_PORT.fullmatch(where)
    if not parts.scheme or place is None:
        raise InputError("sql", "database must be an address such as postgresql://user:${PASSWORD}@host:port/name")
    host, port = place["host"] or place["numbers"] or "localhost", place["port"] or place["at"]
    number = int(port) if port else None
    return DatabaseAddress(filled(host), number, filled(user), filled(password), filled(parts.path.removeprefix("/")))


# The places of `:query` and `:k` in a statement. In a text, a name or a comment they are no places.


_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|/\*.*?\*/"""
_ESCAPED = r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`|--[^\n]*|\#[^\n]*|/\*.*?\*/"""
_PLACE = r"(?<![:\w]):(query|k)\b"


def places_in(sql: str, *, backslash: bool = False) -> set[str]:
    """The names of the places in a statement; `backslash`: it escapes a quote, as in MySQL.

    >>> sorted(places_in("SELECT id, ':k' FROM t WHERE words @@ :query::tsquery -- :k"))
    ['query']
    """
    return {found[1] for found in _parts(backslash).finditer(sql) if found[1]}


def with_places(sql: str, written: str, *, backslash: bool = False) -> str:
    """A statement with its places in the notation of a driver, and the rest as it is.

    >>> with_places("SELECT id, ':k' FROM t LIMIT :k", "$NAME")
    "SELECT id, ':k' FROM t LIMIT $k"
    """
    return _parts(backslash).sub(lambda found: written.replace("NAME", found[1]) if found[1] else found[0], sql)


def code_of(sql: str) -> str:
    """A statement of MySQL without texts, names in quotes and comments, in small letters.

    >>> code_of("SELECT 'into' /* x */ FROM t")
    'select     from t'
    """
    return _parts(True).sub(lambda found: found[0] if found[1] else " ", sql).lower()


def _parts(backslash: bool) -> re.Pattern[str]:
    return re.compile(f"{_ESCAPED if backslash else _QUOTED}|{_PLACE}", re.DOTALL)


# SQLite, of the standard library.


class Sqlite(Database):
    """A file that is opened for reading only."""

    def __init__(self, database: str, sql: str, seconds: float) -> None:
        self.sql, self.seconds = sql, seconds
        self.database = sqlite3.connect(
            f"{Path(database).resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        self.deadline = time.monotonic() + seconds
        self.database.set_progress_handler(lambda: time.monotonic() > self.deadline, 10_000)
        self.database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ANSWER)
        # A connection for reading still writes other files: VACUUM INTO, which attaches them, and ATTACH itself.
        denied = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)
        self.database.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in denied else sqlite3.SQLITE_OK)

    def rows(self, query: str, k: int) -> list[Any]:
        self.deadline = time.monotonic() + self.seconds
        try:
            return self.first_rows(self.database.execute(self.sql, {"query": query, "k": k}), k)
        except sqlite3.OperationalError as error:
            if time.monotonic() <= self.deadline:
                raise
            raise interrupted(self.seconds) from error

    def close(self) -> None:
        self.database.close()


# DuckDB, through its package.


MEMORY = "2GB"  # that the statements of a file may take together
LONGEST_VALUE = 1 << 16  # bytes of an id or score: DuckDB copies 2,048 rows at a time, without counting their memory
_END = re.compile(r";\s*(?:--[^\n]*\s*)*\Z")  # of a statement


class DuckDB(Database):
    """A file that is opened for reading only."""

    def __init__(self, database: str, sql: str, seconds: float) -> None:
        duckdb = importlib.import_module("duckdb")
        self.sql, self.seconds, self.error = with_places(sql, "$NAME"), seconds, duckdb.InterruptException
        # Nothing is written beside the database: what does not fit into memory is an error.
        settings = {"enable_external_access": "false", "memory_limit": MEMORY, "temp_directory": ""}
        self.database = duckdb.connect(database, read_only=True, config=settings)
        statements = duckdb.extract_statements(self.sql)
        if len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT:
            value, problem = "COLUMNS(*)", f"error('a value is longer than {LONGEST_VALUE} bytes')"
            checked = f"CASE WHEN strlen({value}::VARCHAR) > {LONGEST_VALUE} THEN {problem} ELSE {value} END"
            self.sql = f"SELECT {checked} FROM (\n{_END.sub('', self.sql)}\n) AS answer"

    def rows(self, query: str, k: int) -> list[Any]:
        watch = threading.Timer(self.seconds, self.database.interrupt)
        watch.start()
        try:
            result = self.database.execute(self.sql, {"query": query, "k": k})
            return self.first_rows(iter(result.fetchone, None), k)
        except self.error as error:
            raise interrupted(self.seconds) from error
        finally:
            watch.cancel()

    def close(self) -> None:
        self.database.close()


# PostgreSQL, through pg8000.


CANCELLED = "57014"  # the code of a statement that the server ended
BUSY = ("08", "53", "57P")  # codes begin so where a connection broke, room is lacking, or the server shuts down


class PostgreSQL(Database):
    """A session that can only read."""

    def __init__(self, database: str, sql: str, seconds: float) -> None:
        native = importlib.import_module("pg8000.native")
        address = address_of(database)
        port = address.port or 5432
        socket = {"unix_sock": f"{address.host}/.s.PGSQL.{port}"} if address.is_socket else {}
        self.sql, self.seconds = sql, seconds
        self.database = native.Connection(
            address.user or "postgres",
            host=address.host,
            port=port,
            database=address.name or None,
            password=address.password or None,
            timeout=seconds + 5,
            **socket,
        )
        self.database.run("SET default_transaction_read_only = on")
        self.database.run(f"SET statement_timeout = {int(1000 * seconds)}")

    def rows(self, query: str, k: int) -> list[Any]:
        try:
            found: list[Any] = self.database.run(self.sql, query=query, k=k)
        except Exception as error:
            if _code(error) == CANCELLED:
                raise interrupted(self.seconds) from error
            raise
        return found

    def passes(self, error: Exception) -> bool:
        # pg8000 has a name of its own for a connection that broke.
        return super().passes(error) or "Interface" in type(error).__name__ or _code(error).startswith(BUSY)

    def close(self) -> None:
        self.database.close()


def _code(error: Exception) -> str:
    told = error.args[0] if error.args else None
    return str(told.get("C", "")) if isinstance(told, dict) else ""


# MySQL, MariaDB, and Sphinx, which speaks their protocol, through PyMySQL.


MOST_ROWS = 1_000_000  # that a statement without LIMIT sends
TOO_LATE = (1969, 3024)  # the codes of MariaDB and MySQL for a statement that they ended
LOST = (1040, 2006, 2013)  # too many connections, and those that broke


class MySQL(Database):
    """A session that can only read."""

    port = 3306
    patience = 5  # seconds more than the server has, which ends the statement itself

    def __init__(self, database: str, sql: str, seconds: float) -> None:
        pymysql = importlib.import_module("pymysql")
        address = address_of(database)
        # The driver writes the values into the statement itself, where % is a sign of its own.
        self.sql, self.seconds = with_places(sql.replace("%", "%%"), "%(NAME)s", backslash=True), seconds
        self.database = pymysql.connect(
            host=None if address.is_socket else address.host,
            port=address.port or self.port,
            unix_socket=address.host if address.is_socket else None,
            user=address.user or None,
            password=address.password,
            database=address.name or None,
            charset="utf8mb4",
            autocommit=True,  # every statement is a transaction of its own, which can only read
            connect_timeout=seconds,
            read_timeout=seconds + self.patience,
            write_timeout=seconds + self.patience,
        )
        with self.database.cursor() as cursor:
            for statement in self.settings():
                cursor.execute(statement)

    def settings(self) -> list[str]:
        """What is set before any query."""
        is_mariadb = "MariaDB" in str(self.database.get_server_info())
        limit = (
            f"max_statement_time = {self.seconds:f}"
            if is_mariadb
            else f"max_execution_time = {1000 * self.seconds:.0f}"
        )
        read_only = "SET SESSION TRANSACTION READ ONLY"
        return [read_only, f"SET SESSION {limit}", f"SET SESSION sql_select_limit = {MOST_ROWS}"]

    def rows(self, query: str, k: int) -> list[Any]:
        try:
            with self.database.cursor() as cursor:
                cursor.execute(self.sql, {"query": query, "k": k})
                return self.first_rows(cursor.fetchall(), k)
        except Exception as error:
            if _mysql_code(error) in TOO_LATE or isinstance(error.__context__, TimeoutError):
                raise interrupted(self.seconds) from error
            raise

    def passes(self, error: Exception) -> bool:
        return super().passes(error) or _mysql_code(error) in LOST

    def close(self) -> None:
        if self.database.open:
            self.database.close()


class Sphinx(MySQL):
    """Sphinx or Manticore. It has no sessions that can only read: the statement is a SELECT."""

    port = 9306
    patience = 0

    def settings(self) -> list[str]:
        return []


def checked_select(sql: str) -> None:
    """Refuse a statement of MySQL that is not one SELECT, or that writes a file of the server."""
    code = code_of(sql).strip().removesuffix(";")
    if not re.match(r"\(*\s*(select|with)\b", code) or ";" in code:
        raise InputError("sql", "the statement must be one SELECT")
    if re.search(r"\b(outfile|dumpfile)\b", code) or re.search(r"/\*M?!", sql):
        raise InputError("sql", "the statement must not write a file, nor have a comment that is run")


def _mysql_code(error: Exception) -> object:
    return error.args[0] if error.args else None


CONNECTIONS: dict[str, Callable[[str, str, float], Database]] = {
    "sqlite": Sqlite,
    "duckdb": DuckDB,
    "postgresql": PostgreSQL,
    "mysql": MySQL,
    "sphinx": Sphinx,
}
PACKAGES = {"duckdb": ("duckdb",), "postgresql": ("pg8000",), "mysql": ("pymysql",), "sphinx": ("pymysql",)}
FILES = ("sqlite", "duckdb")
LIKE_MYSQL = ("mysql", "sphinx")


@engine("sql")
class SqlDatabase(SearchEngine):
    """`:query` and `:k` in the statement are replaced by the query and the number of documents, as parameters.

    The first column of the result is the id, the second, if there is one, the score. `database` is a file for SQLite
    and DuckDB, and an address for the others: postgresql://user:${PASSWORD}@host/name, or mysql://. It is only read
    from.
    """

    extra: ClassVar[str] = "sql"
    driver: Literal["sqlite", "duckdb", "postgresql", "mysql", "sphinx"] = "sqlite"
    database: str = ""
    sql: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.database:
            raise InputError("sql", "name the database: a file, or an address such as postgresql://user@host/name")
        if places_in(self.sql, backslash=self.driver in LIKE_MYSQL) != {"query", "k"}:
            raise InputError("sql", "the statement must use :query and :k, without quotes around them")
        if self.driver in FILES:
            if not Path(self.database).is_file():
                raise InputError(self.database, "no such file")
        else:
            address_of(self.database)  # a wrong one is refused before any query
        if self.driver in LIKE_MYSQL:
            checked_select(self.sql)

    def usual_at_once(self) -> int:
        """One for a file, which is searched on this machine: several would wait for each other."""
        return 1 if self.driver in FILES else super().usual_at_once()

    def needed_packages(self) -> tuple[str, ...]:
        return PACKAGES.get(self.driver, ())

    def secret_texts(self) -> tuple[str, ...]:
        return () if self.driver in FILES else (self.database,)

    def place(self) -> str:
        return self.driver if self.driver in FILES else address_of(self.database).host

    def connect(self, seconds: float) -> Connection:
        try:
            return CONNECTIONS[self.driver](self.database, self.sql, seconds)
        except InputError:
            raise
        except Exception as error:  # each driver has errors of its own
            raise AskingFailedError(reason_of(error), passes=True) from error
