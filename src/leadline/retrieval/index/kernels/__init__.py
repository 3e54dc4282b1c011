"""The compiled half of indexing: words found and numbered, postings filled, dictionaries and lists merged."""
