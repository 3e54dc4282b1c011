"""How long reading takes, as Smucker and Clarke measured it on people who searched newspapers (SIGIR 2012)."""

from __future__ import annotations

from leadline.measures.hits import Array

OPENS_RELEVANT, OPENS_OTHER = 0.64, 0.39  # how often, having seen its summary, they opened a document
SAVES_RELEVANT = 0.77  # how often they saved a relevant document once it was open
_SUMMARY, _WORD, _DOCUMENT = 4.4, 0.018, 7.8  # seconds


def seconds_of(words: Array, opened: Array) -> Array:
    """The time that documents of so many words take, opened with these chances.

    >>> import numpy as np
    >>> seconds_of(np.array([100.0]), np.array([OPENS_RELEVANT])).round(3)
    array([10.544])
    """
    return _SUMMARY + (_WORD * words + _DOCUMENT) * opened
