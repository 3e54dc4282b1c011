"""Results prepared for people: hits, snippets, passages, prior art."""
