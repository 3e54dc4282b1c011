"""Values of filters with blanks or signs inside: periods, comparisons of dates, classes and numbers of publications."""

from __future__ import annotations

import re

from leadline.retrieval.language.field_names import bracketed, period
from leadline.retrieval.language.text_cursor import RUN
from leadline.retrieval.language.tree import DATE_FILTERS

CLASS_FILTERS = ("class", "ipc", "cpc")
NUMBER_FILTERS = ("number", "cites", "cited-by", "family")
_EQUAL = (":", "=", "==")
_DATE = r'"?([0-9][0-9./-]*)"?'
_TWO_DATES = re.compile(rf"{_DATE}(?:\s*(?:\.\.+|…|->|[–—])\s*|\s+(?:-|to|TO)\s+){_DATE}(?!\w)")
_COMPARED = re.compile(rf"([<>]=?)\s*{_DATE}(?:([<>]=?)\s*{_DATE})?(?!\w)")
_SYMBOL = r"[A-HY][0-9]{2}(?:[A-Z](?:\s*[0-9]{1,4}/[0-9]{2,6}|[0-9]{1,4})?)?(?![\w/])"
_CLASS = re.compile(r"[A-HY][0-9]{2}[A-Z]\s+[0-9]{1,4}/[0-9]{2,6}(?!\w)", re.IGNORECASE)
_CLASSES = re.compile(rf"{_SYMBOL}(?:\s*[,;]\s*{_SYMBOL})+", re.IGNORECASE)
_NUMBER = re.compile(
    r"[A-Z]{2}(?:\s?[0-9]{1,3}(?:[ ,][0-9]{3})+|\s[0-9]+(?:/[0-9]+)?)(?:[A-Z][0-9]?|\s[A-Z][0-9])?(?![\w,])"
)


def spaced_values(field: str, text: str, at: int) -> tuple[list[str], int] | None:
    """A class or a number in several words, as C07D 401/04 or EP 1 000 000 A1, or classes with commas; and the end."""
    if field in CLASS_FILTERS and (several := _CLASSES.match(text, at)):
        return re.split(r"\s*[,;]\s*", several[0]), several.end()
    pattern = _CLASS if field in CLASS_FILTERS else _NUMBER if field in NUMBER_FILTERS else None
    match = pattern.match(text, at) if pattern else None
    return ([match[0]], match.end()) if match else None


def dates_at(field: str, sign: str, text: str, at: int) -> tuple[str, int] | None:
    """The period of a filter by date whose value begins here, and where it ends; None for a date alone.

    >>> dates_at("published", ":", "published:2010 to 2015 film", 10)
    ('2010..2015', 22)
    >>> dates_at("published", ">=", 'pd>="20100101"<="20151231"', 4)
    ('2010-01-01..2015-12-31', 26)
    """
    if field not in DATE_FILTERS:
        return None
    if match := bracketed(text, at):
        written, end = match[0], match.end()
    elif sign in _EQUAL and (match := _TWO_DATES.match(text, at)):
        written, end = f"{match[1].rstrip('.')}..{match[2]}", match.end()
    elif sign not in _EQUAL and (match := _COMPARED.match(text, at - len(sign))):
        written, end = match[1] + match[2], match.end()
        if match[3]:
            ends = [period(field, written), period(field, match[3] + match[4])]
            low, high = sorted(ends, key=lambda each: each.startswith(".."))
            return (low + high[2:], end) if low.endswith("..") and high.startswith("..") else None
    elif sign not in _EQUAL or text.startswith(("<", ">", ".."), at):
        found = RUN.match(text, at)
        written, end = ((sign if sign not in _EQUAL else "") + found[0], found.end()) if found else ("", at)
    else:
        return None
    dates = period(field, written)
    return (dates, end) if dates else None
