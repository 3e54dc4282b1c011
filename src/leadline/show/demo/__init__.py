"""What if I have no data? A whole lab on the spot: a simulated office, an index, systems, judgements, a report."""
