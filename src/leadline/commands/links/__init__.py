"""Links between pages: PageRank, HITS, in-degree, samples and statistics."""
