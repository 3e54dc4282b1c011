"""Patents and articles, read from the forms offices publish, and kept as a collection."""
