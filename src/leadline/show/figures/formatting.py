"""Numbers, names and lists as the text of a report shows them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leadline.measures.definition import Measure

THIN = "\u202f"  # narrow no-break space: between thousands, and before %
SHORT = 24  # letters of a system's name in a chart; a name may be as long as a file name


def count(number: float, noun: str = "", plural: str = "") -> str:
    """A whole number with thin spaces between thousands, and with its noun if one is given.

    >>> count(1, "pair"), count(2, "query", "queries"), count(10153).replace(THIN, " ")
    ('1 pair', '2 queries', '10 153')
    """
    text = f"{number:,.0f}".replace(",", THIN)
    return f"{text} {noun if number == 1 else plural or noun + 's'}" if noun else text


def percent(share: float) -> str:
    """A share in per cent: a whole number, with one decimal below 10 % and above 90 % unless it is 0 or 100.

    >>> [percent(share).replace(THIN, " ") for share in (0.7, 0.0129, 0.9996, 0.0)]
    ['70 %', '1.3 %', '99.9 %', '0 %']
    """
    value = 100 * share
    if 10 <= value <= 90 or value in (0, 100):
        return f"{value:.0f}{THIN}%"
    shown = min(max(value, 0.1), 99.9) if 0 < value < 100 else value
    return f"{shown:.1f}{THIN}%".replace(f".0{THIN}", THIN)


def decimal(value: float, digits: int = 3) -> str:
    """A score with a real minus sign; no sign when it rounds to 0, a dash for NaN.

    >>> decimal(-0.3333, 2), decimal(0.0004, 2), decimal(-0.0004, 2), decimal(float("nan"))
    ('−0.33', '0.00', '0.00', '–')
    """
    if math.isnan(value):
        return "–"
    written = f"{value:.{digits}f}"
    return written.replace("-", "" if float(written) == 0 else "−")


def hours(minutes: float) -> str:
    """A time in minutes or hours.

    >>> hours(200), hours(60), hours(40), hours(1)
    ('3.3 hours', '1 hour', '40 minutes', '1 minute')
    """
    if minutes < 60:
        return count(minutes, "minute")
    shown = f"{minutes / 60:.1f}".removesuffix(".0")
    return f"{shown} hour{'s' * (shown != '1')}"


def ordinal(number: int) -> str:
    """A place as an ordinal number.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def both(names: Sequence[str]) -> str:
    """Names joined with commas and "and".

    >>> both(["AP"]), both(["AP", "R"]), both(["AP", "PRES", "R"])
    ('AP', 'AP and R', 'AP, PRES and R')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def sentence(text: str) -> str:
    """The text with a capital first letter and a full stop.

    >>> sentence("two runs; one topic")
    'Two runs; one topic.'
    """
    return f"{text[:1].upper()}{text[1:]}."


def short(name: str, most: int = SHORT) -> str:
    """A name shortened in the middle: the ends of similar names tell them apart.

    >>> short("covidex.r1.t5.colbert.long.rerank")
    'covidex.r1.t…long.rerank'
    """
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - (most - most // 2 - 1) :]}"


def rounded(value: float, digits: int = 4) -> float | None:
    """A number for the rows of a figure; None for NaN.

    >>> rounded(0.123456), rounded(float("nan"))
    (0.1235, None)
    """
    return None if math.isnan(value) else round(float(value), digits)


def in_time(seconds: float) -> str:
    """A time for people.

    >>> in_time(0.0123), in_time(0.14), in_time(1.5), in_time(1500)
    ('12 ms', '140 ms', '1.5 s', '1,500 s')
    """
    value, unit = (1000 * seconds, "ms") if seconds < 0.9995 else (seconds, "s")
    return f"{value:,.0f} {unit}" if value >= 9.95 else f"{value:.2g} {unit}"


def in_words(measure: Measure) -> str:
    """A measure with its meaning in a few words: the first clause of what `leadline explain` says.

    >>> from leadline.measures.notation import parse_measure
    >>> in_words(parse_measure("PRES@100")), in_words(parse_measure("P@10"))
    ('PRES@100 (recall weighted by how early it comes)', 'P@10 (share of the first documents that is relevant)')
    """
    meaning = re.sub(r"`\w+` ", "", re.split(r"[,;:]", measure.definition.meaning)[0].rstrip("."))
    return f"{measure.text} ({meaning[:1].lower()}{meaning[1:]})"
