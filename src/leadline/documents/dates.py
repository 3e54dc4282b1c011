"""Dates as far as they are sure: `1998-08-12`, `1998-08`, `1998`."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache

_MONTHS = {
    name: month
    for month, names in enumerate(
        ("jan", "feb fév", "mar mär mrz", "apr avr", "may mai", "jun juin", "jul juil", "aug aoû", "sep", "oct okt", "nov", "dec dez déc"),
        start=1,
    )
    for name in names.split()
}
_DIGITS = re.compile(r"([0-9]{4})(?:([0-9]{2})([0-9]{2})?)?")
_YEAR_FIRST = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})(?:[-/.]([0-9]{1,2}))?(?![0-9])")
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])\s?([0-9]{1,2})[-/.]\s?([0-9]{4})")
_NAMED = re.compile(r"(?:([0-9]{1,2})(?:st|nd|rd|th|\.|er)?[\s-]*)?([^\W\d_]{3,10})\.?[\s-]*(?:([0-9]{1,2})(?:st|nd|rd|th)?,?\s+|,\s*)?([0-9]{4})")


@lru_cache(maxsize=1 << 16)
def iso(text: str) -> str:
    """The date that a text spells, as far as it is sure; empty where there is none.

    >>> iso("19980812"), iso("19980800"), iso("Aug. 12, 1998"), iso("12.08.1998"), iso("19991301")
    ('1998-08-12', '1998-08', '1998-08-12', '1998-08-12', '1999')
    """
    text = " ".join(text.split())
    if match := _DIGITS.fullmatch(text) or _YEAR_FIRST.match(text):
        return _sure(match[1], match[2], match[3])
    if match := _YEAR_LAST.match(text):
        first, mark, second, year = match.groups()
        if mark == "." or int(first) > 12 or first == second:
            return _sure(year, second, first)
        return _sure(year, first, second) if int(second) > 12 else _sure(year, None, None)
    if match := _NAMED.match(text):
        before, name, after, year = match.groups()
        month = _month(name)
        return _sure(year, str(month), before or after) if month else _sure(year, None, None)
    return ""


def _month(name: str) -> int:
    small = name.lower()
    return _MONTHS.get(small[:4]) or _MONTHS.get(small[:3]) or 0


def _sure(year: str, month: str | None, day: str | None) -> str:
    """As much of a date as the calendar has: not month 13, nor the thirtieth of February."""
    if int(year) == 0:
        return ""
    if not month or not 1 <= int(month) <= 12:
        return year
    try:
        return datetime.date(int(year), int(month), int(day or 0)).isoformat()
    except ValueError:
        return f"{year}-{int(month):02d}"
