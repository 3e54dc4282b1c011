"""What is relevant? Judgements, and where they come from."""
