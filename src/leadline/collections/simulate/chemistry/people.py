"""Applicants and inventors with invented names by country, suppliers, and the numbers of their applications."""

from __future__ import annotations

from functools import cache

import numpy as np

from leadline.collections.simulate.chemistry.tables import rows
from leadline.collections.simulate.inventions import Integers, hashed
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.settings import AUTHORITIES

_PEOPLE_OF_A_FIRM = 40
_SUPPLIERS, _GRADES = 3000, 20_000
_AMERICAN_SERIES = ((1979, 6), (1987, 7), (1993, 8), (1998, 9), (2001, 10), (2004, 11), (2007, 12), (2011, 13))


@cache
def _words(office: str) -> dict[str, tuple[str, ...]]:
    """The parts of names at an office."""
    return {row["part"]: tuple(row["words"].split("|")) for row in rows("people.tsv") if row["office"] == office}


def firm(office: str, key: int) -> str:
    """The invented name of a firm of an office's country: one for each key."""
    words = _words(office)
    parts = []
    for name in ("start", "end", "works", "form"):
        key, place = divmod(key, len(words[name]))
        parts.append(words[name][place])
    start, end, work, form = parts
    return form.format(name=start + end, work=work)


def person(office: str, key: int) -> str:
    """The name of an inventor, the family's first."""
    words = _words(office)
    rest, place = divmod(key, len(words["family"]))
    return f"{words['family'][place]}, {words['given'][rest % len(words['given'])]}"


class Registrar:
    """Who applies and who invents, by the home office of the applicant; and what number an application gets."""

    def __init__(self, office: SimulatedOffice) -> None:
        self.inventions, self.seed = office.inventions, office.settings.seed

    def applicants(self, rows: Integers) -> list[str]:
        made = self.inventions
        keys = (hashed(self.seed, 71, made.applicant[rows]) >> np.uint64(20)).tolist()
        homes = made.home[rows].tolist()
        return [firm(AUTHORITIES[home].code, key) for home, key in zip(homes, keys, strict=True)]

    def inventors(self, rows: Integers) -> list[tuple[str, ...]]:
        """One to four people; firms have few, so the same ones return."""
        made = self.inventions
        keys = hashed(self.seed, 72, rows[:, None], np.arange(4))
        staff = made.applicant[rows][:, None] * _PEOPLE_OF_A_FIRM + (keys % np.uint64(_PEOPLE_OF_A_FIRM)).astype(int)
        people = (hashed(self.seed, 73, staff) >> np.uint64(20)).tolist()
        counts = (1 + (keys[:, 0] >> np.uint64(32)) % np.uint64(4)).tolist()
        homes = made.home[rows].tolist()
        return [
            tuple(dict.fromkeys(person(AUTHORITIES[home].code, key) for key in own[:count]))
            for home, own, count in zip(homes, people, counts, strict=True)
        ]

    def suppliers(self) -> list[str]:
        keys = (hashed(self.seed, 74, np.arange(_SUPPLIERS)) >> np.uint64(20)).tolist()
        codes = ("US", "JP", "DE", "EP")
        return [firm(codes[number % 4], key) for number, key in enumerate(keys)]

    def grades(self) -> list[str]:
        """Invented trade names of what suppliers sell, which no concept has."""
        parts = [_words("grades")[name] for name in ("start", "middle", "end")]
        keys = (hashed(self.seed, 76, np.arange(_GRADES)) >> np.uint64(20)).tolist()
        made = []
        for key in keys:
            rest, text = key, ""
            for part in parts:
                rest, place = divmod(rest, len(part))
                text += part[place]
            made.append(text)
        return made

    def scientists(self) -> list[str]:
        """Family names of all countries."""
        names = [name for code in ("US", "DE", "JP", "EP") for name in _words(code)["family"]]
        return [names[at] for at in np.argsort(hashed(self.seed, 77, np.arange(len(names)))).tolist()]

    def priority_number(self, office: str, year: int, row: int) -> str:
        return _filing_number(office, year, 2 * row)

    def later_number(self, office: str, year: int, application: int) -> str:
        return _filing_number(office, year, 2 * application + 1)


def _filing_number(office: str, year: int, number: int) -> str:
    """The number of an application as its office writes it, in the normal spelling of this package.

    >>> _filing_number("US", 1999, 12), _filing_number("EP", 1999, 12), _filing_number("WO", 2003, 12)
    ('US09000012', 'EP99000012', 'WOIB2003000012W')
    >>> _filing_number("DE", 1999, 12), _filing_number("DE", 2005, 12), _filing_number("JP", 1999, 12)
    ('DE19900012', 'DE102005000012', 'JPH1100012')
    """
    if office == "US":
        series = max((one for first, one in _AMERICAN_SERIES if first <= year), default=6)
        return f"US{series:02d}{number:06d}"
    if office == "EP":
        return f"EP{year % 100:02d}{number:06d}"
    if office == "WO":
        return f"WOIB{year}{number:06d}W"
    if office == "DE":
        start = f"10{year}0" if year >= 2004 else f"{year - 1950}" if year < 1995 else f"1{year % 100:02d}"
        return f"DE{start}{number:05d}"
    era = f"H{year - 1988:02d}" if year >= 1989 else f"S{year - 1925:02d}"
    return f"JP{era}{number:05d}" if year < 2000 else f"JP{year}{number:06d}"
