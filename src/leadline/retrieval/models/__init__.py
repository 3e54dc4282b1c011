"""Models: from the postings of a query to the documents that score highest."""
