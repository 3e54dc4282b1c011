"""Links between pages: the graph of a crawl, an edge list or citations; PageRank, HITS, and how a web is measured."""
