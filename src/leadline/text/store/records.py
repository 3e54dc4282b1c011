"""Records: values by their keys. Each has a checksum, and each set of records the sum of theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from leadline.errors import InputError, visible
from leadline.text.store.kind import RECORDS, Transaction, checked_text

LONGEST_KEY = 500  # characters
_NONE = bytes(32)  # the sum of no records
_ALL = 2**256  # sums are counted modulo this


class StoreRecords:
    """The records of one name in a store."""

    def __init__(self, transaction: Transaction, name: str) -> None:
        self._in, self._do, self._name = transaction, transaction.do, name
        self._exist = transaction.has("records")

    def put(self, key: str, value: Any) -> None:
        """Store a value, in place of the one that the key had."""
        self._in.check_change()
        if not key:
            raise InputError("key", "must not be empty")
        text = self._in.encoded(value)
        if not self._exist:
            for table in () if self._in.has("records") else RECORDS:  # records of another name may have made them
                self._do(table)
            self._exist = True
        before = self._found("digest", key)
        row = (self._name, key, _digest(text), text)
        self._do("insert or replace into records values (?, ?, ?, ?)", row)
        self._count(int(before is None), _hash(*row[:3]) - (_hash(self._name, key, before[0]) if before else 0))

    def remove(self, key: str) -> bool:
        """Remove the value of a key; whether there was one."""
        self._in.check_change()
        found = self._found("digest", key)
        if found is None:
            return False
        self._do("delete from records where name = ? and key = ?", (self._name, key))
        self._count(-1, -_hash(self._name, key, found[0]))
        return True

    def _count(self, by: int, hash: int) -> None:
        """Change the number of these records, and the sum of their hashes."""
        found = self._do("select count, sum from record_sums where name = ?", (self._name,)).fetchone()
        count, total = found or (0, _NONE)
        if count + by:
            row = self._name, count + by, _added(total, hash)
            self._do("insert or replace into record_sums values (?, ?, ?)", row)
        else:
            self._do("delete from record_sums where name = ?", (self._name,))

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default where it has none."""
        found = self._found("digest, value", key)
        if found is None:
            return default
        digest, text = found
        if _digest(text) != digest:
            raise self.damaged(f"the record {visible(key)} was changed")
        return self._in.decoded(text)

    def _found(self, columns: str, key: str) -> tuple[Any, ...] | None:
        checked_text("key", key, LONGEST_KEY)
        if not self._exist:
            return None
        found: tuple[Any, ...] | None = self._do(
            f"select {columns} from records where name = ? and key = ?", (self._name, key)
        ).fetchone()
        return found

    def keys(self) -> list[str]:
        """The keys in their order."""
        if not self._exist:
            return []
        return [row[0] for row in self._do("select key from records where name = ? order by key", (self._name,))]

    def items(self) -> Iterator[tuple[str, Any]]:
        """Keys and their values, in the order of the keys."""
        return ((key, self.get(key)) for key in self.keys())

    def __contains__(self, key: str) -> bool:
        return self._found("1", key) is not None

    def __len__(self) -> int:
        return len(self.keys())

    def last_key(self) -> str:
        """The key that is last in the order of keys; empty where there is none."""
        if not self._exist:
            return ""
        return str(self._do("select max(key) from records where name = ?", (self._name,)).fetchone()[0] or "")

    def damaged(self, problem: str) -> InputError:
        return self._in.damaged(problem)


def records_problem(transaction: Transaction, *, values: bool = False) -> str:
    """What does not fit in the records of a store, with `values` in full; empty if all is sound."""
    if not transaction.has("records"):
        return "its records are not there" if transaction.has("record_sums") else ""
    do = transaction.do
    types = {"name": "text", "key": "text", "digest": "blob", "value": "text"}
    wrong = " or ".join(f"typeof({name}) != '{type}'" for name, type in types.items())
    if do(f"select count(*) from records where {wrong}").fetchone()[0]:
        return "it has a record of another type"
    sums: dict[str, tuple[int, bytes]] = {}
    for name, key, digest in do("select name, key, digest from records"):
        count, total = sums.get(name, (0, _NONE))
        sums[name] = count + 1, _added(total, _hash(name, key, digest))
    if sums != {name: (count, total) for name, count, total in do("select name, count, sum from record_sums")}:
        return "its records are not those that were stored"
    for name, key, digest, text in do("select name, key, digest, value from records") if values else ():
        if _digest(text) != digest:
            return f"the record {visible(key)} of {visible(name)} was changed"
    return ""


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _hash(name: str, key: str, digest: bytes) -> int:
    return int.from_bytes(hashlib.sha256(ascii((name, key, digest)).encode()).digest(), "big")


def _added(total: bytes, hash: int) -> bytes:
    """A sum with one more hash: the same in whatever order records come and go."""
    return ((int.from_bytes(total, "big") + hash) % _ALL).to_bytes(32, "big")
