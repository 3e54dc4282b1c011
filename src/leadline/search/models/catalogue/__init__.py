"""One file a model: its formula as a function of postings, its paper, and a case worked by hand."""
