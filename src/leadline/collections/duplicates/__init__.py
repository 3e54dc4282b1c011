"""Near-duplicates: which documents are nearly the same text, and which copy of each is kept."""
