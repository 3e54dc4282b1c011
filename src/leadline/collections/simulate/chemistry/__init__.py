"""Real chemistry: substances and terms, their names, classes, sentences, people and titles."""
