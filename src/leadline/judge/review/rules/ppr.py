"""The certificate as a rule: stop as soon as it states the target."""

from __future__ import annotations

import numpy as np

from leadline.judge.review.stopping import ROUNDING, Review, Stop, lowest_so_far, missing_limits, rule, switch_point


@rule("ppr", "guarantee")
def ppr(review: Review) -> Stop:
    """Draw at random from what is unread after the switch, until the certificate states the target.

    Paper: Waudby-Smith and Ramdas, Confidence sequences for sampling without replacement, 2020.
    """
    switch = switch_point(review.labels)
    found = int(review.labels[:switch].sum())
    drawn_labels = review.random.permutation(review.labels[switch:])
    hits = np.concatenate(([0], np.cumsum(drawn_labels)))
    drawn = np.arange(len(hits))
    limits = missing_limits(found, len(drawn_labels), drawn, hits, target=review.target, alpha=review.alpha)
    missing = lowest_so_far(limits, hits)
    recall = (found + hits) / np.maximum(found + missing, 1)
    last = int(np.argmax((recall >= review.target - ROUNDING) | (drawn == len(drawn_labels))))
    return Stop(switch + last, found + int(hits[last]))
