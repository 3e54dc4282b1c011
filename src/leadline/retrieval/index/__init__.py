"""The index of a collection's text: analysis, postings and statistics."""
