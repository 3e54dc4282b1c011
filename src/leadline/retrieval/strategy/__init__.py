"""A searcher's strategy: numbered lines in the syntax of any search system, run, measured and translated."""
