"""A database: any statement that returns ids, and scores where it has them."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
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
)
from leadline.retrieval.engines.environment import with_environment

MEMORY = "2GB"  # that the statements of a DuckDB file may take together
LONGEST_VALUE = 1 << 16  # bytes of an id or score: DuckDB copies 2,048 rows at a time, without counting their memory
_END = re.compile(r";\s*(?:--[^\n]*\s*)*\Z")  # of a statement
_NAMED = re.compile(r"(?<![:\w]):(query|k)\b")


@engine("sql")
class SqlDatabase(SearchEngine):
    """`:query` and `:k` in the statement are replaced by the query and the number of documents, as parameters.

    The first column of the result is the id, the second, if there is one, the score. `database` is a file for SQLite
    and DuckDB, and postgresql://user:${PASSWORD}@host/name for PostgreSQL. It is only read from.
    """

    extra: ClassVar[str] = "sql"
    driver: Literal["sqlite", "duckdb", "postgresql"] = "sqlite"
    database: str = ""
    sql: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.database:
            raise InputError("sql", "name the database: a file, or postgresql://user@host/name")
        if set(_NAMED.findall(self.sql)) != {"query", "k"}:
            raise InputError("sql", "the statement must use :query and :k")
        if self.driver != "postgresql" and not Path(self.database).is_file():
            raise InputError(self.database, "no such file")
        with_environment(self.database)

    def needed_packages(self) -> tuple[str, ...]:
        return {"sqlite": (), "duckdb": ("duckdb",), "postgresql": ("pg8000",)}[self.driver]

    def secret_texts(self) -> tuple[str, ...]:
        return (self.database,)

    def place(self) -> str:
        return urlsplit(self.database).hostname or self.driver

    def connect(self, seconds: float) -> Connection:
        try:
            return {"sqlite": _Sqlite, "duckdb": _DuckDB, "postgresql": _PostgreSQL}[self.driver](self, seconds)
        except InputError:
            raise
        except Exception as error:  # each driver has errors of its own
            raise AskingFailedError(_reason(error), passes=True) from error


class _Database:
    """A connection whose driver raises errors of its own."""

    def ask(self, query: str, k: int) -> EngineHits:
        try:
            rows = self.rows(query, k)
        except AskingFailedError:
            raise
        except Exception as error:  # each driver has errors of its own
            raise AskingFailedError(_reason(error), passes=_passes(error)) from error
        if rows and len(rows[0]) < 2:
            return EngineHits([str(row[0]) for row in rows])
        try:
            return EngineHits([str(row[0]) for row in rows], [float(row[1]) for row in rows])
        except (TypeError, ValueError):
            raise AskingFailedError("the second column is not a score") from None

    def rows(self, query: str, k: int) -> list[Any]:
        raise NotImplementedError

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


class _Sqlite(_Database):
    def __init__(self, engine: SqlDatabase, seconds: float) -> None:
        import sqlite3
        import time

        self.sql, self.seconds, self.error = engine.sql, seconds, sqlite3.OperationalError
        self.database = sqlite3.connect(
            f"{Path(engine.database).resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        self.deadline = time.monotonic() + seconds
        self.now = time.monotonic
        self.database.set_progress_handler(lambda: self.now() > self.deadline, 10_000)
        self.database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ANSWER)
        # A connection for reading still writes other files: VACUUM INTO, which attaches them, and ATTACH itself.
        denied = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)
        self.database.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in denied else sqlite3.SQLITE_OK)

    def rows(self, query: str, k: int) -> list[Any]:
        self.deadline = self.now() + self.seconds
        try:
            return self.first_rows(self.database.execute(self.sql, {"query": query, "k": k}), k)
        except self.error as error:
            if self.now() <= self.deadline:
                raise
            raise _interrupted(self.seconds) from error

    def close(self) -> None:
        self.database.close()


class _DuckDB(_Database):
    def __init__(self, engine: SqlDatabase, seconds: float) -> None:
        duckdb = importlib.import_module("duckdb")
        self.sql, self.seconds, self.error = _NAMED.sub(r"$\1", engine.sql), seconds, duckdb.InterruptException
        # Nothing is written beside the database: what does not fit into memory is an error.
        settings = {"enable_external_access": "false", "memory_limit": MEMORY, "temp_directory": ""}
        self.database = duckdb.connect(engine.database, read_only=True, config=settings)
        statements = duckdb.extract_statements(self.sql)
        if len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT:
            value, problem = "COLUMNS(*)", f"error('a value is longer than {LONGEST_VALUE} bytes')"
            checked = f"CASE WHEN strlen({value}::VARCHAR) > {LONGEST_VALUE} THEN {problem} ELSE {value} END"
            self.sql = f"SELECT {checked} FROM (\n{_END.sub('', self.sql)}\n) AS answer"

    def rows(self, query: str, k: int) -> list[Any]:
        import threading

        watch = threading.Timer(self.seconds, self.database.interrupt)
        watch.start()
        try:
            result = self.database.execute(self.sql, {"query": query, "k": k})
            return self.first_rows(iter(result.fetchone, None), k)
        except self.error as error:
            raise _interrupted(self.seconds) from error
        finally:
            watch.cancel()

    def close(self) -> None:
        self.database.close()


class _PostgreSQL(_Database):
    def __init__(self, engine: SqlDatabase, seconds: float) -> None:
        native = importlib.import_module("pg8000.native")
        parts = urlsplit(with_environment(engine.database))
        place = unquote(parts.netloc.rpartition("@")[2])  # the folder of a socket may have capital letters
        host = place if place.startswith("/") else parts.hostname or "localhost"
        socket = {"unix_sock": f"{host}/.s.PGSQL.{parts.port or 5432}"} if host.startswith("/") else {}
        self.sql = engine.sql
        self.database = native.Connection(
            unquote(parts.username or "postgres"),
            host=host,
            port=parts.port or 5432,
            database=unquote(parts.path.lstrip("/")) or None,
            password=unquote(parts.password) if parts.password else None,
            timeout=seconds + 5,
            **socket,
        )
        self.database.run("SET default_transaction_read_only = on")
        self.database.run(f"SET statement_timeout = {int(1000 * seconds)}")

    def rows(self, query: str, k: int) -> list[Any]:
        found: list[Any] = self.database.run(self.sql, query=query, k=k)
        return found

    def close(self) -> None:
        self.database.close()


def _interrupted(seconds: float) -> AskingFailedError:
    return AskingFailedError(f"no answer within {seconds:g} s: the statement was interrupted", passes=True)


def _reason(error: Exception) -> str:
    """One line of a driver's error; pg8000 gives a table of letters, of which M is the message."""
    told = error.args[0] if error.args else ""
    text = told.get("M", "") if isinstance(told, dict) else str(told or error)
    return " ".join(f"{type(error).__name__}: {text}".split())[:300]


def _passes(error: Exception) -> bool:
    return isinstance(error, (OSError, TimeoutError)) or "Interface" in type(error).__name__
