"""Patents and articles, read from the forms that offices publish, and stored as a collection."""
