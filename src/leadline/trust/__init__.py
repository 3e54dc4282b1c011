"""Can we believe it? Statistical comparisons of systems by their scores."""
