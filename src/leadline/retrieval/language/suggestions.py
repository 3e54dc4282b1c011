"""Words of a query that no document has, and the nearest word that some have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.characters import prepared
from leadline.retrieval.index.segment import Field
from leadline.retrieval.language.query_terms import WiderIndex
from leadline.retrieval.language.spans import QueryWord
from leadline.retrieval.language.tree import FILTERS, Node, Within, WordOrPhrase, parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_WORDS = 100  # of a query: a longer one is a text, not a list of words
MOST_NOTES = 5
SHORTEST = 4  # letters of a word for which another is suggested
_SHORT = 5  # letters: in a word up to this long one letter may differ, in a longer one two
_PENALTY = 4.0  # of a letter that differs, against the logarithm of a word's frequency


def missing_words(index: WiderIndex, tree: Node | None) -> list[str]:
    """A note for each word that is in no document, with the nearest word that is in some."""
    words = list(dict.fromkeys(word for node in _texts(tree) for word in node.text.split())) if tree else []
    if not words or len(words) > MOST_WORDS:
        return []
    notes = []
    for word, phrase in zip(words, index.phrases(words), strict=True):
        meant = phrase.words[0] if phrase is not None and len(phrase.words) == 1 else None
        if meant is None or meant.pattern or not any(map(str.isalpha, word)) or _is_there(index, meant):
            continue
        near = nearest_word(index, word) if sum(map(str.isalpha, word)) >= len(word) / 2 else ""
        notes.append(f"{word[:40]} is in no document" + (f"; did you mean {near}?" if near else ""))
    return notes[:MOST_NOTES]


def _texts(node: Node | None) -> Iterator[WordOrPhrase]:
    """The words and phrases of a query that are searched for in texts."""
    if isinstance(node, WordOrPhrase):
        yield node
    elif node is not None and not (isinstance(node, Within) and node.field in FILTERS):
        for part in parts_of(node):
            yield from _texts(part)


def _is_there(index: WiderIndex, word: QueryWord) -> bool:
    terms = [word.term, *word.others]
    fields = (segment.field(name) for segment in index.segments for name in index.fields)
    return any((field.terms.find(terms) >= 0).any() for field in fields)


def nearest_word(index: WiderIndex, word: str) -> str:
    """The word of the documents that differs from another in the fewest letters, frequent ones preferred; or empty."""
    asked = np.frombuffer(prepared(word), np.uint8)
    most = 1 if len(asked) <= _SHORT else 2
    if len(asked) < SHORTEST:
        return ""
    found: dict[bytes, list[float]] = {}  # each near word with its distance and frequency
    for segment in index.segments:
        for name in index.own:
            for buffer, starts, ends, counts in _vocabulary(segment.field(name)):
                for place, distance in _near(asked, buffer, starts, ends, most):
                    near = found.setdefault(buffer[starts[place] : ends[place]].tobytes(), [distance, 0.0])
                    near[1] += float(counts[place])
    best = max(found.items(), key=lambda each: (np.log1p(each[1][1]) - _PENALTY * each[1][0], each[0]), default=None)
    return best[0].decode() if best else ""


def _vocabulary(
    field: Field,
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """The words of a field as they are written: begins and ends in a buffer, and how often their terms occur."""
    forms, terms = field.forms, field.terms
    if len(forms.keys):
        yield forms.keys.buffer, *forms.words(), field.totals[forms.owners]
    own = np.flatnonzero(forms.counts == 0)  # terms that are written as they are
    yield terms.buffer, terms.offsets[:-1][own], terms.offsets[1:][own], field.totals[own]


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
