"""Where are the words? Analysis, postings, statistics: everything a search needs to know of a collection's text."""
