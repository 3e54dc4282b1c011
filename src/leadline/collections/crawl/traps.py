"""Addresses without end: calendars, paths that repeat themselves, ever new parameters, pages that only lead on."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from urllib.parse import urlsplit

MOST_SEGMENTS = 20  # of a path
MOST_PARAMETERS = 12
MOST_REPEATS = 3  # how often a segment may be in a path
MOST_QUERIES = 200  # different parameters for one path
MOST_OF_A_CALENDAR = 400  # pages of one calendar: more than thirty years of months
YEARS_AHEAD = 2
FIRST_YEAR = 1970  # of a calendar; documents about older years are not pages of one
CHAIN = "endless chain"
_DIGITS = re.compile(r"\d+")
_CODES = re.compile(r"(?=[\w-]*\d)[\w-]{6,}|\d+")  # longer words with a digit, and numbers
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|[2-9]\d\d\d)(?!\d)")
_MONTH = re.compile(r"(?<!\d)(?:19|20|21)\d\d[-/_.]?(?:0?[1-9]|1[0-2])(?!\d{2})")
_CALENDAR = re.compile(r"calend|kalend|/events?(?:/|$)|agenda|(?:^|[?&])(?:year|month|week|day|date)=", re.IGNORECASE)


def trap_in(address: str, today: datetime.date | None = None) -> str:
    """What makes one address look endless; empty if nothing does.

    >>> trap_in("http://a.example/x/y/x/y/x/y/x")
    'repeated segments'
    >>> trap_in("http://a.example/calendar?year=2999&month=1"), trap_in("http://a.example/docs/2999.html")
    ('calendar', '')
    """
    parts = urlsplit(address)
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        return "deep path"
    if segments and max(Counter(segments).values()) > MOST_REPEATS:
        return "repeated segments"
    if any(segments[place] == segments[place + 1] == segments[place + 2] for place in range(len(segments) - 2)):
        return "repeated segments"
    if parts.query.count("&") >= MOST_PARAMETERS:
        return "endless parameters"
    if _is_calendar(parts.path, parts.query):
        years = [int(year) for year in _YEAR.findall(f"{parts.path}?{parts.query}")]
        this_year = (today or datetime.datetime.now(datetime.UTC).date()).year
        if any(year > this_year + YEARS_AHEAD or year < FIRST_YEAR for year in years):
            return "calendar"
    return ""


def _is_calendar(path: str, query: str) -> bool:
    """Whether an address is that of a day or a month."""
    whole = f"{path}?{query}"
    return _CALENDAR.search(whole) is not None or (bool(query) and _MONTH.search(query) is not None)


def folder_shape(address: str) -> str:
    """The folder of an address and the names of its parameters, without numbers.

    A folder whose pages are ever farther from the seeds is a chain: each of them leads on to the next.

    >>> folder_shape("http://a.example/list/2024/7?page=3"), folder_shape("http://a.example/next/9")
    ('http://a.example/list/0/?page', 'http://a.example/next/')
    """
    parts = urlsplit(address)
    names = "&".join(sorted({each.partition("=")[0] for each in parts.query.split("&")}))
    folder = _CODES.sub("0", parts.path.rpartition("/")[0])
    return f"{parts.scheme}://{parts.netloc}{folder}/{'?' if names else ''}{names}"


def shapes(address: str) -> list[tuple[str, int, str]]:
    """What many addresses of a trap share, how many of that are allowed, and what they are then called.

    >>> shapes("http://a.example/list?sort=name&page=7")
    [('?http://a.example/list', 200, 'endless parameters')]
    """
    parts = urlsplit(address)
    place = f"{parts.scheme}://{parts.netloc}{parts.path}"
    found = []
    if parts.query:
        found.append((f"?{place}", MOST_QUERIES, "endless parameters"))
    if _is_calendar(parts.path, parts.query):
        shape = _DIGITS.sub("0", f"{place}?{parts.query}")
        found.append((f"#{shape}", MOST_OF_A_CALENDAR, "calendar"))
    return found
