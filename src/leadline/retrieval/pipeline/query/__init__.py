"""From a topic to its queries, and from queries to the first results."""
