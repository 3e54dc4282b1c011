"""The fields of a record: one function per field, which returns its value or raises a ValueError with the place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from leadline.collections.documents.claims import limited, split
from leadline.collections.documents.claims import parents as parents_in
from leadline.collections.documents.classes import symbol
from leadline.collections.documents.document import ORIGINS, Citation, Claim, Priority
from leadline.collections.documents.fields.st36_parts import application_name
from leadline.collections.documents.numbers import normalise
from leadline.errors import not_a_choice
from leadline.text.days import iso

_PRINTED_NUMBER = re.compile(r"([0-9]{1,7})\s?[.)]\s+")
_MAX_CLAIM_NUMBER = 10**6  # claim numbers are stored in four bytes


def shown(value: Any) -> str:
    """A value as a message shows it: its type for an object or a list, else its first 40 characters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    return json.dumps(value)[:40] if value is None or isinstance(value, bool) else repr(value)[:40]


def plain_text(where: str, value: Any) -> str:
    """A text. A whole number is accepted, since spreadsheets turn names into numbers."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1:
        return str(int(value))
    raise ValueError(f"{where}: {shown(value)}, expected a text")


def _family(where: str, value: Any) -> str:
    """The name of a family; a list is of its members, which another field has."""
    if isinstance(value, (list, tuple)):
        fix = 'a list of members is called relatives; write it so, or use --map with [fields] relatives = "family"'
        raise ValueError(f"{where}: {shown(value)}, expected a text: {fix}")
    return plain_text(where, value)


def _normalised(where: str, value: Any, normal: Callable[[str], str], expected: str) -> str:
    """A text in its normal spelling; ValueError when a text that is not empty has none."""
    text = plain_text(where, value).strip()
    found = normal(text)
    if text and not found:
        raise ValueError(f"{where}: {text[:40]!r} is {expected}")
    return found


def _date(where: str, value: Any) -> str:
    return _normalised(where, value, iso, "not a date, expected YYYY-MM-DD")


def _symbol(where: str, value: Any) -> str:
    return _normalised(where, value, symbol, "not a class symbol, expected one such as C07D401/04")


def _number(where: str, value: Any) -> str:
    text = plain_text(where, value).strip()
    return normalise(text).id if text else ""


def _application(where: str, value: Any) -> str:
    """The number of an application. Unlike a publication's number it keeps its zeros."""
    text = plain_text(where, value).strip().upper()
    return application_name(text[:2], text[2:]) if text[:2].isalpha() else text


def _items(where: str, value: Any, expected: str) -> list[Any]:
    """The items of a list. A text is divided at semicolons, as in the cells of a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return []
    if isinstance(value, str):
        return [item for item in map(str.strip, value.split(";")) if item]
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{where}: {shown(value)}, expected a list of {expected}")
    return [item for item in value if item is not None]


def _list_of(read_one: Callable[[str, Any], str], expected: str) -> Callable[[str, Any], tuple[str, ...]]:
    def read_list(where: str, value: Any) -> tuple[str, ...]:
        items = _items(where, value, expected)
        return tuple(filter(None, (read_one(f"{where}[{place}]", item) for place, item in enumerate(items))))

    return read_list


def _claims(where: str, value: Any) -> tuple[Claim, ...]:
    """Claims from a list of texts or objects, or from one text with all of them, which is cut at their numbers."""
    if isinstance(value, str):
        return split(value)
    items = enumerate(_items(where, value, "texts or of {number, text, parents}"))
    claims = limited(_claim(f"{where}[{place}]", item, place + 1) for place, item in items)
    numbers: set[int] = set()
    for claim in claims:
        if claim.number in numbers:
            raise ValueError(f"{where}: claim {claim.number} is listed twice")
        if later := [parent for parent in claim.parents if parent >= claim.number]:
            raise ValueError(f"{where}: claim {claim.number} cannot depend on claim {later[0]}, which is not before it")
        numbers.add(claim.number)
    return claims


def _claim(where: str, value: Any, place: int) -> Claim:
    if not isinstance(value, Mapping):
        words = plain_text(where, value).strip()
        own_number = _PRINTED_NUMBER.match(words)
        if own_number and own_number[1] == str(place):
            words = words[own_number.end() :]
        return Claim(place, words, parents_in(words, place))
    number = _claim_number(f"{where}.number", value.get("number", place))
    words = plain_text(f"{where}.text", value.get("text"))
    if value.get("parents") is None:
        return Claim(number, words, parents_in(words, number))
    found = _items(f"{where}.parents", value["parents"], "claim numbers")
    return Claim(number, words, tuple(_claim_number(f"{where}.parents", parent) for parent in found))


def _claim_number(where: str, value: Any) -> int:
    text = plain_text(where, value).strip()
    if not (text.isascii() and text.isdigit() and int(text[:20]) < _MAX_CLAIM_NUMBER):
        raise ValueError(f"{where}: {shown(value)}, expected a claim's number")
    return int(text)


def _priorities(where: str, value: Any) -> tuple[Priority, ...]:
    items = enumerate(_items(where, value, "{number, date}"))
    found = (_priority(f"{where}[{place}]", item) for place, item in items)
    return tuple(priority for priority in found if priority != Priority(""))


def _priority(where: str, value: Any) -> Priority:
    """A priority from an object, or from a text with a number, a date, or both with a blank between."""
    if isinstance(value, Mapping):
        return Priority(_application(f"{where}.number", value.get("number")), _date(f"{where}.date", value.get("date")))
    text = plain_text(where, value).strip()
    if date := iso(text):
        return Priority("", date)
    number, _, last = text.rpartition(" ")
    if number and (date := iso(last)):
        return Priority(_application(where, number), date)
    return Priority(_application(where, text))


def _citations(where: str, value: Any) -> tuple[Citation, ...]:
    items = enumerate(_items(where, value, "numbers or of {number, origin, category, date, text}"))
    found = (_citation(f"{where}[{place}]", item) for place, item in items)
    return tuple(citation for citation in found if citation.number or citation.text)


def _citation(where: str, value: Any) -> Citation:
    if not isinstance(value, Mapping):
        return Citation(_number(where, value))
    origin = plain_text(f"{where}.origin", value.get("origin")).strip().lower() or "unknown"
    if origin not in ORIGINS:
        raise ValueError(str(not_a_choice(f"{where}.origin", origin[:40], ORIGINS)))
    return Citation(
        number=_number(f"{where}.number", value.get("number")),
        origin=origin,
        category=plain_text(f"{where}.category", value.get("category")),
        date=_date(f"{where}.date", value.get("date")),
        text=plain_text(f"{where}.text", value.get("text")),
    )


FIELD_READERS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("id", "office", "serial", "kind", "language"), plain_text),
    "family": _family,
    **dict.fromkeys(("title", "abstract", "description"), plain_text),
    **dict.fromkeys(("application", "publication"), _date),
    "application_number": _application,
    **dict.fromkeys(("ipc", "cpc"), _list_of(_symbol, "class symbols")),
    **dict.fromkeys(("national", "applicants", "inventors"), _list_of(plain_text, "texts")),
    "relatives": _list_of(_number, "numbers"),
    "citers": _list_of(_number, "numbers"),
    "claims": _claims,
    "priorities": _priorities,
    "citations": _citations,
}
