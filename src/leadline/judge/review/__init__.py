"""Reviewing: documents in the order that a learner proposes, and when enough of them have been read."""
