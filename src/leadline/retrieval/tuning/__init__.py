"""Learn the weights of a system on judged topics of one's own."""
