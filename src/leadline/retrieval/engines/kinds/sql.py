"""A database: any statement that returns ids, and scores where it has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Literal

from leadline.errors import InputError
from leadline.retrieval.engines.databases import (
    Database,
    DuckDB,
    MySQL,
    PostgreSQL,
    Sphinx,
    Sqlite,
    address_of,
    checked_select,
    places_in,
    reason_of,
)
from leadline.retrieval.engines.engine import AskingFailedError, Connection, SearchEngine, engine

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
