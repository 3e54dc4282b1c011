"""Steps that limit the documents that a search may find."""
