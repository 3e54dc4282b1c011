"""Words of a query that no document has, and the nearest word that some have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.retrieval.index.characters import prepared
from leadline.retrieval.index.segment import Field
from leadline.retrieval.language.query_terms import WiderIndex
from leadline.retrieval.language.spans import Phrase, QueryWord
from leadline.retrieval.language.tree import FILTERS, Node, Within, WordOrPhrase, parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_WORDS = 100  # of a query: a longer one is a text, not a list of words
MOST_NOTES = 5
SHORTEST = 4  # letters of a word for which another is suggested
_SHORT = 5  # letters: in a word up to this long one letter may differ, in a longer one two
_PENALTY = 4.0  # of a letter that differs, against the logarithm of a word's frequency


class MissingWord(NamedTuple):
    """A word of a query that is in no document, and the nearest word that is in some; empty where none is near."""

    word: str
    near: str

    def __str__(self) -> str:
        return f"{self.word[:40]} is in no document" + (f"; did you mean {self.near}?" if self.near else "")


def missing_words(
    index: WiderIndex, tree: Node | None, known: Mapping[str, Phrase | None] | None = None
) -> list[MissingWord]:
    """The words of a query that are in no document; `known` are words and phrases whose terms were looked up."""
    words = list(dict.fromkeys(word for node in _texts(tree) for word in node.text.split())) if tree else []
    if not words or len(words) > MOST_WORDS:
        return []
    known = known or {}
    others = [word for word in words if word not in known]
    phrases = {**known, **dict(zip(others, index.phrases(others), strict=True))}
    asked: dict[str, QueryWord] = {}
    for word in words:
        phrase = phrases[word]
        meant = phrase.words[0] if phrase is not None and len(phrase.words) == 1 else None
        if meant is not None and not meant.pattern and any(map(str.isalpha, word)):
            asked[word] = meant
    there = _terms_there(index, [term for meant in asked.values() for term in (meant.term, *meant.others)])
    found: list[MissingWord] = []
    for word, meant in asked.items():
        if not there.isdisjoint((meant.term, *meant.others)):
            continue
        near = nearest_word(index, word) if sum(map(str.isalpha, word)) >= len(word) / 2 else ""
        found.append(MissingWord(word, near))
        if len(found) == MOST_NOTES:
            break
    return found


def _texts(node: Node | None) -> Iterator[WordOrPhrase]:
    """The words and phrases of a query that are searched for in texts."""
    if isinstance(node, WordOrPhrase):
        yield node
    elif node is not None and not (isinstance(node, Within) and node.field in FILTERS):
        for part in parts_of(node):
            yield from _texts(part)


def _terms_there(index: WiderIndex, terms: Sequence[bytes]) -> set[bytes]:
    """Those of the terms that are in some document."""
    there: set[bytes] = set()
    for name in index.fields:
        wanted = [term for term in terms if term not in there]
        if wanted:
            found = index.has_terms(name, wanted).tolist()
            there.update(term for term, is_there in zip(wanted, found, strict=True) if is_there)
    return there


def nearest_word(index: WiderIndex, word: str) -> str:
    """The word of the documents that differs from another in the fewest letters, frequent ones preferred; or empty."""
    asked = np.frombuffer(prepared(word), np.uint8)
    most = 1 if len(asked) <= _SHORT else 2
    if len(asked) < SHORTEST:
        return ""
    found: dict[bytes, list[float]] = {}  # each near word with its distance and the occurrences of its terms
    for name in index.own:
        near: dict[tuple[bytes, bytes], int] = {}  # words and their terms: all segments count for each
        for segment in index.segments:
            field = segment.field(name)
            for buffer, starts, ends, terms in _vocabulary(field):
                for place, distance in _near(asked, buffer, starts, ends, most):
                    near[buffer[starts[place] : ends[place]].tobytes(), field.terms[int(terms[place])]] = distance
        for (written, term), distance in near.items():
            numbers = [
                (segment.field(name), int(segment.field(name).terms.find([term])[0])) for segment in index.segments
            ]
            total = sum(int(field.totals[number]) for field, number in numbers if number >= 0)
            found.setdefault(written, [distance, 0.0])[1] += float(total)
    best = max(found.items(), key=lambda each: (np.log1p(each[1][1]) - _PENALTY * each[1][0], each[0]), default=None)
    return best[0].decode() if best else ""


def _vocabulary(
    field: Field,
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.integer]]]:
    """The words of a field as they are written: begins and ends in a buffer, and their terms."""
    forms, terms = field.forms, field.terms
    if len(forms.keys):
        yield forms.keys.buffer, *forms.words(), forms.owners
    own = np.flatnonzero(forms.counts == 0)  # terms that are written as they are
    yield terms.buffer, terms.offsets[:-1][own], terms.offsets[1:][own], own


def _near(
    asked: NDArray[np.uint8],
    buffer: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    most: int,
) -> list[tuple[int, int]]:
    """The words at most some letters away from another, with the number of letters, all words at once."""
    lengths = ends - starts
    places = np.flatnonzero(np.abs(lengths - len(asked)) <= most)
    if not len(places):
        return []
    width = len(asked) + most
    columns = np.arange(width)
    inside = columns < lengths[places, None]
    letters = np.where(inside, buffer[np.minimum(starts[places, None] + columns, len(buffer) - 1)], 0)
    # Which letters a word has, as bits: each edit changes at most two of them.
    bits = np.where(inside, np.left_shift(np.uint64(1), (letters & 63).astype(np.uint64)), np.uint64(0))
    own = np.bitwise_or.reduce(np.left_shift(np.uint64(1), (asked & 63).astype(np.uint64)))
    differing = np.bitwise_or.reduce(bits, axis=1) ^ own
    few = np.unpackbits(differing.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1) <= 2 * most
    places, letters = places[few], letters[few]
    distances = _distances(asked, letters)[np.arange(len(places)), lengths[places]]
    near = np.flatnonzero(distances <= most)
    return list(zip(places[near].tolist(), distances[near].tolist(), strict=True))


def _distances(asked: NDArray[np.uint8], letters: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The edits from a word to every beginning of each of some others; two letters exchanged are one edit."""
    count, width = letters.shape
    before = np.zeros((count, width + 1), np.int64)
    last = np.tile(np.arange(width + 1), (count, 1))
    for row, letter in enumerate(asked.tolist(), start=1):
        this = np.empty_like(last)
        this[:, 0] = row
        for column in range(1, width + 1):
            here = letters[:, column - 1]
            cost = last[:, column - 1] + (here != letter)
            this[:, column] = np.minimum(np.minimum(this[:, column - 1], last[:, column]) + 1, cost)
            if row > 1 and column > 1:
                exchanged = (here == asked[row - 2]) & (letters[:, column - 2] == letter)
                swapped = np.where(exchanged, before[:, column - 2] + 1, this[:, column])
                this[:, column] = np.minimum(this[:, column], swapped)
        before, last = last, this
    return last
