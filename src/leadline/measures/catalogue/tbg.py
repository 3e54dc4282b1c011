"""TBG: gain for a searcher with limited time, who needs longer for longer documents."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import measure
from leadline.measures.gains import OPENS_OTHER, OPENS_RELEVANT, SAVES_RELEVANT, running_sums, seconds_of
from leadline.measures.hits import Array, Hits, Integers, Reading
from leadline.options import Bounds


@measure("TBG", needs="words")
def tbg(hits: Hits, halflife: Annotated[float, Bounds(0, above=True)] = 224.0, rel: int = 1) -> Array:
    """Expected number of relevant documents saved before giving up, when half of all searchers give up in `halflife` s.

    Formula: TBG = Σ 0.4928 · 2^(-T(r) / halflife) over the relevant documents found. T(r) is the time spent on the
    documents above rank r, for each 4.4 + (0.018 · words + 7.8) · c seconds, where c = 0.64 for a relevant document,
    else 0.39, is the probability that it is opened. 0.4928 = 0.64 · 0.77, opened and saved. With a reading log, the
    seconds of each document are taken from there.

    Paper: Smucker and Clarke, Time-based calibration of effectiveness measures, SIGIR 2012.

    Range: 0 and up; not normalised.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from dataclasses import replace
    >>> reading = Reading(np.array([0, 2]), words=np.array([100.0, 500.0]))
    >>> hits = replace(Hits.of(ranks=[1, 2], relevant=2), reading=reading)

    The first takes 4.4 + (1.8 + 7.8) · 0.64 = 10.544 seconds: 0.4928 · (1 + 2^(-10.544 / 224)).

    >>> tbg(hits).round(6)
    array([0.969781])
    """
    if hits.reading is None or (hits.reading.words is None and hits.reading.seconds is None):
        raise MeasureError("TBG needs document lengths: give --lengths FILE (document, words)")
    found = hits.where(hits.relevant(rel))
    places = hits.reading.offsets[found.row] + found.rank - 1
    seconds = _seconds(hits.reading, places)
    # The time spent above each relevant document, and the share of searchers still reading then.
    before = (running_sums(seconds, hits.reading.offsets) - seconds)[places]
    return OPENS_RELEVANT * SAVES_RELEVANT * found.total(2.0 ** (-before / halflife))


def _seconds(reading: Reading, relevant: Integers) -> Array:
    """The time for each document read; `relevant` are the places of the relevant ones."""
    if reading.seconds is not None:
        return reading.seconds
    assert reading.words is not None
    opens = np.full(len(reading.words), OPENS_OTHER)
    opens[relevant] = OPENS_RELEVANT
    return seconds_of(reading.words, opens)
