"""Patent numbers in one spelling, and the serial numbers of each office.

Offices, journals and databases write the same publication in many ways. The normal spelling is the office's code, the
serial and the kind code without blanks: `US7412705B2`. The serial depends on the office:

| office | serial | from |
|---|---|---|
| US | without leading zeros; with `D`, `RE`, `PP`, `H`, `T` unless it is a utility patent | `7,412,705`, `D0435854` |
| US | year and seven digits for a published application | `2005/0004437`, `2005004437` |
| EP | seven digits | `0 049 154`, `49154` |
| WO | year and six digits | `95/00123`, `9500123` |
| JP | era, two-digit year and number, `S58123456`; year and six digits since 2000 | `58-123456`, `2004-12345` |
| KR | year and seven digits, without the code of the right | `10-2004-0012345` |
| others | without leading zeros | |

The number of a filing is not that of a publication: `US10/123456` keeps its slash, since US10123456 is a different
document. An international filing, `PCT/US2004/012345`, has the office WO, the serial `US2004012345` and the kind `W`,
as in the offices' exchange format.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

# Serial numbers of publications in one spelling for each office.
#
# The functions take the letters printed before the digits, the digits with the marks between them, and the kind if it
# is known. A text that does not look like a publication of the office is not changed.


# WIPO's standard ST.3, with states and offices that no longer exist.
_CODES = """
AD AE AF AG AI AL AM AN AO AP AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BQ BR BS BT BV BW BX BY BZ CA CD CF CG
CH CI CK CL CM CN CO CR CS CU CV CW CY CZ DD DE DJ DK DM DO DZ EA EC EE EG EH EM EP ER ES ET EU FI FJ FK FO FR GA GB GC
GD GE GG GH GI GL GM GN GQ GR GS GT GW GY HK HN HR HT HU IB ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP
KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MK ML MM MN MO MP MR MS MT MU MV MW MX MY MZ NA NE NG NI NL
NO NP NR NZ OA OM PA PE PG PH PK PL PT PW PY QA QZ RO RS RU RW SA SB SC SD SE SG SH SI SK SL SM SN SO SR SS ST SU SV SX
SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VN VU WO WS XN YD YE YU ZA ZM ZR ZW
"""
_FORMER_CODES = {"DT": "DE", "UK": "GB", "JA": "JP", "OE": "AT", "SF": "FI"}  # of the 1970s, and still in use
OFFICES = {code: code for code in _CODES.split()} | _FORMER_CODES

_WITHOUT_MARKS = str.maketrans("", "", " ,.'-/")
_WITHOUT_BLANKS = str.maketrans("", "", " ,.'")


def full_year(digits: str) -> str:
    """A year of the Patent Cooperation Treaty in four digits; the first applications are of 1978.

    >>> full_year("95"), full_year("03"), full_year("2004")
    ('1995', '2003', '2004')
    """
    return digits if len(digits) == 4 else ("19" if digits >= "78" else "20") + digits


def _stripped(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _other(letters: str, body: str, kind: str) -> str:
    return letters + _stripped(body.translate(_WITHOUT_MARKS))


def _year_first(width: int) -> Callable[[str, str, str], str]:
    """A function for serials that, with `width` digits, start with two of the year: `0007955` is of the year 2000."""

    def counted(letters: str, body: str, kind: str) -> str:
        digits = body.translate(_WITHOUT_MARKS)
        return letters + (digits if len(digits) == width else _stripped(digits))

    return counted


def _unknown(letters: str, body: str, kind: str) -> str:
    """The serial of an unknown office, with its zeros, which may matter."""
    return letters + body.translate(_WITHOUT_BLANKS)


_AMERICAN_APPLICATION = re.compile(r"(20(?!00)[0-9]{2})/?([0-9]{6,7})")


def _american(letters: str, body: str, kind: str) -> str:
    """A patent without zeros, a published application with year and seven digits; a slash marks a filing number."""
    digits = body.translate(_WITHOUT_BLANKS).replace("-", "")
    published = _AMERICAN_APPLICATION.fullmatch(digits)
    if published is not None and not letters:
        return published[1] + published[2].zfill(7)
    short = len(digits) <= 8 or (digits[0] == "0" and len(digits) == 9)
    return letters + (_stripped(digits) if short and digits.isdigit() else digits)


def _european(letters: str, body: str, kind: str) -> str:
    """Seven digits. Longer serials are filing numbers, with a check digit after a dot."""
    digits = _stripped(body.translate(_WITHOUT_MARKS))
    return letters + (digits.zfill(7) if len(digits) <= 7 else body.translate(_WITHOUT_MARKS))


_YEAR_AND_NUMBER = re.compile(r"([0-9]{4}|[0-9]{2})[/-]([0-9]{1,6})")
_YEAR_DIGITS = {7: 2, 8: 2, 9: 4, 10: 4}  # of a number without marks, by its length


def _international(letters: str, body: str, kind: str) -> str:
    digits = body.translate(_WITHOUT_MARKS)
    if letters:
        return letters + (digits if letters in OFFICES else _stripped(digits))
    if apart := _YEAR_AND_NUMBER.fullmatch(body.translate(_WITHOUT_BLANKS)):
        return full_year(apart[1]) + apart[2].zfill(6)
    width = _YEAR_DIGITS.get(len(digits), 0)
    return full_year(digits[:width]) + digits[width:].zfill(6) if width else digits


_ERAS = {"M": 45, "T": 15, "S": 64, "H": 31, "R": 99}  # years of each emperor's era
_ERA_YEAR = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,6})")
_COMMON_YEAR = re.compile(r"((?:19|20)[0-9]{2})[/-]?([0-9]{5,6})|((?:19|20)[0-9]{2})[/-]([0-9]{1,4})")


def _japanese(letters: str, body: str, kind: str) -> str:
    """The year of an era until 1999, of the common calendar since; registered patents have a plain count."""
    letters = "" if letters == "P" else letters  # "P2004-123456" is printed for a patent application
    text, digits = body.translate(_WITHOUT_BLANKS), body.translate(_WITHOUT_MARKS)
    apart = _ERA_YEAR.fullmatch(text)
    year, number = (apart[1], apart[2]) if apart else (digits[:2], digits[2:])
    if letters in _ERAS:
        if not apart and (int(year) > _ERAS[letters] or not number):
            year, number = digits[:1], digits[1:]
        valid = 1 <= int(year) <= _ERAS[letters]
        return letters + (year.zfill(2) + _stripped(number) if valid else text)
    if letters:
        return letters + _stripped(digits)
    if common := _COMMON_YEAR.fullmatch(text):
        return (common[1] or common[3]) + (common[2] or common[4]).zfill(6)
    if not apart and digits.startswith("0") and kind in {"B1", "B2"}:
        return _stripped(digits)  # a registered patent; examined applications of this kind have the era
    # Many print the year without its era. Such numbers end with year 12 of Heisei.
    if (apart or len(digits) == 8) and 1 <= int(year) <= 64:
        return ("H" if int(year) <= 12 else "S") + year.zfill(2) + _stripped(number)
    return _stripped(digits) if len(digits) <= 7 else digits


_KOREAN = re.compile(r"(?:[1-6]0)?((?:19|20)[0-9]{2})([0-9]{6,7})")


def _korean(letters: str, body: str, kind: str) -> str:
    """Year and seven digits, without the leading code for patents, models or designs."""
    digits = _stripped(body.translate(_WITHOUT_MARKS))
    published = _KOREAN.fullmatch(digits)
    return letters + (published[1] + published[2].zfill(7) if published else digits)


_BY_OFFICE: dict[str, Callable[[str, str, str], str]] = {
    "": _unknown,
    "BR": _year_first(7),
    "EP": _european,
    "HU": _year_first(7),
    "JP": _japanese,
    "KR": _korean,
    "MX": _year_first(8),
    "SE": _year_first(7),
    "US": _american,
    "WO": _international,
}


def serial(office: str, letters: str, body: str, kind: str = "") -> str:
    """The serial in the spelling of its office.

    >>> serial("US", "D", "0435854"), serial("EP", "", "49 154"), serial("JP", "", "58-123456")
    ('D435854', '0049154', 'S58123456')
    """
    return _BY_OFFICE.get(office, _other)(letters, body, kind)


class Number(NamedTuple):
    """A publication's number in its three parts."""

    office: str
    serial: str
    kind: str

    @property
    def id(self) -> str:
        return self.office + self.serial + self.kind

    @property
    def key(self) -> str:
        """The number without its kind, which an application and its patent may share.

        >>> normalise("EP 0 049 154 B2").key
        'EP0049154'
        """
        return self.office + self.serial


