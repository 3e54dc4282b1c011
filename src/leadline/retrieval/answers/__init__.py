"""What a person sees of a result: hits, snippets, passages, prior art."""
