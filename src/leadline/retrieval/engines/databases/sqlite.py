"""SQLite, of the standard library."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from leadline.retrieval.engines.databases.database import Database, interrupted
from leadline.retrieval.engines.engine import LARGEST_ANSWER


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
