"""The parts of a line in our own terms: words, wildcards, plurals, names of headings, years, languages, authors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from leadline.errors import InputError
from leadline.retrieval.language.fields import period
from leadline.retrieval.language.syntax import NearRule, Syntax, Wildcard
from leadline.retrieval.language.tree import LETTER_OF, Node, Or, Within, WordOrPhrase, query_text

LinePartKind = Literal["word", "phrase", "node", "(", ")", "op", "near", "tag", "field", "ref"]


class LinePart(NamedTuple):
    """A part of a line: a word, an operator, a tag."""

    kind: LinePartKind
    text: str = ""
    node: Node | None = None
    rule: NearRule | None = None
    number: int = 0
    targets: tuple[str, ...] = ()
    at: int = 0
    end: int = 0


@dataclass(frozen=True)
class ReadLine:
    """A line as it was understood: its tree, None where nothing of it was; and what was changed or left out."""

    tree: Node | None
    changed: tuple[str, ...] = ()  # what is not as it was asked
    said: tuple[str, ...] = ()  # what is as it was asked, in another way

    @property
    def query(self) -> str:
        return query_text(self.tree) if self.tree is not None else ""


_CURLY = str.maketrans({**dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‘’‚‛′`", "'"), **dict.fromkeys("–—‐‑‒−", "-"),
                        "\xa0": " ", "\u200b": " ", "\ufeff": " "})  # fmt: skip


def plain(text: str) -> str:
    """A text with the plain forms of quotation marks, hyphens and blanks, as long as before."""
    return text.translate(_CURLY)


def with_our_wildcards(text: str, syntax: Syntax) -> tuple[str, list[str]]:
    """A text with letters in place of the wildcards of a syntax, and notes on signs that are none there.

    >>> from leadline.retrieval.language.syntax import SYNTAXES
    >>> from leadline.retrieval.language.tree import FROM_LETTERS
    >>> with_our_wildcards("an?esthe$2", SYNTAXES["ovid"])[0].translate(FROM_LETTERS)
    'an$esthe$2'
    """
    if not any(sign in text for sign in "*?$#!:"):
        return text, []
    words: list[str] = []
    notes: list[str] = []
    for word in text.split():
        found = _WILD.sub(lambda match, word=word: _wildcard(match, word, syntax, notes), word)  # type: ignore[misc]
        words.append(found)
    return " ".join(words), notes


_WILD = re.compile(r"([*?$#!:])\1*([0-9]?)")
_USUAL: dict[str, Wildcard] = {"*": "many", "?": "maybe", "$": "many", "#": "one"}


def _wildcard(match: re.Match[str], word: str, syntax: Syntax, notes: list[str]) -> str:
    sign, count = match[1], len(match[0]) - len(match[2])
    kind = syntax.wildcards.get(sign)
    at_end, at_start = match.end() == len(word), match.start() == 0
    beside = (match.start() > 0 and word[match.start() - 1].isalnum()) or word[match.end() : match.end() + 1].isalnum()
    if kind is None:
        if (
            sign in "!:"
            or not beside
            or (sign == "$" and word[: match.start()].isdigit())
            or (sign == "#" and at_start)
        ):
            return match[0] if sign == ":" else " " + match[2] if sign == "!" and not at_end else match[2]
        kind = _USUAL[sign]
        meant = {"many": "any letters", "maybe": "at most one letter", "one": "one letter", "five": ""}[kind]
        notes.append(f"{word[:40]}: {sign} is no wildcard of {syntax.title}: taken as {meant}")
    if sign == ":" and not at_end:
        return match[0]
    if not beside or (at_start and kind != "many"):
        return match[2]
    if match[2] and at_end and kind in ("many", "five") and sign in "*$":
        return LETTER_OF["$"] + match[2]
    if kind == "many" or (kind == "five" and not at_end):
        return LETTER_OF["*"] + match[2]
    if kind == "five":
        return f"{LETTER_OF['$']}5"
    if kind == "one":
        return LETTER_OF["?"] * count + match[2]
    if at_end:
        return f"{LETTER_OF['$']}{min(count, 9)}"
    return LETTER_OF["$"] * count + match[2]


def heading_name(name: str) -> str:
    return " ".join(name.replace('"', " ").split()).strip(" ,;*")


def plurals(word: str) -> list[str]:
    """The plurals of an English word, or its singulars.

    >>> plurals("film"), plurals("bodies"), plurals("box"), plurals("glass")
    (['films'], ['body', 'bodie'], ['boxes'], ['glasses'])
    """
    small = word.lower()
    if len(small) < 3:
        return []
    if small.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if small.endswith(("sses", "xes", "ches", "shes", "zes")):
        return [word[:-2]]
    if small.endswith("s") and not small.endswith(("ss", "us", "is")):
        return [word[:-1]]
    if small.endswith(("s", "x", "z", "ch", "sh")):
        return [f"{word}es"]
    if small.endswith("y") and small[-2] not in "aeiou":
        return [f"{word[:-1]}ies"]
    return [f"{word}s"]


_READ = 4000  # characters of a text that are looked at to show its first 60


def short(text: str) -> str:
    """A text as notes show it: on one line, of at most 60 characters.

    >>> short("film\\n  foil")
    'film foil'
    """
    begins = " ".join(text[:_READ].split())  # a line may be long, and is shown again as it grows
    is_all = len(text) <= _READ or not text[_READ:].strip()
    return begins if is_all and len(begins) <= 60 else f"{begins[:59]}…"


def class_written(written: str) -> str:
    """A class as documents have it: without what asks for those under it, and without the zeros that STN puts before.

    >>> class_written("C08J5/low"), class_written("/low A61K31/00"), class_written("C08J0005-18"), class_written("C07D")
    ('C08J5', 'A61K31/00', 'C08J5/18', 'C07D')
    """
    text = re.sub(r"^/low\s+|/low$", "", written, flags=re.IGNORECASE)
    return re.sub(r"^([A-HY][0-9]{2}[A-Z])0*([1-9][0-9]{0,3})-([0-9]{2,6})$", r"\1\2/\3", text)


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
    text = written.replace(_HIDDEN, " ").strip()
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
