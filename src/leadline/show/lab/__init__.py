"""A lab: a folder of collections, indexes, topics, judgements, runs, pools, reviews and reports."""
