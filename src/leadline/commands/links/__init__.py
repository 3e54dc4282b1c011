"""Links between pages: PageRank, HITS, in-degree, samples, statistics and findability."""
