"""What a search for a topic may find: which documents came too late, by one of several rules.

The overview of TREC-CHEM 2009 reports that groups tried several of them, and that the first did best:

| rule | too late is |
|---|---|
| publication | what was published after the topic's latest priority |
| priority | what has itself a later priority |
| number | as publication; where a day is not known, what has a higher number in the same series of the same office |
| numbers alone | what has a higher number in the same series, whatever its date |
| none | nothing |

The same day is not after. A document without a date is not known to be late, and a topic without one has nothing after
it. Where no priority is known, the day of filing stands for it, then that of publication; where no publication is
known, the priority does. So says `topics/hidden.py`, which the judgements follow too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.numbers import normalise
from leadline.search.index.segment import MISSING
from leadline.search.pipeline.request import Request, Rule

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from leadline.search.pipeline.laboratory import Laboratory

    Mask = NDArray[np.bool_]


def published_later(lab: Laboratory, request: Request) -> Mask:
    return _after(lab.public, request)


def later_priority(lab: Laboratory, request: Request) -> Mask:
    return _after(lab.known, request)


def later_or_higher_number(lab: Laboratory, request: Request) -> Mask:
    if not request.is_dated:
        return higher_number(lab, request)
    return np.where(lab.public == MISSING, higher_number(lab, request), published_later(lab, request))


def higher_number(lab: Laboratory, request: Request) -> Mask:
    serials = lab.serials
    if request.outside is not None:
        spelt = request.outside if request.outside.serial else normalise(request.outside.id)
        series, number = series_of(spelt.office, spelt.serial)
        code = serials.codes.get(series, -1)
    elif request.row is not None:
        code, number = int(serials.series[request.row]), int(serials.numbers[request.row])
    else:
        code = number = -1
    if code < 0:
        return nothing(lab, request)
    return (serials.series == code) & (serials.numbers > number)


def nothing(lab: Laboratory, request: Request) -> Mask:
    return np.zeros(len(lab.index), np.bool_)


RULES: dict[Rule, Callable[[Laboratory, Request], Mask]] = {
    "publication": published_later,
    "priority": later_priority,
    "number": later_or_higher_number,
    "numbers alone": higher_number,
    "none": nothing,
}


def _after(days: NDArray[np.int32], request: Request) -> Mask:
    return days > request.day if request.is_dated else np.zeros(len(days), np.bool_)


@dataclass(frozen=True)
class Serials:
    """The number of each document in its series, and which series that is: -1 where there is none."""

    series: NDArray[np.int64]
    numbers: NDArray[np.int64]
    codes: dict[str, int]

    @classmethod
    def of(cls, records: pl.DataFrame, units: NDArray[np.int64], size: int) -> Serials:
        spelt = records.select("office", "serial").iter_rows()
        codes: dict[str, int] = {}
        series, numbers = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
        for unit, (office, serial) in zip(units.tolist(), spelt, strict=True):
            name, number = series_of(office, serial)
            if unit >= 0 and number >= 0:
                series[unit], numbers[unit] = codes.setdefault(name, len(codes)), number
        return cls(series, numbers, codes)


def series_of(office: str, serial: str) -> tuple[str, int]:
    """In which sequence an office counts a publication, and as which number; years first make another sequence.

    >>> series_of("US", "7412705"), series_of("US", "20050004437"), series_of("JP", "S58123456"), series_of("", "x")
    (('US', 7412705), ('US year', 20050004437), ('JPS', 58123456), ('', -1))
    """
    letters = serial.rstrip("0123456789")
    digits = serial[len(letters) :]
    if not digits or len(digits) > 18:
        return "", -1
    return office + letters + " year" * (len(digits) >= 10), int(digits)
