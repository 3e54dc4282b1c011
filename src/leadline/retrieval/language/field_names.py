"""The names of fields and filters in the search systems that people come from, and the values of filters."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from leadline.collections.documents.classes import levels, symbol
from leadline.errors import InputError
from leadline.retrieval.language.tree import DATE_FILTERS
from leadline.text.days import day_number, iso

ALIASES = {
    "title": "ti ttl", "abstract": "ab abs abst", "claims": "cl clm clms aclm", "description": "de desc spec detd",
    "title,abstract": "ta tiab", "title,abstract,claims": "tac", "applicant": "pa as asg assignee applicants aanm",
    "inventor": "in inv inventors", "number": "pn pnr patent publication-number", "kind": "kd kc", "ipc": "ic icl int",
    "cpc": "cpcs", "class": "cls classification", "published": "pd py pub publication isd dp",
    "filed": "ad apd fd filing application", "priority": "pr prd pri prio", "cites": "ct citing",
    "cited-by": "citedby cited_by", "family": "fam", "office": "cc country", "language": "la lang",
}  # fmt: skip
FIELD_OF = {name: field for field, names in ALIASES.items() for name in names.split()}
_TWO_READINGS = re.compile(r"([0-9]{1,2})\s?([-/])\s?([0-9]{1,2})\s?\2\s?([0-9]{4})")
_YEARS = re.compile(r"([0-9]{4})\s*[-–:]\s*([0-9]{4})|([0-9]{6,8}):([0-9]{6,8})")
_COMPARED = re.compile(r"(<=|>=|<|>)\s*(.+)")
_BRACKETS = re.compile(r"([\[{(])\s*([^\s\[\]{}()]+)\s+(?:TO|to)\s+([^\s\[\]{}()]+)\s*([\]})])")
_WHOLE_DAY = re.compile(r"[0-9]{8}|[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}")
_CUT_OFF = re.compile(r"[?$+#]+$|/(?:LOW)?$")  # after a class, for those under it, which are always meant
_DAY = datetime.timedelta(days=1)

EXPECTED = {
    "class": "write a class like C07, C07D or C07D401/04",
    "office": "write an office in two letters",
    "before": "write a day like 1998-08-12, or a month or year",
    "kind": "write a kind like B2",
    "language": "write a language in two letters",
    "applicant": "write a name",
    "number": "write the number of a document",
    "published": "write a day, a month or a year, or two with .. between them: 2010..2015",
}
for _same, _as in (("ipc", "class"), ("cpc", "class"), ("after", "before"), ("filed", "published"),
                   ("priority", "published"), ("inventor", "applicant"), ("cites", "number"), ("cited-by", "number"),
                   ("family", "number")):  # fmt: skip
    EXPECTED[_same] = EXPECTED[_as]


def field_named(name: str, fields: list[str]) -> str:
    """The field or filter that a name means, several with commas between them; empty where there is none."""
    lower = name.lower()
    if lower in fields:
        return lower
    meant = FIELD_OF.get(lower, "")
    return ",".join(each for each in meant.split(",") if each in fields)


def filter_values(name: str, written: Sequence[str], where: str) -> list[str]:
    """Several values of a filter, normalised; InputError with the place `where` for one that is invalid.

    >>> filter_values("class", ["c07d 401/04", "A61"], "class")
    ['C07D401/04', 'A61']
    """
    values = [filter_value(name, word) for word in written]
    if not all(values):
        example = "C07, C07D or C07D401/04" if name == "class" else "EP"
        raise InputError(where, f"{written[values.index('')]!r} is not a valid {name}; use one like {example}")
    return values


def filter_value(name: str, written: str) -> str:
    """A filter's value, normalised; empty where it is invalid. A date with two readings is an error.

    >>> filter_value("class", "c07d 401/04"), filter_value("before", "12.8.1998"), filter_value("office", "Europe")
    ('C07D401/04', '1998-08-12', '')
    >>> filter_value("published", "2010-2012"), filter_value("filed", ">1998"), filter_value("kind", "b2")
    ('2010..2012', '1999-01-01..', 'B2')
    """
    written = written.strip()
    if name in ("applicant", "inventor"):
        return " ".join(written.split()) if any(map(str.isalnum, written)) else ""
    if name in ("number", "cites", "cited-by", "family"):
        return " ".join(written.split()) if any(map(str.isalnum, written)) else ""
    if name in DATE_FILTERS:
        return period(name, written)
    if name in ("before", "after"):
        return _date(name, written)
    written = written.rstrip("*")
    if name in ("class", "ipc", "cpc"):
        compact = _CUT_OFF.sub("", "".join(written.upper().split()))
        return compact if compact and compact in levels(symbol(compact)) else ""
    letters = written if written.isascii() and written.isalnum() else ""
    if name == "kind":
        return letters.upper() if len(letters) <= 8 else ""
    letters = letters if len(letters) == 2 and letters.isalpha() else ""
    return letters.upper() if name == "office" else letters.lower()


def period(name: str, written: str) -> str:
    """A period as two dates with .. between them, each perhaps empty or only a year; empty where it is not one.

    >>> period("published", "[2010 TO 2015]"), period("published", "2010..*"), period("published", "{2010 TO 2012}")
    ('2010..2015', '2010..', '2011-01-01..2011-12-31')
    >>> period("published", "(2010 TO 2015)")
    '2010..2015'
    """
    if match := _COMPARED.fullmatch(written):
        return _compared(match[1], _date(name, match[2]))
    if match := _BRACKETS.fullmatch(written):
        low, high = (part if part == "*" else _date(name, part) for part in (match[2], match[3]))
        if not low or not high:
            return ""
        low = "" if low == "*" else _compared(">" if match[1] == "{" else ">=", low).partition("..")[0]
        high = "" if high == "*" else _compared("<" if match[4] == "}" else "<=", high).partition("..")[2]
        return f"{low}..{high}"
    years = _YEARS.fullmatch(written)
    low, mark, high = (years[1] or years[3], "..", years[2] or years[4]) if years else written.partition("..")
    if not mark:
        first, blank, second = written.replace(",", " ").strip().partition(" ")
        if blank and _is_date(first) and _is_date(second.strip()):  # CQL: within "2010 2015"
            low, high = first, second.strip()
        else:
            high = low
    ends = [_date(name, part) if part.strip("* ") else "" for part in (low, high)]
    wrong = any(part.strip("* ") and not end for part, end in zip((low, high), ends, strict=True))
    return "" if wrong or not any(ends) else f"{ends[0]}..{ends[1]}"


def is_reversed(dates: str) -> bool:
    """Whether a period ends before it begins."""
    low, _, high = dates.partition("..")
    return bool(low and high) and day_number(low) > day_number(high, late=True)


def bracketed(text: str, at: int) -> re.Match[str] | None:
    """A range in brackets or parentheses, [2010 TO 2015], at a place of a text."""
    return _BRACKETS.match(text, at)


def _is_date(written: str) -> bool:
    return bool(re.fullmatch(r"[0-9]{4}(?:[-/.]?[0-9]{1,2}){0,2}", written))


def _compared(sign: str, date: str) -> str:
    if not date:
        return ""
    if sign in ("<", "<="):
        return f"..{date if sign == '<=' else _shifted(date, late=False)}"
    return f"{date if sign == '>=' else _shifted(date, late=True)}.."


def _shifted(date: str, *, late: bool) -> str:
    """The day after a period, or with `late=False` the day before it."""
    day = datetime.date(1970, 1, 1) + day_number(date, late=late) * _DAY
    return (day + _DAY if late else day - _DAY).isoformat()


def _date(name: str, written: str) -> str:
    """A date, as far as it is written; InputError where day and month could be swapped."""
    written = written.strip()
    match = _TWO_READINGS.fullmatch(written)
    if match and match[1] != match[3] and max(int(match[1]), int(match[3])) <= 12 and min(int(match[1]), int(match[3])):
        one, other = (f"{match[4]}-{int(m):02d}-{int(d):02d}" for m, d in ((match[1], match[3]), (match[3], match[1])))
        raise InputError("query", f"{name}:{written} may be {one} or {other}: write one of them")
    date = iso(written.upper())
    return "" if len(date) < len("1998-08-12") and _WHOLE_DAY.fullmatch(written) else date  # no 30th of February
