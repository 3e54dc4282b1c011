"""What the connections to all databases share: rows become documents, and a driver's errors one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leadline.retrieval.engines.engine import LARGEST_ANSWER, AskingFailedError, EngineHits


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
