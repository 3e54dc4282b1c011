"""Class symbols of patent offices, normalised.

A symbol of the international and the cooperative classification is a section, class and subclass, then a group and a
subgroup: `C07D401/04`. Until 2001 the American office printed it in columns, the group right-aligned in the three
columns after the subclass and the subgroup after that, without a stroke: `G06F  728` is G06F7/28, `H01L 21302` is
H01L21/302 and `C07C24900` is C07C249/00. There blanks carry meaning: pass such fields unchanged.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SUBCLASS = r"(?<![A-Z0-9])([A-HY]) ?([0-9]{2}) ?([A-Z])"
_STROKE = re.compile(rf"{_SUBCLASS}[-\s]*([0-9]{{1,4}})\s*[/:]\s*([0-9]{{1,6}})")
_PACKED = re.compile(rf"{_SUBCLASS}([ ]*)([0-9]{{1,10}})(?![0-9])")
_ALONE = re.compile(_SUBCLASS + r"(?![A-Z])")
_ABOVE = re.compile(r"[A-HY](?:[0-9]{2})?")


@lru_cache(maxsize=1 << 16)
def symbol(text: str) -> str:
    """The canonical IPC or CPC symbol, without blanks and leading zeros; empty when the text has none.

    >>> symbol("C07D 401/04"), symbol("G06F015/16"), symbol("H04M 1100"), symbol("A61K  31/44 20060101AFI")
    ('C07D401/04', 'G06F15/16', 'H04M11/00', 'A61K31/44')
    >>> symbol("A61K0031440000"), symbol("G06F2203/04"), symbol("A61K"), symbol("none")
    ('A61K31/44', 'G06F2203/04', 'A61K', '')
    """
    text = text.upper()
    if match := _STROKE.search(text):
        *subclass, group, subgroup = match.groups()
        return f"{''.join(subclass)}{int(group)}/{subgroup}"
    if match := _PACKED.search(text):
        *subclass, blanks, digits = match.groups()
        return "".join(subclass) + _unpacked(len(blanks), digits)
    if match := _ALONE.search(text):
        return "".join(match.groups())
    return text.strip() if _ABOVE.fullmatch(text.strip()) else ""


def _unpacked(blanks: int, digits: str) -> str:
    """Group and subgroup from columns without a stroke; the subgroup is the last two digits if columns are lost."""
    if len(digits) == 10:  # as in the classifications' own files: four digits, then six padded with zeros
        return f"{int(digits[:4])}/{digits[4:6]}{digits[6:].rstrip('0')}"
    width = 3 - blanks
    if len(digits) <= 2 or (blanks == 0 and len(digits) == 3):
        return str(int(digits))
    if width < 1 or len(digits) < width + 2:
        width = len(digits) - 2
    return f"{int(digits[:width])}/{digits[width:]}"


def levels(symbol: str) -> tuple[str, ...]:
    """The section, class, subclass, group and subgroup of a symbol, down to its own level.

    >>> levels("C07D401/04"), levels("C07D")
    (('C', 'C07', 'C07D', 'C07D401', 'C07D401/04'), ('C', 'C07', 'C07D'))
    """
    group, stroke, _ = symbol.partition("/")
    ends = [1, 3, 4, len(group)] + ([len(symbol)] if stroke else [])
    return tuple(dict.fromkeys(symbol[:end] for end in ends if 0 < end <= len(symbol)))


# American classes are in columns too: three for the class, three for the subclass, then its decimals and letters. "DIG"
# and "FOR" are collections beside the subclasses; those in E follow the European office.
_CLASS = re.compile(r"D?[1-9][0-9]{0,2}|PLT|G9B")
_POINT = re.compile(r" *([0-9]{1,3})\.([0-9]+) *([A-Z]{0,3})")
_COLUMNS = re.compile(r"([ ]{2}[0-9]|[ ]?[0-9]{1,2}(?![0-9])|[ ][0-9]{2}|[0-9]{3})([0-9]*) *([A-Z]{0,3})")
_COLLECTION = re.compile(r"(DIG|FOR)[. ]*([0-9]+)")
_EUROPEAN = re.compile(r"(E[0-9]{2})\.?([0-9]+)")


@lru_cache(maxsize=1 << 16)
def national(text: str) -> str:
    """A class of the American scheme in the usual spelling; empty when the text has none.

    >>> national("709204000"), national("179 90K"), national(" 24  312"), national("D 2916-919"), national("156DIG 14")
    ('709/204', '179/90K', '24/3.12', 'D2/916-919', '156/DIG14')
    """
    text = text.rstrip().upper()
    main, stroke, rest = text.partition("/")
    if not stroke:
        columns = text if " " in text else text.rjust(6)  # leading blanks may be lost
        main, rest = columns[:3], columns[3:]
    main = re.sub(r"(?<![0-9])0+(?=[0-9])", "", main.replace(" ", ""))
    subclasses = [_national_subclass(part) for part in re.split("[-–]", rest.strip() if stroke else rest)]
    return f"{main}/{'-'.join(subclasses)}" if _CLASS.fullmatch(main) and all(subclasses) else ""


def _national_subclass(text: str) -> str:
    if match := _COLLECTION.fullmatch(text.strip()):
        return match[1] + match[2]
    if match := _EUROPEAN.fullmatch(text.strip()):
        return f"{match[1]}.{match[2]}"
    match = _POINT.fullmatch(text) or _COLUMNS.fullmatch(text)
    if match is None:
        return ""
    whole, decimals, letters = match.groups()
    return str(int(whole)) + f".{decimals.rstrip('0')}".rstrip(".") + letters
