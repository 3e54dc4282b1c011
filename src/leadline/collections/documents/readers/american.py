"""What the American forms share: names of offices, application numbers, filing dates, priorities, claims."""

from __future__ import annotations

import re
from collections.abc import Iterable

from leadline.collections.documents.claims import parents
from leadline.collections.documents.classes import national
from leadline.collections.documents.document import Citation, Claim, Origin, Priority
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.readers.st36_parts import application_name
from leadline.text.days import iso

# Offices as they were called before 1978.
_FORMER_OFFICES = {"DL": "DD", "DT": "DE", "JA": "JP", "OE": "AT", "SW": "SE", "UK": "GB"}
_PRINTED_NUMBER = re.compile(r"\s*([0-9]{1,4})\s?[.)]\s*")

national_class = national


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Each text once, without the empty ones.

    >>> distinct(["H04M11/00", "", "H04M11/00"])
    ('H04M11/00',)
    """
    return tuple(dict.fromkeys(filter(None, texts)))


def office(code: str) -> str:
    """The two letters of an office, from those of another age, or with the third that the Green Book adds.

    >>> office("JPX"), office("DTX"), office("WO")
    ('JP', 'DE', 'WO')
    """
    letters = code.strip().upper()[:2]
    return _FORMER_OFFICES.get(letters, letters)


def application(number: str, country: str = "US") -> str:
    """One spelling for an application's number; American ones are the series code and six digits.

    >>> application("09/413,215"), application("09413215"), application("PCT/NO98/00107"), application("971605", "NO")
    ('US09413215', 'US09413215', 'WONO1998000107W', 'NO971605')
    """
    if country == "US" and "PCT" not in number.upper():
        number = number.replace("/", "")
    return application_name(country, number)


def patent_cited(number: str, country: str, kind: str, date: str, origin: Origin) -> Citation:
    """A patent cited; a number that cannot be one of its office is kept as text.

    >>> patent_cited("3,932,709", "US", "A", "19760100", "examiner")
    Citation(number='US3932709A', origin='examiner', category='', date='1976-01', text='')
    """
    cited = normalise(number, country, kind)
    if not cited.office:
        return Citation("", origin, "", iso(date), cited.serial)
    return Citation(cited.id, origin, "", iso(date))


def earlier(claimed: Iterable[Priority], filed: str) -> tuple[Priority, ...]:
    """The priorities claimed, each once, without those that say nothing or are younger than their claimant.

    >>> earlier([Priority("US1", "1990-01-02"), Priority("US2", "1999-01-02"), Priority("", "")], "1991-01-01")
    (Priority(number='US1', date='1990-01-02'),)
    """
    told = (priority for priority in claimed if priority.number or priority.date)
    return tuple(dict.fromkeys(priority for priority in told if not filed or priority.date <= filed))


def filing_date(own: str, international: str) -> str:
    """When an application was filed: one that came by the international route, on the day it was filed there.

    >>> filing_date("19800310", "19790705"), filing_date("19991005", "")
    ('1979-07-05', '1999-10-05')
    """
    return min(filter(None, (iso(own), iso(international))), default="")


def read_claim(number: int, text: str, marked: Iterable[int] = ()) -> Claim:
    """A claim without its printed number; its parents are those that the source marks and those that its words name.

    >>> read_claim(3, "3. The nail of claim 1 or 2.", [1])
    Claim(number=3, text='The nail of claim 1 or 2.', parents=(1, 2))
    """
    printed = _PRINTED_NUMBER.match(text)
    if printed is not None and int(printed[1]) == number:
        text = text[printed.end() :]
    linked = {claim for claim in marked if claim < number}
    return Claim(number, text, tuple(sorted(linked.union(parents(text, number)))))
