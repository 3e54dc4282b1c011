"""Someone else's search service as a system: its answers to topics become a run."""
