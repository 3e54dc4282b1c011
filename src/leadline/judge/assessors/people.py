"""Who may judge: people with a role and a personal link. The link's token is kept only as a hash, and expires.

>>> from tempfile import TemporaryDirectory
>>> folder = TemporaryDirectory()
>>> people = People(Path(folder.name) / "pool.people")
>>> token = people.add("anna", "assessor")
>>> people.find(token).name, people.find("guessed") is None
('anna', True)
>>> folder.cleanup()
"""

from __future__ import annotations

import datetime
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import get_args

from leadline.errors import InputError, checked_choice
from leadline.judge.assessors.journal import Role
from leadline.text.checksums import read_sealed, sealed
from leadline.text.files import write_whole

WHAT, FORMAT = "a file of people who judge", 1
DAYS = 60  # until a link expires
_NAME = re.compile(r"[\w .@'-]{1,60}")
_REPAIR = "add the people again"


def check_name(name: str) -> None:
    """Refuse a name that cannot be that of a person."""
    if not _NAME.fullmatch(name):
        raise InputError("name", f"{name!r} must be 1 to 60 letters, digits, spaces or . @ ' -")


@dataclass(frozen=True)
class Person:
    """One person who may sign in."""

    name: str
    role: Role
    token: str  # the SHA-256 of the token: 256 random bits need no slower hash
    expires: str  # UTC
    revoked: bool = False

    @property
    def has_expired(self) -> bool:
        return self.seconds_left <= 0

    @property
    def seconds_left(self) -> int:
        """Until the link expires."""
        return int((datetime.datetime.fromisoformat(self.expires) - _now()).total_seconds())


class People:
    """The people of a pool, in a file that only its owner may read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._seen = self._version()
        self._people = {person.name: person for person in self._read()}

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people.values())

    def refresh(self) -> None:
        """Read the file again if somebody changed it."""
        version = self._version()
        if version != self._seen:
            self._people = {person.name: person for person in self._read()}
            self._seen = version

    def get(self, name: str) -> Person | None:
        """The person with this name."""
        return self._people.get(name)

    def _version(self) -> tuple[int, int, int] | None:
        """What tells one state of the file from another: every change replaces it."""
        try:
            about = os.stat(self.path)
        except FileNotFoundError:
            return None
        return about.st_ino, about.st_mtime_ns, about.st_size

    def add(self, name: str, role: Role, *, days: float = DAYS) -> str:
        """Add a person, or give one a new link; returns the token, which is not kept."""
        checked_choice("role", role, get_args(Role))
        check_name(name)
        if not 0 < days <= 3650:
            raise InputError("days", f"must be above 0 and at most 3650, got {days:g}")
        known = self._people.get(name)
        if known is not None and known.role != role:
            raise InputError(name, f"is {known.role} already; choose another name for the {role}")
        token = secrets.token_urlsafe(32)
        expires = _now() + datetime.timedelta(days=days)
        self._people[name] = Person(name, role, _hash(token), expires.isoformat(timespec="seconds"))
        self._write()
        return token

    def revoke(self, name: str) -> None:
        """End a person's link at once."""
        if name not in self._people:
            raise InputError(name, f"is not among the people: {', '.join(self._people) or 'there are none'}")
        self._people[name] = replace(self._people[name], revoked=True)
        self._write()

    def find(self, token: str) -> Person | None:
        """The person with this token; None if it is wrong, expired or revoked. Takes as long whichever it is."""
        wanted, found = _hash(token), None
        for person in self._people.values():
            if hmac.compare_digest(person.token, wanted):
                found = person
        if found is None or found.revoked or found.has_expired:
            return None
        return found

    def _read(self) -> list[Person]:
        content = read_sealed(self.path, WHAT, FORMAT, _REPAIR)
        if content is None:
            return []
        return [Person(**entry) for entry in content["people"]]

    def _write(self) -> None:
        people = [asdict(person) for person in self._people.values()]
        write_whole(self.path, sealed({"what": WHAT, "format": FORMAT, "people": people}))
        self.path.chmod(0o600)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
