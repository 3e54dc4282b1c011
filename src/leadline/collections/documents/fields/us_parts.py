"""Fields of the American forms from 1976 to today, and the document made of them.

- Priorities: foreign priorities, provisionals, and the filing dates of parents: the applications that this one
  continues (in part or whole), was divided from, or is reissued from. A substitute has no right to the earlier date.
  When no priority is claimed, the international application that this one comes from is the first filing, and counts.
- Filed: for an application by the international route, the day of the international filing.
- Applicants: the assignees, or the inventors when there are none.
- Text: one line for each paragraph and each row of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from leadline.collections.documents.claims import parents
from leadline.collections.documents.classes import symbol
from leadline.collections.documents.document import Citation, Claim, Document, Origin, Priority
from leadline.collections.documents.fields.st36_parts import application_name
from leadline.collections.documents.numbers import Number, normalise
from leadline.text.days import iso

# Codes of offices before 1978.
_FORMER_OFFICES = {"DL": "DD", "DT": "DE", "JA": "JP", "OE": "AT", "SW": "SE", "UK": "GB"}
_PRINTED_NUMBER = re.compile(r"\s*([0-9]{1,4})\s?[.)]\s*")


def us_document(
    number: Number,
    *,
    title: str,
    abstract: str,
    description: str,
    claims: tuple[Claim, ...],
    ipc: Iterable[str],
    national: Iterable[str],
    priorities: Iterable[Priority],
    international: Priority,
    filed: str,
    application_number: str,
    published: str,
    citations: Iterable[Citation],
    assignees: Iterable[str],
    inventors: Iterable[str],
) -> Document:
    """A patent or application from its fields as they are printed; `international` is empty without that route."""
    filing = min(filter(None, (iso(filed), international.date)), default="")
    people = distinct(inventors)
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language="en",
        title=title,
        abstract=abstract,
        description=description,
        claims=claims,
        ipc=distinct(map(symbol, ipc)),
        national=distinct(national),
        priorities=valid_priorities(list(priorities) or [international], filing),
        application=filing,
        application_number=application(application_number),
        publication=iso(published),
        citations=tuple(citations),
        applicants=distinct(assignees) or people,
        inventors=people,
    )


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Each text once, empty ones left out.

    >>> distinct(["H04M11/00", "", "H04M11/00"])
    ('H04M11/00',)
    """
    return tuple(dict.fromkeys(filter(None, texts)))


def office(code: str) -> str:
    """The two-letter code of an office, from a former code or from one with the third letter that the Green Book adds.

    >>> office("JPX"), office("DTX"), office("WO")
    ('JP', 'DE', 'WO')
    """
    letters = code.strip().upper()[:2]
    return _FORMER_OFFICES.get(letters, letters)


def application(number: str, country: str = "US") -> str:
    """An application's number in one spelling. American ones are the series code and six digits.

    >>> application("09/413,215"), application("09413215"), application("PCT/NO98/00107"), application("971605", "NO")
    ('US09413215', 'US09413215', 'WONO1998000107W', 'NO971605')
    """
    if country == "US" and "PCT" not in number.upper():
        number = number.replace("/", "")
    return application_name(country, number)


def patent_cited(number: str, country: str, kind: str, date: str, origin: Origin) -> Citation:
    """A citation of a patent. A number that cannot be one of its office is kept as text.

    >>> patent_cited("3,932,709", "US", "A", "19760100", "examiner")
    Citation(number='US3932709A', origin='examiner', category='', date='1976-01', text='')
    """
    cited = normalise(number, country, kind)
    if not cited.office:
        return Citation("", origin, "", iso(date), cited.serial)
    return Citation(cited.id, origin, "", iso(date))


def valid_priorities(claimed: Iterable[Priority], filed: str) -> tuple[Priority, ...]:
    """The priorities claimed, each once, without empty ones and without those dated after the filing.

    >>> valid_priorities([Priority("US1", "1990-01-02"), Priority("US2", "1999-01-02"), Priority("", "")], "1991-01-01")
    (Priority(number='US1', date='1990-01-02'),)
    """
    given = (priority for priority in claimed if priority.number or priority.date)
    return tuple(dict.fromkeys(priority for priority in given if not filed or priority.date <= filed))


def read_claim(number: int, text: str, marked: Iterable[int] = ()) -> Claim:
    """A claim without its printed number. Its parents are those that the source marks and those that its text names.

    >>> read_claim(3, "3. The nail of claim 1 or 2.", [1])
    Claim(number=3, text='The nail of claim 1 or 2.', parents=(1, 2))
    """
    printed = _PRINTED_NUMBER.match(text)
    if printed is not None and int(printed[1]) == number:
        text = text[printed.end() :]
    linked = {claim for claim in marked if claim < number}
    return Claim(number, text, tuple(sorted(linked.union(parents(text, number)))))
