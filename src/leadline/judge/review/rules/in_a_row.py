"""Stop after many documents in a row that are not relevant."""

from __future__ import annotations

from leadline.judge.review.stopping import Review, Stop, first_run, rule, stopped_at


@rule("in-a-row", "rule of thumb")
def in_a_row(review: Review) -> Stop:
    """Stop when as many documents in a row as 5 % of all, at least 50, are not relevant."""
    return stopped_at(review, first_run(review.labels, max(50, round(0.05 * len(review)))))
