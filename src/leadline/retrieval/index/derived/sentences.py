"""Words counted once per sentence: the frequency of a term is the number of sentences that have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis, Occurrences, WordSpans, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A point after one of these abbreviations, or after a single letter, does not end a sentence.
_ABBREVIATED = b"al approx ca cf col dr eq eqs etc ex fig figs incl max min no nos para pat pp ref refs ser st vol vs"
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_ENDS, _BLANKS = np.zeros(256, np.bool_), np.zeros(256, np.bool_)
_ENDS[list(b".!?;")] = True
_BLANKS[list(b" \t\r\n\v\f\0")] = True  # zeros follow the last text


def sentences(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The terms of texts, each once per sentence.

    A sentence ends at a point, question mark, exclamation mark or semicolon before a blank, and at the end of a line.

    >>> sentences(["Acid, more acid. An acid of Fig. 3; a base"], Analysis()).of_text(0)
    ['acid', 'acid', 'fig', '3', 'base']
    """
    spans = WordSpans.of(*joined(texts), analysis.words)
    reduced = analysis.reduced(spans.words)
    names = sorted({*reduced} - {b""})
    number = {name: place for place, name in enumerate(names)}
    term = np.array([number.get(each, -1) for each in reduced], np.int64)[spans.codes]
    sentence = sentence_of(spans)
    # The first occurrence of each term in each sentence.
    kept = np.flatnonzero(term >= 0)
    _, first = np.unique(sentence[kept] * max(len(names), 1) + term[kept], return_index=True)
    places = np.sort(kept[first])
    return Occurrences(names, term[places].astype(np.int32), np.searchsorted(places, spans.offsets))


def sentence_of(spans: WordSpans) -> NDArray[np.int64]:
    """The number of each word's sentence; sentences of different texts have different numbers."""
    if not len(spans.codes):
        return np.empty(0, np.int64)
    new = np.zeros(len(spans.codes), np.bool_)
    new[sentence_starts(spans)] = True
    new[spans.text_ends() + 1] = True
    return np.cumsum(new)


def sentence_starts(spans: WordSpans) -> NDArray[np.int64]:
    """The words before which a sentence or a line ends; the first word of a text is only among them by chance."""
    content = spans.content
    ends = np.flatnonzero(_ENDS[content[:-1]])
    ends = ends[_BLANKS[content[ends + 1]]]
    before = np.searchsorted(spans.starts, ends, "right") - 1  # the word before each mark
    is_short = np.array(
        [word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()) for word in spans.words], np.bool_
    )
    directly = (before >= 0) & (spans.starts[before] + spans.lengths[before] == ends)
    shortened = directly & (content[ends] == ord(".")) & is_short[spans.codes[before]]
    lines = np.searchsorted(spans.starts, np.flatnonzero(content == ord("\n")), "right")
    found = np.unique(np.concatenate([before[~shortened] + 1, lines]))
    return found[(found > 0) & (found < len(spans.codes))]
