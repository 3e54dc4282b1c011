"""MySQL, MariaDB, and Sphinx, which speaks their protocol, through PyMySQL."""

from __future__ import annotations

import importlib
import re
from typing import Any

from leadline.errors import InputError
from leadline.retrieval.engines.databases.address import address_of
from leadline.retrieval.engines.databases.database import Database, interrupted
from leadline.retrieval.engines.databases.statements import code_of, with_places

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
            if _code(error) in TOO_LATE or isinstance(error.__context__, TimeoutError):
                raise interrupted(self.seconds) from error
            raise

    def passes(self, error: Exception) -> bool:
        return super().passes(error) or _code(error) in LOST

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


def _code(error: Exception) -> object:
    return error.args[0] if error.args else None
