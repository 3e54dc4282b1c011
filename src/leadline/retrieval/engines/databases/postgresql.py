"""PostgreSQL, through pg8000."""

from __future__ import annotations

import importlib
from typing import Any

from leadline.retrieval.engines.databases.address import address_of
from leadline.retrieval.engines.databases.database import Database, interrupted

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
