"""Other spellings of the words of a query: joined, parted, by initials. Whether anyone writes them, the index knows.

dimethyl formamide     dimethylformamide            two words, one word
TiO2-coated            TiO2 coated                  parts at hyphens
TiO2 coated            TiO2-coated                  and the other way round, where a number makes it one term
U.S.A.                 USA                          letters with points
water-in-oil-in-oil    W/O/O                        initials; without hyphens only where there are three or more
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from leadline.retrieval.index.stop_words import COMMON
from leadline.retrieval.pipeline.synonyms.synonym_sources import synonym_source
from leadline.retrieval.pipeline.synonyms.text_words import TextWords
from leadline.retrieval.pipeline.synonyms.thesaurus import Match

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

_COMMON = frozenset(word.decode() for word in COMMON["en"])
_LINKS = frozenset(("in", "on", "to", "by", "over"))
_SHORTEST = 3  # letters of words that are joined: of shorter ones anything can be made


class Variants:
    """Spellings made by rule.

    >>> [(match.name, match.synonyms) for match in Variants().matches(TextWords.of("dimethyl formamide, U.S.A."))]
    [('dimethyl formamide', ('dimethylformamide',)), ('u.s.a', ('usa',))]
    """

    def matches(self, words: TextWords) -> Iterator[Match]:
        texts = words.texts
        gaps = [words.written(at, at + 1)[len(texts[at]) : -len(texts[at + 1])] for at in range(len(texts) - 1)]
        found = [*_joined(texts, gaps), *_initials(texts, gaps), *_pointed(texts, gaps)]
        yield from dict.fromkeys(found)


def _joined(texts: list[str], gaps: list[str]) -> Iterator[Match]:
    """Neighbouring words as one, and words with a number and a hyphen as two."""
    for one, gap, other in zip(texts, gaps, texts[1:], strict=False):
        if gap not in (" ", "-") or min(len(one), len(other)) < _SHORTEST or one in _COMMON or other in _COMMON:
            continue
        numbered = any(map(str.isdigit, one + other))
        others = (one + other, f"{one}-{other}" if gap == " " else f"{one} {other}") if numbered else (one + other,)
        yield Match(f"{one}{gap}{other}", others)


def _initials(texts: list[str], gaps: list[str]) -> Iterator[Match]:
    """Words that in, on, to, by or over link: water-in-oil."""
    at = 0
    while at + 2 < len(texts):
        end = at
        while end + 2 < len(texts) and texts[end + 1] in _LINKS and set(gaps[end : end + 2]) <= {" ", "-"}:
            end += 2
        linked = texts[at : end + 1 : 2]
        hyphens = set(gaps[at:end]) == {"-"}
        if (len(linked) > 2 or (hyphens and len(linked) > 1)) and not _COMMON.intersection(linked):
            name = "".join(text + gap for text, gap in zip(texts[at : end + 1], [*gaps[at:end], ""], strict=True))
            yield Match(name, ("/".join(word[0] for word in linked),))
        at = max(end, at + 1)


def _pointed(texts: list[str], gaps: list[str]) -> Iterator[Match]:
    """Single letters with points between them, as one word."""
    at = 0
    while at < len(texts):
        end = at
        while end + 1 < len(texts) and gaps[end] == "." and len(texts[end]) == len(texts[end + 1]) == 1:
            end += 1
        if end > at:
            yield Match(".".join(texts[at : end + 1]), ("".join(texts[at : end + 1]),))
        at = end + 1


@synonym_source("variants")
def variants(context: SearchContext) -> Variants:
    return Variants()
