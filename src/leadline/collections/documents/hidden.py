"""The documents that are hidden from a topic: its own family, and documents that are too late for it.

The search hides these documents, and the judgements leave them out. "Too late" has several definitions; the overview of
TREC-CHEM 2009 reports that groups tried several of them and that `publication` worked best:

| rule | documents that are too late |
|---|---|
| publication | published after the topic's latest priority |
| priority | with a later priority |
| number | as publication; where a day is unknown, with a higher number in the same series of the same office |
| numbers alone | with a higher number in the same series, whatever the date |
| none | none |

The same day is not too late. A document without a date is never too late, and for a topic without a date nothing is.
Where the priority is unknown, the filing date replaces it, then the publication date; where the publication date is
unknown, the priority date replaces it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import normalise
from leadline.text.days import UNKNOWN_DAY

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Days = NDArray[np.int32]
    Mask = NDArray[np.bool_]

DateRule = Literal["publication", "priority", "number", "numbers alone", "none"]  # of a search
JudgementDates = Literal["priority", "none"]  # of judgements: the rule `publication`, or `none`


def public_days(publication: Days, known: Days) -> Days:
    """The day of publication of each document; where it is unknown, the priority or filing date as a lower bound."""
    return np.where(publication == UNKNOWN_DAY, known, publication)


def is_later(days: Days, topic_day: int | Days) -> Mask:
    """Whether each day is after the topic's day; False where either is unknown.

    >>> is_later(np.array([3, 4, 5, UNKNOWN_DAY]), 4).tolist(), is_later(np.array([3]), UNKNOWN_DAY).tolist()
    ([False, False, True, False], [False])
    """
    later: Mask = (days > topic_day) & (topic_day != UNKNOWN_DAY)
    return later


def days_of(column: pl.Series) -> Days:
    """A column of dates as days since 1970."""
    import polars as pl

    return column.cast(pl.Int32).fill_null(UNKNOWN_DAY).to_numpy()


class DatedTopic(Protocol):
    """The facts about a topic that decide which documents are hidden."""

    @property
    def families(self) -> tuple[int, ...]: ...
    @property
    def day(self) -> int: ...  # of its latest priority
    @property
    def row(self) -> int | None: ...  # of the patent that is the topic
    @property
    def outside(self) -> Document | None: ...  # the patent, where it is not one of the documents


@dataclass(frozen=True)
class DocumentDates:
    """The family, the dates and the number of every document, which decide whether it is hidden from a topic."""

    family: NDArray[np.int64]  # -1 where unknown
    known: Days  # latest priority, else filing, else publication
    publication: Days
    find_serials: Callable[[], Serials]  # called only by the rules that compare numbers

    @cached_property
    def public(self) -> Days:
        return public_days(self.publication, self.known)

    def own_family(self, topic: DatedTopic) -> Mask:
        """The topic's patent and the members of its family."""
        own: Mask = np.zeros(len(self.family), np.bool_)
        for family in topic.families:
            own |= self.family == family
        if topic.row is not None:
            own[topic.row] = True
        return own

    def too_late(self, topic: DatedTopic, rule: DateRule = "publication") -> Mask:
        return TOO_LATE[rule](self, topic)

    def hidden(self, topic: DatedTopic, rule: DateRule = "publication") -> Mask:
        """The documents that are hidden from a topic."""
        return self.own_family(topic) | self.too_late(topic, rule)

    def _higher_number(self, topic: DatedTopic) -> Mask:
        serials = self.find_serials()
        code, number = -1, -1
        if topic.outside is not None:
            document = topic.outside if topic.outside.serial else normalise(topic.outside.id)
            series, number = series_of(document.office, document.serial)
            code = serials.codes.get(series, -1)
        elif topic.row is not None:
            code, number = int(serials.series[topic.row]), int(serials.numbers[topic.row])
        return (serials.series == code) & (serials.numbers > number) & (code >= 0)

    def _later_or_higher_number(self, topic: DatedTopic) -> Mask:
        if topic.day == UNKNOWN_DAY:
            return self._higher_number(topic)
        return np.where(self.public == UNKNOWN_DAY, self._higher_number(topic), is_later(self.public, topic.day))


TOO_LATE: dict[DateRule, Callable[[DocumentDates, Any], Mask]] = {
    "publication": lambda dates, topic: is_later(dates.public, topic.day),
    "priority": lambda dates, topic: is_later(dates.known, topic.day),
    "number": DocumentDates._later_or_higher_number,
    "numbers alone": DocumentDates._higher_number,
    "none": lambda dates, topic: np.zeros(len(dates.family), np.bool_),
}


@dataclass(frozen=True)
class Serials:
    """The series in which each document is numbered, as a code, and its number there; -1 where it has none."""

    series: NDArray[np.int64]
    numbers: NDArray[np.int64]
    codes: dict[str, int]

    @classmethod
    def of(cls, records: pl.DataFrame, rows: NDArray[np.int64], size: int) -> Serials:
        """The numbers of a collection's records; `rows` gives the place of each record among `size` documents."""
        codes: dict[str, int] = {}
        series, numbers = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
        for row, (office, serial) in zip(rows.tolist(), records.select("office", "serial").iter_rows(), strict=True):
            name, number = series_of(office, serial)
            if row >= 0 and number >= 0:
                series[row], numbers[row] = codes.setdefault(name, len(codes)), number
        return cls(series, numbers, codes)


def series_of(office: str, serial: str) -> tuple[str, int]:
    """The series of a publication's number, and the number; numbers that begin with a year are a separate series.

    >>> series_of("US", "7412705"), series_of("US", "20050004437"), series_of("JP", "S58123456"), series_of("", "x")
    (('US', 7412705), ('US year', 20050004437), ('JPS', 58123456), ('', -1))
    """
    letters = serial.rstrip("0123456789")
    digits = serial[len(letters) :]
    if not digits or len(digits) > 18:
        return "", -1
    return office + letters + " year" * (len(digits) >= 10), int(digits)
