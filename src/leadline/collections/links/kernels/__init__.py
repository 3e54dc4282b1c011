"""The compiled half of the link graph: edges merged, and the sums of PageRank and HITS."""
