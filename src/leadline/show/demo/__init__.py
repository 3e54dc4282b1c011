"""The demo: a simulated office, an index, systems, judgements and a report, for users without data."""
