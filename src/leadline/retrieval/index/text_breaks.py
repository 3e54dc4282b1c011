"""Where the sentences and paragraphs of texts begin, so that words in the same one can be searched for.

A paragraph is a line; in the field of claims a line is a claim. A break is twice the position of the first word of a
sentence, plus 1 where it begins a paragraph too. A text's first sentence has no break.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.derived.sentences import sentence_starts
from leadline.retrieval.index.occurrences import Occurrences

if TYPE_CHECKING:
    from numpy.typing import NDArray


def text_breaks(occurrences: Occurrences) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The breaks of each text, and where those of each text begin.

    >>> from leadline.retrieval.index.analysis import Analysis
    >>> from leadline.retrieval.index.characters import joined
    >>> from leadline.retrieval.index.occurrences import WordSpans
    >>> spans = WordSpans.of(*joined(["A nail. It bends.\\nOurs not.", "Tin"]), "plain")
    >>> [array.tolist() for array in text_breaks(spans.terms(Analysis()))]
    [[4, 9], [0, 2, 2]]
    """
    spans, texts = occurrences.spans, len(occurrences.offsets) - 1
    if spans is None or not len(spans.codes):
        return np.empty(0, np.int32), np.zeros(texts + 1, np.int64)
    first = sentence_starts(spans)
    text = np.searchsorted(spans.offsets, first, "right") - 1
    inside = first > spans.offsets[text]  # a text's first sentence has no break
    first, text = first[inside], text[inside]
    lines = np.flatnonzero(spans.content == ord("\n"))
    before, after = (np.searchsorted(lines, spans.starts[words]) for words in (first - 1, first))
    breaks = (first - spans.offsets[text]) * 2 + (after > before)
    return breaks.astype(np.int32), np.searchsorted(text, np.arange(texts + 1))
