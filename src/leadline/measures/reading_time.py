"""Reading times, as Smucker and Clarke measured them with people who searched news (SIGIR 2012)."""

from __future__ import annotations

from leadline.measures.hits import Array

OPENS_RELEVANT, OPENS_OTHER = 0.64, 0.39  # the share of documents opened after seeing the summary
SAVES_RELEVANT = 0.77  # the share of opened relevant documents that were saved
_SUMMARY, _WORD, _DOCUMENT = 4.4, 0.018, 7.8  # seconds


def seconds_of(words: Array, opened: Array) -> Array:
    """Return the time for documents with these lengths and probabilities of being opened.

    >>> import numpy as np
    >>> seconds_of(np.array([100.0]), np.array([OPENS_RELEVANT])).round(3)
    array([10.544])
    """
    return _SUMMARY + (_WORD * words + _DOCUMENT) * opened
