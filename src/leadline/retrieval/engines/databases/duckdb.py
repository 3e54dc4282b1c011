"""DuckDB, through its package."""

from __future__ import annotations

import importlib
import re
import threading
from typing import Any

from leadline.retrieval.engines.databases.database import Database, interrupted
from leadline.retrieval.engines.databases.statements import with_places

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
