"""Can we believe it? Systems compared with each other, over the score cube."""