_PLAIN = re.compile(r"([A-Z]{2})([0-9]+)([A-V][0-9]?)?")
_KIND = re.compile(r"[A-Z][0-9]?")
_LONGEST = 150  # characters of a number with words around it
_EDGES = " -/.,:"
_SIGNS = str.maketrans({**dict.fromkeys("‐‑‒–—−", "-"), **dict.fromkeys("’‘`", "'"), "_": "-"})

# Words around a number, and scanning errors; these patterns run only when `_WORDY` matches.
_WORDY = re.compile(r"[A-Z]{3}|U\.|NO\.|W0|DM/")
_WORDS = re.compile(
    r"\b(?:(?:LETTERS\s)?PATENTS?|PAT|PUBLICATIONS?|PUBN?|PUBL|PUBLISHED|APPLICATIONS?|APPLN?|SERIAL|SER)\b\.?\s*"
    r"(?:(?:NOS?|NR|NUMBER)\b\.?:?\s*)?|^NOS?\.\s*"
)
_UNITED_STATES = re.compile(r"^U\.\s?S\.(?:\s?A\.)?")
_AMERICAN_WORD = re.compile(r"^(?:US)?\s*(DES(?:IGN)?|RE(?:ISSUE)?|PLANT|PLT|SIR)\b\.?\s*(?=[0-9])")
_AMERICAN_LETTERS = {"D": "USD", "R": "USRE", "P": "USPP", "S": "USH"}  # by the word's initial
_MISREAD = re.compile(r"^W0(?=[-/\s]*[0-9])")
_HAGUE = re.compile(r"^(?:WO\s?)?DM/\s*(?=[0-9])")  # an international design; without the stroke, DM is Dominica
_HAGUE_SERIAL = re.compile(r"DM[0-9]+")  # the same as a serial of the office that publishes it, which is not Dominica

