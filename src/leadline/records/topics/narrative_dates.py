"""Limits on the date of publication that a topic's text asks for: "documents published after 1997"."""

from __future__ import annotations

import re
from typing import NamedTuple

from leadline.text.days import day_number, iso

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:{_MONTH}\s+)?(?:\d{{1,2}},?\s+)?(?:1[89]|20|21)\d\d(?:-\d\d(?:-\d\d)?)?"
_PUBLISHED = r"(?:published|issued|dated|printed|appear(?:ed|ing)|publications?|documents|patents|articles|papers)"
_NOT = r"(?P<not>\bnot\s+)?"
_RANGE = rf"{_PUBLISHED}\s+(?:in\s+the\s+years?\s+)?(?:between|from)\s+(?P<first>{_DATE})\s+(?:and|to|until|till)\s+"
_BETWEEN = re.compile(rf"{_NOT}\b{_RANGE}(?P<last>{_DATE})", re.IGNORECASE)
_ONE = r"(?P<when>after|since|from|before|until|till|up\s+to|by|in|during|later\s+than|earlier\s+than)"
_SINGLE = re.compile(rf"{_NOT}\b{_PUBLISHED}\s+(?:only\s+)?{_ONE}\s+(?P<date>{_DATE})", re.IGNORECASE)
_OPEN = r"\s+(?:onwards?|or\s+later)\b"
_ONWARDS = re.compile(_OPEN, re.IGNORECASE)


class DateLimits(NamedTuple):
    """The first and the last day that documents may be published on, in days since 1970, and the words that say so."""

    first: int | None
    last: int | None
    words: str


def date_limits(text: str) -> DateLimits | None:
    """The limits that a text asks for, or None. Only words about publication count: "heated after 1997" does not.

    A year is meant whole: "after 1997" begins on 1 January 1998. "Not published after" is the opposite.

    >>> date_limits("all documents published after 1997 describing inks")
    DateLimits(first=10227, last=None, words='published after 1997')
    >>> date_limits("patents between 1990 and May 1995").words, date_limits("stirred until 1997 rpm")
    ('patents between 1990 and May 1995', None)
    """
    if (match := _BETWEEN.search(text)) is not None and not match["not"]:
        return DateLimits(_day(match["first"]), _day(match["last"], late=True), _words(match[0]))
    if (match := _SINGLE.search(text)) is None:
        return None
    when, date = " ".join(match["when"].lower().split()), match["date"]
    first, last = _limits(when, date)
    onwards = _ONWARDS.match(text, match.end())
    if when in ("in", "from") and onwards is not None:
        last = None
    if match["not"]:
        if first is not None and last is not None:
            return None  # not in a certain year: two spans, which no filter here has
        first, last = (None, first - 1) if first is not None else (last + 1 if last is not None else None, None)
    return DateLimits(first, last, _words(match[0] + (onwards[0] if onwards else "")))


def _limits(when: str, date: str) -> tuple[int | None, int | None]:
    """The first and last day for a word such as "after", with a date that may be a year or a month."""
    if when in ("after", "later than"):
        return _day(date, late=True) + 1, None
    if when in ("since", "from"):
        return _day(date), None
    if when in ("before", "earlier than"):
        return None, _day(date) - 1
    if when in ("until", "till", "up to", "by"):
        return None, _day(date, late=True)
    return _day(date), _day(date, late=True)  # in, during


def _day(date: str, *, late: bool = False) -> int:
    written = " ".join(date.split())
    return day_number(iso(written) or written[-4:], late=late)


def _words(found: str) -> str:
    return " ".join(found.split())
