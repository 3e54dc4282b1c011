"""JSON that every reader accepts."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from leadline.errors import visible

_NOT_UNICODE = re.compile("[\ud800-\udfff]")
_HIDDEN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")  # could control a terminal


def json_text(value: Any, *, indent: int | None = 1) -> str:
    """Return a value as JSON: a number that is not finite is null, and a byte that is not UTF-8 is written as \\xff.

    >>> json_text({"AP": float("nan"), "run": "a\\udcff"}, indent=None)
    '{"AP": null, "run": "a\\\\\\\\xff"}'
    """
    text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    if text.isascii():
        return text
    text = _NOT_UNICODE.sub(lambda found: visible(found[0]).replace("\\", "\\\\"), text)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _finite(value: Any) -> Any:
    """The value with None for every number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, (list, tuple)) else value
