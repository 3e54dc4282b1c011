"""After the first pass: feedback, other evidence, fusion."""