_ONLY_AMERICAN = re.compile(r"(?:D|RE|PP|T)[0-9]+|H0*[0-9]{1,4}")  # without an office; other H are Japanese
_KIND_FIRST = re.compile(r"(?:([A-Z]{2})[-\s])?([ABCUY][0-9]?)[-\s]\s*(?=[0-9])")  # "EP-A1-0 049 154"
_TREATY = re.compile(r"(?:WO)?[-/\s]*PCT[-/\s]*([A-Z]{2})[-/\s]*([0-9]{4}|[0-9]{2})[-/\s]*([0-9]{5,6})(?:\s?W[A-Z]?)?")
_TREATY_EUROPEAN = re.compile(r"WO([0-9]{4})([A-Z]{2})([0-9]{1,6})W?")  # as the European office writes it
_TREATY_EXCHANGE = re.compile(r"([0-9]{4})([0-9]{6})|([0-9]{2})([0-9]{5})")  # as the exchange format: US, 2004012345, W
_PARTS = re.compile(r"([A-Z]{2})?[-/\s.,:]*([A-Z]{0,3})[-/\s.]*([0-9](?:[-0-9/.,'\s]*[0-9])?)[-/\s.,]*([A-Z][0-9]?)?")


def normalise(text: str, office: str = "", kind: str = "") -> Number:
    """The number in a text. `office` and `kind` are used when the text has none.

    >>> normalise("US 7,412,705 B2") == normalise("US07412705B2") == normalise("7412705", "US", "B2")
    True
    >>> normalise("US2005004437A1").id, normalise("WO 95/00123").id, normalise("RE38,123").id
    ('US20050004437A1', 'WO1995000123', 'USRE38123')
    >>> normalise("Smith et al., 1998")
    Number(office='', serial='Smith et al., 1998', kind='')
    """
    if len(text) > _LONGEST:
        text = " ".join(text.split())
        if len(text) > _LONGEST:
            return Number("", text, "")
    return _normalised(text, office, kind)


