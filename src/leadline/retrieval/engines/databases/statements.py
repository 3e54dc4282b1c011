"""The places of `:query` and `:k` in a statement. In a text, a name or a comment they are no places."""

from __future__ import annotations

import re

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
