"""Other spellings of a word: its parts, its number without separators, and its letters without accents.

Names and numbers stay whole in an index, so that `1,4-butanediol` is one word. This dictionary finds them by their
parts and in other spellings: butanediol, COVID in COVID-19, 1000 in 1,000, cafe in café. The query language uses it;
the postings of words, which models rank by, are as without it.

The dictionary is sorted. Its keys are `spelling NUL term`, and `spelling NUL` alone before the first of each spelling.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.forms import BETWEEN
from leadline.retrieval.index.terms import Terms

# Languages that write a decimal comma, and a point or a blank between thousands.
DECIMAL_COMMA = frozenset({"da", "de", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"})
_THOUSANDS = {
    ",": re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?"),
    ".": re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?"),
}
_DECIMAL = {",": re.compile(r"[0-9]+\.[0-9]+"), ".": re.compile(r"[0-9]+,[0-9]+")}  # by the sign between thousands
_JOINTS = re.compile("[-&]")
_POINTS = re.compile("[.,]")
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ł": "l", "ı": "i", "þ": "th"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def plain_number(word: str, language: str = "en") -> str:
    """A number without separators of thousands and without final zeros of a fraction; empty for other words.

    >>> plain_number("1,000"), plain_number("3.50"), plain_number("1.000,5", "de"), plain_number("107-06-2")
    ('1000', '3.5', '1000.5', '')
    """
    mark = "." if language in DECIMAL_COMMA else ","
    if _THOUSANDS[mark].fullmatch(word):
        word = word.replace(mark, "")
    elif not _DECIMAL[mark].fullmatch(word):
        return ""
    whole, _, fraction = word.replace(",", ".").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def in_several_words(word: str, language: str = "en") -> str:
    """A number or a name with a hyphen as several words; empty for other words.

    >>> in_several_words("1000"), in_several_words("12,500"), in_several_words("covid-19"), in_several_words("film")
    ('1 000', '12 500', 'covid 19', '')
    """
    if not any(map(str.isdigit, word)):
        return ""
    number = word if word.isdigit() else plain_number(word, language)
    if number.isdigit():
        return f"{int(number):,}".replace(",", " ") if 4 <= len(number) <= 15 and number[0] != "0" else ""
    # A range of numbers, as 100-200, is not the same as the two numbers one after the other.
    is_name = "-" in word.strip("-") and any(map(str.isalpha, word))
    return " ".join(filter(None, word.split("-"))) if is_name else ""


def without_accents(word: str) -> list[str]:
    """A word without accents, and with ae, oe and ue for umlauts; empty where it has neither.

    >>> without_accents("möbel"), without_accents("film")
    (['mobel', 'moebel'], [])
    """
    if word.isascii():
        return []
    spelled = (word.translate(_LETTERS), word.translate(_UMLAUTS))
    plain = ("".join(c for c in unicodedata.normalize("NFD", each) if not unicodedata.combining(c)) for each in spelled)
    return [each for each in dict.fromkeys(plain) if each != word]


def variants(word: str, language: str = "en") -> list[str]:
    """Other spellings of the whole word."""
    plain = without_accents(word)
    numbers = dict.fromkeys(plain_number(each, language) for each in (word, *plain))
    return [*plain, *(number for number in numbers if number and number != word)]


def parts(word: str, language: str = "en") -> Iterator[str]:
    """The parts of a word with hyphens, ampersands or points, each in all its spellings.

    >>> sorted(set(parts("1,4-butanediol"))), list(parts("covid-19")), list(parts("1,000")), list(parts("at&t"))
    (['1', '1,4', '4', 'butanediol'], ['covid', '19'], [], ['at', 't'])
    """
    pieces = _JOINTS.split(word)
    if len(pieces) > 1:
        for piece in filter(None, pieces):
            yield piece
            yield from variants(piece, language)
            yield from _between_points(piece, language)
    else:
        yield from _between_points(word, language)


def _between_points(word: str, language: str) -> Iterator[str]:
    if not plain_number(word, language) and _POINTS.search(word):
        yield from filter(None, _POINTS.split(word))


def spelling_keys(words: Sequence[bytes], terms: Sequence[bytes], analysis: Analysis) -> list[bytes]:
    """The keys of the dictionary for words and their terms, not sorted."""
    pairs: list[tuple[str, bytes]] = []
    for word, term in zip(words, terms, strict=True):
        if term and (not word.isalnum() or not word.isascii()):
            written = word.decode()
            others = (*variants(written, analysis.language), *parts(written, analysis.language))
            pairs += [(other, term) for other in dict.fromkeys(others)]
    reduced = analysis.reduced([other.encode() for other, _ in pairs])
    return [
        key
        for spelling, (_, term) in zip(reduced, pairs, strict=True) if spelling and spelling != term
        for key in (spelling + BETWEEN, spelling + BETWEEN + term)
    ]  # fmt: skip


def spelled(dictionary: Terms, spellings: Iterable[bytes]) -> Mapping[bytes, list[bytes]]:
    """The terms that have each spelling; spellings without any are left out."""
    asked = list(spellings)
    found: dict[bytes, list[bytes]] = {}
    for spelling, place in zip(asked, dictionary.find([each + BETWEEN for each in asked]).tolist(), strict=True):
        if place >= 0:
            terms = found[spelling] = []
            for number in range(place + 1, len(dictionary)):
                of, _, term = dictionary[number].partition(BETWEEN)
                if of != spelling:
                    break
                terms.append(term)
    return found
