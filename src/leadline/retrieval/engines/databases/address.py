"""The address of a database: `driver://user:${PASSWORD}@host:port/name`; the host may be the path of a socket."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from leadline.errors import InputError
from leadline.retrieval.engines.environment import with_environment

_PLACE = re.compile(r"\[(?P<numbers>[^]]*)\](?::(?P<at>\d+))?|(?P<host>[^:]*)(?::(?P<port>\d+))?")


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
    place = _PLACE.fullmatch(where)
    if not parts.scheme or place is None:
        raise InputError("sql", "database must be an address such as postgresql://user:${PASSWORD}@host:port/name")
    host, port = place["host"] or place["numbers"] or "localhost", place["port"] or place["at"]
    number = int(port) if port else None
    return DatabaseAddress(filled(host), number, filled(user), filled(password), filled(parts.path.removeprefix("/")))
