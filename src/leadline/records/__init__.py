"""What do we keep? Runs, judgements, topics and scores: the nouns, their files, and the order of ties."""
