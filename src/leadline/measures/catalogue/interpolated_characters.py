"""Interpolated precision of passages, by characters: the measures of INEX's focused retrieval."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.measures.characters import characters_of, relevant_characters
from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio
from leadline.options import Bounds

Level = Annotated[float, Bounds(0, 1)]
LEVELS = np.arange(101) / 100


@measure("char_iP", at="recall", needs="characters")
def interpolated_character_precision(hits: Hits, recall: Level = 0.01) -> Array:
    """The highest precision of characters at any rank where a share of the relevant characters has been read.

    Formula: iP[x] = the largest char_P after any passage with char_R >= x; 0 if x is never reached.

    Paper: Kamps, Pehcevski, Kazai, Lalmas and Robertson, INEX 2007 evaluation measures, with char_iP@0.01 official.

    Range: 0 to 1.

    Unjudged: not relevant; so are characters that an earlier passage had.

    Short list: 0 if it does not reach the recall.

    After the first passage P = 2/4 and R = 2/4, after the second P = 4/12 and R = 1.

    >>> from leadline.measures.characters import example
    >>> hits = example([("d1", 0, 4), ("d2", 0, 8)], {"d1": [(2, 4)], "d2": [(0, 2)]})
    >>> [interpolated_character_precision(hits, recall=x).round(4).tolist() for x in (0.01, 0.5, 0.51)]
    [[0.5], [0.5], [0.3333]]
    """
    return _interpolated(hits, np.array([recall]))[:, 0]


@measure("AiP", needs="characters", aliases=("MAiP",))
def average_interpolated_precision(hits: Hits) -> Array:
    """Average of the interpolated precision of characters at the 101 levels of recall from 0 to 1.

    Formula: AiP = (1 / 101) Σ iP[x] over x = 0, 0.01, ..., 1. Its mean over topics is MAiP.

    Paper: Kamps, Pehcevski, Kazai, Lalmas and Robertson, INEX 2007 evaluation measures.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: iP is 0 at levels of recall that it does not reach.

    iP is 1/2 up to a recall of 0.5, at 51 levels, and 1/3 at the other 50.

    >>> from leadline.measures.characters import example
    >>> hits = example([("d1", 0, 4), ("d2", 0, 8)], {"d1": [(2, 4)], "d2": [(0, 2)]})
    >>> average_interpolated_precision(hits).round(4)  # (51 / 2 + 50 / 3) / 101
    array([0.4175])
    """
    return np.asarray(_interpolated(hits, LEVELS).mean(axis=1))


def _interpolated(hits: Hits, levels: Array) -> Array:
    """Interpolated precision of each row at each level of recall."""
    read, relevant = characters_of(hits), relevant_characters(hits)
    new = read.found_in()
    found = np.zeros((hits.rows, len(levels)))
    for row, (first, last) in enumerate(zip(read.offsets[:-1].tolist(), read.offsets[1:].tolist(), strict=True)):
        if first == last or not relevant[row]:
            continue
        counted = np.cumsum(new[first:last])
        precision = ratio(counted, np.cumsum(read.length[first:last]).astype(float))
        best_after = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
        # Counts of characters are compared, so that 0.51 of 100 is reached by 51.
        wanted = np.round(levels * relevant[row], 9)
        found[row] = best_after[np.searchsorted(counted, wanted)]
    return found
