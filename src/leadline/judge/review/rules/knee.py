"""Stop when the curve of what is found bends."""

from __future__ import annotations

import numpy as np

from leadline.judge.review.stopping import Review, Stop, rule, stopped_at

LEAST_READ = 100
STEEPER = 6.0  # the slope before the bend over the slope behind it; less where little was found


@rule("knee", "rule of thumb")
def knee(review: Review) -> Stop:
    """Stop when the curve of relevant documents found bends: it was six times steeper before than it is behind.

    Where fewer than 150 relevant documents were found before the bend, it must be up to 156 times steeper.

    Paper: Cormack and Grossman, Engineering quality and reliability in technology-assisted review, 2016.
    """
    found = np.concatenate(([0], np.cumsum(review.labels)))
    total = len(review)
    looks = np.unique(np.geomspace(min(LEAST_READ, total), total, 60).round().astype(int))
    for read in looks.tolist():
        line = found[read] * np.arange(read + 1) / read
        bend = int(np.argmax(found[: read + 1] - line))
        if not 0 < bend < read:
            continue
        before, behind = found[bend] / bend, (found[read] - found[bend] + 1) / (read - bend)
        if before / behind >= STEEPER + max(0, 150 - int(found[bend])):
            return stopped_at(review, read)
    return stopped_at(review, total)
