"""One learner per file."""
