"""Words joined by AND, phrases, truncated words and filters, each query in one foreign call."""
