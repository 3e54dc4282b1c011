"""Steps after the first search: feedback, other evidence, fusion."""
