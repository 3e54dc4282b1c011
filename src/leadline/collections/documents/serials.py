"""Serial numbers of publications in one spelling for each office.

The functions take the letters printed before the digits, the digits with the marks between them, and the kind if it is
known. A text that does not look like a publication of the office is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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