@lru_cache(maxsize=1 << 17)
def _normalised(text: str, office: str, kind: str) -> Number:
    if office == "WO" and _HAGUE_SERIAL.fullmatch(text):
        text = f"WO{text}"
    plain = _PLAIN.fullmatch(text)
    if plain is not None and plain[1] in OFFICES and (plain[3] or not kind):
        own = OFFICES[plain[1]]
        return Number(own, serial(own, "", plain[2], plain[3] or ""), plain[3] or "")
    cleaned = " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).split())
    parsed = _parsed(cleaned.upper().translate(_SIGNS).strip(_EDGES), _valid_office(office), _valid_kind(kind))
    return parsed or Number("", cleaned, "")


def _parsed(text: str, office: str, kind: str) -> Number | None:
    if _WORDY.search(text):
        if filed := _TREATY.fullmatch(text):
            return _filing(filed[1], filed[2], filed[3])
        text = _without_words(text)
    if filed := _TREATY_EUROPEAN.fullmatch(text):
        return _filing(filed[2], filed[1], filed[3])
    if (first := _KIND_FIRST.match(text)) and (first[1] or office) in OFFICES:
        text, kind = (first[1] or "") + text[first.end() :], first[2]
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return None
    named, letters, body, own_kind = parts.groups(default="")
    if named not in OFFICES:
        named, letters = "", named + letters
    if len(letters) > 3:
        return None
    named = OFFICES.get(named, "")
    if not named and not office and _ONLY_AMERICAN.fullmatch(serial("", letters, body)):
        named = "US"
    office, kind = named or office, own_kind or kind
    counted = serial(office, letters, body, kind)
    if kind == "W" and office not in {"", "WO"}:
        filed = _TREATY_EXCHANGE.fullmatch(letters + body) or _TREATY_EXCHANGE.fullmatch(counted)
        if filed:
            return _filing(office, filed[1] or filed[3], filed[2] or filed[4])
    return Number(office, counted, kind)


def _without_words(text: str) -> str:
    text = _WORDS.sub("", _UNITED_STATES.sub("US ", text)).strip(_EDGES)
    text = _AMERICAN_WORD.sub(lambda word: _AMERICAN_LETTERS[word[1][0]], text)
    return _HAGUE.sub("WODM", _MISREAD.sub("WO", text))


def _filing(receiver: str, year: str, number: str) -> Number:
    return Number("WO", receiver + full_year(year) + number.zfill(6), "W")


def _valid_office(text: str) -> str:
    """The two-letter code of an office; the Green Book adds a third letter, `JPX`."""
    letters = text.strip().upper()
    return OFFICES.get(letters[:2], "") if len(letters) <= 3 else ""


def _valid_kind(text: str) -> str:
    kind = text.strip().upper() if text else ""
    return kind if _KIND.fullmatch(kind) else ""


FEWEST_DIGITS = 5  # of a patent's number: PA-7 is not a patent of Panama


def is_patent_number(text: str) -> bool:
    """Whether a name is spelled like the number of a patent.

    >>> is_patent_number("EP-0049154-B2"), is_patent_number("TS-7"), is_patent_number("112")
    (True, False, False)
    """
    number = normalise(text)
    return number.office != "" and sum(map(str.isdigit, number.serial)) >= FEWEST_DIGITS
