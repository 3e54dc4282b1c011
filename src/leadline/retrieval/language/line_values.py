"""Values within a line of a strategy: years and days, languages, names of authors, and what a line is limited to."""

from __future__ import annotations

import re

from leadline.errors import InputError
from leadline.retrieval.language.fields import period
from leadline.retrieval.language.tree import Node, Or, Within, WordOrPhrase

_LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "danish": "da", "swedish": "sv", "norwegian": "no", "finnish": "fi", "polish": "pl", "russian": "ru",
    "chinese": "zh", "japanese": "ja", "korean": "ko", "turkish": "tr", "czech": "cs", "hungarian": "hu",
    "greek": "el", "hebrew": "he", "arabic": "ar", "romanian": "ro", "ukrainian": "uk", "croatian": "hr",
    "serbian": "sr", "slovak": "sk", "slovenian": "sl", "bulgarian": "bg", "persian": "fa", "catalan": "ca",
}  # fmt: skip
_SHORT = {"eng": "en", "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es", "ita": "it", "por": "pt",
          "dut": "nl", "nld": "nl", "jpn": "ja", "chi": "zh", "zho": "zh", "rus": "ru", "kor": "ko"}  # fmt: skip
_RANGE = re.compile(
    r"([0-9]{4,8}(?:[/.][0-9]{1,2}){0,2})?\s*(?:-|\.\.|:|\bto\b)\s*([0-9]{4,8}(?:[/.][0-9]{1,2}){0,2}|current|present)?"
)
_ISO = re.compile(r"[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2})?")
_SIGNED = re.compile(r"(<=|>=|<|>)\s*(\S+)")


def years_of(written: str) -> str:
    """A period as our own filters take it; empty for what is none.

    >>> years_of('"2008 -Current"'), years_of("2008-2010"), years_of("20080101-20101231"), years_of(">2009")
    ('2008..', '2008..2010', '2008-01-01..2010-12-31', '2010-01-01..')
    >>> years_of("2008/03/01:2010"), years_of("2008"), years_of("1998-08-12"), years_of("film")
    ('2008-03-01..2010', '2008..2008', '1998-08-12..1998-08-12', '')
    """
    text = written.strip(" \"'().").lower()
    if (match := _SIGNED.fullmatch(text)) and (end := _day(match[2])):
        return _period(f"{match[1]}{end}")
    if _ISO.fullmatch(text):
        return _period(text)
    if (match := _RANGE.fullmatch(text)) and (match[1] or match[2]):
        low, high = (_day(each or "") for each in match.groups())
        return _period(f"{low}..{high}") if low or high else ""
    return _period(_day(text)) if _day(text) else ""


def _day(text: str) -> str:
    """A year, month or day as it is written here; empty for no end, and for a year that stands for none (3000)."""
    digits = re.fullmatch(r"([0-9]{4})(?:[/.-]?([0-9]{1,2})(?:[/.-]?([0-9]{1,2}))?)?", text)
    if not digits or digits[1] >= "2999":
        return ""
    return "-".join([digits[1], *(each.zfill(2) for each in digits.groups()[1:] if each and int(each))])


def _period(text: str) -> str:
    try:
        return period("published", text)
    except InputError:
        return ""


def language_code(written: str) -> str:
    """The code of a language; empty for an unknown one.

    >>> language_code("English"), language_code("eng"), language_code("de"), language_code("Klingon")
    ('en', 'en', 'de', '')
    """
    name = written.strip(" \"'[]().").lower()
    return _LANGUAGES.get(name) or _SHORT.get(name) or (name if name in _LANGUAGES.values() else "")


def class_written(written: str) -> str:
    """A class as documents have it: without what asks for those under it, and without the zeros that STN puts before.

    >>> class_written("C08J5/low"), class_written("/low A61K31/00"), class_written("C08J0005-18"), class_written("C07D")
    ('C08J5', 'A61K31/00', 'C08J5/18', 'C07D')
    """
    text = re.sub(r"^/low\s+|/low$", "", written, flags=re.IGNORECASE)
    return re.sub(r"^([A-HY][0-9]{2}[A-Z])0*([1-9][0-9]{0,3})-([0-9]{2,6})$", r"\1\2/\3", text)


