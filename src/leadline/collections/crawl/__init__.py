"""A crawler: pages of the web, kept as WARC files, as a collection and as a table of links."""
