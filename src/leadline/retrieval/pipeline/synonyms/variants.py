"""Other spellings of the words of a query: joined, split, or as initials. Those not in the index are dropped later.

dimethyl formamide     dimethylformamide            two words as one
TiO2-coated            TiO2 coated                  split at hyphens
TiO2 coated            TiO2-coated                  joined by a hyphen, if there is a digit (the index keeps one term)
U.S.A.                 USA                          letters with points
water-in-oil-in-oil    W/O/O                        initials; without hyphens only of three or more words
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from leadline.retrieval.choices import COMMON
from leadline.retrieval.pipeline.synonyms.thesaurus import Match, TextWords, synonym_source

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

_COMMON = frozenset(word.decode() for word in COMMON["en"])
_LINKS = frozenset(("in", "on", "to", "by", "over"))
_SHORTEST = 3  # letters of words that are joined: joining shorter ones makes unrelated words


class Variants:
    """Finds words that have other spellings by rule.

    >>> [(match.name, match.synonyms) for match in Variants().matches(TextWords.of("dimethyl formamide, U.S.A."))]
    [('dimethyl formamide', ('dimethylformamide',)), ('u.s.a', ('usa',))]
    """

    def matches(self, words: TextWords) -> Iterator[Match]:
        texts = words.texts
        gaps = [words.written(at, at + 1)[len(texts[at]) : -len(texts[at + 1])] for at in range(len(texts) - 1)]
        yield from dict.fromkeys([*_joined(texts, gaps), *_initials(texts, gaps), *_with_points(texts, gaps)])


def _joined(texts: list[str], gaps: list[str]) -> Iterator[Match]:
    """Neighbouring words as one; if they have a digit, also with the other of blank and hyphen between them."""
    for left, gap, right in zip(texts, gaps, texts[1:], strict=False):
        if gap not in (" ", "-") or min(len(left), len(right)) < _SHORTEST or left in _COMMON or right in _COMMON:
            continue
        spellings = [left + right]
        if any(map(str.isdigit, left + right)):
            spellings.append(f"{left}-{right}" if gap == " " else f"{left} {right}")
        yield Match(f"{left}{gap}{right}", tuple(spellings))


def _initials(texts: list[str], gaps: list[str]) -> Iterator[Match]:
    """The initials of words linked by in, on, to, by or over: W/O for water-in-oil."""
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


def _with_points(texts: list[str], gaps: list[str]) -> Iterator[Match]:
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