def name_forms(written: str) -> list[str]:
    """The ways in which documents may write the name of an author.

    >>> name_forms("Smith J"), name_forms("Smith JA"), name_forms("Crenshaw A*")
    (['Smith J*', 'J* Smith'], ['Smith JA', 'Smith J* A*', 'J* A* Smith'], ['Crenshaw A*', 'A* Crenshaw'])
    >>> name_forms("smith"), name_forms("Smith, John"), name_forms("smith*")
    (['smith'], ['Smith John', 'John Smith'], ['smith*'])
    """
    words = [each for each in re.split(r"[\s,.]+", written.strip(" \"'()")) if any(map(str.isalnum, each))]
    if len(words) < 2:
        return words
    given = words[1:]
    initials = [each.rstrip("*") for each in given]
    if not all(
        len(each) <= 3 and each.isalpha() and (len(given) > 1 or each.isupper() or len(each) == 1) for each in initials
    ):
        whole = " ".join(words)
        return list(dict.fromkeys([whole, " ".join([*given, words[0]])]))
    letters = [letter for each in initials for letter in each]
    spread = " ".join(f"{letter}*" for letter in letters)
    together = [f"{words[0]} {''.join(letters)}"] if len(letters) > 1 else []
    return [*together, f"{words[0]} {spread}", f"{spread} {words[0]}"]


_BETWEEN = re.compile(r"\s*[,;]\s*|\s+and\s+", re.IGNORECASE)  # conditions
_QUOTED = re.compile(r'"[^"]*"')
_HIDDEN = "\0"  # in place of what is in quotes
_YEAR = re.compile(
    r"(?:yr|py|year|dt|ed|dp|sa_year|publication year|published date|publication date|from)\s*(?:=|to|:)?"
    r"\s*\"?([0-9<>=. /-]*(?:current|present)?)\"?",
    re.IGNORECASE,
)


def limits_in(written: str) -> tuple[list[Node], list[str]]:
    """The filters of what a line is limited to, and what means nothing here.

    >>> from leadline.retrieval.language.tree import query_text
    >>> found, unknown = limits_in('(english language and yr="2008-2010" and humans)')
    >>> [query_text(each) for each in found], unknown
    (['language:en', 'published:2008..2010'], ['humans'])
    """
    text = written.strip()
    while text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    filters: list[Node] = []
    unknown: list[str] = []
    quoted = iter(_QUOTED.findall(text))
    parts = _BETWEEN.split(_QUOTED.sub(_HIDDEN, text))
    whole = (re.sub(_HIDDEN, lambda _: next(quoted), part).strip(" .") for part in parts)
    for each in filter(None, whole):
        if ((match := _YEAR.fullmatch(each)) and (dates := years_of(match[1]))) or (dates := years_of(each)):
            filters.append(Within("published", WordOrPhrase(dates)))
        elif codes := _languages(each):
            languages = tuple(Within("language", WordOrPhrase(code)) for code in codes)
            filters.append(languages[0] if len(languages) == 1 else Or(languages))
        else:
            unknown.append(each)
    return filters, unknown


def _languages(written: str) -> list[str]:
    """The codes of `english language`, `english or german`; empty where one is none."""
    names = re.split(
        r"\s+or\s+", re.sub(r"\s*\blanguages?\b\s*", " ", written, flags=re.IGNORECASE), flags=re.IGNORECASE
    )
    codes = [language_code(name) for name in names]
    return codes if all(codes) else []


def language_name(code: str) -> str:
    """The English name of a language; the code itself where it is not known.

    >>> language_name("de"), language_name("xx")
    ('german', 'xx')
    """
    return next((name for name, known in _LANGUAGES.items() if known == code), code)
