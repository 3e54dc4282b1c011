"""Places in JSON: `hits.hits` is the value of "hits" in that of "hits"; a number is a place in a list.

A key that has a dot itself is written in quotes: `meta."doc.id"`.
"""

from __future__ import annotations

import re
from typing import Any

_PART = re.compile(r'"([^"]*)"|([^."]+)')


def parts_of(path: str) -> list[str]:
    """The keys of a path.

    >>> parts_of('hits.0."doc.id"')
    ['hits', '0', 'doc.id']
    """
    return [quoted or plain for quoted, plain in _PART.findall(path)]


def value_at(content: Any, path: str, whole: str = "the answer") -> Any:
    """The value at a path; the whole content for an empty path. A KeyError names the keys that `whole` has there.

    >>> value_at({"hits": [{"id": "EP1"}]}, "hits.0.id")
    'EP1'
    """
    found = content
    for place, part in enumerate(parts_of(path)):
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
        else:
            where = f"{'.'.join(parts_of(path)[:place])} of {whole}" if place else whole
            raise KeyError(f"no {part!r} in {where}, which has {_contents(found)}")
    return found


def _contents(found: Any) -> str:
    if isinstance(found, dict):
        return ", ".join(repr(str(key)[:30]) for key in list(found)[:6]) or "no keys"
    return f"{len(found)} entries" if isinstance(found, list) else f"{str(found)[:30]!r}"
