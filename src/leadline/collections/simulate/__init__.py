"""What if we knew the truth? A patent office whose inventions, prior art and examiners are all known."""
