"""What did the searcher mean? A small query language, in which any text whatever is a query."""
