"""Figures: each is one function of the evidence."""
