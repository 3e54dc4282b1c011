"""A small query language, in which any text is a query."""
