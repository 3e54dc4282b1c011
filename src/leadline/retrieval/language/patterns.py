"""Wildcards: `polym*`, `*ylene`, `wom?n`, `colo$r`, `polym$2`. They match words as they are written.

*        any letters, at the beginning, inside or at the end of a word
?  #     one letter, inside a word
$        at most one letter inside a word; any letters at its end
$2       at most two letters, at the end
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.terms import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Wildcards are letters while a query is cut into words: characters that no other text has.
_LETTER_OF = {"*": "ꙮ", "?": "ꟻ", "$": "ꟷ", "#": "ꞏ"}
_TO_LETTERS = str.maketrans(_LETTER_OF)
_FROM_LETTERS = str.maketrans({letter: sign for sign, letter in _LETTER_OF.items()})
_SIGNS = re.compile(r"[*?$#]")
# A wildcard has a letter or digit beside it, and ? and # have one behind them: `film?` ends a question.
_WILDCARD = re.compile(
    r"(?<=\w)[?#]+(?=\w)|(?<=\w)\$(?=\w|$)|(?<=[\w*])\*(?=\W|$)|(?<![\w*])\*+(?=\w)|(?<=\w)\*+(?=\w)"
)


def as_letters(piece: str) -> str:
    """A piece of a query with letters in place of its wildcards.

    >>> as_written(as_letters("wom?n")), as_letters("film?"), as_letters("$5")
    ('wom?n', 'film?', '$5')
    """
    if not _SIGNS.search(piece):
        return piece
    return _WILDCARD.sub(lambda found: "" if _is_price(piece, found) else found[0].translate(_TO_LETTERS), piece)


def _is_price(piece: str, found: re.Match[str]) -> bool:
    return found[0] == "$" and piece[: found.start()].isdigit()


def as_written(word: str) -> str:
    return word.translate(_FROM_LETTERS)


def has_wildcard(word: str) -> bool:
    return not word.isascii() and as_written(word) != word


@lru_cache(maxsize=4096)
def expression(pattern: str) -> re.Pattern[str]:
    """The regular expression of a pattern.

    >>> [bool(expression(p).fullmatch(w)) for p, w in (("wom?n", "women"), ("colo$r", "color"), ("film$2", "filming"))]
    [True, True, False]
    """
    ending = re.search(r"\$([1-9])$", pattern)
    inside = pattern[: ending.start()] if ending else pattern
    signs = {"*": ".*", "?": ".", "#": ".", "$": ".?"}
    written = re.sub(r"\*+", "*", inside)
    if written.endswith("$") and not ending:
        written = written[:-1] + "*"
    body = "".join(signs.get(letter) or re.escape(letter) for letter in written)
    return re.compile(body + (f".{{0,{ending[1]}}}" if ending else ""), re.DOTALL)


def matching(
    pattern: str, buffer: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The numbers of the words that match a pattern; word n is buffer[starts[n]:ends[n]]."""
    places = _candidates(pattern, buffer, starts, ends)
    if re.fullmatch(r"[^*?$#]+\*", pattern):  # the beginning decides
        return places
    matches = expression(pattern).fullmatch
    whole = buffer.tobytes() if len(places) > 100 else None
    kept = []
    for place, start, end in zip(places.tolist(), starts[places].tolist(), ends[places].tolist(), strict=True):
        word = whole[start:end] if whole is not None else buffer[start:end].tobytes()
        if matches(word.decode()):
            kept.append(place)
    return np.array(kept, np.int64)


def _candidates(
    pattern: str, buffer: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The words that begin as the pattern does, or have its longest piece without wildcards."""
    beginning = re.split(r"[*?$#]", re.sub(r"\$[1-9]$", "$", pattern))
    first = beginning[0].encode()
    places = np.flatnonzero(ends - starts >= len(first))
    if first:
        for at, byte in enumerate(first):
            places = places[buffer[starts[places] + at] == byte]
        return places
    longest = max(beginning, key=len).encode()
    if not longest or not len(starts):
        return places
    found = np.array([match.start() for match in re.finditer(re.escape(longest), buffer.tobytes())], np.int64)
    word = np.searchsorted(starts, found, "right") - 1
    inside = (word >= 0) & (found + len(longest) <= ends[word])
    return np.unique(word[inside])


def matching_terms(pattern: str, terms: Terms) -> NDArray[np.int64]:
    return matching(pattern, terms.buffer, terms.offsets[:-1], terms.offsets[1:])
