"""Which come first? Models of relevance, and the search for the best documents of a query."""
