"""A simulated patent office whose inventions, prior art and examiners are all known."""
