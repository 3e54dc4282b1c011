"""Steps that make queries from topics, and first results from queries."""
