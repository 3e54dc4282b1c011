"""Dates as far as they are sure: `1998-08-12`, `1998-08`, `1998`.

A day that the calendar does not have is dropped: 30 February is some day in February. A year of two digits is not read,
since its century is unknown. Where day and month could be swapped, `3/4/1998`, only the year is kept. Arrays hold days
as whole numbers since 1 January 1970.
"""

from __future__ import annotations

import calendar
import datetime
import re
from functools import lru_cache

from leadline.errors import InputError

EPOCH = datetime.date(1970, 1, 1)  # day 0
UNKNOWN_DAY = -(2**31)  # in arrays of days

# Beginnings of the months' names in English, German and French.
_MONTHS = (
    ("jan",),
    ("feb", "fév", "fev"),
    ("mar", "mär", "mae", "mrz"),
    ("apr", "avr"),
    ("may", "mai"),
    ("jun", "juin"),
    ("jul", "juil"),
    ("aug", "aoû", "aou"),
    ("sep",),
    ("oct", "okt"),
    ("nov",),
    ("dec", "dez", "déc"),
)
_BEGINNINGS = {name: month for month, names in enumerate(_MONTHS, start=1) for name in names}

_DIGITS = re.compile(r"([0-9]{4})(?:([0-9]{2})([0-9]{2})?)?")
_YEAR_FIRST = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})(?:\2([0-9]{1,2}))?(?![0-9])")
_YEAR_LAST = re.compile(r"([0-9]{1,2})\s?([-/.])\s?([0-9]{1,2})\s?\2\s?([0-9]{4})(?![0-9])")
_DAY = r"([0-9]{1,2})(?:st|nd|rd|th|er|\.)?"
_NAMED = re.compile(
    rf"(?:{_DAY}[\s-]*(?:of\s)?)?\b([^\W\d_]{{3,9}})\b\.?[\s-]*(?:{_DAY}(?:,\s*|\s+))?,?\s*([0-9]{{4}})(?![0-9])"
)
_MONTH_LAST = re.compile(r"([0-9]{1,2})[-/.]([0-9]{4})(?![0-9])")


@lru_cache(maxsize=1 << 16)
def iso(text: str) -> str:
    """Return the date in a text, as far as it is sure; empty if there is none.

    >>> iso("19980812"), iso("19980800"), iso("Aug. 12, 1998"), iso("12.08.1998"), iso("19991301")
    ('1998-08-12', '1998-08', '1998-08-12', '1998-08-12', '1999')
    """
    text = " ".join(text.split())
    if match := _DIGITS.fullmatch(text):
        return _sure(match[1], match[2], match[3])
    if match := _YEAR_FIRST.match(text):
        return _sure(match[1], match[3], match[4])
    if match := _YEAR_LAST.match(text):
        first, mark, second, year = match.groups()
        if mark == "." or int(first) > 12 or int(first) == int(second):
            return _sure(year, second, first)
        return _sure(year, first, second) if int(second) > 12 else _sure(year, "", "")
    if match := _MONTH_LAST.match(text):
        return _sure(match[2], match[1], "")
    if match := _NAMED.match(text):
        before, name, after, year = match.groups()
        month = _BEGINNINGS.get(name[:4].lower()) or _BEGINNINGS.get(name[:3].lower())
        return _sure(year, str(month), before or after) if month else ""
    return ""


def _sure(year: str, month: str | None, day: str | None) -> str:
    """The parts of a date that the calendar has."""
    if not "1000" <= year < "2200":  # two digits each of year, month and day would make the year 9808
        return ""
    if not month or not 1 <= int(month) <= 12:
        return year
    try:
        return datetime.date(int(year), int(month), int(day or 0)).isoformat()
    except ValueError:
        return f"{year}-{int(month):02d}"


def day_number(date: datetime.date | str, *, late: bool = False) -> int:
    """Return a date as days since 1970. Of a partial date, the first day it may be, or with `late` the last.

    >>> day_number("1970-02"), day_number("1970", late=True), day_number(datetime.date(1971, 1, 1))
    (31, 364, 365)
    """
    if isinstance(date, str):
        date = datetime.date.fromisoformat(date if len(date) == 10 else _completed(date, late))
    return date.toordinal() - EPOCH.toordinal()


def _completed(date: str, late: bool) -> str:
    if not late:
        return (date + "-01-01")[:10]
    year, month = int(date[:4]), int(date[5:7] or 12)
    return f"{year:04d}-{month:02d}-{calendar.monthrange(year, month)[1]}"


def parse_date(text: str, *, late: bool = False) -> datetime.date:
    """Return the date that a user wrote; a month or a year is its first day, or with `late` its last.

    >>> parse_date("1998-08-12"), parse_date("1998"), parse_date("1998", late=True)
    (datetime.date(1998, 8, 12), datetime.date(1998, 1, 1), datetime.date(1998, 12, 31))
    """
    written = iso(text)
    if not written:
        raise InputError("date", f"{text!r} is not a date; write 1998-08-12")
    digits = _DIGITS.fullmatch(text.strip())
    parts = [part for part in digits.groups() if part] if digits else re.findall(r"[0-9]+|[^\W\d_]{3,}", text)
    if written.count("-") + 1 < min(len(parts), 3):  # the calendar lacks the day, or day and month could be swapped
        raise InputError("date", f"{text!r} is not one day of the calendar; write 1998-08-12")
    return datetime.date.fromisoformat(written if len(written) == 10 else _completed(written, late))
