"""Stop when the money is spent."""

from __future__ import annotations

from leadline.judge.review.stopping import Review, Stop, rule, stopped_at


@rule("budget", "rule of thumb")
def budget(review: Review) -> Stop:
    """Stop after half of the documents."""
    return stopped_at(review, (len(review) + 1) // 2)
