"""Names that Vega can draw."""

from __future__ import annotations

from typing import Any

# Vega keeps groups in JavaScript objects, in which these names already mean something.
_TAKEN = frozenset(
    [
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
        "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    ]
)  # fmt: skip
_INVISIBLE = "\N{WORD JOINER}"


def drawable(data: Any) -> Any:
    """Return data or a specification with every name that Vega cannot draw made drawable: it looks the same.

    >>> drawable({"run": ["bm25", "constructor"]}) == {"run": ["bm25", "constructor\\N{WORD JOINER}"]}
    True
    """
    if isinstance(data, str):
        return data + _INVISIBLE if data in _TAKEN else data
    if isinstance(data, dict):
        return {drawable(name): drawable(value) for name, value in data.items()}
    return [drawable(value) for value in data] if isinstance(data, (list, tuple)) else data
