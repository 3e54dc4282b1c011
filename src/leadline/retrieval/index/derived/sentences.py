"""Words counted once a sentence: how many sentences of a document speak of a thing, however often each names it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.occurrences import Found, Occurrences

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A point behind these, or behind a single letter, ends no sentence.
_WRITTEN = b"al approx ca cf col dr eq eqs etc ex fig figs incl max min no nos para pat pp ref refs ser st vol vs"
_SHORTENED = frozenset(_WRITTEN.split())
_ENDS, _BLANKS = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
_ENDS[list(b".!?;")] = True
_BLANKS[list(b" \t\r\n\v\f\0")] = True  # behind the last text there are zeros


def sentences(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The terms of texts, each once for every sentence that has it.

    A sentence ends at a point, question or exclamation mark or semicolon before a blank, and at the end of a line.

    >>> sentences(["Acid, more acid. An acid of Fig. 3; a base"], Analysis()).of_text(0)
    ['acid', 'acid', 'fig', '3', 'base']
    """
    found = Found.of(*joined(texts), analysis.words)
    reduced = analysis.reduced(found.words)
    names = sorted({*reduced} - {b""})
    number = {name: place for place, name in enumerate(names)}
    term = np.array([number.get(each, -1) for each in reduced], np.int64)[found.codes]
    sentence = sentence_of(found)
    kept = np.flatnonzero(term >= 0)
    _, first = np.unique(sentence[kept] * max(len(names), 1) + term[kept], return_index=True)
    places = np.sort(kept[first])
    return Occurrences(names, term[places].astype(np.int32), np.searchsorted(places, found.offsets))


def sentence_of(found: Found) -> NDArray[np.int64]:
    """The number of the sentence that each word stands in; two texts never share one."""
    if not len(found.codes):
        return np.empty(0, np.int64)
    content = found.content
    marks = _ENDS[content[:-1]] & _BLANKS[content[1:]]
    ends = found.starts + found.lengths
    shortened = np.array([word in _SHORTENED or (len(word) == 1 and word.isalpha()) for word in found.words], np.bool_)
    marks[ends[shortened[found.codes] & (content[ends] == ord("."))]] = False
    before = np.searchsorted(np.flatnonzero(marks | (content[:-1] == ord("\n"))), found.starts)
    new = before[1:] > before[:-1]
    firsts = found.offsets[1:-1]
    new[firsts[(firsts > 0) & (firsts <= len(new))] - 1] = True
    return np.concatenate([[0], np.cumsum(new)])
