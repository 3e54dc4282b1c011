"""One file per model: its formula as a function of postings, its paper, and a worked example."""
